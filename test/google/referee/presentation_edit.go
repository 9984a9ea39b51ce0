package referee

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

func (p *Presentation) carryOut(kind string, q object) object {
	changed := 0
	switch kind {
	case "insertText":
		p.insertText(q)
	case "deleteText":
		check(q, "objectId!", "cellLocation", "textRange!")
		t := p.text(q)
		from, to := t.span(q, "textRange")
		t.Units = slices.Delete(t.Units, from, to)
		t.write()
	case "updateTextStyle":
		p.updateTextStyle(q)
	case "updateParagraphStyle":
		p.updateParagraphStyle(q)
	case "createParagraphBullets", "deleteParagraphBullets":
		p.setBullets(q, kind == "createParagraphBullets")
	case "replaceAllText":
		changed = p.replaceAllText(q)
	case "replaceAllShapesWithImage":
		changed = p.replaceAllShapesWithImage(q)
	case "replaceImage":
		check(q, "imageObjectId!", "url!", "imageReplaceMethod")
		e := p.find(text(q, "imageObjectId"))
		if e.object["image"] == nil {
			refuse("The object (%s) is not an image.", q["imageObjectId"])
		}
		checkAddress(text(q, "url"))
		e.object["image"] = object{"sourceUrl": q["url"]}
	case "updatePageElementAltText":
		check(q, "objectId!", "description", "title")
		e := p.find(text(q, "objectId"))
		if e.object["elementGroup"] != nil || e.object[newID] != nil {
			refuse("The object (%s) cannot be given an alternative text.", q["objectId"])
		}
		for _, key := range []string{"description", "title"} {
			switch said, given := q[key]; {
			case given && said == "":
				delete(e.object, key)
			case given:
				e.object[key] = said
			}
		}
	case "deleteObject":
		check(q, "objectId!")
		p.deleteObject(text(q, "objectId"))
	case "insertTableRows":
		p.insertTableRows(q)
	case "deleteTableRow":
		p.deleteTableRow(q)
	case "mergeTableCells":
		p.mergeTableCells(q)
	case "updateTableCellProperties":
		p.updateTableCellProperties(q)
	case "duplicateObject":
		return p.duplicateObject(q)
	case "updateSlidesPosition":
		p.updateSlidesPosition(q)
	default:
		refuse("The referee does not know this kind of request.")
	}
	if changed > 0 {
		return object{kind: object{"occurrencesChanged": changed}}
	}
	if kind == "replaceAllText" || kind == "replaceAllShapesWithImage" {
		return object{kind: object{}}
	}
	return object{}
}

func (p *Presentation) insertText(q object) {
	check(q, "objectId!", "cellLocation", "insertionIndex!", "text!")
	t, at := p.text(q), integer(q, "insertionIndex")
	inserted := stripped(text(q, "text"))
	if inserted == "" {
		refuse("Text to insert must not be empty.")
	}
	if len(t.Units) == 0 {
		t.Units = []Unit{{Code: '\n', Style: `{"style":{}}`, Raw: object{"style": object{}}}}
	}
	if at > len(t.Units)-1 {
		refuse("The insertion index (%d) should not be greater than the existing text length (%d).", at, len(t.Units)-1)
	}
	if isLow(t.Units[at]) || t.Units[at].Kind == ObjectRest {
		refuse("The insertion index (%d) would be adjusted.", at)
	}
	feed := at
	for !t.Units[feed].Is('\n') {
		feed++
	}
	style := t.Units[at].Style
	if at > 0 && t.Units[at-1].Kind == Char && !t.Units[at-1].Is('\n') {
		style = t.Units[at-1].Style
	}
	if style == "" {
		style = `{"style":{}}`
	}
	t.Units = slices.Insert(t.Units, at, Text(inserted, style, t.Units[feed].Raw)...)
	t.write()
}

var (
	slidesTextFields      = []string{"backgroundColor", "baselineOffset", "bold", "fontFamily", "fontSize", "foregroundColor", "italic", "link", "smallCaps", "strikethrough", "underline", "weightedFontFamily"}
	slidesParagraphFields = []string{"alignment", "direction", "indentEnd", "indentFirstLine", "indentStart", "lineSpacing", "spaceAbove", "spaceBelow", "spacingMode"}
)

