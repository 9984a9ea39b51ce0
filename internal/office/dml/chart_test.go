package dml

import (
	"slices"
	"testing"
)

func TestChartsThatAreNotInTheFileAreNone(t *testing.T) {
	t.Parallel()
	d := newReader(t, map[string]string{"empty.xml": `<c:chartSpace/>`, "bare.xml": `<c:chartSpace><c:chart><c:title/></c:chart></c:chartSpace>`, "bad.bin": `<c:chartSpace>`},
		related{"gone", "chart", "gone.xml", false}, related{"web", "chart", "https://example.com/chart.xml", true},
		related{"empty", "chart", "empty.xml", false}, related{"bare", "chart", "bare.xml", false}, related{"bad", "chart", "bad.bin", false})
	for _, id := range []string{"", "other", "gone", "web", "empty", "bare", "bad"} {
		if got := ReadChart(d, id); got != nil {
			t.Errorf("%q: got %+v, want none", id, got)
		}
	}
}

// box is a plot with one series, which a chart needs to have anything.
const box = `<c:plotArea><c:barChart><c:ser><c:tx><c:v>Sales</c:v></c:tx></c:ser></c:barChart></c:plotArea>`

func TestAPlainChartHasNothingAroundItsPlot(t *testing.T) {
	t.Parallel()
	got := readChart(t, newReader(t, nil), `<c:chart>`+box+`</c:chart>`)
	if got.Title != nil || got.Legend != "" || got.LegendPlace != nil || got.Inner != nil || got.Fill != nil || got.Line != nil || got.Losses != nil || got.ThreeD || got.Secondary != nil || len(got.Plots) != 1 {
		t.Errorf("got %+v, want one plot alone", got)
	}
}

func TestAChartHasItsOwnBox(t *testing.T) {
	t.Parallel()
	got := readChart(t, newReader(t, nil), `<c:chart><c:view3D/>`+box+`</c:chart><c:spPr><a:solidFill><a:srgbClr val="00FF00"/></a:solidFill><a:ln w="25400"><a:solidFill><a:srgbClr val="0000FF"/></a:solidFill></a:ln></c:spPr><c:userShapes r:id="x"/>`)
	wantColor(t, "fill", got.Fill, green)
	if got.Line == nil || got.Line.Color != blue || got.Line.Width != 2 {
		t.Errorf("the line is %+v, want a blue one of 2 points", got.Line)
	}
	if !got.ThreeD {
		t.Error("the chart is flat, want three dimensions")
	}
	if !slices.Equal(got.Losses, []Loss{LossUserShapes}) {
		t.Errorf("the losses are %q, want %q", got.Losses, LossUserShapes)
	}
}

