package dml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
)

// inherited is a text body as a layout may leave it.
func inherited() TextBody {
	return TextBody{Left: 1, Top: 2, Right: 3, Bottom: 4, Anchor: "b", Centered: true, NoWrap: true, Shrink: true, Grow: true, Vertical: "vert", Rotation: 30, Columns: 2}
}

func TestBodyPropertiesChangeWhatTheyName(t *testing.T) {
	t.Parallel()
	for source, change := range map[string]func(*TextBody){
		``:                           func(*TextBody) {},
		`lIns="12700"`:               func(b *TextBody) { b.Left = 1 },
		`lIns="0"`:                   func(b *TextBody) { b.Left = 0 },
		`tIns="25400" bIns="0"`:      func(b *TextBody) { b.Top, b.Bottom = 2, 0 },
		`rIns="-12700"`:              func(b *TextBody) { b.Right = -1 },
		`anchor="ctr" anchorCtr="0"`: func(b *TextBody) { b.Anchor, b.Centered = "ctr", false },
		`vert="horz"`:                func(b *TextBody) { b.Vertical = "horz" },
		`rot="5400000"`:              func(b *TextBody) { b.Rotation = 90 },
		`rot="0"`:                    func(b *TextBody) { b.Rotation = 0 },
		`numCol="3"`:                 func(b *TextBody) { b.Columns = 3 },
		`numCol="0"`:                 func(b *TextBody) { b.Columns = 1 },
		`numCol="17"`:                func(b *TextBody) { b.Columns = 16 }, // ST_TextColumnCount
		`numCol="many"`:              func(b *TextBody) { b.Columns = 2 },
		`wrap="square"`:              func(b *TextBody) { b.NoWrap = false },
		`wrap="none"`:                func(b *TextBody) { b.NoWrap = true },
		`><a:noAutofit/`:             func(*TextBody) {},
		`><a:spAutoFit/`:             func(b *TextBody) { b.Grow = true },
		`><a:prstTxWarp/><a:normAutofit fontScale="25%"/`: func(b *TextBody) { b.Shrink, b.FontScale = true, 0.25 },
	} {
		inner := strings.HasPrefix(source, ">")
		xml := `<a:bodyPr ` + source + `/>`
		if inner {
			xml = `<a:bodyPr` + source + `></a:bodyPr>`
		}
		got, want := inherited(), inherited()
		got.Properties(parse(t, xml))
		want.Shrink, want.FontScale, want.Grow = false, 1, false // are not inherited
		change(&want)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", xml, got, want)
		}
	}
}

func TestWithoutBodyPropertiesAllIsInherited(t *testing.T) {
	t.Parallel()
	got := inherited()
	if got.Properties(nil); !reflect.DeepEqual(got, inherited()) {
		t.Errorf("got %+v, want %+v", got, inherited())
	}
}

// textReader is a reader with fonts, colours, a picture and a link.
func textReader(t *testing.T) *Reader {
	t.Helper()
	d := newReader(t, map[string]string{"media/image1.png": "PNG"}, related{"pic", "image", "media/image1.png", false},
		related{"out", "hyperlink", "https://example.com", true}, related{"jump", "slide", "slide2.xml", false})
	d.Theme = readTheme(t, themeStart+`<a:clrScheme name="x"><a:dk1><a:srgbClr val="111111"/></a:dk1><a:lt1><a:srgbClr val="EEEEEE"/></a:lt1><a:hlink><a:srgbClr val="0000FF"/></a:hlink></a:clrScheme>`+
		`<a:fontScheme name="x"><a:majorFont><a:latin typeface="Georgia"/></a:majorFont><a:minorFont><a:latin typeface="Lato"/></a:minorFont></a:fontScheme></a:themeElements></a:theme>`)
	return d
}

// paragraphOf reads the only paragraph of a body with these levels, the least
// specific first.
func paragraphOf(t *testing.T, c *TextContext, paragraph string, levels ...string) *TextParagraph {
	t.Helper()
	if c.D == nil {
		c.D = textReader(t)
	}
	for _, l := range levels {
		c.Levels = append(c.Levels, Leveled{E: parse(t, `<a:lstStyle>`+l+`</a:lstStyle>`), D: c.D})
	}
	got := c.Paragraphs(parse(t, `<a:txBody><a:bodyPr/>`+paragraph+`</a:txBody>`))
	if len(got) != 1 {
		t.Fatalf("got %d paragraphs, want 1", len(got))
	}
	return got[0]
}