func (p *Presentation) updateTextStyle(q object) {
	check(q, "objectId!", "cellLocation", "textRange!", "style!", "fields!")
	t := p.text(q)
	from, to := t.span(q, "textRange")
	set := child(q, "style")
	// weightedFontFamily is the same as fontFamily with a weight; both are read.
	fields := mask(q, without(set, "weightedFontFamily"), slidesTextFields)
	for i := from; i < to; i++ {
		if t.Units[i].Kind != Char {
			continue
		}
		old := child(must(t.Units[i].Style), "style")
		style := masked(old, set, fields)
		if t.Units[i].Is('\n') {
			delete(style, "link")
		}
		t.Units[i].Style = canonical(object{"style": style})
	}
	t.write()
}

func (t *TextOf) paragraphs(from, to int, visit func(first, feed int)) {
	first := 0
	for i, u := range t.Units {
		if u.Is('\n') {
			if first < to && i >= from {
				visit(first, i)
			}
			first = i + 1
		}
	}
}

func (p *Presentation) updateParagraphStyle(q object) {
	check(q, "objectId!", "cellLocation", "textRange!", "style!", "fields!")
	t := p.text(q)
	from, to := t.span(q, "textRange")
	set := child(q, "style")
	fields := mask(q, set, slidesParagraphFields)
	t.paragraphs(from, to, func(_, feed int) {
		t.Units[feed].Raw = with(t.Units[feed].Raw, "style", masked(child(t.Units[feed].Raw, "style"), set, fields))
	})
	t.write()
}

func (p *Presentation) setBullets(q object, create bool) {
	check(q, "objectId!", "cellLocation", "textRange", "bulletPreset")
	t := p.text(q)
	from, to := t.span(q, "textRange")
	if create && !slices.Contains(slidesBulletPresets, text(q, "bulletPreset")) {
		refuse("Unknown bullet preset %v.", q["bulletPreset"])
	}
	type bounds struct{ first, feed int }
	var all []bounds
	t.paragraphs(from, to, func(first, feed int) { all = append(all, bounds{first, feed}) })
	for _, b := range slices.Backward(all) {
		t.Units[b.feed].Raw = without(t.Units[b.feed].Raw, "bullet")
		if !create {
			continue
		}
		tabs := 0
		for t.Units[b.first+tabs].Is('\t') {
			tabs++
		}
		t.Units[b.feed].Raw = with(t.Units[b.feed].Raw, "bullet", object{"listId": madeList + text(q, "bulletPreset"), "nestingLevel": float64(tabs)})
		t.Units = slices.Delete(t.Units, b.first, b.first+tabs)
	}
	t.write()
}

// pageIDs reads pageObjectIds, which must be there, and those of notes only where they may.
func (p *Presentation) pageIDs(q object, notes bool) map[string]bool {
	ids := map[string]bool{}
	for _, id := range list(q, "pageObjectIds") {
		known := false
		for _, group := range []string{"slides", "layouts", "masters"} {
			for _, page := range list(p.raw, group) {
				page := page.(object)
				known = known || page["objectId"] == id || notes && child(page, "slideProperties", "notesPage")["objectId"] == id
			}
		}
		if !known {
			refuse("The page (%v) could not be found.", id)
		}
		ids[id.(string)] = true
	}
	return ids
}

func criteria(q object) []uint16 {
	c := child(q, "containsText")
	check(c, "text!", "matchCase")
	if c["matchCase"] != true || text(c, "text") == "" {
		refuse("The referee holds that tags differ in case: matchCase is to be true, and the text not empty.")
	}
	return utf16.Encode([]rune(text(c, "text")))
}

// find returns where a text begins from an index on, -1 where it does not.
func (t *TextOf) find(what []uint16, from int) int {
	for at := from; at+len(what) <= len(t.Units); at++ {
		matches := true
		for i, code := range what {
			if !t.Units[at+i].Is(code) {
				matches = false
				break
			}
		}
		if matches {
			return at
		}
	}
	return -1
}

