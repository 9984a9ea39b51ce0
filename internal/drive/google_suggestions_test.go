package drive

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// suggesting is a document in which "old" is to become "new" by tracked changes.
func suggesting(t *testing.T) []byte {
	t.Helper()
	d, err := wml.ReadDocument(must[[]byte](t)(blank.Document()))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := d.Package.XML("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	change := etree.NewDocument()
	if err := change.ReadFromString(`<c><w:ins w:id="1" w:author="x"><w:r><w:t>new</w:t></w:r></w:ins><w:del w:id="2" w:author="x"><w:r><w:delText>old</w:delText></w:r></w:del></c>`); err != nil {
		t.Fatal(err)
	}
	for _, e := range change.Root().ChildElements() {
		tree.FindElement("//w:p").AddChild(e)
	}
	d.Package.Touch("word/document.xml")
	return must[[]byte](t)(d.Bytes())
}

func TestADriveLikeGoogleShowsSuggestionsAndFailsWhereTheyAreDeleted(t *testing.T) {
	h := newHarness(t)
	h.formats = officeFormats(pdf.EmbeddedFonts(), true, time.Now)
	h.likeGoogle(1)
	a := h.account("Ada")
	f, err := a.files.Create(&driveapi.File{Name: "letter", MimeType: store.DocumentType}).Media(bytes.NewReader(suggesting(t)), googleapi.ContentType(store.DocxType)).Do()
	if err != nil {
		t.Fatal(err)
	}
	read := func(view string) string {
		t.Helper()
		d := must[*docsapi.Document](t)(a.docs.Get(f.Id).SuggestionsViewMode(view).Do())
		text := ""
		for _, e := range d.Body.Content[len(d.Body.Content)-1].Paragraph.Elements {
			text += strings.TrimSuffix(e.TextRun.Content, "\n") + strings.Repeat("+", len(e.TextRun.SuggestedInsertionIds)) + strings.Repeat("-", len(e.TextRun.SuggestedDeletionIds))
		}
		return text
	}
	for view, want := range map[string]string{"SUGGESTIONS_INLINE": "new+old-", "DEFAULT_FOR_CURRENT_ACCESS": "new+old-", "PREVIEW_SUGGESTIONS_ACCEPTED": "new", "PREVIEW_WITHOUT_SUGGESTIONS": "old"} {
		if got := read(view); got != want {
			t.Errorf("%s: got %q, want %q", view, got, want)
		}
	}
	remove := &docsapi.Request{DeleteContentRange: &docsapi.DeleteContentRangeRequest{Range: &docsapi.Range{StartIndex: 1, EndIndex: 3}}}
	_, err = a.docs.BatchUpdate(f.Id, batchOf("", remove)).Do()
	wantEditorFault(t, err, 500, "INTERNAL")
	replace := must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(f.Id, batchOf("", replaceAll("ol", "ot"))).Do())
	if got := read("SUGGESTIONS_INLINE"); replace.Replies[0].ReplaceAllText.OccurrencesChanged != 1 || got != "new+otd-" {
		t.Errorf("after a replacement in deleted text: got %q", got)
	}
}
