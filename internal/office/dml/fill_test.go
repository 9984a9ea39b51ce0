package dml

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
)

func TestColorsAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	d := &Reader{Theme: readTheme(t, themeStart+`<a:clrScheme name="x"><a:dk1><a:srgbClr val="111111"/></a:dk1><a:accent1><a:srgbClr val="FF0000"/></a:accent1></a:clrScheme></a:themeElements></a:theme>`),
		Colors: map[string]string{"bg1": "dk1", "accent2": "accent1"}}
	for _, c := range []struct {
		source string
		ph     *RGB
		want   RGB
		alpha  float64
		ok     bool
	}{
		{`<a:srgbClr val="336699"/>`, nil, RGB{0x33, 0x66, 0x99}, 1, true},
		{`<a:srgbClr val="336699"><a:alpha val="40000"/><a:inv/></a:srgbClr>`, nil, RGB{0xCC, 0x99, 0x66}, 0.4, true},
		{`<a:schemeClr val="accent1"/>`, nil, red, 1, true},
		{`<a:schemeClr val="accent2"/>`, nil, red, 1, true}, // by the map
		{`<a:schemeClr val="bg1"/>`, nil, RGB{0x11, 0x11, 0x11}, 1, true},
		{`<a:schemeClr val="tx1"/>`, nil, RGB{0x11, 0x11, 0x11}, 1, true}, // without the map's help
		{`<a:schemeClr val="phClr"/>`, &blue, blue, 1, true},
		{`<a:schemeClr val="phClr"><a:comp/></a:schemeClr>`, &blue, RGB{255, 255, 0}, 1, true},
		{`<a:schemeClr val="phClr"/>`, nil, RGB{}, 1, false},
		{`<a:schemeClr val="accent9"/>`, &blue, RGB{}, 1, false},
		{`<a:sysClr val="window" lastClr="00FF00"/>`, nil, green, 1, true},
		{`<a:prstClr val="blue"/>`, nil, blue, 1, true},
		{`<a:scrgbClr r="0" g="100000" b="0"/>`, nil, green, 1, true},
		{`<a:hslClr hue="14400000" sat="100%" lum="50%"/>`, nil, blue, 1, true},
		{`<a:noFill/><a:prstClr val="lime"/><a:prstClr val="red"/>`, nil, green, 1, true}, // the first
		{``, &blue, RGB{}, 1, false},
		{`<a:text/>`, &blue, RGB{}, 1, false},
	} {
		got, alpha, ok := d.Color(parse(t, `<a:solidFill>`+c.source+`</a:solidFill>`), c.ph)
		if got != c.want || alpha != c.alpha || ok != c.ok {
			t.Errorf("%s: got %v, alpha %v, %v; want %v, %v, %v", c.source, got, alpha, ok, c.want, c.alpha, c.ok)
		}
	}
	if _, alpha, ok := d.Color(nil, &blue); ok || alpha != 1 {
		t.Errorf("without an element: got alpha %v, %v; want 1, false", alpha, ok)
	}
}

