package google_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/test/google/referee"
)

// edited is the small document with texts replaced by others. Lines take after the
// lines that they replace, and again from the first when there are more.
func edited(t testing.TB, replace ...string) *referee.Document {
	t.Helper()
	d := read(t, []byte(smallDocument))
	for i := 0; i < len(replace); i += 2 {
		found := false
		for _, s := range d.Segments {
			at := strings.Index(referee.Plain(s.Units), replace[i])
			if at < 0 {
				continue
			}
			found = true
			at = len([]rune(referee.Plain(s.Units)[:at]))
			n := len([]rune(replace[i]))
			s.Units = slices.Concat(s.Units[:at], rewrite(s.Units[at:at+n], replace[i+1]), s.Units[at+n:])
		}
		if !found {
			t.Fatalf("the small document has no text %q", replace[i])
		}
	}
	return d
}

func rewrite(old []referee.Unit, text string) []referee.Unit {
	lines := slices.Collect(func(yield func([]referee.Unit) bool) {
		from := 0
		for i, u := range old {
			if u.Is('\n') || i == len(old)-1 {
				yield(old[from : i+1])
				from = i + 1
			}
		}
	})
	var out []referee.Unit
	n := 0
	for line := range strings.Lines(text) {
		like := lines[n%len(lines)]
		out = append(out, referee.Text(line, like[0].Style, like[len(like)-1].Raw)...)
		n++
	}
	return out
}

// mergeSmall merges rows of a column of the small document's table.
func mergeSmall(d *referee.Document, row, column, rows int) *referee.Document {
	for _, s := range d.Segments {
		s.Units = eachTable(s.Units, func(t *tableModel) { t.merge(row, column, rows, 1) })
	}
	return d
}

// requests are those of a batch that the product makes.
func requests(t testing.TB, d *referee.Document) []any {
	t.Helper()
	w := newWire(t)
	body, out, err := w.fillFile(t, w.client(t), document{d}, platen.MIMEDocs)
	if err != nil {
		t.Fatalf("%v; findings %v", err, out.Findings)
	}
	var message map[string]any
	if err := json.Unmarshal(body, &message); err != nil {
		t.Fatal(err)
	}
	return message["requests"].([]any)
}

// find returns the number of the first request of a kind that fits, and the request.
func find(t testing.TB, all []any, kind string, fits func(map[string]any) bool) (int, map[string]any) {
	t.Helper()
	for i, r := range all {
		if q, ok := r.(map[string]any)[kind].(map[string]any); ok && fits(q) {
			return i, q
		}
	}
	t.Fatalf("no request %s fits in %v", kind, all)
	return 0, nil
}

func object(m map[string]any, key string) map[string]any {
	o, _ := m[key].(map[string]any)
	return o
}

// Each of these faults stood in a plan of ours, or would be easily made.
func TestTheRefereeCatchesPlantedFaults(t *testing.T) {
	t.Parallel()
	anyRequest := func(map[string]any) bool { return true }
	header := []string{"Head", "{{#if Yes}}Head{{/if}}"}
	for _, c := range []struct {
		name, message string
		document      *referee.Document
		plant         func(all []any)
	}{
		{"the missing zero", "startIndex must be provided", edited(t, header...), func(all []any) {
			_, q := find(t, all, "deleteContentRange", func(q map[string]any) bool { return object(q, "range")["startIndex"] == 0.0 })
			delete(object(q, "range"), "startIndex")
		}},
		{"a row inserted at column 0 of a merge", "", mergeSmall(edited(t, "1 €", "{{Items.Qty}}"), 0, 0, 3), func(all []any) {
			_, q := find(t, all, "insertTableRow", anyRequest)
			object(q, "tableCellLocation")["columnIndex"] = 0.0
		}},
		{"a deleted last line feed", "newline character at the end of the segment", edited(t, header...), func(all []any) {
			_, q := find(t, all, "deleteContentRange", func(q map[string]any) bool { return object(q, "range")["startIndex"] != 0.0 })
			object(q, "range")["endIndex"] = object(q, "range")["endIndex"].(float64) + 1
		}},
		{"an index out of order", "", edited(t, header...), func(all []any) {
			first, _ := find(t, all, "deleteContentRange", anyRequest)
			last, _ := find(t, all[first+1:], "deleteContentRange", anyRequest)
			all[first], all[first+1+last] = all[first+1+last], all[first]
		}},
	} {
		all := requests(t, c.document)
		good := apply(t, c.document, all)
		c.plant(all)
		body, err := json.Marshal(map[string]any{"requests": all})
		if err != nil {
			t.Fatal(err)
		}
		_, after, err := c.document.Apply(body, referee.Interpretation{})
		refused, ok := errors.AsType[*referee.Refusal](err)
		switch {
		case ok && strings.Contains(refused.Message, c.message):
		case err == nil && c.message == "" && referee.Difference(after, good) != "":
		default:
			t.Errorf("%s: got %v, want a refusal with %q, or another document", c.name, err, c.message)
		}
	}
}

