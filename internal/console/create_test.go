package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAWorkflowIsMadeByDroppingAFile(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Checked: platen.TemplateCheck{
		Texts: []string{"Dear {{Nmae}}"}, Schema: []byte(`{}`),
		Findings: []platen.TemplateFinding{{Code: "unknown_field", Where: "paragraph 1", Around: "Dear {{Nmae}}", Tag: "{{Nmae}}", Message: "The source has no field Nmae.", Nearest: []string{"Name"}}},
	}}
	x := newHarness(t, func(o *api.Options) {
		o.Tags = func(texts, _ []string) []api.TagFinding {
			return map[bool][]api.TagFinding{true: {{Name: "Nmae"}}}[slices.Equal(texts, looked.Checked.Texts)]
		}
		o.Templates = looked
	})
	b := x.console(t).signIn(memory.AdaToken)
	docx := memory.Zip("word/document.xml", "")
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
	if n := len(x.store.ByID); n != 0 {
		t.Errorf("got %d workflows, want none", n)
	}
	made := b.drop("/console/new-workflow", typed, `C:\letters\invoice_of 2026.docx`, docx).is(http.StatusSeeOther).header.Get("Location")
	if again := b.drop("/console/new-workflow", typed, `C:\letters\invoice_of 2026.docx`, docx).is(http.StatusSeeOther).header.Get("Location"); again != made || len(x.store.ByID) != 1 {
		t.Errorf("sent twice: got %s and %s, and %d workflows, want one", made, again, len(x.store.ByID))
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
	b := x.console(t).signIn(memory.AdaToken)
	x.drive.Fails = map[string]error{"CreateFrom": platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive does not answer.")}
	form := url.Values{"name": {"Invoices"}, "once": {"one"}}
	b.drop("/console/new-workflow", form, "invoice.docx", memory.Zip("word/document.xml", "")).is(http.StatusBadRequest).
		shows("Invoices", "The workflow was made, and its template was not added: The drive does not answer.", `<details id="form-add" open>`, "Add a template")
}

func TestAnExampleIsMadeWithOnePress(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	b.get("/").is(200).shows("one press makes the workflow and its first document", `action="/console/examples/invoice"`, `action="/console/examples/offer"`)
	b.get("/console/workflows/").is(200).shows(`action="/console/examples/letter"`)
	press := func() string {
		t.Helper()
		return b.open("POST", "/console/examples/letter", url.Values{"once": {"a key of the page"}}).is(http.StatusSeeOther).header.Get("Location")
	}
	made := press()
	if again := press(); again != made || len(x.store.ByID) != 1 {
		t.Errorf("pressed twice: got %s and %s, and %d workflows, want one", made, again, len(x.store.ByID))
	}
	b.get(made).is(200).shows("Example: Letter", "ready", "Make a document")
	b.open("POST", "/console/examples/nothing", nil).is(http.StatusNotFound)
	x.store.Scope(memory.AdaToken, "read")
	b.get("/").is(200).lacks("/console/examples/")
	b.open("POST", "/console/examples/letter", nil).is(http.StatusForbidden)
}

func TestAWorkflowIsMadeInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	b.get("/").is(200).shows("/console/new-workflow")
	page := b.get("/console/new-workflow").is(200).shows("New workflow")
	form := url.Values{"once": {onceField.FindStringSubmatch(page.body)[1]}, "name": {"Invoices"},
		"file": {"https://docs.google.com/document/d/docs-file/edit?tab=t.0"}, "receiver": {"not an address"}}
	two := url.Values{"once": form["once"], "name": {strings.Repeat("x", 201)}, "file": form["file"], "receiver": form["receiver"]}
	page = b.open("POST", "/console/new-workflow", two).is(http.StatusBadRequest).shows("The name has 201 characters", "The address must").lacks("see errors")
	form.Set("once", onceField.FindStringSubmatch(page.body)[1])
	page = b.open("POST", "/console/new-workflow", form).is(http.StatusBadRequest).
		shows(`role="alert"`, `value="Invoices"`, `value="not an address"`, "The address must")
	form.Set("once", onceField.FindStringSubmatch(page.body)[1])
	form.Set("receiver", "https://example.com/events")
	made := b.open("POST", "/console/new-workflow", form).is(http.StatusSeeOther).header.Get("Location")
	if again := b.open("POST", "/console/new-workflow", form).is(http.StatusSeeOther).header.Get("Location"); again != made || len(x.store.ByID) != 1 {
		t.Errorf("sent twice: got %s and %s, and %d workflows, want one", made, again, len(x.store.ByID))
	}
	made = made[:strings.Index(made, "/template/")+1]
	b.whole(made).shows("Invoices", "ready", "https://example.com/events")
	x.store.Scope(memory.AdaToken, "read")
	b.get("/console/workflows/").is(200).lacks("New workflow")
	b.open("POST", "/console/new-workflow", form).is(http.StatusForbidden).shows("The access token does not let you do this")
	b.whole(made).lacks("Rename it", "Add a template", "Change the receiver", "Archive it", "Make a new address")
}
