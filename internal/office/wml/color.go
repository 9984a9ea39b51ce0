package wml

import (
	"math"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// Border is one line of a border.
type Border struct {
	// Style is OOXML's name of the line: "single", "double", "dotted", "dashed" …
	Style string
	Width float64
	// Space is the distance from the text.
	Space float64
	// Color is nil for automatic.
	Color *dml.RGB
}

// IsVisible says whether anything is drawn.
func (b *Border) IsVisible() bool {
	return b != nil && b.Style != "nil" && b.Style != "none" && b.Style != ""
}

func (r *resolver) readBorder(e *etree.Element) *Border {
	if e == nil {
		return nil
	}
	b := &Border{Style: wVal(e), Color: r.readColor(e, "color", "themeColor")}
	if n, ok := wInt(e, "sz"); ok {
		b.Width = math.Min(math.Max(float64(n)/8, 0.25), 12)
	} else {
		b.Width = 0.5
	}
	if n, ok := wInt(e, "space"); ok {
		b.Space = math.Min(math.Max(float64(n), 0), 31)
	}
	return b
}

// readColor reads a colour with its theme reference; nil is automatic.
func (r *resolver) readColor(e *etree.Element, key, themeKey string) *dml.RGB {
	if name, ok := wAttr(e, themeKey); ok && r.doc.Theme != nil {
		if c, found := r.doc.Theme.Color(themeColorName(name)); found {
			return r.applyTintAndShade(c, e, themeKey)
		}
	}
	v, ok := wAttr(e, key)
	if !ok || v == "auto" {
		return nil
	}
	return parseHex(v)
}

// applyTintAndShade applies w:themeTint and w:themeShade (or the fill's), whose values
// are hexadecimal parts of 255 (ECMA-376 part 1, 17.3.2.6).
func (r *resolver) applyTintAndShade(c dml.RGB, e *etree.Element, themeKey string) *dml.RGB {
	prefix := "theme"
	if themeKey == "themeFill" {
		prefix = "themeFill"
	}
	mix := func(v uint8, part, towards float64) uint8 {
		return uint8(math.Round(float64(v)*part + towards*(1-part)))
	}
	if part, ok := hexPart(e, prefix+"Shade"); ok {
		c = dml.RGB{R: mix(c.R, part, 0), G: mix(c.G, part, 0), B: mix(c.B, part, 0)}
	}
	if part, ok := hexPart(e, prefix+"Tint"); ok {
		c = dml.RGB{R: mix(c.R, part, 255), G: mix(c.G, part, 255), B: mix(c.B, part, 255)}
	}
	return &c
}

func hexPart(e *etree.Element, key string) (float64, bool) {
	v, ok := wAttr(e, key)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(v, 16, 8)
	if err != nil {
		return 0, false
	}
	return float64(n) / 255, true
}

func themeColorName(name string) string {
	switch name {
	case "dark1":
		return "dk1"
	case "light1":
		return "lt1"
	case "dark2":
		return "dk2"
	case "light2":
		return "lt2"
	case "text1":
		return "tx1"
	case "text2":
		return "tx2"
	case "background1":
		return "bg1"
	case "background2":
		return "bg2"
	case "hyperlink":
		return "hlink"
	case "followedHyperlink":
		return "folHlink"
	}
	return name
}

// parseHex reads RRGGBB; nil for anything else.
func parseHex(v string) *dml.RGB {
	v = strings.TrimPrefix(v, "#")
	if len(v) != 6 {
		return namedColor(v)
	}
	n, err := strconv.ParseUint(v, 16, 32)
	if err != nil {
		return namedColor(v)
	}
	return &dml.RGB{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n)}
}

