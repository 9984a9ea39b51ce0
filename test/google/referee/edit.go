package referee

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// stripped is what remains of text that is put into a document.
func stripped(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= 0x08 || r >= 0x0c && r <= 0x1f || r >= 0xe000 && r <= 0xf8ff {
			return -1
		}
		return r
	}, s)
}

func isLow(u Unit) bool  { return u.Kind == Char && u.Code >= 0xdc00 && u.Code <= 0xdfff }
func isHigh(u Unit) bool { return u.Kind == Char && u.Code >= 0xd800 && u.Code <= 0xdbff }

// paragraphAt returns the bounds of the paragraph that holds an index, the last
// behind its line feed.
func (s *Segment) paragraphAt(index int) (from, to int) {
	from, to = index, index
	for from > 0 && s.Units[from-1].inParagraph() && !s.Units[from-1].Is('\n') {
		from--
	}
	for !s.Units[to].Is('\n') {
		to++
	}
	return from, to + 1
}

// insertion reads where something is put into a paragraph.
func (d *Document) insertion(q object) (*Segment, int) {
	if end := child(q, "endOfSegmentLocation"); end != nil {
		check(end, "segmentId", "tabId")
		s := d.segment(end)
		return s, len(s.Units) - 1
	}
	s, index := d.location(child(q, "location"))
	if index >= len(s.Units) {
		refuse("Index %d must be less than the end index of the referenced segment, %d.", index, len(s.Units))
	}
	switch u := s.Units[index]; {
	case !u.inParagraph():
		refuse("The insertion index must be inside the bounds of an existing paragraph. You can still create new paragraphs by inserting newlines.")
	case u.Kind == ObjectRest:
		refuse("The insertion index is inside an equation.")
	case isLow(u):
		refuse("The insertion index is between the code units of a surrogate pair.")
	}
	return s, index
}

func (d *Document) insertText(q object) {
	check(q, "location", "endOfSegmentLocation", "text!")
	s, at := d.insertion(q)
	inserted := stripped(text(q, "text"))
	if inserted == "" {
		refuse("Insert text requests must specify text to insert.")
	}
	from, to := s.paragraphAt(at)
	paragraph := without(s.Units[to-1].Raw, "positionedObjectIds")
	if style := child(paragraph, "paragraphStyle"); style["headingId"] != nil {
		paragraph = with(paragraph, "paragraphStyle", without(style, "headingId"))
	}
	units := Text(inserted, s.styleFor(from, at), paragraph)
	for i := range units {
		units[i].Made = true
	}
	// The first part of the paragraph keeps what is its own, such as floating objects.
	if n := slices.IndexFunc(units, func(u Unit) bool { return u.Is('\n') }); n >= 0 && at > from {
		last := s.Units[to-1]
		units[n].Raw, units[n].Made = last.Raw, last.Made
		s.Units[to-1].Raw, s.Units[to-1].Made = paragraph, true
	}
	s.splice(at, at, units)
}

// styleFor is the style of text that is put in at an index: that of the text
// before it, or behind it where the paragraph begins. A link goes on only when
// both have it.
func (s *Segment) styleFor(from, at int) string {
	style := s.styleAt(at)
	if at > from {
		style = s.styleAt(at - 1)
	}
	run := runOf(style)
	link := child(run, "textStyle")["link"]
	if link == nil || at > from && canonical(child(runOf(s.styleAt(at)), "textStyle")["link"]) == canonical(link) {
		return style
	}
	// What comes with a link goes with it.
	return canonical(object{"textStyle": without(child(run, "textStyle"), "link", "underline", "foregroundColor")})
}

func runOf(style string) object {
	return without(must(style), "suggestedInsertionIds", "suggestedDeletionIds", "suggestedTextStyleChanges")
}

func (s *Segment) styleAt(at int) string {
	for u := s.Units[at]; ; at-- {
		if u = s.Units[at]; u.Kind == Char {
			return canonical(runOf(u.Style))
		}
		if u.Kind == Object {
			for _, element := range u.Raw {
				if style := child(object{"e": element}, "e", "textStyle"); style != nil {
					return canonical(object{"textStyle": style})
				}
			}
			return `{"textStyle":{}}`
		}
	}
}

func (d *Document) deleteContentRange(q object, in Interpretation) {
	check(q, "range!")
	s, from, to := d.span(child(q, "range"))
	s.checkDeletion(from, to)
	joins := false
	if s.Units[from].inParagraph() {
		first, _ := s.paragraphAt(from)
		joins = first < from
	}
	if n := slices.IndexFunc(s.Units[from:to], func(u Unit) bool { return u.Is('\n') }); joins && n >= 0 {
		_, end := s.paragraphAt(to)
		first, last := s.Units[from+n].Raw, s.Units[end-1].Raw
		if in.JoinsKeepFirst {
			last = first
		}
		// Objects are anchored at the begin of a paragraph, which the last one loses.
		last = without(last, "positionedObjectIds")
		if ids := first["positionedObjectIds"]; ids != nil {
			last = with(last, "positionedObjectIds", ids)
		}
		s.Units[end-1].Raw = last
	}
	s.splice(from, to, nil)
}

