package preview_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/picture"
	"github.com/platenhq/platen/internal/template/preview"
	"github.com/platenhq/platen/internal/testkit/drivetest"
)

// acceptedAt is the clock of runs and previews that are compared.
var acceptedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// An automation has one output, and everything that a run keeps of it.
type automation struct {
	activities.Plans
	activities.Automations
	activities.Outputs
	document platen.Document
	locale   string // of its workflow
	event    []byte
	output   platen.Output
}

func (a *automation) PinnedPlan(context.Context, string) (platen.Plan, error) {
	return platen.Plan{
		AutomationID: "aut_sample", WorkflowID: workflow.ID, WorkflowName: workflow.Name, Locale: a.locale, OwnerID: workflow.Owner.ID, AcceptedAt: acceptedAt,
		Documents: []platen.PlannedDocument{{OutputID: "out_1", Document: a.document}},
	}, nil
}

func (a *automation) OutputData(context.Context, string, string, int) ([]byte, error) {
	return a.event, nil
}

func (a *automation) Output(context.Context, string) (platen.Output, error) { return a.output, nil }

func (a *automation) UpdateOutput(_ context.Context, _ string, change func(*platen.Output) error) (platen.Output, error) {
	err := change(&a.output)
	return a.output, err
}

func (a *automation) RememberedOutput(ctx context.Context, id string) (platen.Output, error) {
	return a.Output(ctx, id)
}

func (a *automation) WriteNotes(context.Context, string) error { return nil }

func (a *automation) NoteOutput(ctx context.Context, id string, change func(*platen.Output) error) (platen.Output, error) {
	return a.UpdateOutput(ctx, id, change)
}

// An execution is a run of a document up to the step that is asked for.
type execution struct {
	*automation
	steps *activities.Documents
}

var step = activities.Step{AutomationID: "aut_sample", OutputID: "out_1"}

func begin(client *google.Client, d platen.Document, event []byte) execution {
	a := &automation{document: d, event: event, output: platen.Output{ID: "out_1", State: platen.OutputPending}}
	return execution{a, &activities.Documents{
		Automations: a, Plans: a, Outputs: a, Pictures: picture.Source{Direct: true}, Protector: protect.Protector{},
		Drives: func(context.Context, string) (activities.Drive, error) { return client, nil },
		Now:    func() time.Time { return acceptedAt },
	}}
}

func (e execution) fill(ctx context.Context) error {
	if _, err := e.steps.CopyTemplate(ctx, step); err != nil {
		return err
	}
	_, err := e.steps.FillTags(ctx, step)
	return err
}

func (e execution) makePDF(ctx context.Context) error {
	if err := e.fill(ctx); err != nil {
		return err
	}
	_, err := e.steps.MakePDF(ctx, step)
	return err
}

// unmarked leaves the PDFs of samples as they are.
type unmarked struct{}

func (unmarked) Mark(pdf []byte, _ string) ([]byte, error) { return pdf, nil }

func previewer(client *google.Client) *preview.Previewer {
	return preview.New(preview.Options{
		Drives: func(context.Context, string) (preview.Drive, error) { return client, nil },
		Copies: newShelf(""), Marker: unmarked{}, Pictures: picture.Source{Direct: true},
		Now: func() time.Time { return acceptedAt },
	})
}

// The copy of a sample has another name, which is the title of its PDF: it
// marks the sample, and here the run's output is called so, too.
func TestARunAndAPreviewMakeTheSamePDF(t *testing.T) {
	t.Parallel()
	served := drivetest.Serve(t)
	client := served.Client
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		d := platen.Document{ID: "doc_1", File: platen.File{ID: served.Upload(t, e.Title, e.MIMEType, e.Template), MIMEType: e.MIMEType}, OutputName: e.Title + " {{Timestamp}}", CreatePDFCopy: true}
		d.Type, _ = platen.DocumentTypeOf(e.MIMEType)
		sample, err := previewer(client).SampleOf(t.Context(), workflow, d, e.Event)
		if err != nil || sample.PDF == nil {
			t.Fatalf("%s: a preview: %v, %+v", e.Name, err, sample.Findings)
		}
		d.OutputName = "[Sample] " + d.OutputName
		run := begin(client, d, e.Event)
		if err := run.makePDF(t.Context()); err != nil {
			t.Fatalf("%s: a run: %v", e.Name, err)
		}
		pdf, err := client.Download(t.Context(), run.output.PDF.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pdf, sample.PDF) {
			t.Errorf("%s: the run's PDF has %d bytes, the preview's %d, and they differ", e.Name, len(pdf), len(sample.PDF))
		}
	}
}

