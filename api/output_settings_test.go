package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAFolderOfOutputsIsAbsentUntilItIsSet(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &memory.Templates{})
	for _, step := range []struct {
		body               string
		folder, folderRoot any
	}{
		{`{}`, nil, nil},
		{`{"outputFolder":"Customers/{{Customer Name}}"}`, "Customers/{{Customer Name}}", nil},
		{`{"outputFolderId":"1Zc4VbN7mQwE2rTy"}`, "Customers/{{Customer Name}}", "1Zc4VbN7mQwE2rTy"},
		{`{"outputName":"x"}`, "Customers/{{Customer Name}}", "1Zc4VbN7mQwE2rTy"},
		{`{"outputFolder":"","outputFolderId":""}`, nil, nil},
	} {
		got := x.do(t, "PATCH", d, step.body).is(200).object()
		if got["outputFolder"] != step.folder || got["outputFolderId"] != step.folderRoot {
			t.Errorf("%s: got %v and %v, want %v and %v", step.body, got["outputFolder"], got["outputFolderId"], step.folder, step.folderRoot)
		}
	}
	made := x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file","outputFolder":"Out"}`).is(201).object()
	if made["outputFolder"] != "Out" {
		t.Errorf("a new one: got %v", made["outputFolder"])
	}
}

func TestSharingOfOutputsIsAbsentUntilItIsSet(t *testing.T) {
	t.Parallel()
	x, _, d := withTemplates(t, &memory.Templates{})
	for _, step := range []struct {
		body string
		want any
	}{{`{}`, nil}, {`{"outputSharing":"anyone"}`, "anyone"}, {`{"outputName":"x"}`, "anyone"}, {`{"outputSharing":"domain"}`, "domain"}, {`{"outputSharing":"folder"}`, "folder"}} {
		if got := x.do(t, "PATCH", d, step.body).is(200).object()["outputSharing"]; got != step.want {
			t.Errorf("%s: got %v, want %v", step.body, got, step.want)
		}
	}
	for _, body := range []string{`{"outputSharing":"public"}`, `{"outputSharing":""}`, `{"outputSharing":null}`} {
		p := x.do(t, "PATCH", d, body).problem(400, "invalid_body")
		if got := p.pointers(); !slices.Equal(got, []string{"/outputSharing"}) {
			t.Errorf("%s: got %q, want /outputSharing", body, got)
		}
	}
}

func TestAFolderThatCannotBeIsRefusedWithTheCure(t *testing.T) {
	t.Parallel()
	x, _, d := withTemplates(t, &memory.Templates{})
	for body, want := range map[string]struct{ pointer, cure string }{
		`{"outputFolder":"/Customers"}`:                        {"/outputFolder", "such as Customers/{{Customer Name}}"},
		`{"outputFolder":"Customers//{{A}}"}`:                  {"/outputFolder", "one '/' between them"},
		`{"outputFolder":"../Others"}`:                         {"/outputFolder", "'..'"},
		`{"outputFolder":" "}`:                                 {"/outputFolder", "blank"},
		`{"outputFolder":"a\nb"}`:                              {"/outputFolder", "control characters"},
		`{"outputFolder":"` + strings.Repeat("a/", 10) + `a"}`: {"/outputFolder", "at most 10"},
		`{"outputFolder":"` + strings.Repeat("a", 501) + `"}`:  {"/outputFolder", "at most 500"},
		`{"outputFolder":null}`:                                {"/outputFolder", ""},
		`{"outputFolderId":"https://drive.example.com/1Zc4"}`:  {"/outputFolderId", "or its address"},
		`{"outputFolderId":7}`:                                 {"/outputFolderId", ""},
	} {
		p := x.do(t, "PATCH", d, body).problem(400, "invalid_body")
		if got := p.pointers(); !slices.Equal(got, []string{want.pointer}) || !strings.Contains(p.Errors[0].Detail, want.cure) {
			t.Errorf("%.60s: got %+v; want %s with %q", body, p.Errors, want.pointer, want.cure)
		}
	}
}

func TestAnEmailIsSetAndTakenAwayAsAWhole(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &memory.Templates{}, mailing)
	const email = `{"to":"{{Email}}, archive@example.com","subject":"Invoice {{Number}}","text":"Dear {{Name}},\n\nThank you."`
	if got := x.do(t, "GET", d, "").is(200).object(); got["email"] != nil {
		t.Errorf("before: got %v, want none", got["email"])
	}
	set := x.do(t, "PATCH", d, `{"email":`+email+`}}`).is(200).object()["email"].(map[string]any)
	if set["to"] != "{{Email}}, archive@example.com" || set["attach"] != "pdf" || set["text"] != "Dear {{Name}},\n\nThank you." {
		t.Errorf("got %v", set)
	}
	if got := x.do(t, "PATCH", d, `{"outputName":"x"}`).is(200).object(); got["email"] == nil {
		t.Error("another change took the email away")
	}
	if got := x.do(t, "PATCH", d, `{"email":`+email+`,"attach":"link"}}`).is(200).object()["email"].(map[string]any); got["attach"] != "link" {
		t.Errorf("got %v, want a link", got)
	}
	if got := x.do(t, "PATCH", d, `{"email":null}`).is(200).object(); got["email"] != nil {
		t.Errorf("null: got %v, want none", got["email"])
	}
	if made := x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file","email":`+email+`}}`).is(201).object(); made["email"] == nil {
		t.Error("a new document has no email")
	}
}