// PowerPoint's own defaults: 18 points in the font and the dark colour of the
// theme, from the left, a tab each inch.
func TestAParagraphWithoutStylesHasTheDefaults(t *testing.T) {
	t.Parallel()
	p := paragraphOf(t, &TextContext{}, `<a:p><a:r><a:t>x</a:t></a:r></a:p>`)
	if p.Level != 0 || p.Align != "l" || p.DefaultTab != 72 || p.Left != 0 || p.Indent != 0 || p.RightToLeft || p.Bullet != (Bullet{}) || p.Tabs != nil || p.Elem == nil {
		t.Errorf("the paragraph is %+v", p)
	}
	want := TextRun{Text: "x", Font: "Lato", Size: 18, Color: RGB{0x11, 0x11, 0x11}, Alpha: 1}
	got := *p.Runs[0]
	if got.Elem == nil || got.Elem.Tag != "r" {
		t.Errorf("the element of the run is %v", got.Elem)
	}
	if got.Elem = nil; got != want {
		t.Errorf("the run is %+v, want %+v", got, want)
	}
	want.Text = ""
	if p.End != want {
		t.Errorf("the end is %+v, want %+v", p.End, want)
	}
}

func TestParagraphsAreReadInTheirOrder(t *testing.T) {
	t.Parallel()
	c := &TextContext{D: textReader(t)}
	var got []string
	for _, p := range c.Paragraphs(parse(t, `<a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>1</a:t></a:r></a:p><a:p/><a:p><a:r><a:t>3</a:t></a:r></a:p></a:txBody>`)) {
		text := ""
		for _, r := range p.Runs {
			text += r.Text
		}
		got = append(got, text)
	}
	if want := []string{"1", "", "3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := c.Paragraphs(nil); len(got) != 0 {
		t.Errorf("without a body: got %d paragraphs, want none", len(got))
	}
}

