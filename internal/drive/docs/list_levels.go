package docs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// listLevel is a level of a list as the file has it.
type listLevel struct {
	format      string // ECMA-376 part 1, 17.18.59; "bullet" for signs
	text        string // with %1 for the number of the first level
	start       int64
	left, first float64 // indents in points, of the lines and of the first one
	align       string
}

// isBullet tells signs from numbers.
func (l listLevel) isBullet() bool { return l.format == "bullet" }

// numberingPart finds the part with the lists, "" for none.
func numberingPart(p *opc.Package) string {
	all := p.Relationships(p.MainPart())
	i := slices.IndexFunc(all, func(r opc.Relationship) bool { return r.Type == "numbering" && !r.External && p.Has(r.Target) })
	if i < 0 {
		return ""
	}
	return all[i].Target
}

// listLevels reads the levels of a list, from the first on; nil for a list whose
// levels are those of a style.
func listLevels(p *opc.Package, numID string) ([]listLevel, error) {
	name := numberingPart(p)
	if name == "" {
		return nil, nil
	}
	tree, err := p.XML(name)
	if err != nil {
		return nil, err
	}
	list := sibling(tree.Root(), "num", "w:numId", numID)
	if list == nil {
		return nil, nil
	}
	number := child(list, "abstractNumId")
	if number == nil {
		return nil, nil
	}
	definition := sibling(tree.Root(), "abstractNum", "w:abstractNumId", number.SelectAttrValue("w:val", ""))
	if definition == nil {
		return nil, nil
	}
	var levels []listLevel
	for i := range maxLevels {
		e := sibling(definition, "lvl", "w:ilvl", strconv.Itoa(i))
		override := sibling(list, "lvlOverride", "w:ilvl", strconv.Itoa(i))
		if own := child(override, "lvl"); own != nil {
			e = own
		}
		if e == nil {
			break
		}
		level := readLevel(e)
		if start := child(override, "startOverride"); start != nil {
			level.start = intOf(start, "w:val", level.start)
		}
		levels = append(levels, level)
	}
	return levels, nil
}

// sibling finds the child of that name whose attribute has that value.
func sibling(parent *etree.Element, tag, key, value string) *etree.Element {
	if parent == nil {
		return nil
	}
	for _, e := range parent.ChildElements() {
		if e.Tag == tag && e.SelectAttrValue(key, "") == value {
			return e
		}
	}
	return nil
}

func intOf(e *etree.Element, key string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(e.SelectAttrValue(key, ""), 10, 32); err == nil {
		return n
	}
	return otherwise
}

func valueOf(parent *etree.Element, tag, otherwise string) string {
	if e := child(parent, tag); e != nil {
		return e.SelectAttrValue("w:val", otherwise)
	}
	return otherwise
}

func readLevel(e *etree.Element) listLevel {
	l := listLevel{format: valueOf(e, "numFmt", "decimal"), text: valueOf(e, "lvlText", ""), align: valueOf(e, "lvlJc", "left")}
	if start := child(e, "start"); start != nil {
		l.start = intOf(start, "w:val", 0)
	}
	if indent := child(child(e, "pPr"), "ind"); indent != nil {
		l.left = float64(intOf(indent, "w:left", intOf(indent, "w:start", 0))) / 20
		l.first = l.left + float64(intOf(indent, "w:firstLine", -intOf(indent, "w:hanging", 0)))/20
	}
	if !l.isBullet() {
		return l
	}
	family := ""
	if fonts := child(child(e, "rPr"), "rFonts"); fonts != nil {
		family = fonts.SelectAttrValue("w:ascii", fonts.SelectAttrValue("w:hAnsi", ""))
	}
	if converted, ok := dml.SymbolText(family, l.text); ok {
		l.text = converted
	}
	return l
}

// nestingLevel is a level in Google's words.
func (l listLevel) nestingLevel(at int) *gdocs.NestingLevel {
	shown := &gdocs.NestingLevel{BulletAlignment: "START", IndentStart: points(l.left), IndentFirstLine: points(l.first)}
	switch l.align {
	case "center":
		shown.BulletAlignment = "CENTER"
	case "right", "end":
		shown.BulletAlignment = "END"
	}
	if l.isBullet() {
		shown.GlyphSymbol, shown.GlyphFormat = l.text, fmt.Sprintf("%%%d", at)
		return shown
	}
	shown.GlyphType, shown.GlyphFormat, shown.StartNumber = glyphType(l.format), glyphFormat(l.text), l.start
	return shown
}

// glyphType is Google's name of a format of numbers; of one that it does not know, that of
// plain numbers.
func glyphType(format string) string {
	switch format {
	case "none":
		return "NONE"
	case "decimalZero":
		return "ZERO_DECIMAL"
	case "upperLetter":
		return "UPPER_ALPHA"
	case "lowerLetter":
		return "ALPHA"
	case "upperRoman":
		return "UPPER_ROMAN"
	case "lowerRoman":
		return "ROMAN"
	}
	return "DECIMAL"
}

// glyphFormat counts levels from 0, where OOXML counts them from 1.
func glyphFormat(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		if text[i] == '%' && i+1 < len(text) && text[i+1] >= '1' && text[i+1] <= '9' {
			i++
			b.WriteByte(text[i] - 1)
		}
	}
	return b.String()
}

// preset is Google's preset that is nearest to a list, which for one that was made
// by a preset is that preset.
func preset(levels []listLevel) string {
	const bullet, number = "BULLET_DISC_CIRCLE_SQUARE", "NUMBERED_DECIMAL_ALPHA_ROMAN"
	if len(levels) == 0 {
		return ""
	}
	first, second := levels[0], ""
	if len(levels) > 1 {
		second = levels[1].text
	}
	if first.isBullet() {
		nearest := bullet
		for _, name := range bulletPresets {
			signs := bullets(name)
			if signs[0] != first.text {
				continue
			}
			if nearest == bullet || signs[1%len(signs)] == second {
				nearest = name
			}
		}
		return nearest
	}
	switch {
	case first.format == "upperLetter":
		return "NUMBERED_UPPERALPHA_ALPHA_ROMAN"
	case first.format == "upperRoman":
		return "NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL"
	case first.format == "decimalZero":
		return "NUMBERED_ZERODECIMAL_ALPHA_ROMAN"
	case strings.HasSuffix(first.text, ")"):
		return "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS"
	case strings.Contains(second, "%1"):
		return "NUMBERED_DECIMAL_NESTED"
	}
	return number
}