func apply(t testing.TB, d *referee.Document, all []any) *referee.Document {
	t.Helper()
	body, err := json.Marshal(map[string]any{"requests": all})
	if err != nil {
		t.Fatal(err)
	}
	_, after, err := d.Apply(body, referee.Interpretation{})
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func TestTheRefereeRefusesWhatTheReferenceDoes(t *testing.T) {
	t.Parallel()
	for request, message := range map[string]string{
		`{"deleteContentRange": {"range": {"startIndex": 46, "endIndex": 47}}}`:                                                                                             "before a table",
		`{"deleteContentRange": {"range": {"startIndex": 46, "endIndex": 50}}}`:                                                                                             "part of a table",
		`{"deleteContentRange": {"range": {"startIndex": 48, "endIndex": 60}}}`:                                                                                             "part of a table",
		`{"deleteContentRange": {"range": {"startIndex": 50, "endIndex": 55}}}`:                                                                                             "last line feed of a cell",
		`{"deleteContentRange": {"range": {"startIndex": 0, "endIndex": 3}}}`:                                                                                               "first section break",
		`{"deleteContentRange": {"range": {"startIndex": 3, "endIndex": 3}}}`:                                                                                               "should not be empty",
		`{"deleteContentRange": {"range": {"startIndex": 3, "endIndex": 900}}}`:                                                                                             "must be less than the end index",
		`{"deleteContentRange": {"range": {"startIndex": 3, "endIndex": 4, "segmentId": "none"}}}`:                                                                          "was not found",
		`{"deleteContentRange": {"range": {"startIndex": 3, "endIndex": 4, "tabId": "none"}}}`:                                                                              "does not exist",
		`{"insertText": {"location": {"index": 47}, "text": "x"}}`:                                                                                                          "bounds of an existing paragraph",
		`{"insertText": {"location": {"index": 87}, "text": "x"}}`:                                                                                                          "must be less than the end index",
		`{"insertText": {"location": {}, "text": "x"}}`:                                                                                                                     "index must be provided",
		`{"insertText": {"location": {"index": 3}, "text": ""}}`:                                                                                                            "must specify text",
		`{"insertInlineImage": {"location": {"index": 1, "segmentId": "kix.f1"}, "uri": "https://example.com/a.png"}}`:                                                      "inside a footnote",
		`{"insertInlineImage": {"location": {"index": 3}, "uri": "data:image/png;base64,AA"}}`:                                                                              "public address",
		`{"updateTextStyle": {"range": {"startIndex": 3, "endIndex": 4}, "textStyle": {"bold": true}, "fields": "italic"}}`:                                                 "field mask leaves out",
		`{"updateParagraphStyle": {"range": {"startIndex": 3, "endIndex": 4}, "paragraphStyle": {}, "fields": "headingId"}}`:                                                "not to be written",
		`{"updateParagraphStyle": {"range": {"startIndex": 50, "endIndex": 51}, "paragraphStyle": {"pageBreakBefore": true}, "fields": "pageBreakBefore"}}`:                 "page_break_before cannot be updated",
		`{"insertTableRow": {"tableCellLocation": {"tableStartLocation": {"index": 47}, "rowIndex": 1}, "insertBelow": true}}`:                                              "columnIndex must be provided",
		`{"insertTableRow": {"tableCellLocation": {"tableStartLocation": {"index": 46}, "rowIndex": 1, "columnIndex": 0}}}`:                                                 "Invalid table start location",
		`{"deleteTableRow": {"tableCellLocation": {"tableStartLocation": {"index": 47}, "rowIndex": 3, "columnIndex": 0}}}`:                                                 "does not exist",
		`{"mergeTableCells": {"tableRange": {"tableCellLocation": {"tableStartLocation": {"index": 47}, "rowIndex": 2, "columnIndex": 1}, "rowSpan": 1, "columnSpan": 2}}}`: "beyond the table",
		`{"replaceAllText": {"containsText": {"text": "", "matchCase": true}}}`:                                                                                             "text must be provided|must not be empty",
		`{"replaceAllText": {"containsText": {"text": "x", "matchCase": true}, "replacement": "y"}}`:                                                                        "Unknown name",
		`{"insertText": {"location": {"index": 3}, "text": "x"}, "deleteContentRange": {"range": {"startIndex": 3, "endIndex": 4}}}`:                                        "exactly one field",
	} {
		_, _, err := read(t, []byte(smallDocument)).Apply([]byte(`{"requests": [`+request+`]}`), referee.Interpretation{})
		refused, ok := errors.AsType[*referee.Refusal](err)
		if !ok || !anyOf(refused.Message, message) || !strings.HasPrefix(refused.Message, "Invalid requests[0]") {
			t.Errorf("%s\n got %v\nwant a refusal with %q", request, err, message)
		}
	}
	_, _, err := read(t, []byte(smallDocument)).Apply([]byte(`{"requests": [{"insertText": {"location": {"index": 3}, "text": "x"}}], "writeControl": {"requiredRevisionId": "old"}}`), referee.Interpretation{})
	if err == nil || !strings.Contains(err.Error(), "does not match the latest revision") {
		t.Errorf("a stale revision: got %v, want a refusal", err)
	}
}

func anyOf(message, parts string) bool {
	for part := range strings.SplitSeq(parts, "|") {
		if strings.Contains(message, part) {
			return true
		}
	}
	return false
}