func TestFillsOfOneColor(t *testing.T) {
	t.Parallel()
	d := newReader(t, nil)
	for _, c := range []struct {
		source string
		kind   FillKind
		color  RGB
		alpha  float64
	}{
		{`<a:solidFill><a:srgbClr val="00FF00"><a:alpha val="50000"/></a:srgbClr></a:solidFill>`, FillSolid, green, 0.5},
		{`<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>`, FillSolid, blue, 1},
		{`<a:solidFill/>`, FillNone, RGB{}, 0},
		{`<a:solidFill><a:schemeClr val="unknown"/></a:solidFill>`, FillNone, RGB{}, 0},
		{`<a:noFill/><a:solidFill><a:srgbClr val="00FF00"/></a:solidFill>`, FillNone, RGB{}, 0}, // the first counts
		{`<a:ln/><a:grpFill/>`, FillNone, RGB{}, 0},
		// A pattern is its two colours mixed: as many percent of the foreground as its name says, 30 where it says none.
		{`<a:pattFill prst="pct50"><a:fgClr><a:srgbClr val="000000"/></a:fgClr><a:bgClr><a:srgbClr val="FFFFFF"/></a:bgClr></a:pattFill>`, FillSolid, RGB{128, 128, 128}, 1},
		{`<a:pattFill prst="pct20"><a:fgClr><a:srgbClr val="FF0000"/></a:fgClr><a:bgClr><a:srgbClr val="000000"/></a:bgClr></a:pattFill>`, FillSolid, RGB{51, 0, 0}, 1},
		{`<a:pattFill prst="pct5"><a:fgClr><a:srgbClr val="FFFFFF"/></a:fgClr><a:bgClr><a:srgbClr val="000000"/></a:bgClr></a:pattFill>`, FillSolid, RGB{13, 13, 13}, 1},
		{`<a:pattFill prst="cross"><a:fgClr><a:srgbClr val="000000"/></a:fgClr><a:bgClr><a:srgbClr val="0000C8"/></a:bgClr></a:pattFill>`, FillSolid, RGB{0, 0, 140}, 1}, // 200 · 0.7
		{`<a:pattFill><a:fgClr><a:srgbClr val="000000"/></a:fgClr></a:pattFill>`, FillNone, RGB{}, 0},
		{`<a:pattFill><a:bgClr><a:srgbClr val="000000"/></a:bgClr></a:pattFill>`, FillNone, RGB{}, 0},
	} {
		got := d.Fill(parse(t, `<p:spPr><a:prstGeom/>`+c.source+`</p:spPr>`), &blue)
		wantFill(t, c.source, got, c.kind, c.color, c.alpha)
		if isPattern := strings.HasPrefix(c.source, "<a:pattFill p"); got != nil && isPattern != slices.Contains(got.Losses, LossPattern) {
			t.Errorf("%s: the losses are %q", c.source, got.Losses)
		}
	}
}

func TestPropertiesWithoutAFillSayNothingAboutIt(t *testing.T) {
	t.Parallel()
	d := newReader(t, nil)
	if got := d.Fill(parse(t, `<p:spPr><a:ln><a:solidFill><a:srgbClr val="00FF00"/></a:solidFill></a:ln></p:spPr>`), nil); got != nil {
		t.Errorf("got %+v, want nil", got)
	}
	if got := d.Fill(nil, nil); got != nil {
		t.Errorf("without properties: got %+v, want nil", got)
	}
}

func TestPatternsSayTheirShareInTheirName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]float64{"pct5": 0.05, "pct90": 0.9, "pct100": 1, "pct101": 0.3, "pct0": 0.3, "ltUpDiag": 0.3, "": 0.3} {
		if got := patternShare(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}

func TestColorsAreMixed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		share float64
		want  RGB
	}{{0, RGB{0, 100, 200}}, {1, RGB{200, 100, 0}}, {0.25, RGB{50, 100, 150}}, {-3, RGB{0, 100, 200}}, {7, RGB{200, 100, 0}}} {
		if got := Mix(RGB{0, 100, 200}, RGB{200, 100, 0}, c.share); got != c.want {
			t.Errorf("%v of the second colour: got %v, want %v", c.share, got, c.want)
		}
	}
}

func stop(pos, color, more string) string {
	return `<a:gs pos="` + pos + `"><a:srgbClr val="` + color + `">` + more + `</a:srgbClr></a:gs>`
}

func gradientXML(more string, stops ...string) string {
	return `<p:spPr><a:gradFill><a:gsLst>` + strings.Join(stops, "") + `</a:gsLst>` + more + `</a:gradFill></p:spPr>`
}

func TestGradientsHaveTheirStopsInOrder(t *testing.T) {
	t.Parallel()
	got := newReader(t, nil).Fill(parse(t, gradientXML(`<a:lin ang="5400000"/>`,
		stop("100000", "0000FF", ""), stop("0", "FF0000", ""), stop("50%", "00FF00", ""), `<a:gs pos="60000"/>`, stop("-5000", "000000", ""), stop("120000", "FFFFFF", ""))), nil)
	want := []GradientStop{{0, red, 1}, {0, black, 1}, {0.5, green, 1}, {1, blue, 1}, {1, white, 1}}
	if !slices.Equal(got.Stops, want) {
		t.Errorf("got the stops %v, want %v", got.Stops, want)
	}
	wantFill(t, "gradient", got, FillGradient, red, 1)
	if got.Angle != 90 || got.Radial || len(got.Losses) != 0 {
		t.Errorf("got angle %v, radial %v, losses %q; want 90, false, none", got.Angle, got.Radial, got.Losses)
	}
}

