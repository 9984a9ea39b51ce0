package docs

import "github.com/beevik/etree"

// A cell that is merged with cells below says w:vMerge="restart", the others
// w:vMerge alone (ECMA-376 part 1, 17.4.84). Google's requests name any of them
// and mean the merged cell.

// rowsOf is the first of the rows that the cell in a row and column takes, and the
// one behind the last: of a merged cell all of its rows.
func (t *table) rowsOf(row int, column int64) (first, past int) {
	c, ok := t.placedAt(row, column)
	first, past = row, row+1
	if !ok || mergeOf(c.elem) == "" {
		return first, past
	}
	for mergeOf(c.elem) == "continue" && t.continues(first-1, c) {
		first--
		c, _ = t.placedAt(first, column)
	}
	for past < len(t.rows) {
		below, ok := t.placedAt(past, column)
		if !ok || mergeOf(below.elem) != "continue" || !t.continues(past-1, below) {
			break
		}
		past++
	}
	return first, past
}

// continues tells whether a row has a merged cell that takes the columns of one
// below.
func (t *table) continues(row int, below placed) bool {
	if row < 0 {
		return false
	}
	c, ok := t.placedAt(row, below.first)
	return ok && c.first == below.first && c.past == below.past && mergeOf(c.elem) != ""
}

// placedAt finds the cell of the file that takes a column of a row.
func (t *table) placedAt(row int, column int64) (placed, bool) {
	for _, c := range gridOf(t.rows[row].elem) {
		if c.first <= column && column < c.past {
			return c, true
		}
	}
	return placed{}, false
}

// mergeOf is "restart", "continue", or nothing.
func mergeOf(tc *etree.Element) string {
	e := child(child(tc, "tcPr"), "vMerge")
	switch {
	case e == nil:
		return ""
	case e.SelectAttrValue("w:val", "") == "restart":
		return "restart"
	}
	return "continue"
}

// setMerge has a merged cell go on with the one above, or stand by itself.
func setMerge(tc *etree.Element, goesOn bool) {
	e := child(child(tc, "tcPr"), "vMerge")
	if goesOn {
		e.RemoveAttr("w:val")
	} else {
		e.Parent().RemoveChild(e)
	}
}
