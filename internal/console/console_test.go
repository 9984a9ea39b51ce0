package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

const (
	docID     = "doc_0123456789abcdef"
	signature = "Mm3dy0XKLo-zKDUs2s9ptL1DAObtZGgQlZwjkBmqpIg"
	address   = "/preview/" + docID + "?sig=" + signature
	pdf       = "/preview/" + docID + "/template.pdf?sig=" + signature
)

type fake struct {
	doc      platen.Document
	workflow platen.Workflow
	err      error
	driveErr error

	form      platen.TemplateForm
	formErr   error
	sample    platen.Sample
	sampleErr error
	typed     platen.FormInput // of the last sample
	known     []string

	limit, pagesLimit error
	secretLinks       bool
	maker             Maker
}

func (f *fake) FormOf(_ context.Context, _ platen.Workflow, _ platen.Document, known []string, _ platen.FormInput) (platen.TemplateForm, error) {
	f.known = known
	return f.form, f.formErr
}

// FormOfNames has a text field for each name and ignores the input.
func (f *fake) FormOfNames(names []string, in platen.FormInput) (form platen.Form) {
	for _, name := range names {
		form.Fields = append(form.Fields, platen.FormField{Name: name, Label: name, Kind: platen.FormText})
	}
	return form
}

func (f *fake) DataOf(_ platen.Form, in platen.FormInput, of []byte) ([]byte, error) {
	made, err := json.Marshal(in.Texts)
	return append(made, of...), err
}

func (f *fake) ListsOf([]byte) map[string]bool { return nil }

func (f *fake) InputOf(_ platen.Form, event []byte) (platen.FormInput, bool) {
	return platen.FormInput{Texts: map[string]string{"Name": string(event)}}, !strings.Contains(string(event), "long")
}

func (f *fake) ExampleOf(platen.Form, platen.FormInput) platen.FormInput {
	return platen.FormInput{Texts: map[string]string{"Name": "An example"}, Rows: map[string][]int{"Items": {0, 1, 2}}}
}

func (f *fake) SampleOfForm(_ context.Context, _ platen.Workflow, _ platen.Document, known []string, in platen.FormInput, _ []byte) (platen.Sample, platen.TemplateForm, error) {
	f.typed, f.known = in, known
	return f.sample, f.form, f.sampleErr
}

func (f *fake) SeenFields(context.Context, string) ([]platen.SeenField, error) {
	return []platen.SeenField{{Name: "Of an earlier event"}}, nil
}

func (f *fake) DocumentByID(context.Context, string) (platen.Document, platen.User, error) {
	return f.doc, platen.User{ID: "usr_00000000000001"}, f.err
}

func (f *fake) Workflow(_ context.Context, caller platen.User, _ string) (platen.Workflow, error) {
	if caller.ID != "usr_00000000000001" {
		return platen.Workflow{}, errors.New("not the owner")
	}
	return f.workflow, nil
}

func (f *fake) ExportPDF(context.Context, string) ([]byte, error) {
	return []byte("%PDF-1.7 pages"), f.driveErr
}

func newFake() *fake {
	return &fake{
		doc: platen.Document{ID: docID, WorkflowID: "wkf_1", Type: platen.TypeDocs, OutputName: "Invoice {{No}}",
			File: platen.File{ID: "f1", Name: `Invoices <b> "ü" - [Template]`, URL: "https://drive.test/f1"}},
		form: platen.TemplateForm{Form: platen.Form{Fields: []platen.FormField{
			{Name: "Name", Label: "Name", Kind: platen.FormText}, {Name: "<script>", Label: "<script>", Kind: platen.FormText}, {Name: "Due", Label: "Due", Kind: platen.FormDate},
			{Name: "Total", Label: "Total", Kind: platen.FormNumber}, {Name: "Paid", Label: "Paid", Kind: platen.FormTruth}, {Name: "Note", Label: "Note", Kind: platen.FormLong}, {Name: "Logo", Label: "Logo", Kind: platen.FormPicture},
			{Name: "Customer", Label: "Customer", Kind: platen.FormGroup, Either: true, Fields: []platen.FormField{{Name: "Address", Label: "Address", Kind: platen.FormGroup, Fields: []platen.FormField{{Name: "Street", Label: "Street", Kind: platen.FormText}}}}},
			{Name: "Items", Label: "Items", Kind: platen.FormList, Fields: []platen.FormField{{Name: "Part", Label: "Part", Kind: platen.FormText}, {Name: "Lots", Label: "Lots", Kind: platen.FormList, Item: platen.FormNumber}}},
		}}, Other: []string{"Left.Over"}},
		workflow: platen.Workflow{ID: "wkf_1", Name: "Invoices", Owner: platen.User{Name: "Grace"}, Source: platen.Source{Key: "the-secret-key", Fields: []string{"Name", "Items.Price", "<script>"}}},
	}
}