func TestRunsAreTextsFieldsAndBreaks(t *testing.T) {
	t.Parallel()
	p := paragraphOf(t, &TextContext{}, `<a:p><a:pPr/><a:r><a:rPr b="1"/><a:t>one </a:t></a:r><a:br><a:rPr sz="900"/></a:br><a:fld type="slidenum"><a:rPr i="1"/><a:pPr/><a:t>7</a:t></a:fld><a:fld><a:t>8</a:t></a:fld><a:unknown/><a:r/><a:endParaRPr sz="4000"/></a:p>`)
	var got []string
	for _, r := range p.Runs {
		got = append(got, fmt.Sprintf("%s %q field %q break %v bold %v italic %v size %v", r.Elem.Tag, r.Text, r.Field, r.IsBreak, r.Bold, r.Italic, r.Size))
	}
	want := []string{
		`r "one " field "" break false bold true italic false size 18`,
		`br "" field "" break true bold false italic false size 9`,
		`fld "7" field "slidenum" break false bold false italic true size 18`,
		`fld "8" field "" break false bold false italic false size 18`,
		`r "" field "" break false bold false italic false size 18`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if p.End.Size != 40 {
		t.Errorf("the end has size %v, want 40", p.End.Size)
	}
}

func TestAParagraphTakesThePropertiesOfItsLevel(t *testing.T) {
	t.Parallel()
	levels := `<a:defPPr algn="just"/><a:lvl1pPr marL="12700"><a:defRPr sz="1000"/></a:lvl1pPr><a:lvl2pPr marL="25400"><a:defRPr sz="2000"/></a:lvl2pPr><a:lvl9pPr marL="114300"><a:defRPr sz="9000"/></a:lvl9pPr>`
	for lvl, want := range map[string]struct {
		level      int
		left, size float64
	}{
		``: {0, 1, 10}, `lvl="0"`: {0, 1, 10}, `lvl="1"`: {1, 2, 20}, `lvl="2"`: {2, 0, 18}, `lvl="8"`: {8, 9, 90},
		`lvl="9"`: {8, 9, 90}, `lvl="-1"`: {0, 1, 10}, // ST_TextIndentLevelType is 0 to 8
	} {
		p := paragraphOf(t, &TextContext{}, `<a:p><a:pPr `+lvl+`/><a:r><a:t>x</a:t></a:r></a:p>`, levels)
		if p.Level != want.level || p.Left != want.left || p.Runs[0].Size != want.size || p.Align != "l" {
			t.Errorf("%q: got level %d, left %v, size %v, align %s; want %+v", lvl, p.Level, p.Left, p.Runs[0].Size, p.Align, want)
		}
	}
}

func TestTheMoreSpecificLevelWins(t *testing.T) {
	t.Parallel()
	p := paragraphOf(t, &TextContext{}, `<a:p><a:pPr indent="0"/><a:r><a:rPr i="0"/><a:t>x</a:t></a:r></a:p>`,
		`<a:lvl1pPr algn="ctr" marL="12700" indent="12700"><a:defRPr sz="1000" b="1" i="1"/></a:lvl1pPr>`,
		``,
		`<a:lvl1pPr algn="r" marL="25400"><a:defRPr b="0"/></a:lvl1pPr>`)
	if p.Align != "r" || p.Left != 2 || p.Indent != 0 {
		t.Errorf("got align %s, left %v, indent %v; want r, 2, 0", p.Align, p.Left, p.Indent)
	}
	if r := p.Runs[0]; r.Size != 10 || r.Bold || r.Italic {
		t.Errorf("got size %v, bold %v, italic %v; want 10, false, false", r.Size, r.Bold, r.Italic)
	}
	if !p.End.Italic {
		t.Error("the end takes the properties of a run, not those of the levels")
	}
}

func TestALevelMayBeWithoutAList(t *testing.T) {
	t.Parallel()
	d := textReader(t)
	p := paragraphOf(t, &TextContext{D: d, Levels: []Leveled{{nil, d}}}, `<a:p/>`, `<a:lvl1pPr algn="r"/>`)
	if p.Align != "r" {
		t.Errorf("got align %s, want r", p.Align)
	}
}

func TestParagraphPropertiesAreLaidOver(t *testing.T) {
	t.Parallel()
	base := TextParagraph{Align: "ctr", Left: 5, Indent: 6, DefaultTab: 72, RightToLeft: true, LineSpacing: Spacing{Percent: 0.9}, Before: Spacing{Points: 4}, After: Spacing{Points: 3}, Tabs: []TabStop{{9, "r"}}}
	for source, change := range map[string]func(*TextParagraph){
		`<a:pPr/>`: func(*TextParagraph) {},
		`<a:pPr algn="just" rtl="0" marL="0" indent="-12700" defTabSz="635000"/>`: func(p *TextParagraph) {
			p.Align, p.RightToLeft, p.Left, p.Indent, p.DefaultTab = "just", false, 0, -1, 50
		},
		`<a:pPr><a:lnSpc><a:spcPct val="150000"/></a:lnSpc><a:spcBef><a:spcPct val="20%"/></a:spcBef><a:spcAft><a:spcPct/></a:spcAft></a:pPr>`: func(p *TextParagraph) {
			p.LineSpacing, p.Before, p.After = Spacing{Percent: 1.5}, Spacing{Percent: 0.2}, Spacing{Percent: 1}
		},
		`<a:pPr><a:lnSpc><a:spcPts val="2450"/></a:lnSpc><a:spcBef><a:spcPts val="0"/></a:spcBef><a:spcAft><a:spcPts/></a:spcAft></a:pPr>`: func(p *TextParagraph) {
			p.LineSpacing, p.Before, p.After = Spacing{Points: 24.5}, Spacing{}, Spacing{}
		},
		// ST_TextSpacingPoint ends at 1,584 points; twenty lines are more than a page.
		`<a:pPr><a:lnSpc><a:spcPct val="9000000"/></a:lnSpc><a:spcBef><a:spcPts val="999999"/></a:spcBef><a:spcAft><a:spcPts val="-100"/></a:spcAft></a:pPr>`: func(p *TextParagraph) {
			p.LineSpacing, p.Before, p.After = Spacing{Percent: 20}, Spacing{Points: 1584}, Spacing{}
		},
		`<a:pPr><a:lnSpc><a:spcPct val="-1"/></a:lnSpc><a:spcBef/></a:pPr>`: func(p *TextParagraph) { p.LineSpacing = Spacing{} },
		`<a:pPr><a:tabLst/></a:pPr>`:                                        func(p *TextParagraph) { p.Tabs = nil },
		`<a:pPr><a:tabLst><a:tab pos="12700" algn="dec"/><a:tab pos="25400"/></a:tabLst></a:pPr>`: func(p *TextParagraph) {
			p.Tabs = []TabStop{{1, "dec"}, {2, "l"}}
		},
	} {
		got, want := base, base
		newReader(t, nil).applyParagraph(&got, parse(t, source))
		change(&want)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", source, got, want)
		}
	}
}

