package dml

import (
	"math"
	"strconv"
	"strings"

	"github.com/beevik/etree"
	"golang.org/x/image/colornames"
)

// Percent reads a percentage as DrawingML writes it, "40000" or "40%", as a fraction.
func Percent(s string) float64 {
	s = strings.TrimSpace(s)
	if p, found := strings.CutSuffix(s, "%"); found {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0
		}
		return v / 100
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v / 100000
}

// Int reads an integer attribute; what is no number counts as absent.
func Int(e *etree.Element, key string, absent int) int {
	if e == nil {
		return absent
	}
	v, err := strconv.ParseFloat(e.SelectAttrValue(key, ""), 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > math.MaxInt32*100 {
		return absent
	}
	return int(v)
}

func toSRGB(linear float64) uint8 {
	linear = math.Max(0, math.Min(1, linear))
	v := 12.92 * linear
	if linear > 0.0031308 {
		v = 1.055*math.Pow(linear, 1/2.4) - 0.055
	}
	return uint8(math.Round(v * 255))
}

func toLinear(c uint8) float64 {
	v := float64(c) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func mapLinear(c RGB, f func(float64) float64) RGB {
	return RGB{toSRGB(f(toLinear(c.R))), toSRGB(f(toLinear(c.G))), toSRGB(f(toLinear(c.B)))}
}

func mapLuma(c RGB) RGB {
	y := uint8(math.Round(0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)))
	return RGB{y, y, y}
}

func adjustHSL(c RGB, f func(h, s, l float64) (float64, float64, float64)) RGB {
	return fromHSL(f(toHSL(c)))
}

// toHSL gives the hue in degrees, saturation and luminance as fractions.
func toHSL(c RGB) (h, s, l float64) {
	r, g, b := float64(c.R)/255, float64(c.G)/255, float64(c.B)/255
	hi, lo := math.Max(r, math.Max(g, b)), math.Min(r, math.Min(g, b))
	l = (hi + lo) / 2
	d := hi - lo
	if d == 0 {
		return 0, 0, l
	}
	if l > 0.5 {
		s = d / (2 - hi - lo)
	} else {
		s = d / (hi + lo)
	}
	switch hi {
	case r:
		h = math.Mod((g-b)/d+6, 6)
	case g:
		h = (b-r)/d + 2
	default:
		h = (r-g)/d + 4
	}
	return h * 60, s, l
}

func fromHSL(h, s, l float64) RGB {
	s, l = math.Max(0, math.Min(1, s)), math.Max(0, math.Min(1, l))
	h = math.Mod(math.Mod(h, 360)+360, 360) / 60
	c := (1 - math.Abs(2*l-1)) * s
	x := c * (1 - math.Abs(math.Mod(h, 2)-1))
	var r, g, b float64
	switch int(h) {
	case 0:
		r, g = c, x
	case 1:
		r, g = x, c
	case 2:
		g, b = c, x
	case 3:
		g, b = x, c
	case 4:
		r, b = x, c
	default:
		r, b = c, x
	}
	m := l - c/2
	u := func(v float64) uint8 { return uint8(math.Round(math.Max(0, math.Min(1, v+m)) * 255)) }
	return RGB{u(r), u(g), u(b)}
}

// presetColor knows the names of DrawingML's ST_PresetColorVal: SVG's colours,
// with dk, lt and med for dark, light and medium (ECMA-376 part 1, 20.1.10).
func presetColor(name string) (RGB, bool) {
	for short, long := range map[string]string{"dk": "dark", "lt": "light", "med": "medium"} {
		if rest, found := strings.CutPrefix(name, short); found && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			name = long + rest
		}
	}
	c, ok := colornames.Map[strings.ToLower(name)]
	return RGB{c.R, c.G, c.B}, ok
}
