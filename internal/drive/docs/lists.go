package docs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/edit"
)

// maxLevels is how deep a list may be nested, counted from 1 (ECMA-376 part 1,
// 17.9.6).
const maxLevels = 9

// maxNewLists is how many lists the requests of one batch may add: each is some
// seventy elements, in memory even when nothing is left that refers to it.
const maxNewLists = 500

// bulletPresets are Google's presets for bulleted lists.
var bulletPresets = []string{
	"BULLET_DISC_CIRCLE_SQUARE", "BULLET_DIAMONDX_ARROW3D_SQUARE", "BULLET_CHECKBOX", "BULLET_ARROW_DIAMOND_DISC", "BULLET_STAR_CIRCLE_SQUARE",
	"BULLET_ARROW3D_CIRCLE_SQUARE", "BULLET_LEFTTRIANGLE_DIAMOND_DISC", "BULLET_DIAMONDX_HOLLOWDIAMOND_SQUARE", "BULLET_DIAMOND_CIRCLE_SQUARE",
}

// bullets are the signs of Google's presets for bulleted lists, a level each;
// they repeat.
func bullets(preset string) []string {
	switch preset {
	case "BULLET_DISC_CIRCLE_SQUARE":
		return []string{"●", "○", "■"}
	case "BULLET_DIAMONDX_ARROW3D_SQUARE":
		return []string{"❖", "➢", "■"}
	case "BULLET_CHECKBOX":
		return []string{"❏"}
	case "BULLET_ARROW_DIAMOND_DISC":
		return []string{"➔", "◆", "●"}
	case "BULLET_STAR_CIRCLE_SQUARE":
		return []string{"★", "○", "■"}
	case "BULLET_ARROW3D_CIRCLE_SQUARE":
		return []string{"➢", "○", "■"}
	case "BULLET_LEFTTRIANGLE_DIAMOND_DISC":
		return []string{"◄", "◆", "●"}
	case "BULLET_DIAMONDX_HOLLOWDIAMOND_SQUARE":
		return []string{"❖", "◇", "■"}
	case "BULLET_DIAMOND_CIRCLE_SQUARE":
		return []string{"◆", "○", "■"}
	}
	return nil
}

// numbers are the formats (ECMA-376 part 1, 17.18.59) of Google's presets for
// numbered lists, a level each, and what stands behind a number.
func numbers(preset string) (formats []string, behind string) {
	switch preset {
	case "NUMBERED_DECIMAL_ALPHA_ROMAN":
		return []string{"decimal", "lowerLetter", "lowerRoman"}, "."
	case "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS":
		return []string{"decimal", "lowerLetter", "lowerRoman"}, ")"
	case "NUMBERED_DECIMAL_NESTED":
		return []string{"decimal"}, "."
	case "NUMBERED_UPPERALPHA_ALPHA_ROMAN":
		return []string{"upperLetter", "lowerLetter", "lowerRoman"}, "."
	case "NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL":
		return []string{"upperRoman", "upperLetter", "decimal"}, "."
	case "NUMBERED_ZERODECIMAL_ALPHA_ROMAN":
		return []string{"decimalZero", "lowerLetter", "lowerRoman"}, "."
	}
	return nil, ""
}

func isPreset(preset string) bool {
	formats, _ := numbers(preset)
	return bullets(preset) != nil || formats != nil
}

// newList adds a list of a preset to the document and returns the w:numPr of its
// entries.
func (b *batch) newList(preset string, invalid edit.RequestFault) (*etree.Element, error) {
	signs := bullets(preset)
	formats, behind := numbers(preset)
	if b.lists++; b.lists > maxNewLists {
		return nil, invalid("The requests of one batch may add at most %d lists.", maxNewLists)
	}
	root, part, err := b.numbering()
	if err != nil {
		return nil, err
	}
	definition := etree.NewElement("w:abstractNum")
	definition.CreateAttr("w:abstractNumId", freeNumber(root, "abstractNum", "w:abstractNumId", 0))
	setVal(definition, "multiLevelType", "multilevel")
	for i := range maxLevels {
		level := definition.CreateElement("w:lvl")
		level.CreateAttr("w:ilvl", strconv.Itoa(i))
		setVal(level, "start", "1")
		format, text := "bullet", ""
		if signs != nil {
			text = signs[i%len(signs)]
		} else {
			format, text = formats[i%len(formats)], fmt.Sprintf("%%%d%s", i+1, behind)
			if preset == "NUMBERED_DECIMAL_NESTED" {
				text = formatLevels(i, behind)
			}
		}
		setVal(level, "numFmt", format)
		setVal(level, "lvlText", text)
		setVal(level, "lvlJc", "left")
		indent := level.CreateElement("w:pPr").CreateElement("w:ind")
		indent.CreateAttr("w:left", strconv.Itoa(720*(i+1)))
		indent.CreateAttr("w:hanging", "360")
	}
	// Definitions come before the lists that are made of them.
	at := len(root.Child)
	if first := child(root, "num"); first != nil {
		at = first.Index()
	}
	root.InsertChildAt(at, definition)

	id := freeNumber(root, "num", "w:numId", 1)
	list := etree.NewElement("w:num")
	list.CreateAttr("w:numId", id)
	setVal(list, "abstractNumId", definition.SelectAttrValue("w:abstractNumId", ""))
	at = len(root.Child)
	if last := child(root, "numIdMacAtCleanup"); last != nil {
		at = last.Index()
	}
	root.InsertChildAt(at, list)
	b.pkg.Touch(part)

	entry := etree.NewElement("w:numPr")
	setVal(entry, "ilvl", "0")
	setVal(entry, "numId", id)
	return entry, nil
}

// formatLevels is "1.2.3." of the levels up to one.
func formatLevels(level int, behind string) string {
	var text strings.Builder
	for i := range level + 1 {
		fmt.Fprintf(&text, "%%%d%s", i+1, behind)
	}
	return text.String()
}

func setVal(parent *etree.Element, tag, value string) {
	parent.CreateElement("w:"+tag).CreateAttr("w:val", value)
}

// setLevel nests an entry of a list.
func setLevel(entry *etree.Element, level int) {
	e := child(entry, "ilvl")
	if e == nil {
		e = etree.NewElement("w:ilvl")
		entry.InsertChildAt(0, e)
	}
	e.CreateAttr("w:val", strconv.Itoa(min(level, maxLevels-1)))
}

// freeNumber is a number that no sibling of that name has.
func freeNumber(root *etree.Element, tag, key string, least int64) string {
	for _, e := range root.ChildElements() {
		if n, err := strconv.ParseInt(e.SelectAttrValue(key, ""), 10, 32); err == nil && e.Tag == tag {
			least = max(least, n+1)
		}
	}
	return strconv.FormatInt(least, 10)
}

// numbering returns the root and the name of the part with the lists, making
// it when there is none.
func (b *batch) numbering() (*etree.Element, string, error) {
	main := b.pkg.MainPart()
	name := numberingPart(b.pkg)
	if name == "" {
		name = "word/numbering.xml"
		b.pkg.SetPart(name, "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml",
			[]byte(`<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`))
		if _, err := b.pkg.Relate(main, "numbering", "/"+name, false); err != nil {
			return nil, "", fmt.Errorf("add numbering: %w", err)
		}
	}
	tree, err := b.pkg.XML(name)
	if err != nil {
		return nil, "", err
	}
	return tree.Root(), name, nil
}
