package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// ofBatches is the path of the batches of a workflow that has a template.
func (x *harness) ofBatches(t *testing.T) string {
	t.Helper()
	workflow := x.newWorkflow(t, `{"name":"A"}`)
	x.newDocument(t, workflow, `{"fileId":"docs-file"}`)
	return workflow + "/batches/"
}

func TestABatchIsAListOrLines(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := x.ofBatches(t)
	form, ofForm := formOf(t, "file", "October.jsonl", "{\"Name\": \"Ada\"}\n{\"Name\": \"Grace\"}")
	for what, body := range map[string][]string{
		"a list":                {`[{"Name": "Ada"}, {"Name": "Grace"}]`},
		"an indented list":      {"\ufeff\r\n [\n  {\"Name\": \"Ada\"} ,\n\n {\"Name\": \"Grace\"}\n ]\n "},
		"lines":                 {"{\"Name\": \"Ada\"}\n{\"Name\": \"Grace\"}\n"},
		"lines with a gap":      {"{\"Name\": \"Ada\"}\r\n\r\n  {\"Name\": \"Grace\"}  "},
		"a file of a form":      {form, "Content-Type", ofForm},
		"bytes of another kind": {`[{"Name": "Ada"},{"Name": "Grace"}]`, "Content-Type", "application/octet-stream"},
	} {
		a := x.do(t, "POST", at, body[0], body[1:]...).is(http.StatusCreated)
		var b batchJSON
		if err := json.Unmarshal([]byte(a.body), &b); err != nil {
			t.Fatal(err)
		}
		rows := x.do(t, "GET", at+b.ID+"/rows/", "").is(200).body
		if b.Rows != 2 || b.State != "RUNNING" || b.Counts["PENDING"] != 2 || len(b.Counts) != 6 || a.header.Get("Location") != "https://api.test"+at+b.ID+"/" || strings.Count(rows, `"state":"PENDING"`) != 2 {
			t.Errorf("%s: got %s at %s with the rows %s, want two rows that wait", what, a.body, a.header.Get("Location"), rows)
		}
		if what == "lines with a gap" && !strings.Contains(rows, `"row":3`) {
			t.Errorf("%s: got %s, want rows with the numbers of their lines", what, rows)
		}
		if wantName := map[bool]string{true: "October.jsonl"}[what == "a file of a form"]; b.Name != wantName {
			t.Errorf("%s: it is called %q, want %q", what, b.Name, wantName)
		}
	}
}

func formOf(t *testing.T, field, name, content string) (body, contentType string) {
	t.Helper()
	var to bytes.Buffer
	form := multipart.NewWriter(&to)
	part, err := form.CreateFormFile(field, name)
	if err == nil {
		_, err = part.Write([]byte(content))
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return to.String(), form.FormDataContentType()
}

func TestOneRowThatCannotBeTakenRefusesABatch(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.EventLimit = 40 })
	at := x.ofBatches(t)
	long := `{"Name":"` + strings.Repeat("a", 40) + `"}`
	a := x.do(t, "POST", at, "{\"a\":1}\n7\n{\"a\":\n"+long+"\n{\"a\":2}\n[]\n")
	a.problem(400, "batch_rows_invalid")
	for _, want := range []string{`"row":2`, `"row":3`, `"row":4`, `"row":6`, "4 of 6 rows", "Row 2 is valid JSON but not an object", "more than 40 bytes"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("got %s, want it to say %s", a.body, want)
		}
	}
	if strings.Contains(a.body, `"row":1`) || strings.Contains(a.body, `"row":5`) {
		t.Errorf("got %s, want nothing about good rows", a.body)
	}
	if got := x.do(t, "GET", at, "").is(200).body; strings.TrimSpace(got) != "[]" {
		t.Errorf("got %s, want no batch", got)
	}
}

func TestAFileThatIsCutOffOrNoListMakesNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.EventLimit = 40 })
	at := x.ofBatches(t)
	form, ofForm := formOf(t, "file", "a.jsonl", `{"a":1}`)
	other, ofOther := formOf(t, "rows", "a.jsonl", `{"a":1}`)
	for _, c := range []struct{ what, body, kind, code string }{
		{"nothing", "", "", "batch_without_rows"},
		{"an empty list", " [ ] ", "", "batch_without_rows"},
		{"a list without its end", `[{"a":1},{"a":2}`, "", "batch_unreadable"},
		{"a list that ends in a row", `[{"a":1},{"a":`, "", "batch_unreadable"},
		{"a list with something behind it", `[{"a":1}] []`, "", "batch_unreadable"},
		{"no JSON", `[{"a":1},Ada]`, "", "batch_unreadable"},
		{"an element that never ends", `[{"a":1},{"a":"` + strings.Repeat("x", 1<<20), "", "batch_unreadable"},
		{"a form without its end", form[:len(form)-10], ofForm, "batch_unreadable"},
		{"a form with another field", other, ofOther, "invalid_body"},
	} {
		var header []string
		if c.kind != "" {
			header = []string{"Content-Type", c.kind}
		}
		x.do(t, "POST", at, c.body, header...).problem(400, c.code)
	}
	r := httptest.NewRequest("POST", at, iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("{\"a\":1}\n{\"a\":2}\n"))))
	r.Header.Set("Authorization", memory.AdaToken)
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	answer{t, w.Code, w.Header(), w.Body.String()}.problem(400, "body_unreadable")
	if got := x.do(t, "GET", at, "").is(200).body; strings.TrimSpace(got) != "[]" {
		t.Errorf("got %s, want no batch", got)
	}
}