func TestBulletsAreLaidOver(t *testing.T) {
	t.Parallel()
	d := textReader(t)
	base := Bullet{Char: "–", Start: 4, Font: "Arial", Scale: 0.5, Color: &red}
	for source, change := range map[string]func(*Bullet){
		``:                     func(*Bullet) {},
		`<a:buNone/>`:          func(b *Bullet) { b.Char = "" },
		`<a:buChar char="→"/>`: func(b *Bullet) { b.Char = "→" },
		`<a:buChar/>`:          func(b *Bullet) { b.Char = "•" },
		`<a:buAutoNum/>`:       func(b *Bullet) { b.Char, b.Number, b.Start = "", "arabicPeriod", 1 },
		`<a:buAutoNum type="romanUcPeriod" startAt="3"/>`: func(b *Bullet) { b.Char, b.Number, b.Start = "", "romanUcPeriod", 3 },
		`<a:buAutoNum startAt="0"/>`:                      func(b *Bullet) { b.Char, b.Number, b.Start = "", "arabicPeriod", 1 },
		`<a:buAutoNum/><a:buChar char="x"/>`:              func(b *Bullet) { b.Char, b.Start = "x", 1 },
		`<a:buAutoNum/><a:buNone/>`:                       func(b *Bullet) { b.Char, b.Start = "", 1 },
		`<a:buBlip><a:blip r:embed="gone"/></a:buBlip>`:   func(b *Bullet) { b.Char = "•" }, // without its picture
		`<a:buFont typeface="Wingdings"/>`:                func(b *Bullet) { b.Font = "Wingdings" },
		`<a:buFont typeface="+mj-lt"/>`:                   func(b *Bullet) { b.Font = "Georgia" },
		`<a:buFontTx/>`:                                   func(b *Bullet) { b.Font = "" },
		`<a:buSzPct val="80000"/>`:                        func(b *Bullet) { b.Scale = 0.8 },
		`<a:buSzPct/>`:                                    func(b *Bullet) { b.Scale = 1 },
		`<a:buSzPts val="1250"/>`:                         func(b *Bullet) { b.Scale, b.Points = 0, 12.5 },
		`<a:buSzPts val="99999"/>`:                        func(b *Bullet) { b.Scale, b.Points = 0, 400 }, // more than any bullet
		`<a:buSzPts val="-1"/>`:                           func(b *Bullet) { b.Scale, b.Points = 0, 0 },
		`<a:buSzPts val="1250"/><a:buSzPct val="80000"/>`: func(b *Bullet) { b.Scale, b.Points = 0.8, 0 },
		`<a:buSzPts val="1250"/><a:buSzTx/>`:              func(b *Bullet) { b.Scale, b.Points = 0, 0 },
		`<a:buClr><a:srgbClr val="0000FF"/></a:buClr>`:    func(b *Bullet) { b.Color = &blue },
		`<a:buClr/>`:   func(*Bullet) {},
		`<a:buClrTx/>`: func(b *Bullet) { b.Color = nil },
	} {
		got, want := base, base
		d.applyBullet(&got, parse(t, `<a:pPr>`+source+`</a:pPr>`))
		change(&want)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", source, got, want)
		}
	}
}

func TestAPictureIsABulletUntilAnotherComes(t *testing.T) {
	t.Parallel()
	d := textReader(t)
	const blip = `<a:buBlip><a:blip r:embed="pic"/></a:buBlip>`
	for source, want := range map[string]string{
		blip:                            "word/media/image1.png",
		`<a:buAutoNum/>` + blip:         "word/media/image1.png",
		blip + `<a:buNone/>`:            "",
		blip + `<a:buChar char="x"/>`:   "",
		blip + `<a:buAutoNum/>`:         "",
		blip + `<a:buSzPct val="500"/>`: "word/media/image1.png",
	} {
		var b Bullet
		d.applyBullet(&b, parse(t, `<a:pPr>`+source+`</a:pPr>`))
		got := ""
		if b.Picture != nil {
			got = b.Picture.Part
		}
		if got != want || want != "" && (b.Char != "•" || b.Number != "") {
			t.Errorf("%s: got the picture %q with %q and %q, want %q", source, got, b.Char, b.Number, want)
		}
	}
}

