package wml

import (
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

func TestABorderIsVisibleUnlessItsStyleIsNone(t *testing.T) {
	t.Parallel()
	for style, want := range map[string]bool{"single": true, "double": true, "nil": false, "none": false, "": false} {
		if got := (&Border{Style: style}).IsVisible(); got != want {
			t.Errorf("style %q: got %t, want %t", style, got, want)
		}
	}
	if (*Border)(nil).IsVisible() {
		t.Error("no border is visible")
	}
}

// ECMA-376 part 1, 17.3.4: sz is in eighths of a point, from 2 to 96; space in
// points, from 0 to 31.
func TestABorderIsReadWithItsWidthAndSpaceInBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		xml  string
		want Border
	}{
		{`<top w:val="double" w:sz="12" w:space="4" w:color="FF0000"/>`, Border{Style: "double", Width: 1.5, Space: 4, Color: rgb(255, 0, 0)}},
		{`<top w:val="single" w:color="auto"/>`, Border{Style: "single", Width: 0.5}},
		{`<top w:val="single" w:sz="x"/>`, Border{Style: "single", Width: 0.5}},
		{`<top w:val="single" w:sz="0"/>`, Border{Style: "single", Width: 0.25}},
		{`<top w:val="single" w:sz="2"/>`, Border{Style: "single", Width: 0.25}},
		{`<top w:val="single" w:sz="96"/>`, Border{Style: "single", Width: 12}},
		{`<top w:val="single" w:sz="1000"/>`, Border{Style: "single", Width: 12}},
		{`<top w:val="single" w:sz="8" w:space="31"/>`, Border{Style: "single", Width: 1, Space: 31}},
		{`<top w:val="single" w:sz="8" w:space="99"/>`, Border{Style: "single", Width: 1, Space: 31}},
		{`<top w:val="single" w:sz="8" w:space="-5"/>`, Border{Style: "single", Width: 1}},
		{`<top w:val="single" w:sz="8" w:themeColor="accent1" w:color="FF0000"/>`, Border{Style: "single", Width: 1, Color: rgb(0x4F, 0x81, 0xBD)}},
		{`<top/>`, Border{Width: 0.5}},
	} {
		equal(t, c.xml, themedResolver().readBorder(element(t, c.xml)), &c.want)
	}
	if got := themedResolver().readBorder(nil); got != nil {
		t.Errorf("no element: got %+v, want no border", got)
	}
}

func TestAColourOfTheThemeWinsOverTheOneBesideIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		xml  string
		want *dml.RGB
	}{
		{`<color w:val="0A0B0C"/>`, rgb(10, 11, 12)},
		{`<color w:val="auto"/>`, nil},
		{`<color/>`, nil},
		{`<color w:val="nonsense"/>`, nil},
		{`<color w:val="0A0B0C" w:themeColor="accent2"/>`, rgb(0xC0, 0x50, 0x4D)},
		{`<color w:val="auto" w:themeColor="accent2"/>`, rgb(0xC0, 0x50, 0x4D)},
		{`<color w:val="0A0B0C" w:themeColor="none"/>`, rgb(10, 11, 12)},
	} {
		equal(t, c.xml, themedResolver().readColor(element(t, c.xml), "val", "themeColor"), c.want)
	}
	const both = `<color w:val="0A0B0C" w:themeColor="accent2"/>`
	untold := &resolver{doc: &Document{}}
	equal(t, "a document without a theme", untold.readColor(element(t, both), "val", "themeColor"), rgb(10, 11, 12))
}

