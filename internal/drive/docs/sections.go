package docs

import (
	"maps"
	"slices"

	"github.com/beevik/etree"
)

// joinSections makes one section of those that the breaks among nodes[first:past] part.
// It looks like the one before them, or like the last where the deletion, which begins at
// an index, leaves nothing of the others. No section gets or loses a header by it.
func joinSections(nodes []*node, first, past int, from int64) {
	begin := first // the break of the section before
	for begin > 0 && (begin == first || !nodes[begin].isSection) {
		begin--
	}
	var breaks []*node // of the sections that become one
	for _, n := range nodes[begin:past] {
		if n.isSection {
			breaks = append(breaks, n)
		}
	}
	if len(breaks) < 2 {
		return
	}
	spellOut(nodes, breaks)
	before, last := breaks[0].sectPr, breaks[len(breaks)-1].sectPr
	body := before.Parent()
	for body.Tag != "body" {
		body = body.Parent()
	}
	for _, n := range breaks[:len(breaks)-1] {
		n.sectPr.Parent().RemoveChild(n.sectPr)
	}
	// The element that ends the last section says what all of it looks like.
	switch {
	case from == nodes[begin].end:
		copyStart(last, before)
	case last == nil:
		body.AddChild(before)
	default:
		at, end := last.Index(), last.Parent()
		end.RemoveChildAt(at)
		end.InsertChildAt(at, before)
	}
}

// spellOut gives the sections that are joined, and the one behind them, all headers and
// footers that they take over from those before.
func spellOut(nodes, joined []*node) {
	inherited := map[string]*etree.Element{}
	last := joined[len(joined)-1]
	isBehind := false
	for _, n := range nodes {
		if !n.isSection || n.sectPr == nil {
			continue
		}
		own := map[string]*etree.Element{}
		for _, e := range n.sectPr.ChildElements() {
			if e.Tag == "headerReference" || e.Tag == "footerReference" {
				own[e.Tag+" "+e.SelectAttrValue("w:type", "default")] = e
			}
		}
		if isBehind || slices.Contains(joined, n) {
			// References come first (ECMA-376 part 1, 17.6.17).
			for _, key := range slices.Sorted(maps.Keys(inherited)) {
				if own[key] == nil {
					n.sectPr.InsertChildAt(0, inherited[key].Copy())
				}
			}
		}
		if isBehind {
			return
		}
		for key, e := range own {
			inherited[key] = e
		}
		isBehind = n == last
	}
}

// copyStart has a section begin where another does: on a new page or not.
func copyStart(to, from *etree.Element) {
	if to == nil {
		return
	}
	if own := child(to, "type"); own != nil {
		to.RemoveChild(own)
	}
	start := child(from, "type")
	if start == nil {
		return
	}
	at := 0
	for i, t := range to.Child {
		if e, ok := t.(*etree.Element); ok && slices.Contains([]string{"headerReference", "footerReference", "footnotePr", "endnotePr"}, e.Tag) {
			at = i + 1
		}
	}
	to.InsertChildAt(at, start.Copy())
}