func TestRunPropertiesAreLaidOver(t *testing.T) {
	t.Parallel()
	d := textReader(t)
	base := TextRun{Font: "Arial", Size: 12, Bold: true, Italic: true, Underline: "dbl", Strike: true, Caps: "all", Color: red, Alpha: 1, Baseline: 0.3, Spacing: 2, Kern: true, Lang: "en-GB", Symbol: "Symbol"}
	for source, change := range map[string]func(*TextRun){
		`/>`:                             func(*TextRun) {},
		` sz="2450"/>`:                   func(r *TextRun) { r.Size = 24.5 },
		` sz="400000"/>`:                 func(r *TextRun) { r.Size = 4000 }, // ST_TextFontSize
		` sz="400001"/>`:                 func(*TextRun) {},
		` sz="0"/>`:                      func(*TextRun) {},
		` sz="-100"/>`:                   func(*TextRun) {},
		` b="0" i="0"/>`:                 func(r *TextRun) { r.Bold, r.Italic = false, false },
		` lang="de-DE"/>`:                func(r *TextRun) { r.Lang = "de-DE" },
		` u="sng"/>`:                     func(r *TextRun) { r.Underline = "sng" },
		` u="none"/>`:                    func(r *TextRun) { r.Underline = "" },
		` strike="noStrike"/>`:           func(r *TextRun) { r.Strike = false },
		` strike="dblStrike"/>`:          func(*TextRun) {},
		` cap="small"/>`:                 func(r *TextRun) { r.Caps = "small" },
		` cap="none"/>`:                  func(r *TextRun) { r.Caps = "" },
		` baseline="-25000"/>`:           func(r *TextRun) { r.Baseline = -0.25 },
		` baseline="0"/>`:                func(r *TextRun) { r.Baseline = 0 },
		` baseline="300000"/>`:           func(r *TextRun) { r.Baseline = 1 },
		` baseline="-300000"/>`:          func(r *TextRun) { r.Baseline = -1 },
		` spc="-150"/>`:                  func(r *TextRun) { r.Spacing = -1.5 },
		` spc="0"/>`:                     func(r *TextRun) { r.Spacing = 0 },
		` spc="99999"/>`:                 func(r *TextRun) { r.Spacing = 400 },
		` spc="-99999"/>`:                func(r *TextRun) { r.Spacing = -400 },
		` kern="0"/>`:                    func(r *TextRun) { r.Kern = false }, // never
		` kern="1200"/>`:                 func(*TextRun) {},                   // from 12 points on
		` kern="1300"/>`:                 func(r *TextRun) { r.Kern = false },
		` kern="1300" sz="1400"/>`:       func(r *TextRun) { r.Size = 14 },
		`><a:latin typeface="Lora"/>`:    func(r *TextRun) { r.Font = "Lora" },
		`><a:latin typeface="+mn-lt"/>`:  func(r *TextRun) { r.Font = "Lato" },
		`><a:latin typeface="+mj-lt"/>`:  func(r *TextRun) { r.Font = "Georgia" },
		`><a:latin typeface=""/>`:        func(*TextRun) {},
		`><a:ea typeface="Noto"/>`:       func(*TextRun) {},
		`><a:sym typeface="Wingdings"/>`: func(r *TextRun) { r.Symbol = "Wingdings" },
		`><a:sym typeface=""/>`:          func(r *TextRun) { r.Symbol = "" },
		`><a:noFill/>`:                   func(r *TextRun) { r.Alpha = 0 },
		`><a:solidFill><a:srgbClr val="00FF00"><a:alpha val="50000"/></a:srgbClr></a:solidFill>`: func(r *TextRun) { r.Color, r.Alpha = green, 0.5 },
		`><a:blipFill><a:blip r:embed="pic"/></a:blipFill>`:                                      func(*TextRun) {},
		`><a:highlight><a:srgbClr val="0000FF"/></a:highlight>`:                                  func(r *TextRun) { r.Highlight = &blue },
		`><a:highlight/>`: func(*TextRun) {},
		// Links have the theme's colour and a line under them.
		`><a:hlinkClick r:id="out"/>`:  func(r *TextRun) { r.Link, r.Color, r.Underline = "https://example.com", blue, "sng" },
		`><a:hlinkClick r:id="jump"/>`: func(r *TextRun) { r.Color, r.Underline = blue, "sng" },
		`><a:hlinkClick r:id=""/>`:     func(*TextRun) {},
	} {
		xml := `<a:rPr` + source
		if strings.HasPrefix(source, ">") {
			xml += `</a:rPr>`
		}
		got, want := base, base
		d.applyTextRun(&got, parse(t, xml))
		change(&want)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", xml, got, want)
		}
	}
	got := base
	if d.applyTextRun(&got, nil); got != base {
		t.Errorf("without properties: got %+v, want %+v", got, base)
	}
}

