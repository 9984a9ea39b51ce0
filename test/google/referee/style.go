package referee

import (
	"maps"
	"slices"
	"strings"
)

var (
	textStyleFields = []string{"backgroundColor", "baselineOffset", "bold", "fontSize", "foregroundColor", "italic", "link", "smallCaps", "strikethrough", "underline", "weightedFontFamily"}
	// headingId and tabStops are read-only.
	paragraphStyleFields = []string{"alignment", "avoidWidowAndOrphan", "borderBetween", "borderBottom", "borderLeft", "borderRight", "borderTop", "direction", "indentEnd", "indentFirstLine",
		"indentStart", "keepLinesTogether", "keepWithNext", "lineSpacing", "namedStyleType", "pageBreakBefore", "shading", "spaceAbove", "spaceBelow", "spacingMode"}
)

// mask reads a field mask over a style, which must not say more than the mask.
func mask(q, style object, known []string) []string {
	all := strings.Split(text(q, "fields"), ",")
	for _, field := range all {
		if !slices.Contains(known, field) {
			refuse("Invalid field: %q is not to be written.", field)
		}
	}
	for field := range style {
		if !slices.Contains(all, field) {
			refuse("The style sets %s, which its field mask leaves out.", field)
		}
	}
	return all
}

// masked is a style with the fields of a mask as another has them.
func masked(old, set object, fields []string) object {
	out := without(old, fields...)
	maps.Copy(out, set)
	return out
}

func (d *Document) updateTextStyle(q object) {
	check(q, "range!", "textStyle!", "fields!")
	s, from, to := d.span(child(q, "range"))
	set := child(q, "textStyle")
	fields := mask(q, set, textStyleFields)
	checkTextStyle(set)
	if link := child(set, "link"); link != nil {
		check(link, "url", "heading", "bookmark", "headingId", "bookmarkId", "tabId")
		if len(link) != 1 {
			refuse("A link must lead to one place.")
		}
	}
	cache := map[string][2]string{}
	for i := from; i < to; i++ {
		u := &s.Units[i]
		if u.Kind != Char {
			continue
		}
		if _, ok := cache[u.Style]; !ok {
			run := must(u.Style)
			cache[u.Style] = [2]string{
				canonical(with(run, "textStyle", masked(child(run, "textStyle"), set, fields))),
				canonical(with(run, "textStyle", masked(child(run, "textStyle"), without(set, "link"), fields))), // no line feed has a link
			}
		}
		if styles := cache[u.Style]; u.Is('\n') {
			u.Style = styles[1]
		} else {
			u.Style = styles[0]
		}
	}
}

// must reads a style that canonical wrote.
func must(style string) object {
	run, err := decode([]byte(style))
	if err != nil {
		panic(err)
	}
	return run
}

func checkTextStyle(set object) {
	if family := child(set, "weightedFontFamily"); set["weightedFontFamily"] != nil && text(family, "fontFamily") == "" {
		refuse("weighted_font_family must have a font family.")
	}
	if size := child(set, "fontSize"); set["fontSize"] != nil {
		check(size, "magnitude!", "unit!")
	}
}

func (d *Document) updateParagraphStyle(q object, in Interpretation) {
	check(q, "range!", "paragraphStyle!", "fields!")
	s, from, to := d.span(child(q, "range"))
	set := child(q, "paragraphStyle")
	fields := mask(q, set, paragraphStyleFields)
	if slices.Contains(fields, "pageBreakBefore") && (s.Group != "body" || s.reachesTable(from, to)) {
		refuse("page_break_before cannot be updated here.")
	}
	s.paragraphs(from, to, func(first, feed int) {
		u := &s.Units[feed]
		old := child(u.Raw, "paragraphStyle")
		style := masked(old, set, fields)
		if named := style["namedStyleType"]; in.NamesResetText && named != nil && named != old["namedStyleType"] {
			for i := first; i <= feed; i++ {
				if s.Units[i].Kind == Char {
					run := must(s.Units[i].Style)
					s.Units[i].Style = canonical(with(run, "textStyle", keepLink(child(run, "textStyle"))))
				}
			}
		}
		u.Raw = with(u.Raw, "paragraphStyle", style)
	})
}

// reachesTable tells of a range that has something of a table in it.
func (s *Segment) reachesTable(from, to int) bool {
	depth := 0
	for at, u := range s.Units[:to] {
		if u.Kind == TableStart {
			depth++
		}
		if at >= from && depth > 0 {
			return true
		}
		if u.Kind == TableEnd {
			depth--
		}
	}
	return false
}

func keepLink(style object) object {
	out := object{}
	if style["link"] != nil {
		out["link"] = style["link"]
	}
	return out
}

// paragraphs calls visit for each paragraph that a range overlaps, with where it
// begins and where its line feed is.
func (s *Segment) paragraphs(from, to int, visit func(first, feed int)) {
	for at := from; at < to; {
		if !s.Units[at].inParagraph() {
			at++
			continue
		}
		first, end := s.paragraphAt(at)
		visit(first, end-1)
		at = end
	}
}

var bulletPresets = []string{"BULLET_DISC_CIRCLE_SQUARE", "BULLET_DIAMONDX_ARROW3D_SQUARE", "BULLET_CHECKBOX", "BULLET_ARROW_DIAMOND_DISC", "BULLET_STAR_CIRCLE_SQUARE",
	"BULLET_ARROW3D_CIRCLE_SQUARE", "BULLET_LEFTTRIANGLE_DIAMOND_DISC", "BULLET_DIAMONDX_HOLLOWDIAMOND_SQUARE", "BULLET_DIAMOND_CIRCLE_SQUARE",
	"NUMBERED_DECIMAL_ALPHA_ROMAN", "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS", "NUMBERED_DECIMAL_NESTED", "NUMBERED_UPPERALPHA_ALPHA_ROMAN", "NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL", "NUMBERED_ZERODECIMAL_ALPHA_ROMAN"}

// slidesBulletPresets are those of presentations, where numbers have another name
// (presentations, BulletGlyphPreset).
var slidesBulletPresets = func() []string {
	all := slices.Clone(bulletPresets)
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], "DECIMAL", "DIGIT")
	}
	return all
}()

func (d *Document) createParagraphBullets(q object) {
	check(q, "range!", "bulletPreset!")
	if !slices.Contains(bulletPresets, text(q, "bulletPreset")) {
		refuse("Unknown bullet preset %v.", q["bulletPreset"])
	}
	s, from, to := d.span(child(q, "range"))
	type place struct{ first, feed int }
	var all []place
	s.paragraphs(from, to, func(first, feed int) { all = append(all, place{first, feed}) })
	for _, p := range slices.Backward(all) {
		tabs := 0
		for s.Units[p.first+tabs].Is('\t') {
			tabs++
		}
		bullet := object{"listId": madeList + text(q, "bulletPreset")}
		if tabs > 0 {
			bullet["nestingLevel"] = float64(tabs)
		}
		s.Units[p.feed].Raw = with(s.Units[p.feed].Raw, "bullet", bullet)
		s.splice(p.first, p.first+tabs, nil)
	}
}

func (d *Document) deleteParagraphBullets(q object) {
	check(q, "range!")
	s, from, to := d.span(child(q, "range"))
	s.paragraphs(from, to, func(_, feed int) { s.Units[feed].Raw = without(s.Units[feed].Raw, "bullet") })
}