func TestGradientsAlongAPathAreRadial(t *testing.T) {
	t.Parallel()
	got := newReader(t, nil).Fill(parse(t, gradientXML(`<a:path path="circle"/>`, stop("0", "FF0000", ""), stop("100000", "0000FF", ""))), nil)
	if !got.Radial || got.Angle != 0 {
		t.Errorf("got radial %v, angle %v; want true, 0", got.Radial, got.Angle)
	}
}

func TestAGradientWithoutColorsPaintsNothing(t *testing.T) {
	t.Parallel()
	wantFill(t, "no stops", newReader(t, nil).Fill(parse(t, gradientXML("")), nil), FillNone, RGB{}, 0)
	wantFill(t, "no list", newReader(t, nil).Fill(parse(t, `<p:spPr><a:gradFill/></p:spPr>`), nil), FillNone, RGB{}, 0)
}

func TestAGradientHasAtMost64Stops(t *testing.T) {
	t.Parallel()
	var stops []string
	for i := range 70 {
		stops = append(stops, stop(fmt.Sprint(i*1000), "FF0000", ""))
	}
	got := newReader(t, nil).Fill(parse(t, gradientXML("", stops...)), nil)
	if len(got.Stops) != 64 {
		t.Fatalf("got %d stops, want 64", len(got.Stops))
	}
	wantNear(t, "the last stop", got.Stops[63].At, 0.63)
}

// Strips of a gradient that fades would hide what is behind: it is one colour,
// each stop counting by its opacity.
func TestAGradientThatFadesIsOneColor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stops []string
		color RGB
		alpha float64
	}{
		{[]string{stop("0", "FF0000", ""), stop("100000", "0000FF", `<a:alpha val="0"/>`)}, red, 0.5},
		{[]string{stop("0", "C80000", `<a:alpha val="50000"/>`), stop("100000", "0064C8", `<a:alpha val="50000"/>`)}, RGB{100, 50, 100}, 0.5},
		{[]string{stop("0", "FF0000", `<a:alpha val="0"/>`), stop("100000", "0000FF", `<a:alpha val="0"/>`)}, black, 0},
		{[]string{stop("0", "00FF00", `<a:alpha val="25000"/>`), stop("50000", "00FF00", `<a:alpha val="75000"/>`), stop("100000", "00FF00", `<a:alpha val="50000"/>`)}, green, 0.5},
	} {
		got := newReader(t, nil).Fill(parse(t, gradientXML(`<a:lin ang="2700000"/>`, c.stops...)), nil)
		wantFill(t, fmt.Sprint(c.stops), got, FillSolid, c.color, c.alpha)
		if !slices.Equal(got.Losses, []Loss{LossGradient}) {
			t.Errorf("%v: the losses are %q, want %q", c.stops, got.Losses, LossGradient)
		}
	}
}

// pictures is a reader of a part that refers to a picture by "pic", to one that is
// not in the file by "gone" and to an address by "web".
func pictures(t *testing.T) *Reader {
	t.Helper()
	return newReader(t, map[string]string{"media/image1.png": "PNG"},
		related{"pic", "image", "media/image1.png", false}, related{"gone", "image", "media/image2.png", false}, related{"web", "image", "https://example.com/a.png", true})
}