// A run without kerning begins to kern where its size is large enough.
func TestKerningBeginsAtASize(t *testing.T) {
	t.Parallel()
	d := textReader(t)
	for kern, want := range map[string]bool{``: false, `kern="0"`: false, `kern="1"`: true, `kern="1200"`: true, `kern="1201"`: false, `kern="-1"`: false} {
		r := TextRun{Size: 12}
		if d.applyTextRun(&r, parse(t, `<a:rPr `+kern+`/>`)); r.Kern != want {
			t.Errorf("%q at 12 points: got %v, want %v", kern, r.Kern, want)
		}
	}
}

// fontRef is what the style of a shape says of its text: stronger than the
// presentation's defaults, weaker than all that the shape says itself.
func TestTheFontOfAShapesStyleStandsAboveTheDefaults(t *testing.T) {
	t.Parallel()
	const defaults = `<a:lvl1pPr><a:defRPr><a:solidFill><a:srgbClr val="00FF00"/></a:solidFill><a:latin typeface="Default"/></a:defRPr></a:lvl1pPr>`
	const own = `<a:lvl1pPr><a:defRPr><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill><a:latin typeface="Own"/></a:defRPr></a:lvl1pPr>`
	const ref = `<a:fontRef idx="major"><a:srgbClr val="0000FF"><a:alpha val="50000"/></a:srgbClr></a:fontRef>`
	for _, c := range []struct {
		name, ref string
		levels    []string
		font      string
		color     RGB
		alpha     float64
	}{
		{"above the defaults", ref, []string{defaults, ``}, "Georgia", blue, 0.5},
		{"below its own", ref, []string{defaults, own}, "Own", red, 1},
		{"below the third", ref, []string{defaults, ``, own}, "Own", red, 1},
		{"the font of text", `<a:fontRef idx="minor"/>`, []string{defaults, ``}, "Lato", green, 1},
		{"none", `<a:fontRef idx="none"/>`, []string{defaults, ``}, "Default", green, 1},
		{"absent", ``, []string{defaults, ``}, "Default", green, 1},
		{"one level", ref, []string{``}, "Georgia", blue, 0.5},
	} {
		ctx := &TextContext{}
		if c.ref != "" {
			ctx.Font = parse(t, c.ref)
		}
		r := paragraphOf(t, ctx, `<a:p><a:r><a:t>x</a:t></a:r></a:p>`, c.levels...).Runs[0]
		if r.Font != c.font || r.Color != c.color || r.Alpha != c.alpha {
			t.Errorf("%s: got %s, %v, alpha %v; want %s, %v, %v", c.name, r.Font, r.Color, r.Alpha, c.font, c.color, c.alpha)
		}
	}
}

func TestTheTableStyleStandsBelowTheRun(t *testing.T) {
	t.Parallel()
	ctx := &TextContext{Row: func(r *TextRun) { r.Bold, r.Italic, r.Size = true, true, 30 }}
	p := paragraphOf(t, ctx, `<a:p><a:r><a:rPr i="0"/><a:t>x</a:t></a:r></a:p>`, `<a:lvl1pPr><a:defRPr sz="1000"/></a:lvl1pPr>`)
	if r := p.Runs[0]; !r.Bold || r.Italic || r.Size != 30 {
		t.Errorf("got bold %v, italic %v, size %v; want true, false, 30", r.Bold, r.Italic, r.Size)
	}
}

func TestTextHasTheColorThatTheMapMakesDark(t *testing.T) {
	t.Parallel()
	d := textReader(t)
	d.Colors = map[string]string{"tx1": "lt1"}
	if got, want := paragraphOf(t, &TextContext{D: d}, `<a:p/>`).End.Color, (RGB{0xEE, 0xEE, 0xEE}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	d.Colors["tx1"] = "unknown"
	if got := paragraphOf(t, &TextContext{D: d}, `<a:p/>`).End.Color; got != black {
		t.Errorf("of an unknown colour: got %v, want black", got)
	}
}

func TestTheTextOfAnElement(t *testing.T) {
	t.Parallel()
	if got := ElementText(parse(t, `<a:t> a &amp; b </a:t>`)); got != " a & b " {
		t.Errorf("got %q, want %q", got, " a & b ")
	}
	if got := ElementText((*etree.Element)(nil)); got != "" {
		t.Errorf("without an element: got %q, want none", got)
	}
}