// A googleLike server is a drive elsewhere: it shows one document, notes the
// batches that are to change it, and says that each request changed a place.
type googleLike struct {
	mu       sync.Mutex
	mimeType string
	content  string // as the Docs or the Slides API shows it
	batches  []string
	// unreachable are the texts that it replaces nowhere, although it shows them.
	unreachable []string
}

func (g *googleLike) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, ":batchUpdate"):
		g.change(w, r)
	case strings.HasPrefix(r.URL.Path, "/v1/"):
		_, _ = io.WriteString(w, g.content)
	case strings.HasSuffix(r.URL.Path, "/export"):
		_, _ = io.WriteString(w, "%PDF-1.7\ntrailer\n<<>>\nstartxref\n0\n%%EOF\n")
	case strings.HasSuffix(r.URL.Path, "/generateIds"):
		_, _ = io.WriteString(w, `{"ids":["f1"]}`)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet && r.URL.Path == "/drive/v3/files":
		_, _ = io.WriteString(w, `{"files":[]}`)
	default:
		_, _ = fmt.Fprintf(w, `{"id":"f1","name":"N","mimeType":%q,"parents":["folder"]}`, g.mimeType)
	}
}

// nonce is what makes placeholders unlike each other's.
var nonce = regexp.MustCompile(`[0-9A-Za-z]{20,}`)

func (g *googleLike) change(w http.ResponseWriter, r *http.Request) {
	var batch docsapi.BatchUpdateDocumentRequest
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &batch) // of presentations, the texts that are replaced
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	g.batches = append(g.batches, nonce.ReplaceAllStringFunc(string(body), func(found string) string { return "nonce" + found[min(len(found), 27):] }))
	replies, nowhere := make([]string, len(batch.Requests)), slices.Clone(g.unreachable)
	for i, q := range batch.Requests {
		replies[i] = `{"replaceAllText":{"occurrencesChanged":1}}`
		if q.ReplaceAllText != nil && slices.Contains(nowhere, q.ReplaceAllText.ContainsText.Text) {
			replies[i], nowhere = `{}`, append(nowhere, q.ReplaceAllText.ReplaceText)
		}
	}
	_, _ = fmt.Fprintf(w, `{"replies":[%s]}`, strings.Join(replies, ","))
}

func (g *googleLike) open(t *testing.T) *google.Client {
	t.Helper()
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return drivetest.Open(t, server.URL, "drive-token")
}

func (g *googleLike) document() platen.Document {
	d := platen.Document{ID: "doc_1", File: platen.File{ID: "template", MIMEType: g.mimeType}, OutputName: "N", CreatePDFCopy: true}
	d.Type, _ = platen.DocumentTypeOf(g.mimeType)
	return d
}

// inTab is a document of one paragraph in a tab, as Google shows it, with a
// header.
func inTab(header, text string) *googleLike {
	content := func(text string, start int) string {
		line, err := json.Marshal(text + "\n")
		if err != nil {
			panic(err)
		}
		return fmt.Sprintf(`{"content":[{"startIndex":%d,"endIndex":%d,"paragraph":{"elements":[{"startIndex":%d,"endIndex":%d,"textRun":{"content":%s}}]}}]}`,
			start, start+len(text)+1, start, start+len(text)+1, line)
	}
	return &googleLike{mimeType: platen.MIMEDocs, content: `{"revisionId":"r1","tabs":[{"tabProperties":{"tabId":"t.0"},"documentTab":{"headers":{"h1":` + content(header, 0) + `},"body":` + content(text, 1) + `}}]}`}
}

// onSlide is a presentation of one slide with one text.
func onSlide(text string) *googleLike {
	return &googleLike{mimeType: platen.MIMESlides, content: fmt.Sprintf(`{"revisionId":"p1","slides":[{"objectId":"s1","pageElements":[{"objectId":"a","shape":{"text":{"textElements":[
		{"startIndex":0,"endIndex":%d,"paragraphMarker":{}},{"startIndex":0,"endIndex":%d,"textRun":{"content":%q}}]}}}]}]}`, len(text)+1, len(text)+1, text+"\n")}
}

