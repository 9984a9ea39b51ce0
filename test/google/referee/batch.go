package referee

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// check refuses what a message does not know, and what it lacks: keys with an
// exclamation mark must be there, also when they are 0.
func check(message object, keys ...string) {
	if message == nil {
		refuse("A message is missing that has %s.", strings.Join(keys, ", "))
	}
	for key := range message {
		if !slices.Contains(keys, key) && !slices.Contains(keys, key+"!") {
			refuse("Unknown name %q: Cannot find field.", key)
		}
	}
	for _, key := range keys {
		if name, required := strings.CutSuffix(key, "!"); required && message[name] == nil {
			refuse("%s must be provided.", name)
		}
	}
}

// integer reads a whole number that is not negative.
func integer(message object, key string) int {
	n, ok := message[key].(float64)
	if !ok || n != math.Trunc(n) || n < 0 || n > math.MaxInt32 {
		refuse("%s is no index: %v.", key, message[key])
	}
	return int(n)
}

func text(message object, key string) string {
	s, ok := message[key].(string)
	if message[key] != nil && !ok {
		refuse("%s is no text.", key)
	}
	return s
}

// requestKind is the only key of a request.
func requestKind(r object) (string, object) {
	if len(r) != 1 {
		refuse("A request must set exactly one field, this one sets %d.", len(r))
	}
	for kind, q := range r {
		q, ok := q.(object)
		if !ok {
			refuse("%s is no message.", kind)
		}
		return kind, q
	}
	return "", nil
}

// batch carries out the requests of a body one after the other. The answer is
// what batchUpdate answers; an error is a *Refusal.
func batch(body []byte, revision, idKey, id string, carryOut func(kind string, q object) object) (answer []byte, err error) {
	place := ""
	defer func() {
		if r, ok := recover().(*Refusal); ok {
			if place != "" {
				r.Message = place + r.Message
			}
			answer, err = nil, r
		}
	}()
	message, err := decode(body)
	if err != nil {
		return nil, &Refusal{Status: 400, Message: "Invalid JSON payload received."}
	}
	check(message, "requests!", "writeControl")
	if c := child(message, "writeControl"); c != nil {
		check(c, "requiredRevisionId!")
		if c["requiredRevisionId"] != revision {
			refuse("The required revision ID '%s' does not match the latest revision.", c["requiredRevisionId"])
		}
	}
	requests := list(message, "requests")
	if len(requests) == 0 {
		refuse("Must specify at least one request.")
	}
	replies := []any{}
	for i, r := range requests {
		place = fmt.Sprintf("Invalid requests[%d]: ", i)
		r, _ := r.(object)
		kind, q := requestKind(r)
		place = fmt.Sprintf("Invalid requests[%d].%s: ", i, kind)
		replies = append(replies, carryOut(kind, q))
	}
	return json.Marshal(object{idKey: id, "replies": replies, "writeControl": object{"requiredRevisionId": revision + "+"}})
}

// Apply carries out a batch of documents.batchUpdate, wholly or not at all. It
// returns what the interface answers, and the document that is then there; an
// error is a *Refusal.
func (d *Document) Apply(body []byte, in Interpretation) (answer []byte, after *Document, err error) {
	after = d.Clone()
	id, _ := d.raw["documentId"].(string)
	answer, err = batch(body, d.Revision, "documentId", id, func(kind string, q object) object {
		return after.carryOut(kind, q, in)
	})
	if err != nil {
		return nil, nil, err
	}
	after.Revision += "+"
	return answer, after, nil
}

func (d *Document) carryOut(kind string, q object, in Interpretation) object {
	switch kind {
	case "insertText":
		d.insertText(q)
	case "deleteContentRange":
		d.deleteContentRange(q, in)
	case "insertInlineImage":
		d.insertInlineImage(q)
	case "replaceAllText":
		n := d.replaceAllText(q, in)
		if n == 0 {
			return object{kind: object{}}
		}
		return object{kind: object{"occurrencesChanged": n}}
	case "updateTextStyle":
		d.updateTextStyle(q)
	case "updateParagraphStyle":
		d.updateParagraphStyle(q, in)
	case "createParagraphBullets":
		d.createParagraphBullets(q)
	case "deleteParagraphBullets":
		d.deleteParagraphBullets(q)
	case "insertTableRow":
		d.insertTableRow(q, in)
	case "deleteTableRow":
		d.deleteTableRow(q)
	case "mergeTableCells":
		d.mergeTableCells(q)
	default:
		d.carryOutOnTable(kind, q)
	}
	for _, s := range d.Segments {
		s.checkShape()
	}
	return object{}
}

// carryOutOnTable carries out what makes a table or says what it looks like.
func (d *Document) carryOutOnTable(kind string, q object) {
	switch kind {
	case "insertTable":
		d.insertTable(q)
	case "updateTableCellStyle":
		d.updateTableCellStyle(q)
	case "updateTableColumnProperties":
		d.updateTableColumnProperties(q)
	case "updateTableRowStyle":
		d.updateTableRowStyle(q)
	case "pinTableHeaderRows":
		d.pinTableHeaderRows(q)
	default:
		refuse("The referee does not know this kind of request.")
	}
}

// location reads a location.
func (d *Document) location(at object) (*Segment, int) {
	check(at, "index!", "segmentId", "tabId")
	return d.segment(at), integer(at, "index")
}

// span reads a range, which is never empty.
func (d *Document) span(r object) (*Segment, int, int) {
	check(r, "startIndex!", "endIndex!", "segmentId", "tabId")
	s, from, to := d.segment(r), integer(r, "startIndex"), integer(r, "endIndex")
	if from >= to {
		refuse("The range should not be empty.")
	}
	if to > len(s.Units) {
		refuse("Index %d must be less than the end index of the referenced segment, %d.", to-1, len(s.Units))
	}
	return s, from, to
}

// checkShape refuses what leaves a segment in a shape that no document has.
func (s *Segment) checkShape() {
	n := len(s.Units)
	if n == 0 || !s.Units[n-1].Is('\n') {
		refuse("A segment must end in a line feed.")
	}
	for i, u := range s.Units {
		switch u.Kind {
		case TableStart, ContentsStart, SectionBreak:
			if i > 0 && !s.Units[i-1].Is('\n') && u.Kind != SectionBreak {
				refuse("A table or table of contents must follow a line feed.")
			}
		case TableEnd:
			if i+1 == n || !s.Units[i+1].inParagraph() {
				refuse("A paragraph must follow a table.")
			}
		case CellStart, RowStart:
			if s.Units[i-1].Kind == CellStart {
				refuse("A cell must end in a line feed.")
			}
		}
	}
}
