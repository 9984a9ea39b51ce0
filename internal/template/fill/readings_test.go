package fill_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// readDrive has one document of one paragraph, and notes how it is read.
type readDrive struct {
	text     string
	readings []platen.Reading
	down     bool
}

func (d *readDrive) EditDocument(_ context.Context, _ string, read platen.Reading, compose func(*docsapi.Document) ([]*docsapi.Request, error)) (int, error) {
	d.readings = append(d.readings, read)
	if d.down {
		return 0, errors.New("the drive is down")
	}
	end := int64(1 + len(d.text) + 1)
	run := &docsapi.ParagraphElement{StartIndex: 1, EndIndex: end, TextRun: &docsapi.TextRun{Content: d.text + "\n"}}
	paragraph := &docsapi.StructuralElement{StartIndex: 1, EndIndex: end, Paragraph: &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{run}}}
	requests, err := compose(&docsapi.Document{Body: &docsapi.Body{Content: []*docsapi.StructuralElement{paragraph}}})
	return len(requests), err
}

func (d *readDrive) EditPresentation(context.Context, string, platen.Reading, func(*slidesapi.Presentation) ([]*slidesapi.Request, error)) (int, error) {
	return 0, errors.New("it has no presentation")
}

func TestATemplateThatIsMoreThanItsTextsIsReadOnceFromTheSecondFillOn(t *testing.T) {
	t.Parallel()
	const (
		plain  = "Dear {{Name}}"
		blocks = "{{#if Name}}Dear {{Name}}{{/if}}"
	)
	texts, whole := platen.ReadTexts, platen.ReadWhole
	d, readings := &readDrive{}, fill.NewReadings()
	if got := readings.Most("doc_1"); got != 2 {
		t.Errorf("filling a document that is not known takes %d readings at most, want 2", got)
	}
	for i, step := range []struct {
		documentID, template string
		down                 bool
		want                 []platen.Reading
	}{
		{documentID: "doc_1", template: plain, want: []platen.Reading{texts}},
		{documentID: "doc_1", template: plain, want: []platen.Reading{texts}},
		{documentID: "doc_2", template: blocks, want: []platen.Reading{texts, whole}},
		{documentID: "doc_2", template: blocks, want: []platen.Reading{whole}},
		{documentID: "doc_2", template: blocks, down: true, want: []platen.Reading{whole}},
		{documentID: "doc_2", template: blocks, want: []platen.Reading{whole}},
		{documentID: "doc_1", template: plain, want: []platen.Reading{texts}},
		{documentID: "doc_2", template: plain, want: []platen.Reading{whole}}, // the template has changed
		{documentID: "doc_2", template: plain, want: []platen.Reading{texts}},
	} {
		d.text, d.down, d.readings = step.template, step.down, nil
		f, err := fill.New(platen.Document{ID: step.documentID}, []byte(`{"Name":"Ada"}`), lang.Builtins{})
		if err != nil {
			t.Fatal(err)
		}
		f.Readings = readings
		out, err := f.Fill(t.Context(), d, platen.File{ID: "copy", MIMEType: platen.MIMEDocs}, nil)
		if (err != nil) != step.down {
			t.Fatalf("step %d: got error %v", i+1, err)
		}
		if !slices.Equal(d.readings, step.want) {
			t.Errorf("step %d, %s of %s: read %v, want %v", i+1, step.template, step.documentID, d.readings, step.want)
		}
		if !step.down && out.Requests == 0 {
			t.Errorf("step %d: nothing was filled", i+1)
		}
		if got := readings.Most(step.documentID); got != 1 {
			t.Errorf("step %d: filling %s takes %d readings at most the next time, want 1", i+1, step.documentID, got)
		}
	}
}