// replaceAllText reaches notes pages: the reference allows their ids here, and
// refuses them for shapes.
func (p *Presentation) replaceAllText(q object) int {
	check(q, "containsText!", "replaceText", "pageObjectIds")
	what, replace, ids, n := criteria(q), stripped(text(q, "replaceText")), p.pageIDs(q, true), 0
	p.eachText(func(e pageElement, t *TextOf) {
		if len(ids) > 0 && !ids[e.page] {
			return
		}
		for at := t.find(what, 0); at >= 0; at = t.find(what, at) {
			feed := at
			for !t.Units[feed].Is('\n') {
				feed++
			}
			units := Text(replace, t.Units[at].Style, t.Units[feed].Raw)
			t.Units = slices.Replace(t.Units, at, at+len(what), units...)
			at += len(units)
			n++
		}
		t.write()
	})
	return n
}

// newID marks a picture in the place of a shape. Google does not say whether it has the
// shape's id, so no request may count on that.
const newID = "isNewObject"

func (p *Presentation) replaceAllShapesWithImage(q object) int {
	check(q, "containsText!", "imageUrl!", "imageReplaceMethod", "pageObjectIds")
	what, ids, n := criteria(q), p.pageIDs(q, false), 0
	checkAddress(text(q, "imageUrl"))
	p.each(func(e pageElement) {
		if shape := child(e.object, "shape"); shape != nil && !e.notes && (len(ids) == 0 || ids[e.page]) && readText(shape).find(what, 0) >= 0 {
			delete(e.object, "shape")
			e.object["image"], e.object[newID] = object{"sourceUrl": q["imageUrl"]}, true
			n++
		}
	})
	return n
}

func (p *Presentation) deleteObject(id string) {
	for i, page := range list(p.raw, "slides") {
		if page.(object)["objectId"] == id {
			p.raw["slides"] = slices.Delete(slices.Clone(list(p.raw, "slides")), i, i+1)
			return
		}
	}
	e := p.find(id)
	e.holder[e.key] = slices.DeleteFunc(slices.Clone(list(e.holder, e.key)), func(other any) bool { return other.(object)["objectId"] == id })
	if e.key == "children" {
		p.dissolve(e.holder)
	}
}

// dissolve deletes a group that has one element left, or none.
func (p *Presentation) dissolve(group object) {
	if len(list(group, "children")) > 1 {
		return
	}
	var of pageElement
	p.each(func(e pageElement) {
		if inner := child(e.object, "elementGroup"); inner != nil && len(list(inner, "children")) < 2 {
			of = e
		}
	})
	var out []any
	for _, e := range list(of.holder, of.key) {
		if e.(object)["objectId"] == of.object["objectId"] {
			out = append(out, list(group, "children")...)
			continue
		}
		out = append(out, e)
	}
	of.holder[of.key] = out
}

// table finds the table of a request, and the merged cell at its location.
func (p *Presentation) table(q object, key string) (pageElement, object) {
	e := p.find(text(q, key))
	if e.object["table"] == nil {
		refuse("The object (%v) is not a table.", q[key])
	}
	if at := child(q, "cellLocation"); at != nil {
		return e, p.cell(e, at)
	}
	return e, nil
}

// move gives the cells of rows from one on other row numbers.
func move(all []any, from, by int) {
	for _, r := range all[from:] {
		for _, c := range list(r.(object), "tableCells") {
			c := c.(object)
			row, column, _, _ := cellPlace(c)
			c["location"] = object{"rowIndex": float64(row + by), "columnIndex": float64(column)}
		}
	}
}

func (p *Presentation) insertTableRows(q object) {
	check(q, "tableObjectId!", "cellLocation!", "insertBelow", "number!")
	e, cell := p.table(q, "tableObjectId")
	number := integer(q, "number")
	if number < 1 || number > 20 {
		refuse("The number of rows must be between 1 and 20.")
	}
	before, _, rowSpan, _ := cellPlace(cell)
	if q["insertBelow"] == true {
		before += rowSpan
	}
	all := slices.Clone(rows(e))
	covered := map[int]bool{}
	for i, r := range all[:before] {
		for _, c := range list(r.(object), "tableCells") {
			c := c.(object)
			if _, column, n, k := cellPlace(c); i+n > before {
				c["rowSpan"] = float64(n + number)
				for j := column; j < column+k; j++ {
					covered[j] = true
				}
			}
		}
	}
	move(all, before, number)
	columns, _ := child(e.object, "table")["columns"].(float64)
	for n := range number {
		cells := []any{}
		for j := range int(columns) {
			if !covered[j] {
				cells = append(cells, object{"location": object{"rowIndex": float64(before + n), "columnIndex": float64(j)}, "rowSpan": 1.0, "columnSpan": 1.0})
			}
		}
		all = slices.Insert(all, before+n, any(object{"tableCells": cells}))
	}
	child(e.object, "table")["tableRows"], child(e.object, "table")["rows"] = all, float64(len(all))
}