func TestRowsOfABatchHaveReferences(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := x.ofBatches(t)
	a := x.do(t, "POST", at+"?reference=Order.No&name=October.json", `[{"Order":{"No":"A 17"}},{"Order":{"No":18}},{"Order":{}},{}]`).is(201)
	var b batchJSON
	if err := json.Unmarshal([]byte(a.body), &b); err != nil || b.Name != "October.json" {
		t.Fatalf("got %s and %v, want its name", a.body, err)
	}
	var rows []batchRowJSON
	if err := json.Unmarshal([]byte(x.do(t, "GET", at+b.ID+"/rows/", "").is(200).body), &rows); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows {
		if row.Reference != nil {
			got = append(got, fmt.Sprint(row.Row, " ", *row.Reference))
		}
	}
	if fmt.Sprint(got) != "[1 A 17 2 18]" {
		t.Errorf("got the references %q, want those of the first two rows", got)
	}
	for _, bad := range []string{`[{"Order":{"No":true}}]`, `[{"Order":{"No":"a\tb"}}]`, `[{"Order":7}]`} {
		x.do(t, "POST", at+"?reference=Order.No", bad).problem(400, "batch_rows_invalid")
	}
}

func TestRowsOfABatchArePaged(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := x.ofBatches(t)
	a := x.do(t, "POST", at, `[{"n":1},{"n":2},{"n":3}]`).is(201)
	var b batchJSON
	if err := json.Unmarshal([]byte(a.body), &b); err != nil {
		t.Fatal(err)
	}
	first := x.do(t, "GET", at+b.ID+"/rows/?limit=2", "").is(200)
	next := `<https://api.test` + at + b.ID + `/rows/?after=2&limit=2>; rel="next"`
	if first.header.Get("Link") != next || !strings.Contains(first.body, `"row":2`) || strings.Contains(first.body, `"row":3`) {
		t.Errorf("got %s and %s, want two rows, and the next page at %s", first.header.Get("Link"), first.body, next)
	}
	last := x.do(t, "GET", at+b.ID+"/rows/?limit=2&after=2&state=PENDING", "").is(200)
	if last.header.Get("Link") != "" || !strings.Contains(last.body, `"row":3`) {
		t.Errorf("got %s and %s, want the last row", last.header.Get("Link"), last.body)
	}
	for _, bad := range []string{"?limit=0", "?after=-1", "?state=DONE", "?cursor=x"} {
		x.do(t, "GET", at+b.ID+"/rows/"+bad, "").problem(400, "invalid_parameter")
	}
}

func TestABatchIsRefusedForAWorkflowThatMakesNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	var bare workflowJSON
	if err := json.Unmarshal([]byte(x.do(t, "POST", "/v0/workflows/", `{"name":"A"}`).is(201).body), &bare); err != nil {
		t.Fatal(err)
	}
	x.do(t, "POST", "/v0/workflows/"+bare.ID+"/batches/", `[{"a":1}]`).problem(400, "workflow_incomplete")
	at := x.ofBatches(t)
	for _, bad := range []string{"?dry=true", "?test=maybe", "?name=", "?name=a%2Fb", "?reference="} {
		x.do(t, "POST", at+bad, `[{"a":1}]`).problem(400, "invalid_parameter")
	}
	for _, list := range []string{"/v0/automations/", "/v0/outputs/", strings.TrimSuffix(at, "batches/") + "automations/", strings.TrimSuffix(at, "batches/") + "outputs/"} {
		x.do(t, "GET", list+"?batch=aut_0000000000000000", "").problem(400, "invalid_parameter")
		x.do(t, "GET", list+"?batch=bat_0000000000000000", "").is(200)
	}
	for _, method := range []string{"pause", "resume", "cancel", "retry"} {
		x.do(t, "POST", at+"bat_0000000000000000/"+method+"/", "").problem(403, "batch_not_found")
	}
	x.do(t, "GET", at+"bat_0000000000000000/", "").problem(403, "batch_not_found")
	x.do(t, "GET", at+"x/rows/", "").problem(403, "batch_not_found")
	x.as(t, memory.BobToken, "POST", at, `[{"a":1}]`).problem(403, "workflow_not_found")
}

