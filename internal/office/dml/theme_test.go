package dml

import (
	"errors"
	"maps"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

func TestHexColors(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]RGB{"1F4E79": {0x1F, 0x4E, 0x79}, "#1f4e79": {0x1F, 0x4E, 0x79}, " FF0001 ": {255, 0, 1}, "000000": {}} {
		if got, ok := ParseHexColor(s); !ok || got != want {
			t.Errorf("%q: got %v, %v; want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "auto", "FFF", "FFFFFFF", "GGGGGG", "+12345", "#12345"} {
		if got, ok := ParseHexColor(s); ok || got != (RGB{}) {
			t.Errorf("%q: got %v, %v; want no colour", s, got, ok)
		}
	}
}

func TestAThemeHasColorsAndFonts(t *testing.T) {
	t.Parallel()
	theme := readTheme(t, themeStart+`<a:clrScheme name="x">
		<a:dk1><a:sysClr val="windowText" lastClr="010203"/></a:dk1>
		<a:lt1><a:sysClr val="window"/></a:lt1>
		<a:dk2><a:srgbClr val="112233"><a:lumMod val="50000"/></a:srgbClr></a:dk2>
		<a:lt2><a:prstClr val="navy"/></a:lt2>
		<a:accent1><a:scrgbClr r="50000" g="0" b="100000"/></a:accent1>
		<a:accent2><a:hslClr hue="7200000" sat="100000" lum="50000"/></a:accent2>
		<a:accent3><a:srgbClr val="none"/></a:accent3>
		<a:accent4/>
	</a:clrScheme><a:fontScheme name="x"><a:majorFont><a:latin typeface="Georgia"/></a:majorFont><a:minorFont><a:latin typeface="Lato"/></a:minorFont></a:fontScheme></a:themeElements></a:theme>`)
	for name, want := range map[string]RGB{
		"dk1": {1, 2, 3}, "lt1": white, "dk2": {0x11, 0x22, 0x33}, "lt2": {0, 0, 128}, "accent1": {188, 0, 255}, "accent2": green,
		"tx1": {1, 2, 3}, "bg1": white, "tx2": {0x11, 0x22, 0x33}, "bg2": {0, 0, 128},
		// What cannot be read is as in Office's own scheme.
		"accent3": {0x9B, 0xBB, 0x59}, "accent4": {0x80, 0x64, 0xA2}, "accent5": {0x4B, 0xAC, 0xC6},
	} {
		if got, ok := theme.Color(name); !ok || got != want {
			t.Errorf("%s: got %v, %v; want %v", name, got, ok, want)
		}
	}
	if got, ok := theme.Color("accent7"); ok {
		t.Errorf("accent7: got %v, want none", got)
	}
	if got := theme.Font(true); got != "Georgia" {
		t.Errorf("the font of headings is %q, want Georgia", got)
	}
	if got := theme.Font(false); got != "Lato" {
		t.Errorf("the font of text is %q, want Lato", got)
	}
	if theme.Elem == nil || theme.Elem.Tag != "theme" {
		t.Errorf("the element is %v, want the theme", theme.Elem)
	}
}

// The theme of Office 2007, which documents without a theme are made for.
func TestWithoutAThemeTheColorsAreThoseOfOffice(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"dk1": "000000", "lt1": "FFFFFF", "dk2": "1F497D", "lt2": "EEECE1", "accent1": "4F81BD", "accent2": "C0504D", "accent3": "9BBB59",
		"accent4": "8064A2", "accent5": "4BACC6", "accent6": "F79646", "hlink": "0000FF", "folHlink": "800080",
		"tx1": "000000", "bg1": "FFFFFF", "tx2": "1F497D", "bg2": "EEECE1",
	}
	absent, err := ReadTheme(newReader(t, nil).Package, "word/theme/theme1.xml")
	if err != nil {
		t.Fatal(err)
	}
	unnamed, err := ReadTheme(newReader(t, nil).Package, "")
	if err != nil {
		t.Fatal(err)
	}
	for what, theme := range map[string]*Theme{"nil": nil, "zero": {}, "absent": absent, "unnamed": unnamed} {
		for name, hex := range want {
			color, _ := ParseHexColor(hex)
			if got, ok := theme.Color(name); !ok || got != color {
				t.Errorf("%s theme, %s: got %v, %v; want %s", what, name, got, ok, hex)
			}
		}
		if got, ok := theme.Color("phClr"); ok {
			t.Errorf("%s theme: phClr is %v, want none", what, got)
		}
		if major, minor := theme.Font(true), theme.Font(false); major != "" || minor != "" {
			t.Errorf("%s theme: the fonts are %q and %q, want none", what, major, minor)
		}
	}
}

// A themeOverride has the theme's elements as its own children (ECMA-376 part 1,
// 20.1.6.12).
func TestAnOverrideOfAThemeIsReadLikeOne(t *testing.T) {
	t.Parallel()
	theme := readTheme(t, `<a:themeOverride><a:clrScheme name="x"><a:accent1><a:srgbClr val="FF0000"/></a:accent1></a:clrScheme><a:fontScheme name="x"><a:minorFont><a:latin typeface="Lato"/></a:minorFont></a:fontScheme></a:themeOverride>`)
	if got, _ := theme.Color("accent1"); got != red {
		t.Errorf("accent1 is %v, want %v", got, red)
	}
	if got := theme.Font(false); got != "Lato" {
		t.Errorf("the font of text is %q, want Lato", got)
	}
	if got := theme.Font(true); got != "" {
		t.Errorf("the font of headings is %q, want none", got)
	}
}

func TestADamagedThemeIsAnError(t *testing.T) {
	t.Parallel()
	d := newReader(t, nil)
	d.Package.SetPart("word/theme1.xml", "", []byte(`<a:theme><a:themeElements>`))
	_, err := ReadTheme(d.Package, "word/theme1.xml")
	var format *opc.FormatError
	if !errors.As(err, &format) {
		t.Errorf("got the error %v, want a *opc.FormatError", err)
	}
}

// ST_SystemColorVal (ECMA-376 part 1, 20.1.10): what a system colour is where the writing program
// did not note it.
func TestSystemColorsWithoutALastColor(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]RGB{
		"window": white, "btnHighlight": white, "highlightText": white, "captionText": white, "menu": white,
		"btnFace": {240, 240, 240}, "3dLight": {240, 240, 240}, "scrollBar": {240, 240, 240}, "windowText": black, "btnText": black, "": black,
	} {
		got, ok := colorValue(parse(t, `<a:sysClr val="`+name+`"/>`))
		if !ok || got != want {
			t.Errorf("%q: got %v, %v; want %v", name, got, ok, want)
		}
	}
}

