package api

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/intake"
)

// sentRows are the bodies of the rows of the batch that was stored last.
func (x *harness) sentRows(t *testing.T, body string, parameters string, headers ...string) string {
	t.Helper()
	at := x.ofBatches(t)
	a := x.do(t, "POST", at+parameters, body, headers...).is(http.StatusCreated)
	var b batchJSON
	if err := json.Unmarshal([]byte(a.body), &b); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, stored := range x.store.Batches {
		if stored.ID == b.ID {
			for _, row := range stored.Content {
				all = append(all, string(row.Body))
			}
		}
	}
	return strings.Join(all, "\n")
}

// workbookOf is a workbook of one sheet with a name and a number.
func workbookOf(t *testing.T) string {
	t.Helper()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range map[string]string{
		"_rels/.rels":                `<Relationships><Relationship Id="r" Type="` + office + `officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns:r="r"><sheets><sheet name="S" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="a" Type="` + office + `worksheet" Target="sheet.xml"/></Relationships>`,
		"xl/sheet.xml": `<worksheet><sheetData><row r="1"><c t="inlineStr"><is><t>Name</t></is></c><c t="inlineStr"><is><t>No</t></is></c></row>` +
			`<row r="2"><c t="inlineStr"><is><t>Ada</t></is></c><c><v>1</v></c></row></sheetData></worksheet>`,
	} {
		entry, err := w.Create(name)
		if err == nil {
			_, err = entry.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestABatchMayBeATable(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	form, ofForm := formOf(t, "file", "October.csv", "Name,No\nAda,1\n")
	for what, want := range map[string]struct {
		body, parameters string
		headers          []string
		rows             string
	}{
		"CSV":                     {"Name;No\r\nAda;1\r\nGrace;2\r\n", "", []string{"Content-Type", "text/csv"}, "{\"Name\":\"Ada\",\"No\":\"1\"}\n{\"Name\":\"Grace\",\"No\":\"2\"}"},
		"CSV of a form":           {form, "", []string{"Content-Type", ofForm}, `{"Name":"Ada","No":"1"}`},
		"a workbook":              {workbookOf(t), "", []string{"Content-Type", "application/octet-stream"}, `{"Name":"Ada","No":1}`},
		"rows with one key":       {"No,Items.Name\nR1,Tea\nR1,Milk\n", "?key=No", []string{"Content-Type", "text/csv"}, `{"Items":[{"Name":"Tea"},{"Name":"Milk"}],"No":"R1"}`},
		"another list":            {"No,Lines.Name\nR1,Tea\n", "?key=No&items=Lines", []string{"Content-Type", "text/csv"}, `{"Lines":[{"Name":"Tea"}],"No":"R1"}`},
		"a sign that is said":     {"B\n1.234\n", "?decimal=,", []string{"Content-Type", "text/csv"}, `{"B":1234}`},
		"JSON under another name": {`[{"Name":"Ada"}]`, "", []string{"Content-Type", "text/csv"}, `{"Name":"Ada"}`},
	} {
		if got := x.sentRows(t, want.body, want.parameters, want.headers...); got != want.rows {
			t.Errorf("%s: got %s, want %s", what, got, want.rows)
		}
	}
}

func TestATableThatCannotBeReadStoresNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := x.ofBatches(t)
	for what, want := range map[string]struct{ body, parameters, code, why string }{
		"cut off":               {"A,B\n1,\"2\n", "", "batch_unreadable", "row 2 begins a quote that is not closed"},
		"names alone":           {"A,B\n", "", "batch_without_rows", "no rows"},
		"a cell without a name": {"A,B\n1,2,3\n", "", "batch_rows_invalid", "Row 2 has something in column C, which has no name in the first row"},
		"a workbook cut off":    {workbookOf(t)[:200], "", "batch_unreadable", "no workbook (.xlsx), or not all of it is there"},
		"an unknown key":        {"A,B\n1,2\n", "?key=C", "batch_unreadable", `no column is named \"C\"`},
		"a list without a key":  {"A,B\n1,2\n", "?items=C", "invalid_parameter", "set the parameter key"},
		"JSON that is none":     {`[{"A":1},`, "", "batch_unreadable", "is cut off"},
	} {
		a := x.do(t, "POST", at+want.parameters, want.body, "Content-Type", "text/csv")
		if a.status != 400 || !strings.Contains(a.body, `"code":"`+want.code+`"`) || !strings.Contains(a.body, want.why) {
			t.Errorf("%s: got %d %s, want 400 %s: %s", what, a.status, a.body, want.code, want.why)
		}
	}
	if n := len(x.store.Batches); n != 0 {
		t.Errorf("%d batches are stored, want none", n)
	}
}

// A process lets a caller hold 56 MiB.
func TestThereIsRoomForAWorkbookInTheShareOfOneCaller(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.Bodies = intake.NewBudget(intake.Limits{Bytes: 96 << 20, Caller: 56 << 20, Unauthenticated: 16 << 20})
	})
	x.do(t, "POST", x.ofBatches(t), workbookOf(t)).is(http.StatusCreated)
}

func TestTheAnswerSaysWhatATableIs(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := x.ofBatches(t)
	for what, want := range map[string]struct{ body, parameters, table string }{
		"CSV":                    {"\n\nName;No\nAda;1\n", "", `{"kind":"csv","encoding":"UTF-8","delimiter":";","decimal":"","sheet":"","sheets":[],"hiddenRows":0,"columns":["Name","No"]}`},
		"CSV as its sender says": {"Name,\nAd\xe0\n", "?encoding=windows-1250&delimiter=,&decimal=,", `{"kind":"csv","encoding":"windows-1250","delimiter":",","decimal":",","sheet":"","sheets":[],"hiddenRows":0,"columns":["Name"]}`},
		"a workbook":             {workbookOf(t), "", `{"kind":"xlsx","encoding":"","delimiter":"","decimal":"","sheet":"S","sheets":["S"],"hiddenRows":0,"columns":["Name","No"]}`},
		"a list":                 {`[{"Name":"Ada"}]`, "", `null`},
	} {
		a := x.do(t, "POST", at+want.parameters, want.body, "Content-Type", "text/csv").is(http.StatusCreated)
		var sent struct {
			ID    string
			Table json.RawMessage
		}
		if err := json.Unmarshal([]byte(a.body), &sent); err != nil || string(sent.Table) != want.table {
			t.Errorf("%s: got the table %s and %v, want %s", what, sent.Table, err, want.table)
		}
		if got := x.do(t, "GET", at+sent.ID+"/", "").is(200).body; !strings.Contains(got, `"table":null`) {
			t.Errorf("%s, later: got %s, want that it is not known any more", what, got)
		}
	}
}
