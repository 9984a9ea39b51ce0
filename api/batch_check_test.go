package api

import (
	"fmt"
	"io"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// tryingRows is a harness whose templates ask for Name, and the path of batches there.
// closed counts how many trials ended.
func tryingRows(t *testing.T, try func(row string) []platen.RowFinding) (x *harness, at string, closed *int) {
	t.Helper()
	closed = new(int)
	x, wf, _ := withTemplates(t, memory.TryingRows(try, closed))
	return x, wf + "/batches/check/", closed
}

func TestACheckOfABatchTriesEachRowAndStoresNothing(t *testing.T) {
	t.Parallel()
	var tried []string
	x, at, closed := tryingRows(t, func(row string) (all []platen.RowFinding) {
		tried = append(tried, row)
		if !strings.Contains(row, "Name") {
			all = append(all, platen.RowFinding{DocumentID: "doc_1", Field: "Name", Code: "fields_missing", Message: "No name."})
		}
		if strings.Contains(row, "Odd") {
			all = append(all, platen.RowFinding{DocumentID: "doc_1", Code: "name_faulty", Message: "Odd.", Note: true})
		}
		return append(all, platen.RowFinding{DocumentID: "doc_1", OfTemplate: true, Code: "unknown_function", Message: "SUMM.", Nearest: []string{"SUM"}, Note: true})
	})
	a := x.do(t, "POST", at+"?reference=No", "Nam;Name;No;Odd\n;Ada;1;\nx;;2;y\n;Bob;;\n;\"C\";\"a\tb\";\n", "Content-Type", "text/csv").is(200)
	document := regexp.MustCompile("doc_[0-9A-Za-z]+").FindString(x.do(t, "GET", strings.TrimSuffix(at, "batches/check/")+"documents/", "").is(200).body)
	named := `,"field":"outputName","documentId":"` + document + `","code":"output_names_alike","message":"All 4 outputs will have the same name but for the time: put a field into it, such as {{Name}}.","nearest":[],"severity":"note"},`
	want := `{"rows":4,"checked":4,"faulty":2,"findings":[` +
		`{"row":2` + named +
		`{"row":2,"field":null,"documentId":"doc_1","code":"unknown_function","message":"SUMM.","nearest":["SUM"],"severity":"note"},` +
		`{"row":3,"field":"Name","documentId":"doc_1","code":"fields_missing","message":"No name.","nearest":[],"severity":"mistake"},` +
		`{"row":3,"field":null,"documentId":"doc_1","code":"name_faulty","message":"Odd.","nearest":[],"severity":"note"},` +
		`{"row":5,"field":null,"documentId":null,"code":"batch_rows_invalid","message":"has no reference in No: it must be a text or a number of 1 to 200 printable characters","nearest":[],"severity":"mistake"}],` +
		`"unused":[{"field":"Nam","nearest":["Name"]},{"field":"No","nearest":["Name"]},{"field":"Odd","nearest":["Name"]}],` +
		`"table":{"kind":"csv","encoding":"UTF-8","delimiter":";","decimal":"","sheet":"","sheets":[],"hiddenRows":0,"columns":["Nam","Name","No","Odd"]},"refusal":null}`
	if strings.TrimSpace(a.body) != want {
		t.Errorf("got %s, want %s", a.body, want)
	}
	if want := []string{`{"Name":"Ada","No":"1"}`, `{"Nam":"x","No":"2","Odd":"y"}`, `{"Name":"Bob"}`}; !slices.Equal(tried, want) || *closed != 1 {
		t.Errorf("tried %q and closed %d trials, want %q and the trial", tried, *closed, want)
	}
	if n := len(x.store.Batches); n != 0 {
		t.Errorf("%d batches are stored, want none", n)
	}
	x.store.Limits = map[string]int64{x.ada.ID: 1}
	if got := x.do(t, "POST", at, `[{"Name":1},{"Name":2}]`).is(200).object()["refusal"].(map[string]any); got["code"] != "usage_limit_reached" || !strings.Contains(got["message"].(string), "leaves room for 1 documents, and this makes 2") {
		t.Errorf("above the limit: got %v", got)
	}
	a = x.do(t, "POST", at, `[{"Name":1,"A":{"B":2}}]`).is(200)
	if !strings.Contains(a.body, `"unused":[{"field":"A.B","nearest":["Name"]}],"table":null`) {
		t.Errorf("of a list: got %s", a.body)
	}
}

func TestACheckOfABatchNamesTheFirstFindingsAndCountsAll(t *testing.T) {
	t.Parallel()
	x, at, _ := tryingRows(t, func(string) []platen.RowFinding {
		return []platen.RowFinding{{Code: "a_note", Note: true}, {Code: "a_mistake"}}
	})
	a := x.do(t, "POST", at, "["+strings.Repeat("{},7,", 150)+"{}]").is(200).object()
	found := a["findings"].([]any)
	first, last := found[0].(map[string]any), found[len(found)-1].(map[string]any)
	if got := fmt.Sprintln(a["rows"], a["checked"], a["faulty"], len(found), first["code"], last["row"]); got != "301 301 301 100 a_mistake 100\n" {
		t.Errorf("got %s, want all counted and the first hundred mistakes", got)
	}
}

func TestACheckOfABatchRefusesWhatABatchRefuses(t *testing.T) {
	t.Parallel()
	x, at, closed := tryingRows(t, func(string) []platen.RowFinding { return nil })
	x.do(t, "POST", at, "A,B\n1,\"2\n", "Content-Type", "text/csv").problem(400, "batch_unreadable")
	x.do(t, "POST", at, "[]").problem(400, "batch_without_rows")
	if *closed != 2 {
		t.Errorf("%d trials are closed, want both", *closed)
	}
	x.do(t, "POST", at+"?test=true", "[{}]").problem(400, "invalid_parameter")
	x.do(t, "POST", x.newWorkflow(t, `{"name":"W"}`)+"/batches/check/", "[{}]").problem(400, "workflow_incomplete")
	x.as(t, memory.BobToken, "POST", at, "[{}]").problem(403, "workflow_not_found")
	busy := &memory.Templates{Err: &platen.Error{Kind: platen.KindRateLimited, Code: "preview_busy", Message: "Busy."}}
	x, wf, _ := withTemplates(t, busy)
	x.do(t, "POST", wf+"/batches/check/", "[{}]").problem(429, "preview_busy")
}

// A slowBody is a body whose second part takes its time.
type slowBody struct {
	first, second string
	pause         func()
}

func (b *slowBody) Read(to []byte) (int, error) {
	if b.first == "" && b.pause != nil {
		b.pause()
		b.first, b.second, b.pause = b.second, "", nil
	}
	if b.first == "" {
		return 0, io.EOF
	}
	n := copy(to, b.first)
	b.first = b.first[n:]
	return n, nil
}

func TestASlowSenderOfRowsKeepsNoTurnOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, at, closed := tryingRows(t, func(string) []platen.RowFinding { return nil })
		atPause := 0
		body := &slowBody{first: "[" + strings.Repeat(`{"Name":"Ada"},`, 5000), second: `{"Name":"Bob"}]`, pause: func() {
			time.Sleep(trialTime + time.Second) // of a bubble
			synctest.Wait()
			atPause = *closed
		}}
		r := httptest.NewRequest("POST", at, body)
		r.Header.Set("Authorization", memory.AdaToken)
		w := httptest.NewRecorder()
		x.handler.ServeHTTP(w, r)
		a := answer{t, w.Code, w.Header(), w.Body.String()}.is(200).object()
		if atPause != 1 || *closed != 1 || a["rows"] != 5001.0 || a["checked"].(float64) >= 5001 {
			t.Errorf("closed %d times at the pause and %d at the end, %v of %v rows checked; want the turn given back, and later rows not tried", atPause, *closed, a["checked"], a["rows"])
		}
	})
}