func TestTextOfAChartStartsFromTheTheme(t *testing.T) {
	t.Parallel()
	d := newReader(t, nil)
	d.Theme = readTheme(t, themeStart+`<a:clrScheme name="x"><a:dk1><a:srgbClr val="0000FF"/></a:dk1></a:clrScheme><a:fontScheme name="x"><a:majorFont><a:latin typeface="Georgia"/></a:majorFont><a:minorFont><a:latin typeface="Lato"/></a:minorFont></a:fontScheme></a:themeElements></a:theme>`)
	const legend = `<c:legend/>`
	if got, want := readChart(t, d, `<c:chart>`+box+legend+`</c:chart>`).LegendStyle, (TextRun{Size: 10, Alpha: 1, Font: "Lato", Color: blue}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got := readChart(t, d, `<c:chart>`+box+legend+`</c:chart><c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1400" b="1"/></a:pPr></a:p></c:txPr>`).LegendStyle
	if want := (TextRun{Size: 14, Bold: true, Alpha: 1, Font: "Lato", Color: blue}); got != want {
		t.Errorf("with text properties: got %+v, want %+v", got, want)
	}
}

func titled(title string) string { return `<c:chart>` + title + box + `</c:chart>` }

func TestTitlesOfCharts(t *testing.T) {
	t.Parallel()
	const rich = `<c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr b="0" sz="1300"/></a:pPr><a:r><a:rPr i="1" sz="1500"/><a:t>Two </a:t></a:r><a:r><a:rPr sz="900" i="0"/><a:t>runs</a:t></a:r></a:p><a:p><a:r><a:t>below</a:t></a:r></a:p></c:rich></c:tx>`
	for _, c := range []struct {
		name, title  string
		lines        []string
		size         float64
		bold, italic bool
	}{
		{"of its own", `<c:title>` + rich + `</c:title>`, []string{"Two runs", "below"}, 15, false, true}, // as the first run says
		{"without properties", `<c:title><c:tx><c:rich><a:p><a:r><a:t>Plain</a:t></a:r></a:p></c:rich></c:tx></c:title>`, []string{"Plain"}, 18, true, false},
		{"of a cell", `<c:title><c:tx>` + strCache("From a cell") + `</c:tx><c:txPr><a:p><a:pPr><a:defRPr sz="1100" b="0"/></a:pPr></a:p></c:txPr></c:title>`, []string{"From a cell"}, 11, false, false},
		{"of the only series", `<c:title/>`, []string{"Sales"}, 18, true, false},
		{"of the only series, styled", `<c:title><c:txPr><a:p><a:pPr><a:defRPr sz="1100" i="1"/></a:pPr></a:p></c:txPr></c:title>`, []string{"Sales"}, 11, true, true},
		{"not deleted", `<c:title/><c:autoTitleDeleted val="0"/>`, []string{"Sales"}, 18, true, false},
	} {
		got := readChart(t, newReader(t, nil), titled(c.title)).Title
		if got == nil {
			t.Errorf("%s: got no title", c.name)
			continue
		}
		if !slices.Equal(got.Lines, c.lines) || got.Style.Size != c.size || got.Style.Bold != c.bold || got.Style.Italic != c.italic || got.Place != nil {
			t.Errorf("%s: got %q, size %v, bold %v, italic %v, place %v; want %q, %v, %v, %v, none", c.name, got.Lines, got.Style.Size, got.Style.Bold, got.Style.Italic, got.Place, c.lines, c.size, c.bold, c.italic)
		}
	}
	for name, space := range map[string]string{
		"of several series":       `<c:chart><c:title/><c:plotArea><c:barChart><c:ser/><c:ser/></c:barChart></c:plotArea></c:chart>`,
		"of one without a name":   `<c:chart><c:title><c:overlay val="0"/></c:title><c:plotArea><c:barChart><c:ser/></c:barChart></c:plotArea></c:chart>`,
		"of two groups of series": `<c:chart><c:title/><c:plotArea><c:barChart><c:ser/></c:barChart><c:lineChart><c:ser/></c:lineChart></c:plotArea></c:chart>`,
	} {
		chart := readChart(t, newReader(t, nil), space)
		if got := chart.Title; got == nil || !slices.Equal(got.Lines, []string{"Chart Title"}) || len(chart.Texts()) > 0 {
			t.Errorf("%s: got the title %+v, want Chart Title, and no text of the file", name, got)
		}
	}
	axes := plotArea(t, `<c:barChart><c:ser/><c:axId val="1"/></c:barChart><c:catAx><c:title/></c:catAx><c:valAx><c:title><c:overlay val="0"/></c:title></c:valAx>`)
	for name, got := range map[string]*ChartText{"names": axes.Category.Title, "values": axes.Value.Title} {
		if got == nil || !slices.Equal(got.Lines, []string{"Axis Title"}) {
			t.Errorf("the axis of %s: got the title %+v, want Axis Title", name, got)
		}
	}
	for name, space := range map[string]string{
		"deleted":          titled(`<c:title>` + rich + `</c:title><c:autoTitleDeleted/>`),
		"blank":            titled(`<c:title><c:tx><c:rich><a:p><a:r><a:t>  </a:t></a:r></a:p><a:p/></c:rich></c:tx></c:title>`),
		"of an empty cell": titled(`<c:title><c:tx>` + strCache() + `</c:tx></c:title>`),
		"of no series":     `<c:chart><c:title/><c:plotArea><c:barChart/></c:plotArea></c:chart>`,
	} {
		if got := readChart(t, newReader(t, nil), space).Title; got != nil {
			t.Errorf("%s: got the title %q, want none", name, got.Lines)
		}
	}
}

// A title is 1.8 times as large as other text, unless the chart says how large
// its text is.
func TestATitleIsAsLargeAsTheTextThatTheChartNames(t *testing.T) {
	t.Parallel()
	const styled = `<c:txPr><a:p><a:pPr><a:defRPr sz="1200"/></a:pPr></a:p></c:txPr>`
	got := readChart(t, newReader(t, nil), titled(`<c:title><c:tx><c:rich><a:p><a:r><a:t>x</a:t></a:r></a:p></c:rich></c:tx></c:title>`)+styled).Title
	if got.Style.Size != 12 || !got.Style.Bold {
		t.Errorf("got size %v, bold %v; want 12, true", got.Style.Size, got.Style.Bold)
	}
	// That of the only series is enlarged in any case.
	wantNear(t, "size of the series' name", readChart(t, newReader(t, nil), titled(`<c:title/>`)+styled).Title.Style.Size, 21.6)
}

func TestATitleMayHaveAPlace(t *testing.T) {
	t.Parallel()
	for layout, want := range map[string]*Point2{
		`<c:xMode val="edge"/><c:x val="0.25"/><c:y val="0.5"/>`:   {0.25, 0.5},
		`<c:xMode val="edge"/><c:x val="-1"/><c:y val="7"/>`:       {0, 1},
		`<c:xMode val="factor"/><c:x val="0.25"/><c:y val="0.5"/>`: nil, // beside where it would be
		`<c:x val="0.25"/><c:y val="0.5"/>`:                        nil,
		`<c:xMode val="edge"/><c:x val="0.25"/>`:                   nil,
		`<c:xMode val="edge"/><c:y val="0.25"/>`:                   nil,
	} {
		got := readChart(t, newReader(t, nil), titled(`<c:title><c:tx><c:rich><a:p><a:r><a:t>x</a:t></a:r></a:p></c:rich></c:tx><c:layout><c:manualLayout>`+layout+`</c:manualLayout></c:layout></c:title>`)).Title.Place
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: got %v, want %v", layout, got, want)
		}
	}
}