func (f *fake) get(method, path string, log *bytes.Buffer) *httptest.ResponseRecorder {
	return f.send(httptest.NewRequest(method, path, nil), log)
}

// post sends a form.
func (f *fake) post(path, form string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return f.send(r, nil)
}

func (f *fake) send(r *http.Request, log *bytes.Buffer) *httptest.ResponseRecorder {
	if log == nil {
		log = &bytes.Buffer{}
	}
	h := NewPreview(Options{
		Documents:  f,
		Workflows:  f,
		Seen:       f,
		Samples:    f,
		Live:       true,
		Limit:      func(http.Header, [32]byte) error { return f.limit },
		PagesLimit: func(http.Header, [32]byte) error { return f.pagesLimit },
		Drives:     func(context.Context, string) (Drive, error) { return f, nil },
		Keys:       [][]byte{[]byte("new-preview-key"), []byte("preview-key")}, // after a rotation
		LinkDrive:  !f.secretLinks,
		Maker:      f.maker,
		Log:        slog.New(slog.NewTextHandler(log, nil)),
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestThePageShowsNamePagesAndFields(t *testing.T) {
	t.Parallel()
	w := newFake().get("GET", address, nil)
	body := w.Body.String()
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("got %d %s", w.Code, w.Header().Get("Content-Type"))
	}
	for _, want := range []string{
		`<h1>Invoices &lt;b&gt; &#34;ü&#34; - [Template]</h1>`,
		`class="pages" data-pdf="` + docID + `/template.pdf?sig=` + signature + `"`, `<object data="` + docID + `/template.pdf?sig=` + signature + `" type="application/pdf"`,
		`href="` + docID + `/template.pdf?sig=` + signature + `&amp;download=1"`,
		`<a href="../console/workflows/wkf_1/" target="_top">To the workflow</a>`, `<code>{{Left.Over}}</code>`, `>&lt;script&gt;<`, `<code>Invoice {{No}}</code>`, `href="https://drive.test/f1"`, `src="../console/assets/`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("want %s in:\n%s", want, body)
		}
	}
	if strings.Contains(body, "the-secret-key") {
		t.Error("the page shows the source's key")
	}
}

// Such an address would open the template when that of the page is revoked.
func TestAnAddressThatIsACredentialIsNotShown(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.secretLinks = true
	if w := f.get("GET", address, nil); w.Code != 200 || strings.Contains(w.Body.String(), "drive.test") {
		t.Errorf("got:\n%s", w.Body)
	}
}

func TestWithASlashAtTheEndThePagesAreFoundAllTheSame(t *testing.T) {
	t.Parallel()
	w := newFake().get("GET", "/preview/"+docID+"/?sig="+signature, nil)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `data-pdf="template.pdf?sig=`) || !strings.Contains(w.Body.String(), `href="../../console/workflows/wkf_1/"`) || !strings.Contains(w.Body.String(), `src="../../console/assets/`) {
		t.Errorf("got %d:\n%s", w.Code, w.Body)
	}
}

func TestATemplateWithoutTagsIsSaid(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.form = platen.TemplateForm{}
	if w := f.get("GET", address, nil); !strings.Contains(w.Body.String(), "The template has no tags yet") || strings.Contains(w.Body.String(), "<form") {
		t.Errorf("got:\n%s", w.Body)
	}
}

func TestAnAddressOfAScriptIsNotLinked(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.doc.File.URL = "javascript:alert(1)"
	if w := f.get("GET", address, nil); strings.Contains(w.Body.String(), "javascript:alert") {
		t.Errorf("got:\n%s", w.Body)
	}
}

func TestAWrongSignatureIsAPageThatIsNotThere(t *testing.T) {
	t.Parallel()
	last := strings.TrimSuffix(signature, signature[len(signature)-1:])
	for _, path := range []string{
		"/preview/" + docID, "/preview/" + docID + "?sig=", "/preview/" + docID + "?sig=" + last,
		"/preview/" + docID + "?sig=" + signature + "=", "/preview/" + docID + "?sig=%00", "/preview/" + docID + "?sig=" + strings.Repeat("A", 43),
		"/preview/doc_0123456789abcdeF?sig=" + signature, "/preview/?sig=" + signature, "/preview/x?sig=" + signature,
		"/preview/" + docID + "/template.pdf", "/preview/" + docID + "/other?sig=" + signature,
	} {
		w := newFake().get("GET", path, nil)
		if w.Code != 404 || !strings.Contains(w.Body.String(), "There is no such page") || strings.Contains(w.Body.String(), "Invoices") {
			t.Errorf("%s: got %d:\n%s", path, w.Code, w.Body)
		}
	}
}