func (p *Presentation) deleteTableRow(q object) {
	check(q, "tableObjectId!", "cellLocation!")
	e, cell := p.table(q, "tableObjectId")
	from, _, n, _ := cellPlace(cell)
	all := slices.Clone(rows(e))
	if n == len(all) {
		refuse("Cannot remove the last row from a table.")
	}
	for i, r := range all[:from+n] {
		for _, c := range list(r.(object), "tableCells") {
			c := c.(object)
			_, _, span, _ := cellPlace(c)
			cut := min(i+span, from+n) - max(i, from)
			if i < from && cut > 0 {
				c["rowSpan"] = float64(span - cut)
			}
			if i >= from && i+span > from+n {
				refuse("The reference does not say what becomes of a merged cell of which only the first rows are deleted.")
			}
		}
	}
	move(all, from+n, -n)
	all = slices.Delete(all, from, from+n)
	child(e.object, "table")["tableRows"], child(e.object, "table")["rows"] = all, float64(len(all))
}

// area reads a range of a table.
func (p *Presentation) area(q object) (e pageElement, cells []object, head object, rowSpan, columnSpan int) {
	area := child(q, "tableRange")
	check(area, "location!", "rowSpan!", "columnSpan!")
	e, _ = p.table(q, "objectId")
	head = p.cell(e, child(area, "location"))
	row, column := integer(child(area, "location"), "rowIndex"), integer(child(area, "location"), "columnIndex")
	rowSpan, columnSpan = integer(area, "rowSpan"), integer(area, "columnSpan")
	columns, _ := child(e.object, "table")["columns"].(float64)
	if rowSpan < 1 || columnSpan < 1 || row+rowSpan > len(rows(e)) || column+columnSpan > int(columns) {
		refuse("The table range reaches beyond the table.")
	}
	for _, r := range rows(e) {
		for _, c := range list(r.(object), "tableCells") {
			c := c.(object)
			i, j, n, k := cellPlace(c)
			touches := i < row+rowSpan && i+n > row && j < column+columnSpan && j+k > column
			if touches && (i < row || j < column || i+n > row+rowSpan || j+k > column+columnSpan) {
				refuse("The table range is not rectangular: it cuts through a merged cell.")
			}
			if touches {
				cells = append(cells, c)
			}
		}
	}
	return e, cells, head, rowSpan, columnSpan
}

func (p *Presentation) mergeTableCells(q object) {
	check(q, "objectId!", "tableRange!")
	e, cells, head, rowSpan, columnSpan := p.area(q)
	for _, c := range cells {
		if t := readText(c); len(t.Units) > 1 && canonical(c) != canonical(head) {
			refuse("The referee does not merge cells with text.")
		}
	}
	for _, r := range rows(e) {
		r := r.(object)
		r["tableCells"] = slices.DeleteFunc(slices.Clone(list(r, "tableCells")), func(c any) bool {
			place := canonical(child(c.(object), "location"))
			return place != canonical(child(head, "location")) && slices.ContainsFunc(cells, func(other object) bool { return canonical(child(other, "location")) == place })
		})
	}
	head["rowSpan"], head["columnSpan"] = float64(rowSpan), float64(columnSpan)
}

func (p *Presentation) updateTableCellProperties(q object) {
	check(q, "objectId!", "tableRange", "tableCellProperties!", "fields!")
	_, cells, _, _, _ := p.area(q)
	set := child(q, "tableCellProperties")
	for _, field := range strings.Split(text(q, "fields"), ",") {
		if field != "contentAlignment" && field != "tableCellBackgroundFill" {
			refuse("Invalid field: %q is not to be written.", field)
		}
	}
	for _, c := range cells {
		properties := maps.Clone(child(c, "tableCellProperties"))
		if properties == nil {
			properties = object{}
		}
		maps.Copy(properties, set)
		c["tableCellProperties"] = properties
	}
}