func TestLegends(t *testing.T) {
	t.Parallel()
	for legend, want := range map[string]string{``: "", `<c:legend/>`: "r", `<c:legend><c:legendPos val="tr"/></c:legend>`: "tr", `<c:legend><c:legendPos/></c:legend>`: "r"} {
		if got := readChart(t, newReader(t, nil), `<c:chart>`+box+legend+`</c:chart>`).Legend; got != want {
			t.Errorf("%s: got %q, want %q", legend, got, want)
		}
	}
	got := readChart(t, newReader(t, nil), `<c:chart>`+box+`<c:legend><c:layout><c:manualLayout><c:xMode val="edge"/><c:yMode val="edge"/><c:x val="0.1"/><c:y val="0.2"/><c:w val="0.3"/><c:h val="0.4"/></c:manualLayout></c:layout><c:txPr><a:p><a:pPr><a:defRPr sz="700"/></a:pPr></a:p></c:txPr></c:legend></c:chart>`)
	if got.LegendPlace == nil || *got.LegendPlace != (Rect{0.1, 0.2, 0.3, 0.4}) {
		t.Errorf("the place is %v, want {0.1 0.2 0.3 0.4}", got.LegendPlace)
	}
	if got.LegendStyle.Size != 7 {
		t.Errorf("the size is %v, want 7", got.LegendStyle.Size)
	}
}

