package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// A check with part of an event does not call a mistake what the document lets be empty.
func TestACheckWithDataFollowsWhatTheDocumentDoesWithoutAField(t *testing.T) {
	t.Parallel()
	absent := platen.TemplateFinding{Code: "unknown_field", Where: "paragraph 1", Tag: "{{City}}", Message: "The source has no field City."}
	typed := platen.TemplateFinding{Code: "unknown_field", Where: "paragraph 2", Tag: "{{Nmae}}", Message: "The source has no field Nmae.", Nearest: []string{"Name"}}
	folder := platen.TemplateFinding{Code: "unknown_field", Where: "outputFolder", Tag: "{{Region}}", Message: "The source has no field Region."}
	looked := &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	x := newHarness(t, func(o *api.Options) {
		o.Tags = func(_, fields []string) []api.TagFinding { return []api.TagFinding{{Name: "City"}} }
		o.Templates = looked
	})
	known, unknown := x.newWorkflow(t, `{"name":"W","source":{"sourceFields":["Name","City"]}}`), x.newWorkflow(t, `{"name":"V"}`)
	for _, c := range []struct{ wf, missing, fields, want string }{
		{known, "blank", "[Name City]", "Nmae City Region"},
		{known, "fail", "[Name]", "Nmae City Region"},
		{unknown, "blank", "[Name]", "Nmae Region"}, // before the first event no name is wrong, but for one like another, and where a run fails without it
		{unknown, "fail", "[Name]", "Nmae City Region"},
	} {
		d := x.newDocument(t, c.wf, `{"file_id":"docs-file","onMissing":"`+c.missing+`"}`)
		looked.Checked.Findings = []platen.TemplateFinding{typed, absent, folder}
		var got struct {
			SourceFields, Unfilled []string
			Findings               []struct{ Tag string }
		}
		a := x.do(t, "POST", d+"/check/", `{"data":{"Name":"Ada"}}`).is(200)
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		var tags []string
		for _, f := range got.Findings {
			tags = append(tags, strings.Trim(f.Tag, "{}"))
		}
		if fields := strings.Join(looked.Fields, " "); "["+fields+"]" != c.fields || strings.Join(tags, " ") != c.want {
			t.Errorf("%s: looked up in %s and found %q; want %s and %s", c.missing, fields, tags, c.fields, c.want)
		}
		if len(got.SourceFields) != 1 || len(got.Unfilled) != 1 {
			t.Errorf("%s: got the fields %q and %q unfilled, want those of the data", c.missing, got.SourceFields, got.Unfilled)
		}
		id := d[strings.LastIndex(d, "/")+1:]
		at := strings.Replace(c.wf, "/v0", "/console", 1) + "/documents/" + id + "/check"
		page := x.console(t).signIn(memory.AdaToken).open("POST", at, url.Values{"data": {`{"Name":"Ada"}`}}).is(200)
		switch {
		case c.wf == known: // what is found stands with its place
		case c.missing == "blank":
			page.shows("The data lacks a field, whose place stays empty: <code>City</code>.").lacks("No source field fills")
		default:
			page.shows("The source has no field City.").lacks("stays empty")
		}
	}
}

// A check of large data takes no longer than it has names: eight times as many take about
// eight times as long, not sixty-four. Other work on the machine makes one try slow, not three.
func TestACheckOfManyNamesEndsSoon(t *testing.T) {
	t.Parallel()
	var few, many time.Duration
	for range 3 {
		if few, many = checkOfNames(t, 10_000), checkOfNames(t, 80_000); many <= 24*few+time.Second {
			return
		}
	}
	t.Errorf("a check with 80,000 names of the source and as many others took %v, and with 10,000 %v", many, few)
}

// checkOfNames is how long a check takes with so many names of the source and as many others.
func checkOfNames(t *testing.T, many int) time.Duration {
	t.Helper()
	x := newHarness(t, func(o *api.Options) {
		o.Tags = func(_, _ []string) []api.TagFinding { return nil }
		o.Templates = &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	})
	d := x.newDocument(t, x.newWorkflow(t, `{"name":"W"}`), `{"file_id":"docs-file"}`)
	data := strings.Builder{}
	for n := range many {
		x.store.Seen = append(x.store.Seen, platen.SeenField{Name: fmt.Sprintf("a%06d", n)})
		fmt.Fprintf(&data, `,"b%06d":1`, n)
	}
	began := time.Now()
	x.do(t, "POST", d+"/check/", `{"data":{`+data.String()[1:]+`}}`).is(200)
	return time.Since(began)
}

