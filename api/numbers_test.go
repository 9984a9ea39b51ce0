package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestASeriesIsReadAndSet(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	if got := x.do(t, "GET", "/v0/series/invoices/", "").is(200).object(); got["next"] != 1.0 || got["updatedAt"] != nil {
		t.Errorf("got %v, want that it begins at 1", got)
	}
	x.do(t, "PATCH", "/v0/series/invoices/", `{"next":1001}`).is(200)
	if got := x.do(t, "GET", "/v0/series/", "").is(200).body; !strings.Contains(got, `"name":"invoices","next":1001`) {
		t.Errorf("got %s, want invoices at 1001", got)
	}
	x.store.Given = []platen.DrawnNumber{{Series: "invoices", Number: 1}}
	x.do(t, "PATCH", "/v0/series/invoices/", `{"next":1000}`).problem(400, "number_given")
	for body, pointer := range map[string]string{`{}`: "/next", `{"next":0}`: "/next", `{"next":"1"}`: "/next", `{"next":1e3}`: "/next", `{"next":1000000000000000}`: "/next", `{"next":1,"more":1}`: "/more"} {
		if p := x.do(t, "PATCH", "/v0/series/invoices/", body).problem(400, "invalid_body"); len(p.Errors) != 1 || p.Errors[0].Pointer != pointer {
			t.Errorf("%s: got %+v, want a fault at %s", body, p.Errors, pointer)
		}
	}
	for _, name := range []string{"Invoices", "1st", "a-b", "a@b", "a@20261", strings.Repeat("a", 41), "%00"} {
		x.do(t, "GET", "/v0/series/"+name+"/", "").problem(http.StatusForbidden, "series_not_found")
	}
	x.do(t, "GET", "/v0/series/invoices@2026/", "").is(200)
	x.do(t, "GET", "/v0/series/?limit=1", "").problem(400, "invalid_parameter")
}

func TestNumbersAreListedPageByPage(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for n := int64(1); n <= 5; n++ {
		x.store.Given = append(x.store.Given, platen.DrawnNumber{Series: "invoices", Number: n, UpTo: n, State: platen.NumberUsed, AutomationID: memory.AutomationID, WorkflowID: "wkf_0000000000000001", DrawnAt: at})
	}
	x.store.Given[2].State, x.store.Given[2].Code, x.store.Given[2].VoidAt = platen.NumberVoid, "template_faulty", &at
	path, got := "/v0/series/invoices/numbers/?limit=2", ""
	for pages := 0; path != ""; pages++ {
		a := x.do(t, "GET", path, "").is(200)
		for _, n := range a.entries() {
			got += fmt.Sprint(n["number"], n["state"], n["code"], n["voidAt"] != nil, " ")
		}
		_, link, _ := strings.Cut(a.header.Get("Link"), "<")
		link, _, _ = strings.Cut(link, ">")
		if _, path, _ = strings.Cut(link, "/v0"); path != "" {
			path = "/v0" + path
		}
		if pages > 5 {
			t.Fatal("the list does not end")
		}
	}
	if want := "1USED<nil> false 2USED<nil> false 3VOIDtemplate_faultytrue 4USED<nil> false 5USED<nil> false "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if all := x.do(t, "GET", "/v0/series/invoices/numbers/?state=VOID", "").is(200).entries(); len(all) != 1 || all[0]["number"] != 3.0 {
		t.Errorf("got %v, want number 3", all)
	}
	x.do(t, "GET", "/v0/series/invoices/numbers/?state=LOST", "").problem(400, "invalid_parameter")
	wf := platen.Position{CreatedAt: at, ID: "wkf_0000000000000001"}
	x.do(t, "GET", "/v0/series/invoices/numbers/?cursor="+cursor(wf), "").problem(400, "invalid_parameter")
}

func TestADocumentSaysWhichSeriesItTakesNumbersOf(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A"}`)
	doc := x.newDocument(t, wf, `{"numbers":["invoices"]}`)
	if got := x.do(t, "GET", doc, "").is(200).object()["numbers"]; fmt.Sprint(got) != "[invoices]" {
		t.Errorf("got %v, want invoices", got)
	}
	if got := x.do(t, "PATCH", doc, `{"numbers":["invoices@year","letters"]}`).is(200).object()["numbers"]; fmt.Sprint(got) != "[invoices@year letters]" {
		t.Errorf("got %v", got)
	}
	if got := x.do(t, "PATCH", doc, `{"outputName":"x"}`).is(200).object()["numbers"]; fmt.Sprint(got) != "[invoices@year letters]" {
		t.Errorf("after another change: got %v", got)
	}
	if got, there := x.do(t, "PATCH", doc, `{"numbers":[]}`).is(200).object()["numbers"]; there {
		t.Errorf("got %v, want none", got)
	}
	for body, want := range map[string][2]string{
		`{"numbers":["Invoices"]}`:                        {"/numbers/0", "invoices@year"},
		`{"numbers":["a","a@year"]}`:                      {"/numbers/1", "tags name both a"},
		`{"numbers":["a","a"]}`:                           {"/numbers/1", "already"},
		`{"numbers":["a@2026"]}`:                          {"/numbers/0", "such as invoices"},
		`{"numbers":["a","b","c","d","e","f"]}`:           {"/numbers", "at most 5"},
		`{"numbers":"a"}`:                                 {"/numbers", "a list"},
		`{"numbers":["` + strings.Repeat("a", 41) + `"]}`: {"/numbers/0", "at most 40"},
	} {
		p := x.do(t, "PATCH", doc, body).problem(400, "invalid_body")
		if len(p.Errors) != 1 || p.Errors[0].Pointer != want[0] || !strings.Contains(p.Errors[0].Detail, want[1]) {
			t.Errorf("%s: got %+v, want %v", body, p.Errors, want)
		}
	}
}