// checkDeletion holds the rules of DeleteContentRangeRequest.
func (s *Segment) checkDeletion(from, to int) {
	const invalid = "Invalid deletion range. Cannot delete the requested range."
	if to == len(s.Units) {
		refuse("The range cannot include the newline character at the end of the segment.")
	}
	if isLow(s.Units[from]) || isHigh(s.Units[to-1]) {
		refuse("The range cuts through a surrogate pair.")
	}
	if s.Units[from].Kind == ObjectRest || s.Units[to].Kind == ObjectRest {
		refuse(invalid + " It cuts through an equation.")
	}
	for at := from; at < to; {
		u := s.Units[at]
		after := Behind(s.Units, at)
		switch {
		case strings.Contains(u.Style, "suggestedInsertionIds") || strings.Contains(u.Style, "suggestedDeletionIds"):
			panic(&Refusal{Status: 500, Message: "Internal error encountered."})
		case after > to, u.Kind == RowStart, u.Kind == CellStart, u.Kind == TableEnd, u.Kind == ContentsEnd:
			refuse(invalid + " It covers a part of a table.")
		case u.Kind == Char && u.Code >= 0xe000 && u.Code <= 0xf8ff:
			refuse(invalid + " It covers a character that Google keeps for itself.")
		case u.Kind == SectionBreak && at == 0:
			refuse(invalid + " It covers the first section break.")
		case u.Is('\n'):
			switch behind := s.Units[after].Kind; {
			case behind == CellStart || behind == RowStart || behind == TableEnd || behind == ContentsEnd:
				refuse(invalid + " It covers the last line feed of a cell.")
			case after == to && !s.Units[after].inParagraph():
				refuse(invalid + " It covers the line feed before a table, a table of contents or a section break.")
			}
		}
		at = after
	}
}

// checkAddress refuses addresses that Google cannot fetch a picture from.
func checkAddress(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(address) > 2048 {
		refuse("The provided image URI is not a public address of at most 2 kB.")
	}
}

func (d *Document) insertInlineImage(q object) {
	check(q, "location", "endOfSegmentLocation", "uri!", "objectSize")
	s, at := d.insertion(q)
	if s.Group == "footnotes" {
		refuse("Inline images cannot be inserted inside a footnote.")
	}
	checkAddress(text(q, "uri"))
	size := child(q, "objectSize")
	if size != nil {
		check(size, "width", "height")
		for side := range size {
			check(child(size, side), "magnitude!", "unit!")
			if n, _ := child(size, side)["magnitude"].(float64); n <= 0 || child(size, side)["unit"] != "PT" {
				refuse("The %s of the picture is not positive.", side)
			}
		}
	}
	from, _ := s.paragraphAt(at)
	d.pictures++
	element := object{"inlineObjectElement": object{"inlineObjectId": fmt.Sprintf("kix.made%d", d.pictures), "textStyle": runOf(s.styleFor(from, at))["textStyle"], "uri": q["uri"]}}
	s.splice(at, at, []Unit{{Kind: Object, Raw: element, Made: true}})
}

func (d *Document) replaceAllText(q object, in Interpretation) int {
	check(q, "containsText!", "replaceText", "tabsCriteria")
	c := child(q, "containsText")
	check(c, "text!", "matchCase")
	find, replace := text(c, "text"), stripped(text(q, "replaceText"))
	if find == "" {
		refuse("The text to search for must not be empty.")
	}
	if c["matchCase"] != true {
		refuse("The referee holds that tags differ in case: matchCase is to be true.")
	}
	tabs := list(child(q, "tabsCriteria"), "tabIds")
	n := 0
	for _, s := range d.Segments {
		if tabs == nil || slices.Contains(tabs, any(s.Tab)) {
			n += s.replaceAll(utf16.Encode([]rune(find)), replace, in)
		}
	}
	return n
}

func (s *Segment) replaceAll(find []uint16, replace string, in Interpretation) int {
	n := 0
	for at := 0; at+len(find) < len(s.Units)+1; at++ {
		if s.Units[at].Kind == ContentsStart && !in.ReplacesReachContents {
			at = skip(s.Units, at) - 1
			continue
		}
		matches := true
		for i, code := range find {
			if u := s.Units[at+i]; !u.Is(code) {
				matches = false
				break
			}
		}
		if !matches {
			continue
		}
		_, end := s.paragraphAt(at)
		units := Text(replace, s.Units[at].Style, s.Units[end-1].Raw)
		for i := range units {
			units[i].Made = true
		}
		s.splice(at, at+len(find), units)
		at += len(units) - 1
		n++
	}
	return n
}