func TestPicturesAreCutAndFadedAsTheySay(t *testing.T) {
	t.Parallel()
	d := pictures(t)
	for source, want := range map[string]Picture{
		`<a:blip r:embed="pic"/>`:                                                        {Alpha: 1},
		`<a:blip r:embed="pic"/><a:srcRect/>`:                                            {Alpha: 1},
		`<a:blip r:embed="pic"/><a:srcRect l="10000" t="20%" r="-5000" b="40000"/>`:      {Alpha: 1, Left: 0.1, Top: 0.2, Right: -0.05, Bottom: 0.4},
		`<a:blip r:embed="pic"><a:alphaModFix amt="35000"/></a:blip>`:                    {Alpha: 0.35},
		`<a:blip r:embed="pic"><a:alphaModFix/></a:blip>`:                                {Alpha: 1},
		`<a:blip r:embed="pic"><a:alphaModFix amt="200000"/></a:blip>`:                   {Alpha: 1},
		`<a:blip r:embed="pic"><a:alphaModFix amt="-1000"/></a:blip>`:                    {Alpha: 0},
		`<a:blip r:embed="pic"><a:extLst/></a:blip><a:stretch><a:fillRect/></a:stretch>`: {Alpha: 1},
	} {
		got := d.Picture(parse(t, `<p:blipFill>`+source+`</p:blipFill>`))
		if got == nil {
			t.Errorf("%s: got no picture", source)
			continue
		}
		if got.Part != "word/media/image1.png" || len(got.Losses) != 0 {
			t.Errorf("%s: got the part %s with the losses %q, want word/media/image1.png without any", source, got.Part, got.Losses)
		}
		wantNear(t, source+": alpha", got.Alpha, want.Alpha)
		wantNear(t, source+": left", got.Left, want.Left)
		wantNear(t, source+": top", got.Top, want.Top)
		wantNear(t, source+": right", got.Right, want.Right)
		wantNear(t, source+": bottom", got.Bottom, want.Bottom)
	}
}

func TestPicturesThatAreNotInTheFileAreNone(t *testing.T) {
	t.Parallel()
	d := pictures(t)
	for _, source := range []string{``, `<a:blip/>`, `<a:blip embed="pic"/>`, `<a:blip r:embed="gone"/>`, `<a:blip r:embed="web"/>`, `<a:blip r:embed="other"/>`} {
		e := parse(t, `<a:blipFill>`+source+`</a:blipFill>`)
		if got := d.Picture(e); got != nil {
			t.Errorf("%s: got %+v, want none", source, got)
		}
		got := d.FillElement(e, nil)
		wantFill(t, source, got, FillNone, RGB{}, 0)
		if !slices.Equal(got.Losses, []Loss{LossPictureFill}) {
			t.Errorf("%s: the losses are %q, want %q", source, got.Losses, LossPictureFill)
		}
	}
}

func TestColorsThatAPictureWasGivenAreALoss(t *testing.T) {
	t.Parallel()
	d := pictures(t)
	for _, effect := range []string{"biLevel", "grayscl", "clrChange", "clrRepl", "tint", "hsl", "lum", "duotone"} {
		e := parse(t, `<a:blipFill><a:blip r:embed="pic"><a:extLst/><a:`+effect+`/></a:blip></a:blipFill>`)
		if got := d.Picture(e); !slices.Equal(got.Losses, []Loss{LossRecolored}) {
			t.Errorf("%s: the losses of the picture are %q, want %q", effect, got.Losses, LossRecolored)
		}
		if got := d.FillElement(e, nil); !slices.Equal(got.Losses, []Loss{LossRecolored}) {
			t.Errorf("%s: the losses of the fill are %q, want %q", effect, got.Losses, LossRecolored)
		}
	}
}

