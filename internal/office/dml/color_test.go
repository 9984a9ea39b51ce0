package dml

import (
	"strings"
	"testing"

	"golang.org/x/image/colornames"
)

// Hue, saturation and luminance as CSS names them (CSS Color 4, 7): red at 0,
// green at 120 and blue at 240 degrees.
func TestColorsHaveHueSaturationAndLuminance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		color   RGB
		h, s, l float64
	}{
		{red, 0, 1, 0.5},
		{RGB{255, 255, 0}, 60, 1, 0.5},
		{green, 120, 1, 0.5},
		{RGB{0, 255, 255}, 180, 1, 0.5},
		{blue, 240, 1, 0.5},
		{RGB{255, 0, 255}, 300, 1, 0.5},
		{black, 0, 0, 0},
		{white, 0, 0, 1},
		{RGB{51, 51, 51}, 0, 0, 0.2},
		{RGB{102, 0, 0}, 0, 1, 0.2},                  // a dark one: d / (hi + lo)
		{RGB{255, 204, 204}, 0, 1, 0.9},              // a light one: d / (2 - hi - lo)
		{RGB{51, 102, 153}, 210, 0.5, 0.4},           // (r - g) / d + 4 = 3.5 times 60
		{RGB{153, 51, 102}, 330, 0.5, 0.4},           // between magenta and red
		{RGB{204, 153, 102}, 30, 0.5, 0.6},           // (g - b) / d = 0.5 times 60
		{RGB{51, 153, 102}, 150, 0.5, 0.4},           // (b - r) / d + 2 = 2.5 times 60
		{RGB{178, 102, 204}, 284.70588235, 0.5, 0.6}, // (178 - 102) / 102 + 4 times 60
	} {
		h, s, l := toHSL(c.color)
		if abs(h-c.h) > 1e-6 || abs(s-c.s) > 1e-6 || abs(l-c.l) > 1e-6 {
			t.Errorf("%v: got hue %v, saturation %v, luminance %v; want %v, %v, %v", c.color, h, s, l, c.h, c.s, c.l)
		}
	}
}

func abs(v float64) float64 { return max(v, -v) }

func TestHueSaturationAndLuminanceMakeColors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		h, s, l float64
		want    RGB
	}{
		{0, 1, 0.5, red}, {60, 1, 0.5, RGB{255, 255, 0}}, {120, 1, 0.5, green}, {180, 1, 0.5, RGB{0, 255, 255}}, {240, 1, 0.5, blue}, {300, 1, 0.5, RGB{255, 0, 255}},
		{30, 1, 0.5, RGB{255, 128, 0}}, {90, 1, 0.5, RGB{128, 255, 0}}, {150, 1, 0.5, RGB{0, 255, 128}}, {210, 1, 0.5, RGB{0, 128, 255}}, {270, 1, 0.5, RGB{128, 0, 255}}, {330, 1, 0.5, RGB{255, 0, 128}},
		{210, 0.5, 0.4, RGB{51, 102, 153}}, {30, 0.5, 0.6, RGB{204, 153, 102}},
		{77, 0, 0.2, RGB{51, 51, 51}}, {77, 1, 0, black}, {77, 1, 1, white},
		{-120, 1, 0.5, blue}, {480, 1, 0.5, green}, {360, 1, 0.5, red}, // hues go round
		{0, 2, 0.5, red}, {0, -1, 0.2, RGB{51, 51, 51}}, {0, 1, 3, white}, {0, 1, -1, black}, // the rest is cut off
	} {
		if got := fromHSL(c.h, c.s, c.l); got != c.want {
			t.Errorf("hue %v, saturation %v, luminance %v: got %v, want %v", c.h, c.s, c.l, got, c.want)
		}
	}
}

func TestEveryColorComesBackFromHueSaturationAndLuminance(t *testing.T) {
	t.Parallel()
	for r := 0; r < 256; r += 17 {
		for g := 0; g < 256; g += 15 {
			for b := 0; b < 256; b += 5 {
				c := RGB{uint8(r), uint8(g), uint8(b)}
				if got := fromHSL(toHSL(c)); got != c {
					t.Fatalf("%v came back as %v", c, got)
				}
			}
		}
	}
}

// The transfer function of sRGB (IEC 61966-2-1): linear below 0.0031308, where
// it is 12.92 times the light, and 1.055 L^(1/2.4) - 0.055 above.
func TestLightIsConvertedAsSRGBDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		light float64
		want  uint8
	}{{0, 0}, {1, 255}, {0.5, 188}, {0.2, 124}, {0.003, 10}, {0.001, 3}, {-1, 0}, {2, 255}} {
		if got := toSRGB(c.light); got != c.want {
			t.Errorf("light %v: got %d, want %d", c.light, got, c.want)
		}
	}
	for c, want := range map[uint8]float64{0: 0, 255: 1, 10: 10.0 / 255 / 12.92, 188: 0.5028864580, 128: 0.2158605001} {
		if got := toLinear(c); abs(got-want) > 1e-9 {
			t.Errorf("channel %d: got light %v, want %v", c, got, want)
		}
	}
	for c := range 256 {
		if got := toSRGB(toLinear(uint8(c))); int(got) != c {
			t.Errorf("channel %d came back as %d", c, got)
		}
	}
}

// ST_PresetColorVal has the names of SVG's colours, with dk, lt and med for
// dark, light and medium (ECMA-376 part 1, 20.1.10).
func TestPresetColorsAreThoseOfSVG(t *testing.T) {
	t.Parallel()
	for name, want := range colornames.Map {
		got, ok := presetColor(name)
		if !ok || got != (RGB{want.R, want.G, want.B}) {
			t.Errorf("%s: got %v, %v; want %v", name, got, ok, want)
		}
		for long, short := range map[string]string{"dark": "dk", "light": "lt", "medium": "med"} {
			rest, found := strings.CutPrefix(name, long)
			if !found {
				continue
			}
			abbreviated := short + strings.ToUpper(rest[:1]) + rest[1:]
			if got, ok := presetColor(abbreviated); !ok || got != (RGB{want.R, want.G, want.B}) {
				t.Errorf("%s: got %v, %v; want %v", abbreviated, got, ok, want)
			}
		}
	}
	for _, name := range []string{"", "dk", "lt", "med", "dkblue", "dk1Blue", "medAccent", "nocolor"} {
		if got, ok := presetColor(name); ok {
			t.Errorf("%q: got %v, want none", name, got)
		}
	}
}

func TestPresetColorsAreWrittenInCamelCase(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]RGB{"cornflowerBlue": {100, 149, 237}, "dkSlateGray": {47, 79, 79}, "ltYellow": {255, 255, 224}, "medPurple": {147, 112, 219}, "deepSkyBlue": {0, 191, 255}} {
		if got, ok := presetColor(name); !ok || got != want {
			t.Errorf("%s: got %v, %v; want %v", name, got, ok, want)
		}
	}
}
