package dml

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// ReadColorMap adds what a clrMap or clrMapOvr says: the theme colour that each
// name stands for.
func ReadColorMap(into map[string]string, e *etree.Element) {
	if e == nil {
		return
	}
	for _, a := range e.Attr {
		into[a.Key] = a.Value
	}
}

// RGB is a colour as screens show it (sRGB, eight bits a channel).
type RGB struct{ R, G, B uint8 }

// ParseHexColor reads "1F4E79" or "#1f4e79".
func ParseHexColor(s string) (RGB, bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "#")
	if len(s) != 6 {
		return RGB{}, false
	}
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		return RGB{}, false
	}
	return RGB{uint8(v >> 16), uint8(v >> 8), uint8(v)}, true
}

// Theme is what a theme part (DrawingML, ECMA-376 part 1, 20.1.6) gives to
// documents and slides: twelve colours, two fonts, and lists of fills and lines.
// The zero value knows Office's default colours and fonts.
type Theme struct {
	Elem         *etree.Element
	colors       map[string]RGB
	major, minor string
}

// ReadTheme reads a theme part. A part that is not there gives an empty theme,
// because a document may well have none.
func ReadTheme(p *opc.Package, part string) (*Theme, error) {
	t := &Theme{colors: map[string]RGB{}}
	if part == "" || !p.Has(part) {
		return t, nil
	}
	doc, err := p.View(part)
	if err != nil {
		return nil, err
	}
	if doc.Root() == nil {
		return t, nil
	}
	t.Elem = doc.Root()
	elements := Child(t.Elem, "themeElements")
	if elements == nil { // an override is these elements itself
		elements = t.Elem
	}
	for _, c := range ChildElements(Child(elements, "clrScheme")) {
		if value, ok := baseColor(c); ok {
			t.colors[c.Tag] = value
		}
	}
	if e := Find(elements, "fontScheme", "majorFont", "latin"); e != nil {
		t.major = e.SelectAttrValue("typeface", "")
	}
	if e := Find(elements, "fontScheme", "minorFont", "latin"); e != nil {
		t.minor = e.SelectAttrValue("typeface", "")
	}
	return t, nil
}

// baseColor reads the colour choice inside e without its modifiers and without theme colours.
func baseColor(e *etree.Element) (RGB, bool) {
	return colorValue(FirstChild(e, "srgbClr", "sysClr", "prstClr", "scrgbClr", "hslClr"))
}

// colorValue reads one element of a colour choice in the same way.
func colorValue(c *etree.Element) (RGB, bool) {
	if c == nil {
		return RGB{}, false
	}
	switch c.Tag {
	case "srgbClr":
		return ParseHexColor(c.SelectAttrValue("val", ""))
	case "sysClr":
		if v, ok := ParseHexColor(c.SelectAttrValue("lastClr", "")); ok {
			return v, true
		}
		return systemColor(c.SelectAttrValue("val", "")), true
	case "prstClr":
		return presetColor(c.SelectAttrValue("val", ""))
	case "scrgbClr":
		return RGB{scrgb(c, "r"), scrgb(c, "g"), scrgb(c, "b")}, true
	case "hslClr":
		h := float64(Int(c, "hue", 0)) / 60000
		return fromHSL(h, Percent(c.SelectAttrValue("sat", "0")), Percent(c.SelectAttrValue("lum", "0"))), true
	}
	return RGB{}, false
}

func systemColor(name string) RGB {
	switch name {
	case "window", "btnHighlight", "highlightText", "captionText", "menu":
		return RGB{255, 255, 255}
	case "btnFace", "3dLight", "scrollBar":
		return RGB{240, 240, 240}
	}
	return RGB{}
}

// scrgb converts a linear channel in thousandths of a percent to sRGB.
func scrgb(e *etree.Element, key string) uint8 {
	return toSRGB(Percent(e.SelectAttrValue(key, "0")))
}

