package compare_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/compare"
	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/render/slide"
	"github.com/platenhq/platen/internal/seal"
	"github.com/platenhq/platen/internal/seal/sealtest"
)

func must[T any](t *testing.T) func(T, error) T {
	return func(made T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
}

// A drawing is two pages, and says what is on the second.
type drawing struct {
	x, size float64
	text    string
	color   dml.RGB
	line    float64 // where it begins
}

func (d drawing) pdf(t *testing.T) []byte {
	t.Helper()
	c, face := pdf.NewCanvas("", ""), pdf.EmbeddedFonts().Face("Arial", false, false)
	c.AddPage(400, 400)
	c.Text(20, 40, "Dear Ada, your contract follows", face, 11, dml.RGB{})
	c.AddPage(400, 400)
	c.Text(d.x, 40, d.text, face, d.size, d.color)
	c.StrokeLine(d.line, 60, 300, 60, pdf.Stroke{Width: 1})
	return must[[]byte](t)(c.Bytes())
}

func TestAChangeIsFoundOnItsPageAndOnlyThere(t *testing.T) {
	t.Parallel()
	usual := drawing{x: 20, size: 11, text: "We agree on this", line: 20}
	for name, c := range map[string]struct {
		change func(*drawing)
		want   string
	}{
		"nothing":                   {func(*drawing) {}, ""},
		"less than anybody sees":    {func(d *drawing) { d.x += 0.2 }, ""},
		"to the right":              {func(d *drawing) { d.x += 72 }, "page 2: 4 words moved by up to 25.4 mm"},
		"a word that is gone":       {func(d *drawing) { d.text = "We agree on" }, "page 2: 1 word gone"},
		"a new word":                {func(d *drawing) { d.text = "We agree on this today" }, "page 2: 1 new word"},
		"another colour":            {func(d *drawing) { d.color = dml.RGB{R: 255} }, "page 2: 4 words in another style"},
		"a line that begins before": {func(d *drawing) { d.line = 10 }, "page 2: 1 shape differs"},
	} {
		changed := usual
		c.change(&changed)
		pages, before, after, err := compare.PDFs(usual.pdf(t), changed.pdf(t))
		var got string
		for _, p := range pages {
			got += p.String()
		}
		if err != nil || got != c.want || before != 2 || after != 2 {
			t.Errorf("%s: got %q with %d and %d pages, %v; want %q", name, got, before, after, err, c.want)
		}
	}
	larger := usual
	larger.size = 12
	pages, _, _, err := compare.PDFs(usual.pdf(t), larger.pdf(t))
	if err != nil || len(pages) != 1 || pages[0].Number != 2 || pages[0].Moved+pages[0].Restyled != 4 || pages[0].Gone+pages[0].New != 0 {
		t.Errorf("larger letters: got %+v, %v; want all words of page 2", pages, err)
	}
}

func TestASealedPDFLooksAsTheOneWithout(t *testing.T) {
	t.Parallel()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	o := sealtest.NewOrganization(t, "Brightwater Yachts", key)
	signer := must[*seal.Sealer](t)(seal.New(o.Chain(), o.Key))
	protector := protect.Protector{Signer: func() (protect.Signer, error) { return signer, nil }}
	plain := drawing{x: 20, size: 11, text: "We agree on this", line: 20}.pdf(t)
	sealed := must[[]byte](t)(protector.Seal(t.Context(), plain, time.Now()))
	if pages, _, after, err := compare.PDFs(sealed, plain); err != nil || len(pages) != 0 || after != 2 {
		t.Errorf("got %v with %d pages, %v", pages, after, err)
	}
	moved := drawing{x: 30, size: 11, text: "We agree on this", line: 20}.pdf(t)
	if pages, _, _, err := compare.PDFs(sealed, moved); err != nil || len(pages) != 1 || pages[0].Moved != 4 {
		t.Errorf("moved: got %v, %v", pages, err)
	}
}

func TestAPageMoreOrLessIsFound(t *testing.T) {
	t.Parallel()
	two := drawing{x: 20, size: 11, text: "End", line: 20}.pdf(t)
	c := pdf.NewCanvas("", "")
	c.AddPage(400, 400)
	c.Text(20, 40, "Dear Ada, your contract follows", pdf.EmbeddedFonts().Face("Arial", false, false), 11, dml.RGB{})
	one := must[[]byte](t)(c.Bytes())
	for _, c := range []struct {
		before, after []byte
		want          []compare.Page
	}{{two, one, []compare.Page{{Number: 2, Missing: true}}}, {one, two, []compare.Page{{Number: 2, Added: true}}}} {
		if got, _, _, err := compare.PDFs(c.before, c.after); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %+v, %v; want %+v", got, err, c.want)
		}
	}
	if _, _, _, err := compare.PDFs([]byte("no PDF"), one); err == nil || !strings.Contains(err.Error(), "the stored PDF") {
		t.Errorf("a file that is none: got %v", err)
	}
}

// The examples look as they did, and each of their pages otherwise with a mark across it.
func TestTheExamplesLookAsTheyDid(t *testing.T) {
	t.Parallel()
	files := must[[]string](t)(filepath.Glob("../../examples/*.docx"))
	slides := must[[]string](t)(filepath.Glob("../../examples/*.pptx"))
	if len(files) < 3 || len(slides) < 1 {
		t.Fatal("there are no examples")
	}
	for _, file := range append(files, slides...) {
		content := must[[]byte](t)(os.ReadFile(file))
		draw := func() []byte {
			if strings.HasSuffix(file, ".pptx") {
				made, _, err := slide.Presentation(pdf.EmbeddedFonts(), must[*pml.Presentation](t)(pml.ReadPresentation(content)), "")
				return must[[]byte](t)(made, err)
			}
			made, _, err := flow.Document(pdf.EmbeddedFonts(), must[*wml.Document](t)(wml.ReadDocument(content)), "")
			return must[[]byte](t)(made, err)
		}
		pages, before, after, err := compare.PDFs(draw(), draw())
		if err != nil || len(pages) != 0 || before == 0 || before != after {
			t.Errorf("%s: got %v with %d and %d pages, %v", file, pages, before, after, err)
		}
		blank := pdf.NewCanvas("", "")
		for range before {
			blank.AddPage(400, 400)
		}
		pages, _, _, err = compare.PDFs(draw(), must[[]byte](t)(blank.Bytes()))
		words := 0
		for _, p := range pages {
			words += p.Gone
		}
		if said := len(strings.Fields(rendertest.Tool(t, draw(), "pdftotext", "FILE", "-"))); err != nil || words < said || words > said+said/50 {
			t.Errorf("%s: got %d words, %v; want about %d, as poppler reads them", file, words, err, said)
		}
		marked := must[[]byte](t)(protect.Protector{}.Mark(draw(), "TEST"))
		pages, before, _, err = compare.PDFs(draw(), marked)
		if err != nil || len(pages) != before {
			t.Errorf("%s, marked: got %v, %v; want each of %d pages", file, pages, err, before)
		}
	}
}