func TestPicturesFillAndRepeat(t *testing.T) {
	t.Parallel()
	d := pictures(t)
	for _, c := range []struct {
		tile         string
		tileX, tileY float64
		losses       []Loss
	}{
		{``, 0, 0, nil},
		{`<a:stretch/>`, 0, 0, nil},
		{`<a:tile/>`, 1, 1, nil},
		{`<a:tile sx="50000" sy="25%" tx="0" ty="0" flip="none" algn="tl"/>`, 0.5, 0.25, nil},
		{`<a:tile flip="x"/>`, 1, 1, []Loss{LossTiles}},
		{`<a:tile algn="ctr"/>`, 1, 1, []Loss{LossTiles}},
		{`<a:tile tx="12700"/>`, 1, 1, []Loss{LossTiles}},
		{`<a:tile ty="-12700"/>`, 1, 1, []Loss{LossTiles}},
	} {
		got := d.FillElement(parse(t, `<a:blipFill><a:blip r:embed="pic"><a:alphaModFix amt="50000"/></a:blip>`+c.tile+`</a:blipFill>`), nil)
		wantFill(t, c.tile, got, FillPicture, RGB{}, 0.5)
		if got.Picture == nil || got.Picture.Part != "word/media/image1.png" {
			t.Errorf("%s: the picture is %+v", c.tile, got.Picture)
		}
		if got.TileX != c.tileX || got.TileY != c.tileY || !slices.Equal(got.Losses, c.losses) {
			t.Errorf("%s: got tiles of %v by %v, losses %q; want %v by %v, %q", c.tile, got.TileX, got.TileY, got.Losses, c.tileX, c.tileY, c.losses)
		}
	}
}

func TestAPictureInTwoTonesIsTheColorBetweenThem(t *testing.T) {
	t.Parallel()
	d := pictures(t)
	fill := func(tones string) *ShapeFill {
		return d.FillElement(parse(t, `<a:blipFill><a:blip r:embed="pic"><a:duotone>`+tones+`</a:duotone></a:blip></a:blipFill>`), &blue)
	}
	got := fill(`<a:srgbClr val="FF0000"/><a:schemeClr val="phClr"/>`)
	wantFill(t, "red and blue", got, FillSolid, RGB{128, 0, 128}, 1)
	if !slices.Equal(got.Losses, []Loss{LossDuotone}) {
		t.Errorf("the losses are %q, want %q", got.Losses, LossDuotone)
	}
	for _, tones := range []string{`<a:srgbClr val="FF0000"/>`, `<a:srgbClr val="FF0000"/><a:schemeClr val="none"/>`, `<a:srgbClr val="bad"/><a:srgbClr val="FF0000"/>`, `<a:prstClr val="red"/><a:prstClr val="blue"/><a:prstClr val="lime"/>`} {
		if got := fill(tones); got.Kind != FillPicture {
			t.Errorf("%s: got the kind %d, want the picture", tones, got.Kind)
		}
	}
}

// themedReader is a reader with a theme of three fills, two backgrounds and two lines.
func themedReader(t *testing.T) *Reader {
	t.Helper()
	d := newReader(t, nil)
	solid := func(color string) string { return `<a:solidFill>` + color + `</a:solidFill>` }
	const placeholder = `<a:schemeClr val="phClr"/>`
	d.Theme = readTheme(t, themeStart+`<a:fmtScheme name="x"><a:fillStyleLst>`+solid(placeholder)+solid(`<a:srgbClr val="00FF00"/>`)+`<a:noFill/></a:fillStyleLst>`+
		`<a:lnStyleLst><a:ln w="12700">`+solid(placeholder)+`<a:prstDash val="dot"/></a:ln><a:ln w="25400">`+solid(`<a:srgbClr val="00FF00"/>`)+`<a:tailEnd type="oval"/></a:ln></a:lnStyleLst>`+
		`<a:bgFillStyleLst>`+solid(`<a:schemeClr val="phClr"><a:comp/></a:schemeClr>`)+solid(`<a:srgbClr val="FFFFFF"/>`)+`</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`)
	return d
}

