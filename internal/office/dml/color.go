package dml

import (
	"math"
	"strconv"
	"strings"

	"github.com/beevik/etree"
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

// presetColor knows the names of DrawingML's ST_PresetColorVal that occur in
// real files: CSS's colours, with dk, lt and med for dark, light and medium.
func presetColor(name string) (RGB, bool) {
	for short, long := range map[string]string{"dk": "dark", "lt": "light", "med": "medium"} {
		if rest, found := strings.CutPrefix(name, short); found && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			name = long + rest
		}
	}
	c, ok := presetColors[strings.ToLower(name)]
	return c, ok
}

var presetColors = map[string]RGB{
	"black": {0, 0, 0}, "white": {255, 255, 255}, "red": {255, 0, 0}, "lime": {0, 255, 0}, "green": {0, 128, 0}, "blue": {0, 0, 255},
	"yellow": {255, 255, 0}, "cyan": {0, 255, 255}, "aqua": {0, 255, 255}, "magenta": {255, 0, 255}, "fuchsia": {255, 0, 255},
	"gray": {128, 128, 128}, "grey": {128, 128, 128}, "silver": {192, 192, 192}, "maroon": {128, 0, 0}, "navy": {0, 0, 128}, "olive": {128, 128, 0},
	"purple": {128, 0, 128}, "teal": {0, 128, 128}, "orange": {255, 165, 0}, "pink": {255, 192, 203}, "brown": {165, 42, 42}, "gold": {255, 215, 0},
	"beige": {245, 245, 220}, "coral": {255, 127, 80}, "crimson": {220, 20, 60}, "indigo": {75, 0, 130}, "ivory": {255, 255, 240}, "khaki": {240, 230, 140},
	"lavender": {230, 230, 250}, "salmon": {250, 128, 114}, "tan": {210, 180, 140}, "tomato": {255, 99, 71}, "turquoise": {64, 224, 208}, "violet": {238, 130, 238},
	"wheat": {245, 222, 179}, "snow": {255, 250, 250}, "whitesmoke": {245, 245, 245}, "gainsboro": {220, 220, 220}, "dimgray": {105, 105, 105},
	"slategray": {112, 128, 144}, "steelblue": {70, 130, 180}, "skyblue": {135, 206, 235}, "royalblue": {65, 105, 225}, "dodgerblue": {30, 144, 255},
	"cornflowerblue": {100, 149, 237}, "deepskyblue": {0, 191, 255}, "seagreen": {46, 139, 87}, "forestgreen": {34, 139, 34}, "limegreen": {50, 205, 50},
	"olivedrab": {107, 142, 35}, "orangered": {255, 69, 0}, "firebrick": {178, 34, 34}, "chocolate": {210, 105, 30}, "goldenrod": {218, 165, 32},
	"darkblue": {0, 0, 139}, "darkgreen": {0, 100, 0}, "darkred": {139, 0, 0}, "darkgray": {169, 169, 169}, "darkorange": {255, 140, 0}, "darkcyan": {0, 139, 139},
	"darkmagenta": {139, 0, 139}, "darkslategray": {47, 79, 79}, "darkslateblue": {72, 61, 139}, "lightblue": {173, 216, 230}, "lightgreen": {144, 238, 144},
	"lightgray": {211, 211, 211}, "lightyellow": {255, 255, 224}, "lightcyan": {224, 255, 255}, "lightpink": {255, 182, 193}, "lightskyblue": {135, 206, 250},
	"mediumblue": {0, 0, 205}, "mediumpurple": {147, 112, 219}, "mediumseagreen": {60, 179, 113}, "midnightblue": {25, 25, 112},
}