// ST_ThemeColor has names of its own for what the scheme calls dk1, lt1 and so
// on (ECMA-376 part 1, 17.18.97).
func TestThemeColoursHaveNamesOfTheirOwnInWord(t *testing.T) {
	t.Parallel()
	black, white := rgb(0, 0, 0), rgb(255, 255, 255)
	navy, cream := rgb(0x1F, 0x49, 0x7D), rgb(0xEE, 0xEC, 0xE1)
	for name, want := range map[string]*dml.RGB{
		"dark1": black, "text1": black, "light1": white, "background1": white,
		"dark2": navy, "text2": navy, "light2": cream, "background2": cream,
		"accent6": rgb(0xF7, 0x96, 0x46), "hyperlink": rgb(0, 0, 255), "followedHyperlink": rgb(128, 0, 128),
	} {
		equal(t, name, themedResolver().readColor(element(t, `<color w:themeColor="`+name+`"/>`), "val", "themeColor"), want)
	}
}

// ECMA-376 part 1, 17.3.2.6: the shade goes towards black and the tint towards
// white, by parts of FF.
func TestTintsAndShadesMixAThemeColourWithWhiteAndBlack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		xml  string
		want *dml.RGB
	}{
		// accent3 is 9B BB 59: 155, 187, 89.
		{`<e w:themeColor="accent3" w:themeShade="FF"/>`, rgb(155, 187, 89)},
		{`<e w:themeColor="accent3" w:themeShade="00"/>`, rgb(0, 0, 0)},
		{`<e w:themeColor="accent3" w:themeShade="33"/>`, rgb(31, 37, 18)}, // a fifth
		{`<e w:themeColor="accent3" w:themeTint="FF"/>`, rgb(155, 187, 89)},
		{`<e w:themeColor="accent3" w:themeTint="00"/>`, rgb(255, 255, 255)},
		{`<e w:themeColor="accent3" w:themeTint="33"/>`, rgb(235, 241, 222)}, // 255 less a fifth of 100, 68 and 166
		{`<e w:themeColor="accent3" w:themeTint="100"/>`, rgb(155, 187, 89)},
		{`<e w:themeColor="accent3" w:themeShade="dark"/>`, rgb(155, 187, 89)},
		{`<e w:themeColor="accent3" w:themeFillShade="00"/>`, rgb(155, 187, 89)}, // that of the fill
	} {
		equal(t, c.xml, themedResolver().readColor(element(t, c.xml), "val", "themeColor"), c.want)
	}
	const fill = `<shd w:themeFill="accent3" w:themeFillTint="33" w:themeTint="00"/>`
	equal(t, fill, themedResolver().readColor(element(t, fill), "fill", "themeFill"), rgb(235, 241, 222))
}

func TestColoursAreHexadecimalOrNamed(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]*dml.RGB{
		"1F4E79": rgb(0x1F, 0x4E, 0x79), "#1f4e79": rgb(0x1F, 0x4E, 0x79),
		"": nil, "#": nil, "12345": nil, "1234567": nil, "GGGGGG": nil, "salmon?": nil,
		"black": rgb(0, 0, 0), "White": rgb(255, 255, 255), "red": rgb(255, 0, 0), "green": rgb(0, 128, 0), "blue": rgb(0, 0, 255),
		"yellow": rgb(255, 255, 0), "gray": rgb(128, 128, 128), "grey": rgb(128, 128, 128), "silver": rgb(192, 192, 192),
		"navy": rgb(0, 0, 128), "maroon": rgb(128, 0, 0), // six letters, but no number
	} {
		equal(t, value, parseHex(value), want)
	}
}

