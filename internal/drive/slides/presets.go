package slides

import (
	"slices"
	"strconv"

	"github.com/beevik/etree"
)

// A bulletPreset has the signs or the numbers of a list, a level each; they repeat.
type bulletPreset struct {
	signs   []string
	numbers []string // ECMA-376 part 1, 20.1.10.61
}

// bulletPresets are Google's (BulletGlyphPreset). Those with the numbers of all levels have
// only the own one here: files know no others.
var bulletPresets = map[string]*bulletPreset{
	"BULLET_DISC_CIRCLE_SQUARE":            {signs: []string{"●", "○", "■"}},
	"BULLET_DIAMONDX_ARROW3D_SQUARE":       {signs: []string{"❖", "➢", "■"}},
	"BULLET_CHECKBOX":                      {signs: []string{"❏"}},
	"BULLET_ARROW_DIAMOND_DISC":            {signs: []string{"➔", "◆", "●"}},
	"BULLET_STAR_CIRCLE_SQUARE":            {signs: []string{"★", "○", "■"}},
	"BULLET_ARROW3D_CIRCLE_SQUARE":         {signs: []string{"➢", "○", "■"}},
	"BULLET_LEFTTRIANGLE_DIAMOND_DISC":     {signs: []string{"◄", "◆", "●"}},
	"BULLET_DIAMONDX_HOLLOWDIAMOND_SQUARE": {signs: []string{"❖", "◇", "■"}},
	"BULLET_DIAMOND_CIRCLE_SQUARE":         {signs: []string{"◆", "○", "■"}},
	"NUMBERED_DIGIT_ALPHA_ROMAN":           {numbers: []string{"arabicPeriod", "alphaLcPeriod", "romanLcPeriod"}},
	"NUMBERED_DIGIT_ALPHA_ROMAN_PARENS":    {numbers: []string{"arabicParenR", "alphaLcParenR", "romanLcParenR"}},
	"NUMBERED_DIGIT_NESTED":                {numbers: []string{"arabicPeriod"}},
	"NUMBERED_UPPERALPHA_ALPHA_ROMAN":      {numbers: []string{"alphaUcPeriod", "alphaLcPeriod", "romanLcPeriod"}},
	"NUMBERED_UPPERROMAN_UPPERALPHA_DIGIT": {numbers: []string{"romanUcPeriod", "alphaUcPeriod", "arabicPeriod"}},
	"NUMBERED_ZERODIGIT_ALPHA_ROMAN":       {numbers: []string{"arabicPeriod", "alphaLcPeriod", "romanLcPeriod"}},
}

// bullet is the bullet of an entry at a level.
func (p *bulletPreset) bullet(level int) *etree.Element {
	if p.signs != nil {
		e := etree.NewElement("a:buChar")
		e.CreateAttr("char", p.signs[level%len(p.signs)])
		return e
	}
	e := etree.NewElement("a:buAutoNum")
	e.CreateAttr("type", p.numbers[level%len(p.numbers)])
	return e
}

// fits tells whether a bullet is one of the preset. Signs that no preset has are nearest
// to dots.
func (p *bulletPreset) fits(bullet *etree.Element) bool {
	switch {
	case bullet == nil:
		return false
	case bullet.Tag == "buAutoNum":
		return slices.Contains(p.numbers, bullet.SelectAttrValue("type", ""))
	case p.signs == nil:
		return false
	}
	sign := bullet.SelectAttrValue("char", "")
	if slices.Contains(p.signs, sign) {
		return true
	}
	for _, other := range bulletPresets {
		if slices.Contains(other.signs, sign) {
			return false
		}
	}
	return p == bulletPresets["BULLET_DISC_CIRCLE_SQUARE"]
}

// What an entry of a new list is indented by, in EMU: half an inch for each level, and a
// quarter for its sign.
const (
	levelIndent = 457200
	signIndent  = 228600
)

// enter makes a paragraph an entry of a list of a preset.
func enter(p, properties *etree.Element, named string) {
	preset := bulletPresets[named]
	level, _ := strconv.Atoi(properties.SelectAttrValue("lvl", "0"))
	if preset.fits(bulletOf(properties)) {
		return
	}
	if before := previous(p); before != nil && preset.fits(bulletOf(before)) && before.SelectAttrValue("lvl", "0") == strconv.Itoa(level) {
		setBullet(properties, bulletOf(before).Copy())
		for _, key := range []string{"marL", "indent"} {
			if a := before.SelectAttr(key); a != nil {
				properties.CreateAttr(key, a.Value)
			}
		}
		return
	}
	setBullet(properties, preset.bullet(level))
	properties.CreateAttr("marL", strconv.Itoa(levelIndent*(level+1)))
	properties.CreateAttr("indent", strconv.Itoa(-signIndent))
}

// previous are the properties of the paragraph directly before one; nil for none.
func previous(p *etree.Element) *etree.Element {
	var before *etree.Element
	for _, e := range p.Parent().ChildElements() {
		if e == p {
			return child(before, "pPr")
		}
		if e.Tag == "p" {
			before = e
		}
	}
	return nil
}