func TestResultsOfABatchAreALineForEachRow(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := x.ofBatches(t)
	id := x.do(t, "POST", at+"?reference=No&name=October.json", `[{"No":"=1+1"},{"No":"A, \"7\""},{}]`).is(201).object()["id"].(string)
	a := x.do(t, "GET", at+id+"/results.csv", "").is(200)
	want := "row,state,code,reason,reference,series,number,automation,files,links,mail,mail_reason\n1,PENDING,,,'=1+1,,,,,,,\n2,PENDING,,,\"A, \"\"7\"\"\",,,,,,,\n3,PENDING,,,,,,,,,,\n"
	if a.body != want || a.header.Get("Content-Type") != "text/csv" || !strings.Contains(a.header.Get("Content-Disposition"), "October.json.csv") {
		t.Errorf("got %q with %v, want %q", a.body, a.header, want)
	}
	if a := x.do(t, "GET", at+id+"/results.csv?state=FAILED", "").is(200); strings.Count(a.body, "\n") != 1 {
		t.Errorf("got %q, want no line but the first", a.body)
	}
	x.do(t, "GET", at+"bat_0000000000000000/results.csv", "").problem(403, "batch_not_found")
	x.do(t, "GET", at+id+"/results.csv?stat=FAILED", "").problem(400, "invalid_parameter")
}

func TestALineOfResultsHasWhatWasMade(t *testing.T) {
	t.Parallel()
	done := platen.Output{State: platen.OutputDone, Copy: &platen.File{Name: "-Ada.docx", URL: "https://drive.test/1"}, Mail: &platen.Mail{State: platen.MailFailed, Code: "email_refused", Message: "the mail server refused it"}}
	got := resultLine(platen.StoredRow{Number: 7, State: platen.RowFailed, Code: "fields_missing", Message: "the data lacks Name", Reference: "R", AutomationID: "aut_1", Outputs: []platen.Output{done, {State: platen.OutputFailed}},
		Numbers: []platen.SeriesNumber{{Series: "invoices@2026", Number: 1042}, {Series: "letters", Number: 7}}})
	if want := []string{"7", "FAILED", "fields_missing", "The data lacks Name.", "R", "invoices@2026\nletters", "1042\n7", "aut_1", "'-Ada.docx", "https://drive.test/1", "FAILED", "The mail server refused it."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFailedRowsAreCorrectedByTheirNumbersOrPlaces(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := x.ofBatches(t)
	id := x.do(t, "POST", at, `[{"Name":"A"},{"Name":"B"},{"Name":"C"}]`).is(201).object()["id"].(string)
	to := at + id + "/correct/"
	x.store.Batches[0].Counts = map[platen.RowState]int{platen.RowFailed: 3}
	x.do(t, "POST", to+"?row=Row&reference=No", "Row;Name;No\n3;Grace;R3\n1;Ada;R1\n", "Content-Type", "text/csv").is(http.StatusAccepted)
	rows := x.store.Batches[0].Content
	if string(rows[0].Body) != `{"Name":"Ada","No":"R1"}` || string(rows[1].Body) != `{"Name":"B"}` || string(rows[2].Body) != `{"Name":"Grace","No":"R3"}` || rows[2].Reference != "R3" {
		t.Errorf("got %+v, want the first and the last row replaced, without their numbers", rows)
	}
	x.do(t, "POST", to, `[{"Name":"X"},{"Name":"Y"},{"Name":"Z"}]`).is(http.StatusAccepted)
	if rows := x.store.Batches[0].Content; string(rows[1].Body) != `{"Name":"Y"}` {
		t.Errorf("got %+v, want rows by their places", rows)
	}
	for what, body := range map[string]string{"no number": `[{"Name":"A"}]`, "a word": `[{"Row":"one"}]`, "twice the same": `[{"Row":2},{"Row":2}]`, "none": `[{"Row":0}]`, "too large": `[{"Row":2147483648}]`} {
		if p := x.do(t, "POST", to+"?row=Row", body).problem(400, "batch_rows_invalid"); len(p.Errors) != 1 {
			t.Errorf("%s: got %+v, want one row named", what, p)
		}
	}
	x.do(t, "POST", to+"?row=A.Row", `[{"A":{"Row":1}}]`).problem(400, "batch_rows_invalid")
	x.do(t, "POST", to, `[{"Name":"X"}`).problem(400, "batch_unreadable")
	x.do(t, "POST", to+"?name=a", `[{"Name":"X"}]`).problem(400, "invalid_parameter")
	x.do(t, "POST", at+"bat_0000000000000000/correct/", `[{"Name":"X"}]`).problem(403, "batch_not_found")
	x.as(t, memory.BobToken, "POST", to, `[{"Name":"X"}]`).problem(403, "workflow_not_found")
}