func TestARunAndAPreviewSendTheSameRequestsElsewhere(t *testing.T) {
	t.Parallel()
	event := []byte(`{"Name": "Ada {{Name}}", "Paid": true, "Items": [{"A": 1}, {"A": 2}]}`)
	for name, g := range map[string]*googleLike{
		"a document of fields":     inTab("{{Workflow Name}}", "Dear {{Name}}, {{Gone}} at {{Timestamp}} of {{Automation ID}}"),
		"a document of blocks":     inTab("{{Name}}", "{{#if Paid}}{{Name}}{{/if}}{{#each Items}}{{A}};{{/each}}"),
		"a presentation of fields": onSlide("{{Name}} and {{Gone}}"),
		"a presentation of blocks": onSlide("{{#if Paid}}{{Name}}{{/if}}{{#each Items}}{{A}};{{/each}}"),
	} {
		client := g.open(t)
		if _, err := previewer(client).SampleOf(t.Context(), workflow, g.document(), event); err != nil {
			t.Errorf("%s: a preview: %v", name, err)
		}
		if err := begin(client, g.document(), event).fill(t.Context()); err != nil {
			t.Errorf("%s: a run: %v", name, err)
		}
		if len(g.batches) != 2 || g.batches[0] != g.batches[1] {
			t.Errorf("%s: the preview and the run sent\n%s", name, strings.Join(g.batches, "\n"))
		}
	}
}

// refusalOf is the code that a run fails with; empty when it does not.
func refusalOf(err error) string {
	if refused, ok := errors.AsType[*platen.Error](err); ok {
		return refused.Code
	}
	return fmt.Sprint(err)
}

// codesOf are the codes of findings by which a run fails. An unknown field of the
// source is a finding in any case.
func codesOf(findings []platen.TemplateFinding) string {
	var codes []string
	for _, f := range findings {
		if f.Code != "unknown_field" && !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
	}
	return strings.Join(codes, " ")
}

func TestARunAPreviewAndACheckFailByTheSameRules(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 5_001 {
		fmt.Fprintf(&many, "{{= %d}}", i)
	}
	long := strings.Repeat("x", 3<<20)
	pin := func(d *platen.Document) { d.EnablePDFPassword, d.PDFPassword = true, "{{Pin}}" }
	for name, c := range map[string]struct {
		g      *googleLike
		change func(*platen.Document)
		event  string
		want   string // the code; empty: the document is made
	}{
		"nothing is wrong":         {inTab("", "Dear {{Name}}"), nil, `{"Name": "Ada"}`, ""},
		"fields may be missing":    {inTab("", "Dear {{Name}}"), nil, `{}`, ""},
		"fields must not":          {inTab("{{Name}}", "Dear"), func(d *platen.Document) { d.OnMissing = platen.MissingFail }, `{}`, "fields_missing"},
		"nor those of the name":    {inTab("", "Dear"), func(d *platen.Document) { d.OnMissing, d.OutputName = platen.MissingFail, "{{Name}}" }, `{}`, "fields_missing"},
		"a password of nothing":    {inTab("", "Dear"), func(d *platen.Document) { d.EnablePDFPassword = true }, `{}`, "pdf_password_empty"},
		"a password with a gap":    {inTab("", "Dear"), func(d *platen.Document) { d.EnablePDFPassword, d.PDFPassword = true, "a{{Pin}}" }, `{"Pin": ""}`, "pdf_password_field_missing"},
		"a password of blanks":     {inTab("", "Dear"), pin, `{"Pin": "  "}`, "pdf_password_field_missing"},
		"one too long":             {inTab("", "Dear"), pin, `{"Pin": "` + long[:200] + `"}`, "pdf_password_too_long"},
		"one that nobody can type": {inTab("", "Dear"), pin, `{"Pin": "a\u0007b"}`, "pdf_password_unprintable"},
		"a mistake of the data":    {inTab("", "{{link Site}}"), nil, `{"Site": "javascript:x"}`, "link_unusable"},
		"too many tags":            {inTab("", many.String()), nil, `{}`, "document_too_large"},
		"too much text":            {inTab("", "{{A}}{{B}}"), nil, `{"A": "` + long + `", "B": "` + long + `"}`, "document_too_large"},
		"the time of a run":        {inTab("", "{{= ADD_DAYS(Timestamp, -400)}}"), nil, `{}`, ""},
		"the name of the workflow": {inTab("", `{{= IF([Workflow Name] = "Bills", "x", 1 / 0)}}`), nil, `{}`, ""},
		"the automation's id":      {inTab("", `{{= IF([Automation ID] = "", 1 / 0, "x")}}`), nil, `{}`, ""},
	} {
		client, d := c.g.open(t), c.g.document()
		if c.change != nil {
			c.change(&d)
		}
		p := previewer(client)
		checked, err := p.CheckTemplate(t.Context(), workflow, d, nil, []byte(c.event))
		if got := codesOf(checked.Findings); err != nil || got != c.want {
			t.Errorf("%s: a check found %q, %v; want %q", name, got, err, c.want)
		}
		sample, err := p.SampleOf(t.Context(), workflow, d, []byte(c.event))
		if got := codesOf(sample.Findings); err != nil || got != c.want {
			t.Errorf("%s: a preview found %q, %v; want %q", name, got, err, c.want)
		}
		run := begin(client, d, []byte(c.event))
		err = run.fill(t.Context())
		if err == nil && d.EnablePDFPassword {
			_, err = run.steps.MakePDF(t.Context(), step)
		}
		if (err != nil || c.want != "") && refusalOf(err) != c.want {
			t.Errorf("%s: a run failed with %v, want %q", name, err, c.want)
		}
	}
}