func TestAnEmailThatCannotBeSentIsRefusedWithTheCure(t *testing.T) {
	t.Parallel()
	x, _, d := withTemplates(t, &memory.Templates{}, mailing)
	for body, want := range map[string]struct{ pointer, cure string }{
		`{"email":{"subject":"s","text":"t"}}`:                                                        {"/email/to", "required"},
		`{"email":{"to":"a@example.com","subject":"a\nBcc: b@example.com","text":"t"}}`:               {"/email/subject", "control characters"},
		`{"email":{"to":"a@example.com\r\nBcc: b@example.com","subject":"s","text":"t"}}`:             {"/email/to", "control characters"},
		`{"email":{"to":"Ada <a@example.com>","subject":"s","text":"t"}}`:                             {"/email/to", "without names"},
		`{"email":{"to":"nobody","subject":"s","text":"t"}}`:                                          {"/email/to", "such as {{Email}}"},
		`{"email":{"to":"a@example.com","subject":"s","text":"a\u0000b"}}`:                            {"/email/text", "control characters"},
		`{"email":{"to":"a@example.com","subject":"s","text":"` + strings.Repeat("x", 10_001) + `"}}`: {"/email/text", "at most 10000"},
		`{"email":{"to":"` + strings.Repeat("{{A}},", 10) + `{{A}}","subject":"s","text":"t"}}`:       {"/email/to", "at most 10"},
		`{"email":{"to":"a@example.com","subject":"s","text":"t","attach":"docx"}}`:                   {"/email/attach", "pdf or office or link"},
		`{"email":{"to":"a@example.com","subject":"s","text":"t","cc":"b"}}`:                          {"/email/cc", "without names"},
		`{"email":"a@example.com"}`: {"/email", "object"},
	} {
		p := x.do(t, "PATCH", d, body).problem(400, "invalid_body")
		if got := p.pointers(); !slices.Equal(got, []string{want.pointer}) || !strings.Contains(p.Detail, want.cure) {
			t.Errorf("%.80s: got %q, %q; want %s and %q", body, got, p.Detail, want.pointer, want.cure)
		}
	}
}

func mailing(o *Options) { o.Mails = true }

func TestAnInstallationWithoutAMailServerTakesNoEmail(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &memory.Templates{})
	const email = `"email":{"to":"a@example.com","subject":"s","text":"t"}`
	x.do(t, "PATCH", d, `{`+email+`}`).problem(400, "email_not_configured")
	x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file",`+email+`}`).problem(400, "email_not_configured")
	x.do(t, "POST", "/v0/workflows/", `{"name":"W","document":{"fileId":"docs-file",`+email+`}}`).problem(400, "email_not_configured")
	if got := x.do(t, "PATCH", d, `{"email":null}`).is(200).object(); got["email"] != nil {
		t.Errorf("got %v, want none", got["email"])
	}
}

func TestAnOrderIsAbsentUntilItIsSet(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	for _, step := range []struct {
		body string
		want any
	}{
		{`{}`, nil}, {`{"orderedBy":" Customer.Number "}`, "Customer.Number"}, {`{"name":"X"}`, "Customer.Number"}, {`{"orderedBy":null}`, nil},
		{`{"orderedBy":"UPPER(Name)"}`, "UPPER(Name)"}, {`{"orderedBy":""}`, nil},
	} {
		for _, method := range []string{"PATCH", "GET"} {
			body := map[string]string{"PATCH": step.body}[method]
			if got := x.do(t, method, wf+"/", body).is(200).object()["orderedBy"]; got != step.want {
				t.Errorf("%s after %s: got %v, want %v", method, step.body, got, step.want)
			}
		}
	}
	for _, wrong := range []string{"{{Name}}", "Name +"} {
		for method, path := range map[string]string{"PATCH": wf + "/", "POST": "/v0/workflows/"} {
			p := x.do(t, method, path, `{"name":"W","orderedBy":"`+wrong+`"}`).is(400)
			if !strings.Contains(p.body, `"/orderedBy"`) || !strings.Contains(p.body, "cannot be read") {
				t.Errorf("%s with %s: got %s, want the field and what is wrong", method, wrong, p.body)
			}
		}
	}
	d := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	if p := x.do(t, "PATCH", d, `{"orderedBy":"Name"}`); !strings.Contains(p.body, "belongs to the workflow") {
		t.Errorf("a document's: got %s, want where it belongs", p.body)
	}
}

func TestALocaleIsAbsentUntilItIsSet(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	for _, step := range []struct {
		body string
		want any
	}{
		{`{}`, nil}, {`{"locale":"de-AT"}`, "de-AT"}, {`{"name":"X"}`, "de-AT"}, {`{"locale":null}`, nil},
		{`{"locale":"zh-Hant-TW"}`, "zh-Hant-TW"}, {`{"locale":""}`, nil},
	} {
		if got := x.do(t, "PATCH", wf+"/", step.body).is(200).object()["locale"]; got != step.want {
			t.Errorf("%s: got %v, want %v", step.body, got, step.want)
		}
		if got := x.do(t, "GET", wf+"/", "").is(200).object()["locale"]; got != step.want {
			t.Errorf("read after %s: got %v, want %v", step.body, got, step.want)
		}
	}
	if got := x.do(t, "POST", "/v0/workflows/", `{"name":"W","locale":"fr-CH"}`).is(201).object()["locale"]; got != "fr-CH" {
		t.Errorf("a new one: got %v, want fr-CH", got)
	}
	d := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	if p := x.do(t, "PATCH", d, `{"locale":"de"}`); !strings.Contains(p.body, "belongs to the workflow") {
		t.Errorf("a document's: got %s, want where it belongs", p.body)
	}
}
