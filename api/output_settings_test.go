package api

import (
	"slices"
	"strings"
	"testing"
)

func TestAFolderOfOutputsIsAbsentUntilItIsSet(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &templates{})
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
	x, _, d := withTemplates(t, &templates{})
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
	x, _, d := withTemplates(t, &templates{})
	for body, want := range map[string]struct{ pointer, cure string }{
		`{"outputFolder":"/Customers"}`:                               {"/outputFolder", "such as Customers/{{Customer Name}}"},
		`{"outputFolder":"Customers//{{A}}"}`:                         {"/outputFolder", "one '/' between them"},
		`{"outputFolder":"../Others"}`:                                {"/outputFolder", "'..'"},
		`{"outputFolder":" "}`:                                        {"/outputFolder", "blank"},
		`{"outputFolder":"a\nb"}`:                                     {"/outputFolder", "control characters"},
		`{"outputFolder":"` + strings.Repeat("a/", 10) + `a"}`:        {"/outputFolder", "at most 10"},
		`{"outputFolder":"` + strings.Repeat("a", 501) + `"}`:         {"/outputFolder", "at most 500"},
		`{"outputFolder":null}`:                                       {"/outputFolder", ""},
		`{"outputFolderId":"https://drive.example.com/folders/1Zc4"}`: {"/outputFolderId", "its address ends in"},
		`{"outputFolderId":7}`:                                        {"/outputFolderId", ""},
	} {
		p := x.do(t, "PATCH", d, body).problem(400, "invalid_body")
		if got := p.pointers(); !slices.Equal(got, []string{want.pointer}) || !strings.Contains(p.Errors[0].Detail, want.cure) {
			t.Errorf("%.60s: got %+v; want %s with %q", body, p.Errors, want.pointer, want.cure)
		}
	}
}
