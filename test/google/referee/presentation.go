package referee

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf16"
)

// A Presentation is a presentation as presentations.get answers it.
type Presentation struct {
	Revision string
	raw      object
}

// ReadPresentation reads an answer of presentations.get.
func ReadPresentation(answer []byte) (*Presentation, error) {
	raw, err := decode(answer)
	if err != nil {
		return nil, err
	}
	if raw["slides"] == nil {
		return nil, fmt.Errorf("the answer has no slides")
	}
	p := &Presentation{raw: raw}
	p.Revision, _ = raw["revisionId"].(string)
	return p, nil
}

// JSON is the answer that presentations.get gives of the presentation.
func (p *Presentation) JSON() []byte {
	p.raw["revisionId"] = p.Revision
	out, err := json.Marshal(p.raw)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return out
}

// Clone is a presentation of its own.
func (p *Presentation) Clone() *Presentation {
	copied, err := ReadPresentation(p.JSON())
	if err != nil {
		panic(err) // it is an answer
	}
	return copied
}

// Apply carries out a batch of presentations.batchUpdate, as Document.Apply does.
func (p *Presentation) Apply(body []byte) (answer []byte, after *Presentation, err error) {
	after = p.Clone()
	id, _ := p.raw["presentationId"].(string)
	answer, err = batch(body, p.Revision, "presentationId", id, func(kind string, q object) object {
		return after.carryOut(kind, q)
	})
	if err != nil {
		return nil, nil, err
	}
	after.Revision += "+"
	return answer, after, nil
}

// A pageElement is one with the list that holds it and the group around it.
type pageElement struct {
	object object
	holder object // a page or a group
	key    string // of the list in it
	notes  bool
	page   string
	group  string // slides, layouts or masters
}

// eachElement visits every element of a page, those in groups behind the group.
func eachElement(page, holder object, key, of string, notes bool, visit func(pageElement)) {
	id, _ := page["objectId"].(string)
	for _, e := range slices.Clone(list(holder, key)) {
		e, _ := e.(object)
		visit(pageElement{object: e, holder: holder, key: key, notes: notes, page: id, group: of})
		if group := child(e, "elementGroup"); group != nil {
			eachElement(page, group, "children", of, notes, visit)
		}
	}
}

// each visits every element of slides with their notes, layouts and masters.
func (p *Presentation) each(visit func(pageElement)) {
	for _, group := range []string{"slides", "layouts", "masters"} {
		for _, page := range list(p.raw, group) {
			page, _ := page.(object)
			eachElement(page, page, "pageElements", group, false, visit)
			if notes := child(page, "slideProperties", "notesPage"); notes != nil {
				eachElement(notes, notes, "pageElements", group, true, visit)
			}
		}
	}
}

func (p *Presentation) find(id string) (found pageElement) {
	p.each(func(e pageElement) {
		if e.object["objectId"] == id {
			found = e
		}
	})
	if found.object == nil || id == "" {
		refuse("The object (%s) could not be found.", id)
	}
	return found
}

// A TextOf is the text of a shape or a cell: units as in documents. The last is a
// line feed that does not count. Empty: there is no text.
type TextOf struct {
	Units  []Unit
	holder object
}

// A text of Slides has Style and Raw as in documents: Raw of a line feed is its
// paragraph marker.
func readText(holder object) *TextOf {
	t := &TextOf{holder: holder}
	var marker object
	for _, e := range list(child(holder, "text"), "textElements") {
		e, _ := e.(object)
		switch {
		case e["paragraphMarker"] != nil:
			marker = child(e, "paragraphMarker")
		case e["textRun"] != nil:
			run := child(e, "textRun")
			content, _ := run["content"].(string)
			t.Units = append(t.Units, Text(content, canonical(with(object{}, "style", run["style"])), marker)...)
		default:
			start, _ := e["startIndex"].(float64)
			end, _ := e["endIndex"].(float64)
			t.Units = append(t.Units, NewObject(without(e, indexKeys...), int(end-start))...)
		}
	}
	return t
}

