package pdf

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// pinnedGopdf is the version whose bytes finish patches. Another one may number
// or write its objects otherwise: change this when the tests here pass with it.
const pinnedGopdf = "github.com/signintech/gopdf v0.36.0"

func TestTheVersionOfGopdfIsTheOneWhoseBytesAreKnown(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), "\t"+pinnedGopdf+"\n") {
		t.Errorf("go.mod has another version than %s: look at what finish expects of gopdf's bytes", pinnedGopdf)
	}
}

// What finish expects of the file that gopdf writes; if this fails, finish
// would patch the wrong bytes.
func TestGopdfWritesItsObjectsWhereTheyArePatched(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	for range 2 {
		c.AddPage(200, 300)
		c.Text(10, 50, "Berth", EmbeddedFonts().Face("Arial", false, false), 12, dml.RGB{})
		c.Text(10, 80, "Berth", EmbeddedFonts().Face("Cambria", true, false), 12, dml.RGB{})
		c.LinkAnchor(10, 10, 20, 20, "nowhere")
	}
	if err := c.Image(rendertest.SamplePNG(t, 128), 10, 100, 20, 20, ImageOptions{}); err != nil {
		t.Fatal(err)
	}
	raw, err := c.pdf.GetBytesPdfReturnErr()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := splitObjects(raw)
	if err != nil {
		t.Fatal(err)
	}
	want := func(number int, parts ...string) {
		t.Helper()
		object := objects[number-1]
		for _, part := range append(parts, fmt.Sprintf("%d 0 obj\n", number)) {
			if bytes.Count(object, []byte(part)) != 1 {
				t.Errorf("object %d has not one %q:\n%.300s", number, part, object)
			}
		}
	}
	for number := range objects {
		want(number+1, "endobj\n")
	}
	want(catalogObject, "/Type /Catalog", "/Pages 2 0 R")
	want(outlinesObject, "/Type /Outlines")
	if len(c.pages) != 2 || len(c.fonts) != 2 || len(c.links) != 2 || len(c.masked) != 1 {
		t.Fatalf("got %d pages, %d fonts, %d links and %d pictures with a mask; want 2, 2, 2 and 1", len(c.pages), len(c.fonts), len(c.links), len(c.masked))
	}
	for _, page := range c.pages {
		want(page, "/Type /Page\n", fmt.Sprintf("/Contents  %d 0 R", page+1))
		want(page+1, "\nstream\nq\nQ\nBT\n", "\nendstream\nendobj\n\n")
	}
	for _, f := range c.fonts {
		want(f.object, "begincmap")
		want(f.object+1, "/Length1", "\nstream\n")
		want(f.object+2, "/Type /FontDescriptor\n", fmt.Sprintf("/FontFile2 %d 0 R\n", f.object+1))
		want(f.object+3, "/Subtype /CIDFontType2\n", fmt.Sprintf("/FontDescriptor %d 0 R\n", f.object+2), "\n/W [")
	}
	for _, link := range c.links {
		want(link.object, fmt.Sprintf("%d 0 obj\nendobj\n", link.object)) // it writes nothing of a link whose anchor is not there
	}
	want(c.masked[0].object, "/Subtype /Image\n")
}
