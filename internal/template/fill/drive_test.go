package fill_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/drivetest"
)

// served is a drive with templates that are filled.
type served struct{ *drivetest.Drive }

func serveDrive(t *testing.T) served { return served{drivetest.Serve(t)} }

// fill uploads a template and fills it as a run does.
func (s served) fill(t *testing.T, file []byte, mimeType, data string) (fileID string) {
	t.Helper()
	return s.fillThrough(t, s.Client, file, mimeType, data)
}

// A wholly is a drive that always shows templates as a whole.
type wholly struct{ *google.Client }

func (w wholly) EditDocument(ctx context.Context, fileID string, _ platen.Reading, compose func(*docsapi.Document) ([]*docsapi.Request, error)) (int, error) {
	return w.Client.EditDocument(ctx, fileID, platen.ReadWhole, compose)
}

func (w wholly) EditPresentation(ctx context.Context, fileID string, _ platen.Reading, compose func(*slidesapi.Presentation) ([]*slidesapi.Request, error)) (int, error) {
	return w.Client.EditPresentation(ctx, fileID, platen.ReadWhole, compose)
}

func (s served) fillThrough(t *testing.T, through fill.Drive, file []byte, mimeType, data string) (fileID string) {
	t.Helper()
	id := s.Upload(t, "Example", mimeType, file)
	f, err := fill.New(platen.Document{}, []byte(data), lang.Builtins{WorkflowName: "Flow", AcceptedAt: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC), Number: invoices})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Fill(t.Context(), through, platen.File{ID: id, MIMEType: mimeType}, nil)
	if err != nil {
		t.Fatalf("fill: %v", err)
	}
	return id
}

func TestExamplesOfTheSpecificationComeOutThroughTheAPIsToo(t *testing.T) {
	t.Parallel()
	if os.Getenv(testkit.StackVariable) == "" {
		t.Skipf("%s names no running stack: make test has one", testkit.StackVariable)
	}
	s := serveDrive(t)
	for _, e := range examples(t) {
		if e.ofChart {
			file := s.fill(t, chartDocx(t, e.template, chartXML("barChart"), "inline"), platen.MIMEDocs, e.data)
			document, err := s.Docs.Get(file).Context(t.Context()).Do()
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range document.InlineObjects {
				if got := o.InlineObjectProperties.EmbeddedObject.Description; got != "Nut: 10, 2.5; Bolt: 3, 0.3" {
					t.Errorf("%s, through the Docs API: got a chart of %s", e.section, got)
				}
			}
			continue
		}
		if !e.ofSlides {
			document, err := s.Docs.Get(s.fill(t, e.drawn(t), platen.MIMEDocs, e.data)).Context(t.Context()).Do()
			if err != nil {
				t.Fatal(err)
			}
			if got := e.shownDocument(document); got != e.result {
				t.Errorf("%s, through the Docs API: got\n%s\nwant\n%s", e.section, got, e.result)
			}
		}
		if e.ofDocument {
			continue
		}
		id := s.fill(t, pptx(t, e.asSlides()...), platen.MIMESlides, e.data)
		presentation, err := s.Slides.Get(id).Context(t.Context()).Do()
		if err != nil {
			t.Fatal(err)
		}
		if got := e.shown(presentation); got != e.result {
			t.Errorf("%s, through the Slides API: got\n%s\nwant\n%s", e.section, got, e.result)
		}
	}
}

// Texts are read first, without what they look like: what comes out must not
// depend on it.
func TestTemplatesOfWhichTheTextsAreReadComeOutAsWhole(t *testing.T) {
	t.Parallel()
	if os.Getenv(testkit.StackVariable) == "" {
		t.Skipf("%s names no running stack: make test has one", testkit.StackVariable)
	}
	s := serveDrive(t)
	for _, template := range []string{
		"Dear {{Name}}, {{Evil}} {{Brace}}Name}} {{= Total * 2}} {{Nowhere}}\n{{Lines}}!",
		"* {{Items.Name}}: {{Items.Qty}}\n* {{Name}}\n{{Items.Qty}} and {{Tags}}\nend",
		"* {{One.A}}\n* {{None.A}}\nend",
		"| {{Items.Name}} | {{Name}}\n| {{One.A}} | {{Tags}}\nend",
		"| {{Name}} | {{Total}}\nend",
		"{{#if Paid}}{{Name}}{{/if}} {{qr Name}}\n{{link \"https://example.com/\" & Name, Name}}",
		"nothing to fill",
	} {
		note := `<w:p><w:r><w:t>see</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`
		file := docx(t, drawn(template)+note, "{{Name}} {{Items.Qty}}", "{{Tags}} {{One.A}}")
		var documents [2]string
		for i, through := range []fill.Drive{s.Client, wholly{s.Client}} {
			document, err := s.Docs.Get(s.fillThrough(t, through, file, platen.MIMEDocs, sample)).Context(t.Context()).Do()
			if err != nil {
				t.Fatal(err)
			}
			documents[i] = fmt.Sprintf("%s\n%s\n%s", shown(document.Body.Content), shown(document.Headers["kix.header1"].Content), shown(document.Footnotes["kix.footnote2"].Content))
		}
		if documents[0] != documents[1] || strings.Contains(documents[0], "{{Name}} {{Items") {
			t.Errorf("%s: of the texts came\n%s\nof the whole\n%s", template, documents[0], documents[1])
		}
		if strings.Contains(template, "qr") {
			continue // no picture stands in the text of a slide
		}
		var slides [2]string
		for i, through := range []fill.Drive{s.Client, wholly{s.Client}} {
			presentation, err := s.Slides.Get(s.fillThrough(t, through, pptx(t, asShapes(template)), platen.MIMESlides, sample)).Context(t.Context()).Do()
			if err != nil {
				t.Fatal(err)
			}
			slides[i] = fmt.Sprintf("%q", shownSlides(presentation))
		}
		if slides[0] != slides[1] {
			t.Errorf("%s: of the texts came %s, of the whole %s", template, slides[0], slides[1])
		}
	}
}
