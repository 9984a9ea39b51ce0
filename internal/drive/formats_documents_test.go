package drive

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/render/pdf"
)

func replacements(pairs ...string) []*docsapi.Request {
	var requests []*docsapi.Request
	for pair := range slices.Chunk(pairs, 2) {
		requests = append(requests, replaceAll(pair[0], pair[1]))
	}
	return requests
}

// letterTemplate is a file with two tags.
func letterTemplate(t *testing.T) []byte {
	t.Helper()
	blank, err := blank.Document()
	if err != nil {
		t.Fatal(err)
	}
	template, _, err := newDocuments(pdf.EmbeddedFonts(), false, time.Now).apply(blank, "f", []*docsapi.Request{
		{InsertText: &docsapi.InsertTextRequest{Text: "Dear {{Name}},\n\nyours since {{Year}} & <ever>.\n", Location: &docsapi.Location{Index: 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func TestAnEditDoesNotShowInTheNextCopyOfATemplate(t *testing.T) {
	t.Parallel()
	template := letterTemplate(t)
	d := newDocuments(pdf.EmbeddedFonts(), false, time.Now)
	first, _, err := d.apply(template, "a", replacements("{{Name}}", "Ada", "{{Year}}", "1843"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		second, answers, err := d.apply(template, "b", replacements("{{Name}}", "Charles"))
		if err != nil || answers[0].ReplaceAllText.OccurrencesChanged != 1 {
			t.Fatalf("second copy: %v, %+v", err, answers)
		}
		want, _, err := newDocuments(pdf.EmbeddedFonts(), false, time.Now).apply(template, "b", replacements("{{Name}}", "Charles"))
		if err != nil || !bytes.Equal(second, want) || bytes.Equal(first, second) {
			t.Errorf("a template that was parsed before gives other bytes (%v)", err)
		}
	}
}

func TestAnEditedDocumentIsExportedAsIfItWereReadAgain(t *testing.T) {
	t.Parallel()
	template := letterTemplate(t)
	d := newDocuments(pdf.EmbeddedFonts(), false, time.Now)
	body, _, err := d.apply(template, "a", replacements("{{Name}}", "Ada\vLovelace\tand\nothers", "{{Year}}", ""))
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := d.pdf(body, "Letter")
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := d.pdf(body, "Letter") // what the edit left behind is used up
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("a second export differs (%v)", err)
	}
}

func TestCopiesOfATemplateAreEditedSideBySide(t *testing.T) {
	t.Parallel()
	template := letterTemplate(t)
	want, _, err := newDocuments(pdf.EmbeddedFonts(), false, time.Now).apply(template, "a", replacements("{{Name}}", "Ada"))
	if err != nil {
		t.Fatal(err)
	}
	d := newDocuments(pdf.EmbeddedFonts(), false, time.Now)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got, _, err := d.apply(template, "a", replacements("{{Name}}", "Ada"))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("an edit beside others gives other bytes (%v)", err)
			}
			if _, _, err := d.pdf(got, "Letter"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