// The page gives no reason: the visitor may no longer have access to the workflow.
func TestAnAddressThatWasRightOnceSaysThatItHasEndedAndNotWhy(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*fake){
		"the document was removed":  func(f *fake) { f.err = platen.Errorf(platen.KindNotFound, "", "gone") },
		"the workflow was archived": func(f *fake) { f.workflow.Status = platen.StatusArchived },
		"there is a new address":    func(f *fake) { f.doc.PreviewVersion = 1 },
	} {
		for _, path := range []string{address, pdf} {
			f := newFake()
			end(f)
			w := f.get("GET", path, nil)
			if body := w.Body.String(); w.Code != http.StatusGone || !strings.Contains(body, "This preview has ended") || strings.Contains(body, "Invoices") || strings.Contains(body, "Grace") {
				t.Errorf("%s: got %d:\n%s", name, w.Code, body)
			}
		}
	}
}

func TestThePDFIsServedInlineOrAsADownload(t *testing.T) {
	t.Parallel()
	w := newFake().get("GET", pdf, nil)
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/pdf" || w.Body.String() != "%PDF-1.7 pages" ||
		!strings.HasPrefix(w.Header().Get("Content-Disposition"), "inline; filename") {
		t.Errorf("got %d %v %q", w.Code, w.Header(), w.Body)
	}
	w = newFake().get("GET", pdf+"&download=1", nil)
	if got := w.Header().Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename") || !strings.Contains(got, "%C3%BC") {
		t.Errorf("Content-Disposition: got %q", got)
	}
}

func TestADriveThatDoesNotAnswerIsSaidInWords(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.driveErr = errors.New("dial tcp: secret detail")
	var log bytes.Buffer
	w := f.get("GET", pdf, &log)
	if w.Code != 503 || !strings.Contains(w.Body.String(), "The drive does not answer") || w.Header().Get("Retry-After") == "" {
		t.Errorf("got %d %v:\n%s", w.Code, w.Header(), w.Body)
	}
	if strings.Contains(w.Body.String(), "secret detail") || !strings.Contains(log.String(), "secret detail") {
		t.Errorf("the cause belongs in the log: %s", log.String())
	}
	if strings.Contains(log.String(), signature) {
		t.Error("the log has the signature")
	}
	if page := f.get("GET", address, nil); page.Code != 200 {
		t.Errorf("the page itself: got %d, want 200", page.Code)
	}
}

func TestATemplateThatCannotBeExportedIsExplained(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.driveErr = platen.Errorf(platen.KindTooLarge, "", "The document is too large.")
	w := f.get("GET", pdf, nil)
	if w.Code != 404 || !strings.Contains(w.Body.String(), "The document is too large.") {
		t.Errorf("got %d:\n%s", w.Code, w.Body)
	}
}

// Reloading the page shows the current template.
func TestTheTemplatesPagesAreAskedForEachTime(t *testing.T) {
	t.Parallel()
	f := newFake()
	w := f.get("GET", pdf, nil)
	tag := w.Header().Get("ETag")
	if cache := w.Header().Get("Cache-Control"); cache != "private, no-cache" || len(tag) < 10 {
		t.Errorf("got Cache-Control %q and ETag %q, want that the browser asks", cache, tag)
	}
	r := httptest.NewRequest("GET", pdf, nil)
	r.Header.Set("If-None-Match", tag)
	if w := f.send(r, nil); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("the same pages: got %d and %d bytes, want 304", w.Code, w.Body.Len())
	}
	r.Header.Set("If-None-Match", `"other"`)
	if w := f.send(r, nil); w.Code != http.StatusOK {
		t.Errorf("other pages: got %d, want 200", w.Code)
	}
}

func TestTheHeadersKeepThePageToItself(t *testing.T) {
	t.Parallel()
	w := newFake().get("GET", address, nil)
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "private, no-store"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	policy := w.Header().Get("Content-Security-Policy")
	body := w.Body.String()
	_, rest, _ := strings.Cut(body, "<style>")
	style, _, ok := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	if hash := base64.StdEncoding.EncodeToString(sum[:]); !ok || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "'sha256-"+hash+"'") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("the policy %q does not allow the style of the page (%s)", policy, hash)
	}
	for _, outside := range []string{"<script>", "src=\"http", "src=\"//", "<link", " style=", " onclick="} {
		if strings.Contains(body, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
}