func TestATagThatTheDriveLeavesFailsARunAndIsAFindingOfAPreview(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]*googleLike{
		"fields": inTab("", "Dear {{Name}}"),
		"blocks": inTab("", "Dear {{Name}}{{#if Name}}!{{/if}}"),
		"slides": onSlide("Dear {{Name}}"),
	} {
		g.unreachable = []string{"{{Name}}"}
		client := g.open(t)
		if err := begin(client, g.document(), []byte(`{"Name": "Ada"}`)).fill(t.Context()); refusalOf(err) != "drive_tag_not_replaced" {
			t.Errorf("%s: a run: got %v, want drive_tag_not_replaced", name, err)
		}
		sample, err := previewer(client).SampleOf(t.Context(), workflow, g.document(), []byte(`{"Name": "Ada"}`))
		if got := codesOf(sample.Findings); err != nil || got != "drive_tag_not_replaced" || sample.PDF != nil {
			t.Errorf("%s: a preview: got %q, %v, want drive_tag_not_replaced and no PDF", name, got, err)
		}
	}
}

func TestARunAndAPreviewNameMissingFieldsInTheSameOrder(t *testing.T) {
	t.Parallel()
	g := inTab("{{Above}}", "{{First}} {{Second}}")
	client, d := g.open(t), g.document()
	d.OutputName = "{{Last}}"
	sample, err := previewer(client).SampleOf(t.Context(), workflow, d, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	run := begin(client, d, []byte(`{}`))
	if err := run.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(run.output.MissingFields, sample.MissingFields) {
		t.Errorf("a run misses %q, a preview %q", run.output.MissingFields, sample.MissingFields)
	}
}

// The template, the name and the password of a PDF, and the letter to the customer.
func TestARunAndAPreviewWriteInTheLocaleOfTheWorkflow(t *testing.T) {
	t.Parallel()
	const sum = "{{= NUMBER(Total, 2)}} {{= WORDS(2)}}"
	d := platen.Document{
		ID: "doc_1", Type: platen.TypeDocs, File: platen.File{ID: "f", MIMEType: platen.MIMEDocs}, OutputName: sum,
		CreatePDFCopy: true, EnablePDFPassword: true, PDFPassword: sum, Email: &platen.Email{To: "a@example.com", Subject: sum, Text: sum},
	}
	event := []byte(`{"Total":1234.5}`)
	const want = "1.234,50 zwei"
	elsewhere := workflow
	elsewhere.Locale = "de"
	g := inTab("", sum)
	client := g.open(t)
	if _, err := previewer(client).SampleOf(t.Context(), elsewhere, d, event); err != nil {
		t.Fatal(err)
	}
	run := begin(client, d, event)
	run.locale = "de"
	if err := run.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, batch := range g.batches {
		if !strings.Contains(batch, `"1.234,50"`) || !strings.Contains(batch, `"zwei"`) {
			t.Errorf("got the requests %s, want 1.234,50 and zwei in them", batch)
		}
	}
	if len(g.batches) != 2 {
		t.Errorf("got %d batches, want that of the preview and that of the run", len(g.batches))
	}
	d.OutputFolder = sum
	f, err := fill.New(d, event, lang.Builtins{Locale: "de"})
	if err != nil {
		t.Fatal(err)
	}
	password, refused := f.Password()
	letter, unsent := f.Letter()
	folder, lost := f.Folder()
	if refused != nil || unsent != nil || lost != nil {
		t.Fatal(refused, unsent, lost)
	}
	if got := fmt.Sprint(f.Name(), password, letter.Subject, letter.Text, folder); got != want+want+want+want+"["+want+"]" {
		t.Errorf("name, password, letter and folder: got %s", got)
	}
}