// ECMA-376 part 1, 20.1.4.2.10: 0 and 1000 are no fill, 1 to 999 one of
// fillStyleLst, 1001 and up one of bgFillStyleLst.
func TestFillsAreReferredToByTheirPlaceInTheTheme(t *testing.T) {
	t.Parallel()
	d := themedReader(t)
	const tone = `<a:srgbClr val="FF0000"/>`
	for _, c := range []struct {
		idx, color string
		kind       FillKind
		want       RGB
		isAbsent   bool
	}{
		{"0", tone, 0, RGB{}, true},
		{"-1", tone, 0, RGB{}, true},
		{"", tone, 0, RGB{}, true},
		{"1000", tone, 0, RGB{}, true},
		{"1", tone, FillSolid, red, false},
		{"2", tone, FillSolid, green, false},
		{"2", "", FillSolid, green, false},
		{"3", tone, FillNone, RGB{}, false},
		{"4", tone, FillSolid, red, false}, // beyond the list: the colour of the reference
		{"4", "", 0, RGB{}, true},
		{"1", "", FillNone, RGB{}, false}, // nothing stands for phClr
		{"1001", tone, FillSolid, RGB{0, 255, 255}, false},
		{"1002", tone, FillSolid, white, false},
		{"1003", tone, FillSolid, red, false},
	} {
		got := d.ThemeFill(parse(t, `<a:fillRef idx="`+c.idx+`">`+c.color+`</a:fillRef>`), d)
		if c.isAbsent {
			if got != nil {
				t.Errorf("idx %q in %q: got %+v, want none", c.idx, c.color, got)
			}
			continue
		}
		alpha := 1.0
		if c.kind == FillNone {
			alpha = 0
		}
		wantFill(t, "idx "+c.idx+" in "+c.color, got, c.kind, c.want, alpha)
	}
}

func TestAReferenceToAThemeWithoutFillsIsItsColor(t *testing.T) {
	t.Parallel()
	d := newReader(t, nil)
	got := d.ThemeFill(parse(t, `<a:fillRef idx="1"><a:srgbClr val="FF0000"><a:alpha val="50000"/></a:srgbClr></a:fillRef>`), d)
	wantFill(t, "no theme", got, FillSolid, red, 0.5)
}

func TestBackgrounds(t *testing.T) {
	t.Parallel()
	d := themedReader(t)
	wantFill(t, "of its own", d.Background(parse(t, `<p:bg><p:bgPr><a:solidFill><a:srgbClr val="0000FF"/></a:solidFill></p:bgPr></p:bg>`), d), FillSolid, blue, 1)
	wantFill(t, "of the theme", d.Background(parse(t, `<p:bg><p:bgRef idx="1001"><a:srgbClr val="00FFFF"/></p:bgRef></p:bg>`), d), FillSolid, red, 1)
	for _, source := range []string{`<p:bg/>`, `<p:bg><p:bgPr><a:effectLst/></p:bgPr></p:bg>`, `<p:bg><p:bgPr/><p:bgRef idx="1001"/></p:bg>`} {
		if got := d.Background(parse(t, source), d); got != nil {
			t.Errorf("%s: got %+v, want none", source, got)
		}
	}
	if got := d.Background(nil, d); got != nil {
		t.Errorf("without an element: got %+v, want none", got)
	}
}

// elements parses each source; "" stands for nil.
func elements(t *testing.T, sources ...string) []*etree.Element {
	t.Helper()
	var out []*etree.Element
	for _, s := range sources {
		if s == "" {
			out = append(out, nil)
			continue
		}
		out = append(out, parse(t, s))
	}
	return out
}