func TestAColorMapSaysWhatNamesStandFor(t *testing.T) {
	t.Parallel()
	colors := map[string]string{"bg1": "lt1", "tx1": "dk1"}
	ReadColorMap(colors, nil)
	ReadColorMap(colors, parse(t, `<a:overrideClrMapping bg1="dk2" accent1="accent6"/>`))
	if want := map[string]string{"bg1": "dk2", "tx1": "dk1", "accent1": "accent6"}; !maps.Equal(colors, want) {
		t.Errorf("got %v, want %v", colors, want)
	}
}

// ECMA-376 part 1, 20.1.2.3. Red has hue 0, saturation 1 and luminance 0.5. Half
// the light of white is 188 of 255 in sRGB.
func TestColorsAreTransformed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, of, transforms, want string
	}{
		{"none", "336699", ``, "336699"},
		{"an unknown one", "336699", `<a:gamma/><a:alpha val="10000"/>`, "336699"},
		{"luminance halved", "FF0000", `<a:lumMod val="50000"/>`, "800000"},
		{"luminance doubled", "800000", `<a:lumMod val="200000"/>`, "FF0101"}, // of 128 / 510
		{"luminance raised by a quarter", "FF0000", `<a:lumOff val="25000"/>`, "FF8080"},
		{"luminance lowered by a quarter", "FF0000", `<a:lumOff val="-25000"/>`, "800000"},
		{"luminance raised past white", "FF0000", `<a:lumOff val="90000"/>`, "FFFFFF"},
		{"luminance set", "FF0000", `<a:lum val="25000"/>`, "800000"},
		{"luminance halved, then raised", "FF0000", `<a:lumMod val="50000"/><a:lumOff val="25000"/>`, "FF0000"},
		{"luminance raised, then halved", "FF0000", `<a:lumOff val="25000"/><a:lumMod val="50000"/>`, "C00000"}, // (255 + 128) / 510 halved, twice of that in red
		{"saturation taken", "FF0000", `<a:satMod val="0"/>`, "808080"},
		{"saturation halved", "FF0000", `<a:satMod val="50000"/>`, "BF4040"}, // 0.75 and 0.25
		{"saturation lowered by half", "FF0000", `<a:satOff val="-50000"/>`, "BF4040"},
		{"saturation raised", "BF4040", `<a:satOff val="60000"/>`, "FF0000"},
		{"saturation set", "FF0000", `<a:sat val="50000"/>`, "BF4040"},
		{"hue halved", "00FF00", `<a:hueMod val="50000"/>`, "FFFF00"},
		{"hue turned by 120°", "FF0000", `<a:hueOff val="7200000"/>`, "00FF00"},
		{"hue turned back by 120°", "FF0000", `<a:hueOff val="-7200000"/>`, "0000FF"},
		{"hue turned by nothing", "336699", `<a:hueOff/>`, "336699"},
		{"complement", "FF0000", `<a:comp/>`, "00FFFF"},
		{"inverse", "336699", `<a:inv/>`, "CC9966"},
		{"grey of red", "FF0000", `<a:gray/>`, "4C4C4C"},   // 0.299 · 255
		{"grey of green", "00FF00", `<a:gray/>`, "969696"}, // 0.587 · 255
		{"grey of blue", "0000FF", `<a:gray/>`, "1D1D1D"},  // 0.114 · 255
		{"shade of half", "FFFFFF", `<a:shade val="50000"/>`, "BCBCBC"},
		{"shade of nothing", "FFFFFF", `<a:shade val="0"/>`, "000000"},
		{"shade of all", "336699", `<a:shade val="100000"/>`, "336699"},
		{"tint of half", "000000", `<a:tint val="50000"/>`, "BCBCBC"},
		{"tint of nothing", "336699", `<a:tint val="0"/>`, "FFFFFF"},
		{"tint of all", "336699", `<a:tint val="100000"/>`, "336699"},
		{"tint as a strict percentage", "000000", `<a:tint val="50%"/>`, "BCBCBC"},
		{"without a value", "336699", `<a:lumMod/><a:shade/><a:tint/><a:satMod/>`, "336699"},
	} {
		of, _ := ParseHexColor(c.of)
		want, _ := ParseHexColor(c.want)
		if got := ApplyColorModifiers(of, parse(t, `<a:srgbClr>`+c.transforms+`</a:srgbClr>`)); got != want {
			t.Errorf("%s of %s: got %v, want %v", c.name, c.of, got, want)
		}
	}
	if got := ApplyColorModifiers(red, nil); got != red {
		t.Errorf("without an element: got %v, want red", got)
	}
}

func TestColorsAreOpaqueUnlessTheySaySo(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]float64{
		``: 1, `<a:alpha val="25000"/>`: 0.25, `<a:alpha val="30%"/>`: 0.3, `<a:alpha/>`: 1, `<a:alpha val="150000"/>`: 1, `<a:alpha val="-1"/>`: 0, `<a:lumMod val="5000"/>`: 1,
		`<a:alphaMod val="50000"/>`: 0.5, `<a:alphaOff val="-40000"/>`: 0.6, `<a:alphaOff/>`: 1, `<a:alphaMod/>`: 1, `<a:alpha val="80000"/><a:hueOff val="0"/><a:alphaMod val="50000"/><a:alphaOff val="-10000"/>`: 0.3,
		`<a:alphaOff val="-150000"/><a:alphaOff val="50000"/>`: 0.5, // each stays in its range
	} {
		wantNear(t, "opacity of "+source, ColorAlpha(parse(t, `<a:srgbClr>`+source+`</a:srgbClr>`)), want)
	}
	if got := ColorAlpha(nil); got != 1 {
		t.Errorf("without an element: got %v, want 1", got)
	}
}
