package api

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// drop sends a form with a file of this name, as a browser does that it was dropped in.
func (b *browser) drop(path string, typed url.Values, name, content string) answer {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for field := range typed {
		if err := form.WriteField(field, typed.Get(field)); err != nil {
			b.t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("upload", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return b.send("POST", path, &body, "Content-Type", form.FormDataContentType())
}

func TestAWorkflowIsMadeByDroppingAFile(t *testing.T) {
	t.Parallel()
	looked := &templates{checked: platen.TemplateCheck{
		Texts: []string{"Dear {{Nmae}}"}, Schema: []byte(`{}`),
		Findings: []platen.TemplateFinding{{Code: "unknown_field", Where: "paragraph 1", Around: "Dear {{Nmae}}", Tag: "{{Nmae}}", Message: "The source has no field Nmae.", Nearest: []string{"Name"}}},
	}}
	x := newHarness(t, func(o *Options) {
		o.Tags = func(texts, _ []string) []TagFinding {
			return map[bool][]TagFinding{true: {{Name: "Nmae"}}}[slices.Equal(texts, looked.checked.Texts)]
		}
		o.Templates = looked
	})
	b := x.console(t).signIn(adaToken)
	docx := office(t, "word/document.xml")
	once := func(page answer) string { return onceField.FindStringSubmatch(page.body)[1] }
	typed := url.Values{"receiver": {"https://example.com/events"}, "once": {once(b.get("/console/new-workflow").is(200))}}
	for name, c := range map[string]struct{ file, content, address, want string }{
		"no office file":   {"invoice_of 2026.docx", "a text", "", "This is no .docx or .pptx file."},
		"nothing":          {"", "", "", "The name must not be empty. Choose a file"},
		"a file and a URL": {"invoice.docx", docx, "docs-file", "Choose a file, or type in an address"},
	} {
		wrong := url.Values{"receiver": typed["receiver"], "once": typed["once"], "file": {c.address}}
		page := b.drop("/console/new-workflow", wrong, c.file, c.content).is(http.StatusBadRequest).shows(c.want, `value="https://example.com/events"`, `value="`+c.address+`"`, `aria-invalid="true"`)
		if c.content == "a text" && !strings.Contains(page.body, `value="invoice of 2026"`) {
			t.Errorf("%s: the name is not that of the file", name)
		}
	}
	if n := len(x.store.workflows); n != 0 {
		t.Errorf("got %d workflows, want none", n)
	}
	made := b.drop("/console/new-workflow", typed, `C:\letters\invoice_of 2026.docx`, docx).is(http.StatusSeeOther).header.Get("Location")
	if again := b.drop("/console/new-workflow", typed, `C:\letters\invoice_of 2026.docx`, docx).is(http.StatusSeeOther).header.Get("Location"); again != made || len(x.store.workflows) != 1 {
		t.Errorf("sent twice: got %s and %s, and %d workflows, want one", made, again, len(x.store.workflows))
	}
	page, _, _ := strings.Cut(made, "#")
	b.get(strings.TrimSuffix(page[:strings.Index(page, "?")], "template/") + "delivery/").is(200).shows("https://example.com/events")
	b.get(page).is(200).shows("invoice of 2026", "A PDF is made.", "<code>Nmae</code>",
		`id="finding-1"`, "The source has no field Nmae.", "Did you mean <code>Name</code>?", `{&#34;text&#34;:&#34;{{Nmae}}&#34;,&#34;one&#34;:true,&#34;label&#34;:&#34;1&#34;`, "/template.pdf?sig=")
}

// A drive that fails leaves the workflow, and the page on which the file is chosen again.
func TestAWorkflowWhoseTemplateTheDriveDidNotTakeSaysSo(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(adaToken)
	x.cloud.fails = map[string]error{"CreateFrom": platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive does not answer.")}
	form := url.Values{"name": {"Invoices"}, "once": {"one"}}
	b.drop("/console/new-workflow", form, "invoice.docx", office(t, "word/document.xml")).is(http.StatusBadRequest).
		shows("Invoices", "The workflow was made, and its template was not added: The drive does not answer.", `<details id="form-add" open>`, "Add a template")
}

func TestAnExampleIsMadeWithOnePress(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(adaToken)
	b.get("/").is(200).shows("one press makes the workflow and its first document", `action="/console/examples/invoice"`, `action="/console/examples/offer"`)
	b.get("/console/workflows/").is(200).shows(`action="/console/examples/letter"`)
	press := func() string {
		t.Helper()
		return b.open("POST", "/console/examples/letter", url.Values{"once": {"a key of the page"}}).is(http.StatusSeeOther).header.Get("Location")
	}
	made := press()
	if again := press(); again != made || len(x.store.workflows) != 1 {
		t.Errorf("pressed twice: got %s and %s, and %d workflows, want one", made, again, len(x.store.workflows))
	}
	b.get(made).is(200).shows("Example: Letter", "ready", "Make a document")
	b.open("POST", "/console/examples/nothing", nil).is(http.StatusNotFound)
	x.scoped(t, "read")
	b.get("/").is(200).lacks("/console/examples/")
	b.open("POST", "/console/examples/letter", nil).is(http.StatusForbidden)
}