// ECMA-376 part 1, 17.18.78: pctN shows N per cent of the pattern's colour over
// the fill, and solid all of it.
func TestShadingIsTheColourThatIsSeen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		xml  string
		want *dml.RGB
	}{
		{`<shd w:val="clear" w:fill="C86432"/>`, rgb(200, 100, 50)},
		{`<shd w:val="clear" w:color="FF0000" w:fill="C86432"/>`, rgb(200, 100, 50)},
		{`<shd w:val="clear" w:fill="auto"/>`, nil},
		{`<shd w:fill="C86432"/>`, rgb(200, 100, 50)},
		{`<shd w:val="nil" w:fill="C86432"/>`, nil},
		{`<shd w:val="solid" w:color="FF0000" w:fill="C86432"/>`, rgb(255, 0, 0)},
		{`<shd w:val="solid" w:color="auto" w:fill="C86432"/>`, rgb(0, 0, 0)},
		{`<shd w:val="pct25" w:color="000000" w:fill="C86432"/>`, rgb(150, 75, 38)},
		{`<shd w:val="pct20" w:color="auto" w:fill="auto"/>`, rgb(204, 204, 204)}, // a fifth of black on white
		{`<shd w:val="pct50" w:color="FF0000"/>`, rgb(255, 128, 128)},
		{`<shd w:val="pct0" w:color="FF0000" w:fill="C86432"/>`, rgb(200, 100, 50)},
		{`<shd w:val="pct100" w:color="FF0000" w:fill="C86432"/>`, rgb(255, 0, 0)},
		{`<shd w:val="pct101" w:color="FF0000" w:fill="C86432"/>`, rgb(200, 100, 50)},
		{`<shd w:val="pct-1" w:color="FF0000" w:fill="C86432"/>`, rgb(200, 100, 50)},
		{`<shd w:val="pct" w:color="FF0000" w:fill="C86432"/>`, rgb(200, 100, 50)},
		{`<shd w:val="pct12" w:color="000000"/>`, rgb(223, 223, 223)}, // an eighth
		{`<shd w:val="pct87" w:color="000000"/>`, rgb(32, 32, 32)},
		{`<shd w:val="horzStripe" w:color="FF0000"/>`, rgb(255, 128, 128)},
		{`<shd w:val="diagCross" w:color="FF0000" w:fill="0000FF"/>`, rgb(128, 0, 128)},
		{`<shd w:val="thinDiagStripe" w:color="000000"/>`, rgb(170, 170, 170)},
		{`<shd w:val="thinHorzCross" w:color="auto" w:fill="auto"/>`, rgb(170, 170, 170)},
		{`<shd w:val="thinVertStripe" w:fill="00FF00" w:color="00FF00"/>`, rgb(0, 255, 0)},
		{`<shd w:val="nonsense" w:color="FF0000" w:fill="C86432"/>`, rgb(200, 100, 50)},
		{`<shd w:val="clear" w:fill="C86432" w:themeFill="accent1"/>`, rgb(0x4F, 0x81, 0xBD)},
		{`<shd w:val="solid" w:color="FF0000" w:themeColor="accent1"/>`, rgb(0x4F, 0x81, 0xBD)},
	} {
		equal(t, c.xml, themedResolver().readShading(element(t, c.xml)), c.want)
	}
	if got := themedResolver().readShading(nil); got != nil {
		t.Errorf("no element: got %v, want no colour", got)
	}
}

// ST_HighlightColor (ECMA-376 part 1, 17.18.40).
func TestHighlightingHasAPaletteOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]*dml.RGB{
		"black": rgb(0, 0, 0), "white": rgb(255, 255, 255), "red": rgb(255, 0, 0), "green": rgb(0, 255, 0), "blue": rgb(0, 0, 255),
		"cyan": rgb(0, 255, 255), "magenta": rgb(255, 0, 255), "yellow": rgb(255, 255, 0),
		"darkBlue": rgb(0, 0, 128), "darkCyan": rgb(0, 128, 128), "darkGreen": rgb(0, 128, 0), "darkMagenta": rgb(128, 0, 128),
		"darkRed": rgb(128, 0, 0), "darkYellow": rgb(128, 128, 0), "darkGray": rgb(128, 128, 128), "lightGray": rgb(192, 192, 192),
		"none": nil, "": nil, "orange": nil,
	} {
		equal(t, name, highlightColor(name), want)
	}
}

func TestAPatternOfLinesIsToldAsLost(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string][]dml.Loss{"diagStripe": {dml.LossPattern}, "thinHorzCross": {dml.LossPattern}, "pct12": nil, "pct20": nil, "solid": nil, "clear": nil, "nil": nil} {
		equal(t, pattern, docx{body: para(`<w:shd w:val="`+pattern+`" w:color="FF0000"/>`, "")}.read(t).Losses, want)
	}
}