// namedColor knows the names that VML uses.
func namedColor(name string) *dml.RGB {
	switch strings.ToLower(name) {
	case "black":
		return &dml.RGB{}
	case "white":
		return &dml.RGB{R: 255, G: 255, B: 255}
	case "red":
		return &dml.RGB{R: 255}
	case "green":
		return &dml.RGB{G: 128}
	case "blue":
		return &dml.RGB{B: 255}
	case "yellow":
		return &dml.RGB{R: 255, G: 255}
	case "gray", "grey":
		return &dml.RGB{R: 128, G: 128, B: 128}
	case "silver":
		return &dml.RGB{R: 192, G: 192, B: 192}
	case "navy":
		return &dml.RGB{B: 128}
	case "maroon":
		return &dml.RGB{R: 128}
	}
	return nil
}

// patternShares are the parts of a pattern that have its own colour, in ST_Shd's names
// (ECMA-376 part 1, 17.18.78). Word draws lines for those that are no percentages; their shares
// are those of its binary format in other programs. Four percentages are cut off in their names.
var patternShares = map[string]float64{
	"horzStripe": 0.5, "vertStripe": 0.5, "reverseDiagStripe": 0.5, "diagStripe": 0.5, "horzCross": 0.5, "diagCross": 0.5,
	"thinHorzStripe": 1.0 / 3, "thinVertStripe": 1.0 / 3, "thinReverseDiagStripe": 1.0 / 3, "thinDiagStripe": 1.0 / 3, "thinHorzCross": 1.0 / 3, "thinDiagCross": 1.0 / 3,
	"pct12": 0.125, "pct37": 0.375, "pct62": 0.625, "pct87": 0.875, "solid": 1,
}

// readShading turns w:shd into the colour that is seen: patterns become their
// share of foreground over fill.
func (r *resolver) readShading(e *etree.Element) *dml.RGB {
	if e == nil {
		return nil
	}
	pattern := wVal(e)
	fill := r.readColor(e, "fill", "themeFill")
	share, isKnown := patternShares[pattern]
	switch {
	case isKnown && pattern != "solid" && !strings.HasPrefix(pattern, "pct"):
		r.lost.Add(dml.LossPattern)
	case isKnown:
	case strings.HasPrefix(pattern, "pct"):
		n, err := strconv.Atoi(pattern[3:])
		if err != nil || n < 0 || n > 100 {
			return fill
		}
		share = float64(n) / 100
	case pattern == "nil":
		return nil
	}
	if share == 0 {
		return fill
	}
	fore := dml.RGB{}
	if c := r.readColor(e, "color", "themeColor"); c != nil {
		fore = *c
	}
	back := dml.RGB{R: 255, G: 255, B: 255}
	if fill != nil {
		back = *fill
	}
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*share + float64(b)*(1-share))) }
	return &dml.RGB{R: mix(fore.R, back.R), G: mix(fore.G, back.G), B: mix(fore.B, back.B)}
}

// highlightColor is the fixed palette of ST_HighlightColor.
func highlightColor(name string) *dml.RGB {
	switch name {
	case "black":
		return &dml.RGB{}
	case "blue":
		return &dml.RGB{B: 255}
	case "cyan":
		return &dml.RGB{G: 255, B: 255}
	case "green":
		return &dml.RGB{G: 255}
	case "magenta":
		return &dml.RGB{R: 255, B: 255}
	case "red":
		return &dml.RGB{R: 255}
	case "yellow":
		return &dml.RGB{R: 255, G: 255}
	case "white":
		return &dml.RGB{R: 255, G: 255, B: 255}
	case "darkBlue":
		return &dml.RGB{B: 128}
	case "darkCyan":
		return &dml.RGB{G: 128, B: 128}
	case "darkGreen":
		return &dml.RGB{G: 128}
	case "darkMagenta":
		return &dml.RGB{R: 128, B: 128}
	case "darkRed":
		return &dml.RGB{R: 128}
	case "darkYellow":
		return &dml.RGB{R: 128, G: 128}
	case "darkGray":
		return &dml.RGB{R: 128, G: 128, B: 128}
	case "lightGray":
		return &dml.RGB{R: 192, G: 192, B: 192}
	}
	return nil
}