func TestLinesTakeEachPropertyFromTheMostSpecific(t *testing.T) {
	t.Parallel()
	d := themedReader(t)
	const (
		redFill  = `<a:solidFill><a:srgbClr val="FF0000"/></a:solidFill>`
		blueFill = `<a:solidFill><a:srgbClr val="0000FF"><a:alpha val="50000"/></a:srgbClr></a:solidFill>`
	)
	for _, c := range []struct {
		name  string
		lines []string
		ref   string
		want  *ShapeLine
	}{
		{"nothing", nil, "", nil},
		{"no elements", []string{"", ""}, "", nil},
		{"a width without a colour", []string{`<a:ln w="25400"/>`}, "", nil},
		{"a colour alone", []string{`<a:ln>` + redFill + `</a:ln>`}, "", &ShapeLine{Width: 0.75, Color: red, Alpha: 1, Dash: "solid"}},
		{"no width at all", []string{`<a:ln w="0">` + redFill + `</a:ln>`}, "", &ShapeLine{Width: 0, Color: red, Alpha: 1, Dash: "solid"}},
		{"everything", []string{`<a:ln w="25400">` + blueFill + `<a:prstDash val="dash"/><a:headEnd type="triangle"/><a:tailEnd type="none"/></a:ln>`}, "",
			&ShapeLine{Width: 2, Color: blue, Alpha: 0.5, Dash: "dash", Head: "triangle"}},
		{"a dash without its name", []string{`<a:ln>` + redFill + `<a:prstDash/></a:ln>`}, "", &ShapeLine{Width: 0.75, Color: red, Alpha: 1, Dash: "solid"}},
		{"of two, each first one", []string{`<a:ln w="12700"/>`, "", `<a:ln w="25400">` + redFill + `<a:prstDash val="dot"/></a:ln>`, `<a:ln>` + blueFill + `<a:prstDash val="dash"/></a:ln>`}, "",
			&ShapeLine{Width: 1, Color: red, Alpha: 1, Dash: "dot"}},
		{"ends of the first that has any", []string{`<a:ln>` + redFill + `</a:ln>`, `<a:ln><a:tailEnd type="arrow"/></a:ln>`, `<a:ln><a:headEnd type="oval"/><a:tailEnd type="oval"/></a:ln>`}, "",
			&ShapeLine{Width: 0.75, Color: red, Alpha: 1, Dash: "solid", Tail: "arrow"}},
		{"switched off", []string{`<a:ln><a:noFill/></a:ln>`, `<a:ln>` + redFill + `</a:ln>`}, `<a:lnRef idx="1">` + `<a:srgbClr val="FF0000"/></a:lnRef>`, nil},
		{"switched off too late", []string{`<a:ln>` + redFill + `</a:ln>`, `<a:ln><a:noFill/></a:ln>`}, "", &ShapeLine{Width: 0.75, Color: red, Alpha: 1, Dash: "solid"}},
		{"of the theme, in the colour of the reference", nil, `<a:lnRef idx="1"><a:srgbClr val="0000FF"/></a:lnRef>`, &ShapeLine{Width: 1, Color: blue, Alpha: 1, Dash: "dot"}},
		{"of the theme, in its own colour", nil, `<a:lnRef idx="2"><a:srgbClr val="0000FF"/></a:lnRef>`, &ShapeLine{Width: 2, Color: green, Alpha: 1, Dash: "solid", Tail: "oval"}},
		{"of the theme, wider", []string{`<a:ln w="38100"/>`}, `<a:lnRef idx="1"><a:srgbClr val="0000FF"/></a:lnRef>`, &ShapeLine{Width: 3, Color: blue, Alpha: 1, Dash: "dot"}},
		{"none of the theme", nil, `<a:lnRef idx="0"><a:srgbClr val="0000FF"/></a:lnRef>`, nil},
		{"beyond the theme", nil, `<a:lnRef idx="3"><a:srgbClr val="0000FF"/></a:lnRef>`, nil},
	} {
		var ref *etree.Element
		if c.ref != "" {
			ref = parse(t, c.ref)
		}
		got := d.Line(elements(t, c.lines...), ref, d)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestALineOfAThemeWithoutLinesIsNone(t *testing.T) {
	t.Parallel()
	d := newReader(t, nil)
	if got := d.Line(nil, parse(t, `<a:lnRef idx="1"><a:srgbClr val="0000FF"/></a:lnRef>`), d); got != nil {
		t.Errorf("got %+v, want none", got)
	}
}

func TestAGradientLineHasItsFirstColor(t *testing.T) {
	t.Parallel()
	d := newReader(t, nil)
	got := d.Line(elements(t, `<a:ln><a:gradFill><a:gsLst>`+stop("100000", "0000FF", "")+stop("0", "FF0000", "")+`</a:gsLst></a:gradFill></a:ln>`), nil, d)
	if got == nil || got.Color != red || math.Abs(got.Alpha-1) > 1e-9 {
		t.Errorf("got %+v, want a red one", got)
	}
}

func TestLineEnds(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{`<a:headEnd type="stealth"/>`: "stealth", `<a:headEnd type="none"/>`: "", `<a:headEnd w="lg"/>`: ""} {
		if got := LineEnd(parse(t, source)); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
	if got := LineEnd(nil); got != "" {
		t.Errorf("without an element: got %q, want none", got)
	}
}