// c:manualLayout (ECMA-376 part 1, 21.2.2): places are in parts of the chart where
// the mode is edge; inner leaves the labels out.
func TestThePlotMayHaveAPlace(t *testing.T) {
	t.Parallel()
	const place = `<c:x val="0.1"/><c:y val="0.2"/><c:w val="0.3"/><c:h val="0.4"/>`
	for layout, want := range map[string]*Rect{
		`<c:layoutTarget val="inner"/><c:xMode val="edge"/>` + place:                             {0.1, 0.2, 0.3, 0.4},
		`<c:xMode val="edge"/>` + place:                                                          {0.1, 0.2, 0.3, 0.4},
		`<c:layoutTarget val="outer"/><c:xMode val="edge"/>` + place:                             nil,
		`<c:xMode val="factor"/>` + place:                                                        nil,
		place:                                                                                    nil,
		`<c:xMode val="edge"/><c:x val="0.1"/><c:y val="0.2"/>`:                                  nil,
		`<c:xMode val="edge"/><c:y val="0.2"/><c:w val="0.3"/><c:h val="0.4"/>`:                  nil,
		`<c:xMode val="edge"/><c:x val="0.1"/><c:w val="0.3"/><c:h val="0.4"/>`:                  nil,
		`<c:xMode val="edge"/><c:x val="0.1"/><c:y val="0.2"/><c:w val="0.3"/>`:                  nil,
		`<c:xMode val="edge"/><c:x val="0.1"/><c:y val="0.2"/><c:h val="0.3"/>`:                  nil,
		`<c:xMode val="edge"/><c:x val="0.1"/><c:y val="0.2"/><c:w val="0"/><c:h val="0.4"/>`:    nil,
		`<c:xMode val="edge"/><c:x val="0.1"/><c:y val="0.2"/><c:w val="0.3"/><c:h val="0"/>`:    nil,
		`<c:xMode val="edge"/><c:x val="-1"/><c:y val="2"/><c:w val="0.001"/><c:h val="9"/>`:     {0, 1, 0.01, 1},
		`<c:xMode val="edge"/><c:x val="2"/><c:y val="-1"/><c:w val="9"/><c:h val="0.001"/>`:     {1, 0, 1, 0.01},
		`<c:xMode val="edge"/><c:x val="NaN"/><c:y val="0.2"/><c:w val="0.3"/><c:h val="0.4"/>`:  nil,
		`<c:xMode val="edge"/><c:x val="1e301"/><c:y val="0"/><c:w val="0.3"/><c:h val="0.4"/>`:  nil,
		`<c:xMode val="edge"/><c:x val="-1e301"/><c:y val="0"/><c:w val="0.3"/><c:h val="0.4"/>`: nil,
	} {
		got := plotArea(t, `<c:layout><c:manualLayout>`+layout+`</c:manualLayout></c:layout><c:barChart><c:ser/></c:barChart>`).Inner
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: got %v, want %v", layout, got, want)
		}
	}
}

func TestAChartMayOverrideTheTheme(t *testing.T) {
	t.Parallel()
	d := newReader(t, map[string]string{
		"_rels/chart1.xml.rels": relationsXML(related{"o", "themeOverride", "override.xml", false}),
		"override.xml":          `<a:themeOverride><a:clrScheme name="x"><a:accent1><a:srgbClr val="FF0000"/></a:accent1></a:clrScheme></a:themeOverride>`,
	})
	wantColor(t, "first series", readChart(t, d, `<c:chart>`+box+`</c:chart>`).Plots[0].Series[0].Fill, red)
	if got, _ := d.Theme.Color("accent1"); got == red {
		t.Error("the theme of the document was changed")
	}
}

func TestOnlyAnOverrideOfTheChartItselfCounts(t *testing.T) {
	t.Parallel()
	const override = `<a:themeOverride><a:clrScheme name="x"><a:accent1><a:srgbClr val="FF0000"/></a:accent1></a:clrScheme></a:themeOverride>`
	for name, relation := range map[string]related{"of another kind": {"o", "theme", "override.xml", false}, "elsewhere": {"o", "themeOverride", "override.xml", true}} {
		d := newReader(t, map[string]string{"_rels/chart1.xml.rels": relationsXML(relation), "override.xml": override})
		wantColor(t, name, readChart(t, d, `<c:chart>`+box+`</c:chart>`).Plots[0].Series[0].Fill, RGB{0x4F, 0x81, 0xBD})
	}
}

func TestAChartMayOverrideTheMapOfColors(t *testing.T) {
	t.Parallel()
	d := newReader(t, nil)
	d.Colors = map[string]string{"tx1": "accent1"}
	const filled = `<c:spPr><a:solidFill><a:schemeClr val="tx1"/></a:solidFill></c:spPr>`
	wantColor(t, "inherited", readChart(t, d, `<c:chart>`+box+`</c:chart>`+filled).Fill, RGB{0x4F, 0x81, 0xBD})
	wantColor(t, "overridden", readChart(t, d, `<c:clrMapOvr tx1="lt1"/><c:chart>`+box+`</c:chart>`+filled).Fill, white)
	if d.Colors["tx1"] != "accent1" {
		t.Errorf("the map of the document was changed: %v", d.Colors)
	}
}