func TestASampleIsCheckedAndShownInTheConsole(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}, Sample: platen.Sample{PDF: []byte("%PDF-1.7")}}
	x, wf, d := withTemplates(t, looked)
	page, doc := strings.Replace(wf, "/v0", "/console", 1)+"/", strings.Replace(d, "/v0", "/console", 1)+"/"
	b := x.console(t).signIn(memory.AdaToken)
	b.get(page).is(200).shows(`{&#34;Name&#34;:&#34;Ada Lovelace&#34;}`)
	for _, wrong := range []string{`[1]`, `{"Name":`, `Name: Ada`} {
		b.open("POST", doc+"check", url.Values{"data": {wrong}}).is(200).shows("The data is ")
		b.open("POST", doc+"sample", url.Values{"data": {wrong}}).is(http.StatusBadRequest).shows("The data is ")
	}
	b.open("POST", doc+"check", url.Values{"data": {`{"Name":"Ada"}`}}).is(200).shows(`{&#34;Name&#34;:&#34;Ada&#34;}`)
	a := b.open("POST", doc+"sample", url.Values{"data": {`{"Name":"Ada"}`}}).is(200)
	if a.header.Get("Content-Type") != platen.MIMEPDF || !strings.HasPrefix(a.body, "%PDF") {
		t.Errorf("got %s, %.20q, want a PDF", a.header.Get("Content-Type"), a.body)
	}
	b.open("POST", doc+"check", url.Values{"data": {strings.Repeat("x", 2<<20)}}).is(http.StatusBadRequest).shows("What was typed in has more than 1 MiB")
}

func TestAMistakeInJSONHasItsPlace(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := strings.Replace(x.newDocument(t, wf, `{"file_id":"docs-file"}`), "/v0", "/console", 1)
	for data, want := range map[string]string{
		"{\n  \"Name\": \"Ada\",\n  \"Größe\": 1,\n}": "The data is not JSON at line 4, column 1: “}” cannot stand here.",
		`{"Größe": Ada}`:           "The data is not JSON at line 1, column 11: “A” cannot stand here.",
		"{\r\n\"Name\": 'Ada'}":    "The data is not JSON at line 2, column 9: “&#39;” cannot stand here.",
		`{"Name": "Ada"`:           "The data is not JSON: it ends too early, at line 1, column 15. A bracket or a quotation mark is not closed.",
		`{"Name": "Ada"} {`:        "The data is not JSON at line 1, column 17: “{” cannot stand here.",
		`["Ada"]`:                  "The data is JSON, but no object: put it between { and }, with a name for each value.",
		"{\"Name\": \"a\nb\"}":     "The data is not JSON at line 1, column 12: a line break cannot stand here.",
		"{\"Name\": \"a\u00a0\",}": "The data is not JSON at line 1, column 15: “}” cannot stand here.",
	} {
		b.open("POST", document+"/sample", url.Values{"data": {data}}).is(http.StatusBadRequest).shows(want)
		b.open("POST", document+"/check", url.Values{"data": {data}}).is(200).shows(want)
	}
}

// A workflow is not called ready where its templates are known to have mistakes.
func TestAWorkflowWithMistakesIsNotCalledReady(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	x := newHarness(t, func(o *api.Options) {
		o.Tags = func(_, _ []string) []api.TagFinding { return nil }
		o.Templates = looked
	})
	wf := x.newWorkflow(t, `{"name":"W"}`)
	x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	second := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	id := second[strings.LastIndex(second, "/")+1:]
	const list = "/console/workflows/"
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	check := page + "template/?check=" + id
	const told = `">has mistakes</a>`
	b := x.console(t).signIn(memory.AdaToken)
	b.get(page).is(200).shows(">ready<").lacks(told)
	looked.Checked.Findings = []platen.TemplateFinding{{Code: "block_not_closed", Where: "paragraph 1", Tag: "{{#if A}}", Message: "It is not closed."}}
	b.get(list).is(200).shows(">ready<").lacks(told) // nobody has looked yet
	b.get(check).is(200).shows(told)
	b.get(list).is(200).shows(`<a class="state odd" href="` + check + "#of-" + id + told).lacks(">ready<")
	b.get(page + "runs/").is(200).shows(told)
	looked.Checked.Findings = nil
	b.get(check).is(200).lacks(told)
	b.get(list).is(200).shows(">ready<").lacks(told)
}
