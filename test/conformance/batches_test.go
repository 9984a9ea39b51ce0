package conformance

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// batchExtension sends batches, one whose second row fails and one that is cancelled.
func batchExtension(t *testing.T, s *harness) {
	t.Helper()
	r := newReceiver(t, s)
	w := s.ada.runnable(t, r, "Dear {{Name}}")
	document := path(t, w, "documents", text(t, w["documents"].([]any)[0].(object), "id"))
	s.ada.patch(t, document, object{"createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": "{{Code}}"})
	batches := path(t, w, "batches")
	refused := s.ada.do(t, "POST", batches, []any{object{"Name": "Ada"}, 7})
	refused.refused(http.StatusBadRequest)
	if fault := refused.object()["errors"].([]any)[0].(object); fault["row"] != 2.0 {
		t.Errorf("got %v, want the second row named", fault)
	}
	s.ada.do(t, "POST", batches, []any{}).refused(http.StatusBadRequest)

	rows := []any{object{"Name": "Ada", "Code": "x"}, object{"Name": "Grace"}}
	checked := s.ada.do(t, "POST", batches+"check/?reference=Name", rows).is(http.StatusOK).object()
	field(t, checked, "rows", 2.0)
	field(t, checked, "faulty", 1.0)
	isWithoutPassword := func(f any) bool {
		return f.(object)["row"] == 2.0 && f.(object)["code"] == "pdf_password_field_missing"
	}
	if found := checked["findings"].([]any); !slices.ContainsFunc(found, isWithoutPassword) {
		t.Errorf("a check: got %v, want the second row without a password", found)
	}
	sent := s.ada.do(t, "POST", batches+"?reference=Name", rows, "Idempotency-Key", "October").is(http.StatusCreated).object()
	again := s.ada.do(t, "POST", batches+"?reference=Name", rows, "Idempotency-Key", "October").is(http.StatusCreated).object()
	field(t, again, "id", sent["id"])
	s.ada.do(t, "POST", batches, rows[:1], "Idempotency-Key", "October").is(http.StatusConflict)
	at := path(t, w, "batches", text(t, sent, "id"))
	field(t, s.ada.endedOf(t, batches, "COMPLETED"), "id", sent["id"])
	counts := inner(t, s.ada.do(t, "GET", at, nil).is(http.StatusOK).object(), "counts")
	field(t, counts, "COMPLETED", 1.0)
	field(t, counts, "FAILED", 1.0)
	failed := s.ada.do(t, "GET", at+"rows/?state=FAILED", nil).is(http.StatusOK).list()
	if len(failed) != 1 || failed[0]["row"] != 2.0 || failed[0]["reference"] != "Grace" || inner(t, failed[0], "error")["code"] == "" {
		t.Errorf("rows that failed: got %v, want the second, and why", failed)
	}
	results := string(s.ada.do(t, "GET", at+"results.csv/", nil).is(http.StatusOK).body)
	if lines, err := csv.NewReader(strings.NewReader(results)).ReadAll(); err != nil || len(lines) != 3 || lines[2][1] != "FAILED" || lines[2][4] != "Grace" {
		t.Errorf("results: got %q and %v, want a line for each row", results, err)
	}
	for _, list := range []string{"automations", "outputs"} {
		if of := s.ada.do(t, "GET", path(t, w, list)+"?batch="+text(t, sent, "id"), nil).is(http.StatusOK).list(); len(of) != 2 {
			t.Errorf("%s of the batch: got %d, want those of both rows", list, len(of))
		}
	}
	zipped := s.ada.do(t, "GET", at+"outputs.zip/?rows=1-2", nil).is(http.StatusOK).body
	if z, err := zip.NewReader(bytes.NewReader(zipped), int64(len(zipped))); err != nil || len(z.File) != 2 || !strings.HasPrefix(z.File[0].Name, "00001 ") || z.File[1].Name != "errors.txt" {
		t.Errorf("outputs: got %v, want the first row's PDF, and why the second has none", err)
	}
	s.ada.do(t, "GET", at+"outputs.pdf/", nil).refused(http.StatusBadRequest) // its one output has a password
	for _, ended := range []string{"pause", "resume", "cancel"} {
		s.ada.do(t, "POST", at+ended+"/", nil).refused(http.StatusBadRequest)
	}
	field(t, s.ada.do(t, "POST", at+"retry/", nil).is(http.StatusAccepted).object(), "attempt", 2.0)
	s.ada.endedOf(t, batches, "COMPLETED")

	s.ada.do(t, "POST", at+"correct/?row=Row", []any{object{"Row": 1, "Name": "Ada"}}).refused(http.StatusBadRequest) // it was made
	corrected := s.ada.do(t, "POST", at+"correct/?row=Row&reference=Name", []any{object{"Row": 2, "Name": "Grace", "Code": "y"}}).is(http.StatusAccepted).object()
	field(t, corrected, "attempt", 3.0)
	counts = inner(t, s.ada.endedOf(t, batches, "COMPLETED"), "counts")
	field(t, counts, "COMPLETED", 2.0)
	field(t, counts, "FAILED", 0.0)

	found := inner(t, s.ada.send(t, "POST", batches, workbook(t)).is(http.StatusCreated).object(), "table")
	field(t, found, "kind", "xlsx")
	field(t, found, "sheet", "Letters")

	s.ada.patch(t, document, object{"enablePdfPassword": false})
	open := path(t, w, "batches", text(t, s.ada.do(t, "POST", batches, []any{object{"Name": "Ada"}}).is(http.StatusCreated).object(), "id"))
	s.ada.endedOf(t, open+"rows/?state=COMPLETED", "COMPLETED")
	if whole := s.ada.do(t, "GET", open+"outputs.pdf/?rows=1-2", nil).is(http.StatusOK).body; !bytes.HasPrefix(whole, []byte("%PDF-")) {
		t.Errorf("one PDF of all: got %d bytes that begin with %.5q", len(whole), whole)
	}

	many := make([]any, 300)
	for i := range many {
		many[i] = object{"Name": "Ada", "Code": "x"}
	}
	at = path(t, w, "batches", text(t, s.ada.do(t, "POST", batches, many).is(http.StatusCreated).object(), "id"))
	for _, change := range []struct{ what, state string }{{"pause", "PAUSED"}, {"resume", "RUNNING"}, {"cancel", "CANCELLED"}} {
		field(t, s.ada.do(t, "POST", at+change.what+"/", nil).is(http.StatusAccepted).object(), "state", change.state)
	}
	s.ada.do(t, "POST", at+"retry/", nil).refused(http.StatusBadRequest)
}

// workbook is one of a sheet with a row for Ada.
func workbook(t *testing.T) []byte {
	t.Helper()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range map[string]string{
		"_rels/.rels":                `<Relationships><Relationship Id="r" Type="` + office + `officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns:r="r"><sheets><sheet name="Letters" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="a" Type="` + office + `worksheet" Target="sheet.xml"/></Relationships>`,
		"xl/sheet.xml": `<worksheet><sheetData><row r="1"><c t="inlineStr"><is><t>Name</t></is></c><c t="inlineStr"><is><t>Code</t></is></c></row>` +
			`<row r="2"><c t="inlineStr"><is><t>Ada</t></is></c><c t="inlineStr"><is><t>x</t></is></c></row></sheetData></worksheet>`,
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
	return out.Bytes()
}
