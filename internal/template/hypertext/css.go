package hypertext

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
	"golang.org/x/net/html"
)

const (
	// pointsPerPixel is the size of a pixel (CSS Values and Units, 5.2).
	pointsPerPixel = 0.75
	// smallest and largest are the sizes that text may have, in points, and widest and
	// closest how far it may be scaled.
	smallest, largest = 6, 72
	closest, widest   = 0.5, 3
	// maxIndent bounds indents, in points.
	maxIndent = 216
)

// aliases are the names of properties that set what another does. The later declaration
// counts.
var aliases = map[string]string{"background": "background-color", "text-decoration": "text-decoration-line"}

// declarations are those of a style, by their names.
func declarations(n *html.Node) map[string]string {
	text := attribute(n, "style")
	if text == "" {
		return nil
	}
	all := map[string]string{}
	for one := range strings.SplitSeq(text, ";") {
		name, value, ok := strings.Cut(one, ":")
		if ok {
			value = strings.TrimSpace(strings.ToLower(strings.TrimSpace(value)))
			name = strings.ToLower(strings.TrimSpace(name))
			all[cmp.Or(aliases[name], name)] = strings.TrimSpace(strings.TrimSuffix(value, "!important"))
		}
	}
	return all
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// hasClass tells whether an element has a class.
func hasClass(n *html.Node, name string) bool {
	for _, c := range strings.Fields(attribute(n, "class")) {
		if c == name {
			return true
		}
	}
	return false
}

// classAfter is what a class says behind a beginning, such as 2 of ql-indent-2.
func classAfter(n *html.Node, beginning string) string {
	for _, c := range strings.Fields(attribute(n, "class")) {
		if rest, ok := strings.CutPrefix(c, beginning); ok {
			return rest
		}
	}
	return ""
}

// A length is points, or a share of something else, such as the size of the text around.
type length struct{ points, share float64 }

// readLength reads a length; unitless says what a number without a unit is in points.
func readLength(text string, unitless float64) (length, bool) {
	text = strings.TrimSpace(text)
	at := len(text)
	for at > 0 && (text[at-1] < '0' || text[at-1] > '9') && text[at-1] != '.' {
		at--
	}
	n, err := strconv.ParseFloat(text[:at], 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return length{}, false
	}
	switch strings.ToLower(strings.TrimSpace(text[at:])) {
	case "":
		return length{points: n * unitless}, unitless > 0 || n == 0
	case "px":
		return length{points: n * pointsPerPixel}, true
	case "pt":
		return length{points: n}, true
	case "pc":
		return length{points: n * 12}, true
	case "in":
		return length{points: n * 72}, true
	case "cm":
		return length{points: n * 72 / 2.54}, true
	case "mm":
		return length{points: n * 72 / 25.4}, true
	case "q":
		return length{points: n * 72 / 101.6}, true
	case "em", "rem":
		return length{share: n}, true
	case "ex", "ch":
		return length{share: n / 2}, true
	case "%":
		return length{share: n / 100}, true
	}
	return length{}, false
}

// readColor reads a colour as six hexadecimal digits; empty for one that is transparent or
// not known (CSS Color, 4 and 5).
func readColor(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if digits, ok := strings.CutPrefix(text, "#"); ok {
		return readHexadecimal(digits)
	}
	name, rest, isFunction := strings.Cut(text, "(")
	if !isFunction {
		if c, ok := colornames.Map[text]; ok {
			return fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B)
		}
		return ""
	}
	parts := strings.FieldsFunc(strings.TrimSuffix(rest, ")"), func(r rune) bool { return strings.ContainsRune(", /", r) })
	var n [4]float64
	n[3] = 1
	if len(parts) < 3 || len(parts) > 4 {
		return ""
	}
	for i, p := range parts {
		number, isShare := strings.CutSuffix(strings.TrimSuffix(p, "deg"), "%")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		switch {
		case isShare && (i == 3 || strings.HasPrefix(name, "hsl")):
			v /= 100
		case isShare:
			v *= 2.55
		}
		n[i] = v
	}
	if n[3] == 0 {
		return ""
	}
	switch name {
	case "rgb", "rgba":
	case "hsl", "hsla":
		n[0], n[1], n[2] = fromHSL(n[0], min(max(n[1], 0), 1), min(max(n[2], 0), 1))
	default:
		return ""
	}
	alpha := min(max(n[3], 0), 1)
	var b strings.Builder
	for _, v := range n[:3] { // on paper
		fmt.Fprintf(&b, "%02x", uint8(math.Round(255-(255-min(max(v, 0), 255))*alpha)))
	}
	return b.String()
}

func readHexadecimal(digits string) string {
	if _, err := strconv.ParseUint(digits, 16, 64); err != nil {
		return ""
	}
	switch len(digits) {
	case 3, 4:
		if len(digits) == 4 && digits[3] == '0' {
			return ""
		}
		return string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	case 6:
		return digits
	case 8:
		if digits[6:] == "00" {
			return ""
		}
		return digits[:6]
	}
	return ""
}

// fromHSL is a colour of a hue in degrees (CSS Color 4, 7.1).
func fromHSL(hue, saturation, lightness float64) (r, g, b float64) {
	part := func(n float64) float64 {
		k := math.Mod(n+math.Mod(hue, 360)/30+12, 12)
		a := saturation * min(lightness, 1-lightness)
		return 255 * (lightness - a*max(-1, min(k-3, 9-k, 1)))
	}
	return part(0), part(8), part(4)
}