// write puts the text back as text elements.
func (t *TextOf) write() {
	elements := []any{}
	for at := 0; at < len(t.Units); {
		feed := at
		for !t.Units[feed].Is('\n') {
			feed++
		}
		elements = append(elements, place(object{"paragraphMarker": t.Units[feed].Raw}, at, feed+1))
		for at <= feed {
			start, u := at, t.Units[at]
			if u.Kind == Object {
				for at++; t.Units[at].Kind == ObjectRest; at++ {
				}
				elements = append(elements, place(without(u.Raw), start, at))
				continue
			}
			var codes []uint16
			for ; at <= feed && t.Units[at].Kind == Char && t.Units[at].Style == u.Style; at++ {
				codes = append(codes, t.Units[at].Code)
			}
			run := must(u.Style)
			run["content"] = string(utf16.Decode(codes))
			elements = append(elements, place(object{"textRun": run}, start, at))
		}
	}
	t.holder["text"] = with(child(t.holder, "text"), "textElements", elements)
}

// text finds the text that a request is about.
func (p *Presentation) text(q object) *TextOf {
	e := p.find(text(q, "objectId"))
	at := child(q, "cellLocation")
	switch {
	case e.object["table"] != nil && at != nil:
		return readText(p.cell(e, at))
	case e.object["table"] != nil:
		refuse("A cell location is needed for the table (%s).", q["objectId"])
	case e.object["shape"] == nil:
		refuse("The object (%s) does not allow text editing.", q["objectId"])
	case q["cellLocation"] != nil:
		refuse("The object (%s) is not a table.", q["objectId"])
	}
	return readText(child(e.object, "shape"))
}

// rows are the rows of a table; cell finds one of their cells by its place.
func rows(e pageElement) []any { return list(child(e.object, "table"), "tableRows") }

func cellPlace(cell object) (row, column, rowSpan, columnSpan int) {
	number := func(o object, key string, least float64) int {
		n, _ := o[key].(float64)
		return int(max(n, least))
	}
	at := child(cell, "location")
	return number(at, "rowIndex", 0), number(at, "columnIndex", 0), number(cell, "rowSpan", 1), number(cell, "columnSpan", 1)
}

// cell is the cell at a place; one that a merged cell covers is that one.
func (p *Presentation) cell(e pageElement, at object) object {
	check(at, "rowIndex!", "columnIndex!")
	row, column := integer(at, "rowIndex"), integer(at, "columnIndex")
	for _, r := range rows(e) {
		for _, c := range list(r.(object), "tableCells") {
			c, _ := c.(object)
			i, j, n, k := cellPlace(c)
			if row >= i && row < i+n && column >= j && column < j+k {
				return c
			}
		}
	}
	refuse("The cell (%d, %d) does not exist in the table.", row, column)
	return nil
}

// span reads a range of a text, which is never empty and ends before the last
// line feed.
func (t *TextOf) span(q object, key string) (from, to int) {
	r := child(q, key)
	if r == nil || r["type"] == "ALL" {
		return 0, max(len(t.Units)-1, 0)
	}
	length := max(len(t.Units)-1, 0)
	switch r["type"] {
	case "FIXED_RANGE":
		check(r, "type!", "startIndex!", "endIndex!")
		from, to = integer(r, "startIndex"), integer(r, "endIndex")
	case "FROM_START_INDEX":
		check(r, "type!", "startIndex!")
		from, to = integer(r, "startIndex"), length
	default:
		refuse("Unknown type of a range: %v.", r["type"])
	}
	if to > length {
		refuse("The end index (%d) should not be greater than the existing text length (%d).", to, length)
	}
	if from >= to {
		refuse("The start index (%d) should be less than the end index (%d).", from, to)
	}
	if isLow(t.Units[from]) || isHigh(t.Units[to-1]) {
		refuse("The range cuts through a surrogate pair: it would be extended.")
	}
	return from, to
}

// eachText visits the texts of shapes and cells.
func (p *Presentation) eachText(visit func(pageElement, *TextOf)) {
	p.each(func(e pageElement) {
		if shape := child(e.object, "shape"); shape != nil && shape["text"] != nil {
			visit(e, readText(shape))
		}
		for _, r := range rows(e) {
			for _, c := range list(r.(object), "tableCells") {
				if c, _ := c.(object); c["text"] != nil {
					visit(e, readText(c))
				}
			}
		}
	})
}