// Color finds a theme colour by its name in the scheme (dk1, lt1, dk2, lt2,
// accent1 to accent6, hlink, folHlink) or by its usual name in text and slides
// (tx1, bg1, tx2, bg2). It falls back on Office's own scheme.
func (t *Theme) Color(name string) (RGB, bool) {
	switch name {
	case "tx1":
		name = "dk1"
	case "bg1":
		name = "lt1"
	case "tx2":
		name = "dk2"
	case "bg2":
		name = "lt2"
	}
	if t != nil {
		if c, ok := t.colors[name]; ok {
			return c, true
		}
	}
	c, ok := officeScheme[name]
	return c, ok
}

var officeScheme = map[string]RGB{
	"dk1": {0, 0, 0}, "lt1": {255, 255, 255}, "dk2": {0x1F, 0x49, 0x7D}, "lt2": {0xEE, 0xEC, 0xE1},
	"accent1": {0x4F, 0x81, 0xBD}, "accent2": {0xC0, 0x50, 0x4D}, "accent3": {0x9B, 0xBB, 0x59},
	"accent4": {0x80, 0x64, 0xA2}, "accent5": {0x4B, 0xAC, 0xC6}, "accent6": {0xF7, 0x96, 0x46},
	"hlink": {0, 0, 0xFF}, "folHlink": {0x80, 0, 0x80},
}

// Font is the theme's latin typeface for headings (major) or for text, or ""
// when the theme names none.
func (t *Theme) Font(major bool) string {
	switch {
	case t == nil:
		return ""
	case major:
		return t.major
	}
	return t.minor
}

// ApplyColorModifiers applies the transformations inside a colour element
// (ECMA-376 part 1, 20.1.2.3: lumMod, tint, shade and so on) in their order.
// Alpha is no part of an RGB and is left to the caller.
func ApplyColorModifiers(c RGB, elem *etree.Element) RGB {
	if elem == nil {
		return c
	}
	for _, m := range ChildElements(elem) {
		v := Percent(m.SelectAttrValue("val", "100000"))
		switch m.Tag {
		case "lumMod":
			c = adjustHSL(c, func(h, s, l float64) (float64, float64, float64) { return h, s, l * v })
		case "lumOff":
			c = adjustHSL(c, func(h, s, l float64) (float64, float64, float64) { return h, s, l + v })
		case "lum":
			c = adjustHSL(c, func(h, s, _ float64) (float64, float64, float64) { return h, s, v })
		case "satMod":
			c = adjustHSL(c, func(h, s, l float64) (float64, float64, float64) { return h, s * v, l })
		case "satOff":
			c = adjustHSL(c, func(h, s, l float64) (float64, float64, float64) { return h, s + v, l })
		case "sat":
			c = adjustHSL(c, func(h, _, l float64) (float64, float64, float64) { return h, v, l })
		case "hueMod":
			c = adjustHSL(c, func(h, s, l float64) (float64, float64, float64) { return h * v, s, l })
		case "hueOff":
			c = adjustHSL(c, func(h, s, l float64) (float64, float64, float64) {
				return h + float64(Int(m, "val", 0))/60000, s, l
			})
		case "tint":
			c = mapLinear(c, func(x float64) float64 { return 1 - (1-x)*v })
		case "shade":
			c = mapLinear(c, func(x float64) float64 { return x * v })
		case "inv":
			c = RGB{255 - c.R, 255 - c.G, 255 - c.B}
		case "gray":
			c = mapLuma(c)
		case "comp":
			c = adjustHSL(c, func(h, s, l float64) (float64, float64, float64) { return h + 180, s, l })
		}
	}
	return c
}

// ColorAlpha is the opacity that a colour element asks for, 1 unless it says
// otherwise: alpha, alphaMod and alphaOff in their order.
func ColorAlpha(elem *etree.Element) float64 {
	alpha := 1.0
	for _, m := range ChildElements(elem) {
		switch m.Tag {
		case "alpha":
			alpha = Percent(m.SelectAttrValue("val", "100000"))
		case "alphaMod":
			alpha *= Percent(m.SelectAttrValue("val", "100000"))
		case "alphaOff":
			alpha += Percent(m.SelectAttrValue("val", "0"))
		}
		alpha = Clamp(alpha, 0, 1)
	}
	return alpha
}
