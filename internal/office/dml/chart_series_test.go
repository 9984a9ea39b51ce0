package dml

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestPlotsAreOfTheKindOfTheirElement(t *testing.T) {
	t.Parallel()
	for element, want := range map[string]PlotKind{
		"barChart": PlotBar, "bar3DChart": PlotBar, "lineChart": PlotLine, "line3DChart": PlotLine, "areaChart": PlotArea, "area3DChart": PlotArea,
		"pieChart": PlotPie, "pie3DChart": PlotPie, "doughnutChart": PlotDoughnut, "scatterChart": PlotScatter,
		"bubbleChart": PlotBubble, "radarChart": PlotRadar, "stockChart": PlotStock,
	} {
		got := plotArea(t, `<c:`+element+`>`+series(0, "", "1")+`</c:`+element+`>`)
		if len(got.Plots) != 1 || got.Plots[0].Kind != want || len(got.Losses) != 0 {
			t.Errorf("%s: got %d plots with the losses %q, want one of kind %s", element, len(got.Plots), got.Losses, want)
			continue
		}
		if isRound := want == PlotPie || want == PlotDoughnut; got.Plots[0].Kind.HasShares() != isRound {
			t.Errorf("%s is round: %v, want %v", element, !isRound, isRound)
		}
	}
}

func TestPlotsThatCannotBeDrawnAreALoss(t *testing.T) {
	t.Parallel()
	for _, element := range []string{"ofPieChart", "surfaceChart", "surface3DChart"} {
		unknown := `<c:` + element + `>` + series(0, "", "1") + `</c:` + element + `>`
		got := plotArea(t, unknown+`<c:barChart>`+series(0, "", "1")+`</c:barChart>`)
		if len(got.Plots) != 1 || got.Plots[0].Kind != PlotBar || !slices.Equal(got.Losses, []Loss{LossPlot}) {
			t.Errorf("%s beside bars: got %d plots with the losses %q, want the bars and %q", element, len(got.Plots), got.Losses, LossPlot)
		}
		// Then the whole chart is left out, and the caller that draws it reports that.
		if got := plotArea(t, unknown); len(got.Plots) != 0 || len(got.Losses) != 0 {
			t.Errorf("%s alone: got %d plots with the losses %q, want none of either", element, len(got.Plots), got.Losses)
		}
	}
}

func TestAPlotWithoutSeriesIsNone(t *testing.T) {
	t.Parallel()
	got := plotArea(t, `<c:dTable/><c:spPr/><c:barChart/><c:lineChart>`+series(0, "", "1")+`</c:lineChart>`)
	if len(got.Plots) != 1 || got.Plots[0].Kind != PlotLine {
		t.Errorf("got %d plots, want the lines alone", len(got.Plots))
	}
}

func TestPropertiesOfPlots(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]ChartPlot{
		``: {Grouping: "standard", Gap: 1.5, Hole: 0.5},
		`<c:barDir val="bar"/><c:grouping val="stacked"/>`:   {Grouping: "stacked", Gap: 1.5, Hole: 0.5, Horizontal: true},
		`<c:barDir val="col"/><c:grouping/>`:                 {Grouping: "standard", Gap: 1.5, Hole: 0.5},
		`<c:gapWidth val="50"/><c:overlap val="-25"/>`:       {Grouping: "standard", Gap: 0.5, Overlap: -0.25, Hole: 0.5},
		`<c:gapWidth val="0"/><c:overlap val="100"/>`:        {Grouping: "standard", Gap: 0, Overlap: 1, Hole: 0.5},
		`<c:gapWidth val="900"/><c:overlap val="101"/>`:      {Grouping: "standard", Gap: 5, Overlap: 1, Hole: 0.5}, // ST_GapAmount ends at 500, ST_Overlap at 100
		`<c:gapWidth val="-9"/><c:overlap val="-101"/>`:      {Grouping: "standard", Gap: 0, Overlap: -1, Hole: 0.5},
		`<c:gapWidth/><c:overlap val="x"/>`:                  {Grouping: "standard", Gap: 1.5, Hole: 0.5},
		`<c:holeSize val="75"/><c:firstSliceAng val="90"/>`:  {Grouping: "standard", Gap: 1.5, Hole: 0.75, Angle: 90},
		`<c:holeSize val="1"/><c:firstSliceAng val="-5"/>`:   {Grouping: "standard", Gap: 1.5, Hole: 0.1, Angle: 0}, // ST_HoleSize begins at 10
		`<c:holeSize val="99"/><c:firstSliceAng val="400"/>`: {Grouping: "standard", Gap: 1.5, Hole: 0.9, Angle: 360},
	} {
		got := *plotArea(t, `<c:barChart>`+source+series(0, "", "1")+`</c:barChart>`).Plots[0]
		if got.Horizontal != want.Horizontal || got.Grouping != want.Grouping || got.Gap != want.Gap || got.Overlap != want.Overlap || got.Hole != want.Hole || got.Angle != want.Angle || got.IsSecondary {
			t.Errorf("%s: got %+v, want %+v", source, got, want)
		}
	}
}

func valueAxis(id, more string) string {
	return `<c:valAx><c:axId val="` + id + `"/>` + more + `</c:valAx>`
}

func TestTheSecondValueAxisIsTheSecondaryOne(t *testing.T) {
	t.Parallel()
	got := plotArea(t, `<c:barChart>`+series(0, "", "1")+`<c:axId val="1"/><c:axId val="2"/></c:barChart><c:lineChart>`+series(1, "", "1")+`<c:axId val="3"/><c:axId val="4"/></c:lineChart>`+
		`<c:catAx><c:axId val="1"/></c:catAx>`+valueAxis("2", `<c:majorUnit val="2"/>`)+valueAxis("4", `<c:majorUnit val="4"/>`)+`<c:catAx><c:axId val="3"/><c:delete val="1"/></c:catAx>`)
	if got.Value.Step == nil || *got.Value.Step != 2 || got.Secondary == nil || got.Secondary.Step == nil || *got.Secondary.Step != 4 {
		t.Errorf("the axes are %+v and %+v, want those with steps of 2 and 4", got.Value, got.Secondary)
	}
	if got.Plots[0].IsSecondary || !got.Plots[1].IsSecondary {
		t.Errorf("secondary are %v and %v, want the second plot alone", got.Plots[0].IsSecondary, got.Plots[1].IsSecondary)
	}
	if got.Category.Deleted {
		t.Error("the category axis is the second one, want the first")
	}
}

func TestAChartWithOneValueAxisHasNoSecondaryOne(t *testing.T) {
	t.Parallel()
	got := plotArea(t, `<c:barChart>`+series(0, "", "1")+`<c:axId val="2"/></c:barChart>`+valueAxis("2", `<c:axPos val="b"/>`))
	if got.Secondary != nil || got.Plots[0].IsSecondary || got.Value.Style.Size != 10 {
		t.Errorf("got the secondary axis %+v", got.Secondary)
	}
	if got.Category.Style.Size != 0 {
		t.Errorf("got the category axis %+v, want none", got.Category)
	}
}

// A scatter plot has two value axes: the one at the bottom or the top runs along.
func TestAScatterPlotRunsAlongItsLevelAxis(t *testing.T) {
	t.Parallel()
	step := func(n string) string { return `<c:majorUnit val="` + n + `"/>` }
	for _, at := range []string{"b", "t"} {
		got := plotArea(t, `<c:scatterChart>`+series(0, "", "1")+`</c:scatterChart>`+valueAxis("1", `<c:axPos val="`+at+`"/>`+step("3"))+valueAxis("2", `<c:axPos val="l"/>`+step("5")))
		if got.Category.Step == nil || *got.Category.Step != 3 || got.Value.Step == nil || *got.Value.Step != 5 || got.Secondary != nil {
			t.Errorf("axis at %s: got %+v along, %+v up, %+v; want steps of 3 and 5", at, got.Category, got.Value, got.Secondary)
		}
	}
	got := plotArea(t, `<c:scatterChart>`+series(0, "", "1")+`</c:scatterChart>`+valueAxis("2", `<c:axPos val="l"/>`+step("5"))+valueAxis("1", `<c:axPos val="b"/>`+step("3")))
	if got.Value.Step == nil || *got.Value.Step != 5 {
		t.Errorf("the value axis first: got %+v up, want steps of 5", got.Value)
	}
}

func TestDatesRunAlongLikeCategories(t *testing.T) {
	t.Parallel()
	got := plotArea(t, `<c:lineChart>`+series(0, "", "1")+`</c:lineChart><c:dateAx><c:axId val="1"/><c:majorUnit val="7"/></c:dateAx>`)
	if got.Category.Step == nil || *got.Category.Step != 7 {
		t.Errorf("got the category axis %+v, want steps of 7", got.Category)
	}
}

func axisOf(t *testing.T, more string) ChartAxis {
	t.Helper()
	return plotArea(t, `<c:barChart>`+series(0, "", "1")+`</c:barChart>`+valueAxis("2", more)).Value
}

func TestAxesSayWhatTheyShow(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]ChartAxis{
		``:                           {HasLabels: true},
		`<c:delete/>`:                {HasLabels: true, Deleted: true},
		`<c:delete val="0"/>`:        {HasLabels: true},
		`<c:tickLblPos val="none"/>`: {},
		`<c:tickLblPos val="low"/>`:  {HasLabels: true},
		`<c:scaling><c:orientation val="maxMin"/></c:scaling>`: {HasLabels: true, Reversed: true},
		`<c:scaling><c:orientation val="minMax"/></c:scaling>`: {HasLabels: true},
		`<c:numFmt formatCode="0.0" sourceLinked="0"/>`:        {HasLabels: true, Format: "0.0"},
		`<c:numFmt formatCode="0.0"/>`:                         {HasLabels: true, Format: "0.0"},
		`<c:numFmt formatCode="0.0" sourceLinked="1"/>`:        {HasLabels: true},
	} {
		got := axisOf(t, source)
		if got.Deleted != want.Deleted || got.HasLabels != want.HasLabels || got.Reversed != want.Reversed || got.Format != want.Format || got.Title != nil || got.Grid != nil || got.Rotation != nil {
			t.Errorf("%s: got %+v, want %+v", source, got, want)
		}
	}
}

// Office 2007 leaves out what its schema had as default: marks outside. Later ones
// name them (ECMA-376 part 1, 21.2.2.101 has "cross").
func TestAxesHaveMarksOutside(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		``: true, `<c:majorTickMark/>`: true, `<c:majorTickMark val="out"/>`: true, `<c:majorTickMark val="cross"/>`: true,
		`<c:majorTickMark val="none"/>`: false, `<c:majorTickMark val="in"/>`: false,
	} {
		if got := axisOf(t, source).HasTicks; got != want {
			t.Errorf("%s: got %t, want %t", source, got, want)
		}
	}
}

func TestAxesHaveBounds(t *testing.T) {
	t.Parallel()
	got := axisOf(t, `<c:scaling><c:max val="10"/><c:min val="-2.5"/></c:scaling><c:majorUnit val="0.5"/>`)
	if got.Min == nil || *got.Min != -2.5 || got.Max == nil || *got.Max != 10 || got.Step == nil || *got.Step != 0.5 {
		t.Errorf("got %v to %v in steps of %v, want -2.5 to 10 in steps of 0.5", got.Min, got.Max, got.Step)
	}
	got = axisOf(t, `<c:scaling><c:max val=""/><c:min/></c:scaling><c:majorUnit val="NaN"/>`)
	if got.Min != nil || got.Max != nil || got.Step != nil {
		t.Errorf("without numbers: got %v to %v in steps of %v, want none", got.Min, got.Max, got.Step)
	}
}

func TestLabelsOfAxesTurn(t *testing.T) {
	t.Parallel()
	angle := func(v float64) *float64 { return &v }
	for rot, want := range map[string]*float64{
		`rot="-2700000"`: angle(-45), `rot="5400000"`: angle(90), `rot="-5400000"`: angle(-90), `rot="0"`: angle(0),
		``: nil, `rot="-60000000"`: nil, `rot="5460000"`: nil, // -1000° is how Office writes "as it fits"
	} {
		got := axisOf(t, `<c:txPr><a:bodyPr `+rot+`/><a:p><a:pPr><a:defRPr sz="800"/></a:pPr></a:p></c:txPr>`)
		if (got.Rotation == nil) != (want == nil) || want != nil && *got.Rotation != *want {
			t.Errorf("%q: got %v, want %v", rot, got.Rotation, want)
		}
		if got.Style.Size != 8 {
			t.Errorf("%q: got the size %v, want 8", rot, got.Style.Size)
		}
	}
}

func TestLinesOfAxesAreGreyUnlessTheySayOtherwise(t *testing.T) {
	t.Parallel()
	grey := ShapeLine{Width: 0.75, Color: RGB{0x86, 0x86, 0x86}, Alpha: 1, Dash: "solid"}
	thick := grey
	thick.Width = 3
	own := ShapeLine{Width: 2, Color: red, Alpha: 1, Dash: "dash"}
	for source, want := range map[string]*ShapeLine{
		``:                                   &grey,
		`<c:spPr/>`:                          &grey,
		`<c:spPr><a:ln/></c:spPr>`:           &grey,
		`<c:spPr><a:ln w="38100"/></c:spPr>`: &thick,
		`<c:spPr><a:ln w="38100"><a:noFill/></a:ln></c:spPr>`:                                                                  nil,
		`<c:spPr><a:ln w="25400"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill><a:prstDash val="dash"/></a:ln></c:spPr>`: &own,
	} {
		axis := axisOf(t, source+`<c:majorGridlines>`+source+`</c:majorGridlines>`)
		for what, got := range map[string]*ShapeLine{"line": axis.Line, "grid": axis.Grid} {
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Errorf("%s of %s: got %+v, want %+v", what, source, got, want)
			}
		}
	}
}

func TestTitlesOfAxesAreBoldButNotEnlarged(t *testing.T) {
	t.Parallel()
	got := axisOf(t, `<c:title><c:tx><c:rich><a:p><a:r><a:t>Berths</a:t></a:r></a:p></c:rich></c:tx></c:title>`).Title
	if got == nil || !slices.Equal(got.Lines, []string{"Berths"}) || got.Style.Size != 10 || !got.Style.Bold {
		t.Errorf("got %+v, want Berths in bold 10 points", got)
	}
}

func firstSeries(t *testing.T, plot, more, of string) *ChartSeries {
	t.Helper()
	return plotArea(t, `<c:`+plot+`>`+of+`<c:ser>`+more+`</c:ser></c:`+plot+`>`).Plots[0].Series[0]
}

func TestSeriesHaveNames(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`<c:tx>` + strCache("Summer", "Winter") + `</c:tx>`: "Summer",
		`<c:tx><c:v>Autumn</c:v></c:tx>`:                    "Autumn",
		`<c:tx>` + strCache() + `</c:tx>`:                   "",
		``:                                                  "",
	} {
		if got := firstSeries(t, "barChart", source, "").Name; got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

// sameValues compares numbers; NaN is the same as NaN.
func sameValues(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

func TestValuesComeFromTheCache(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	for _, c := range []struct {
		source string
		want   []float64
		format string
	}{
		{`<c:val>` + numCache("0%", "0.5", "", "-2") + `</c:val>`, []float64{0.5, none, -2}, "0%"},
		{`<c:yVal>` + numCache("0.0", "7") + `</c:yVal>`, []float64{7}, "0.0"},
		{`<c:val><c:numLit><c:ptCount val="2"/><c:pt idx="1"><c:v> 3 </c:v></c:pt></c:numLit></c:val>`, []float64{none, 3}, ""},
		{`<c:val><c:numLit><c:pt idx="0"><c:v>1</c:v></c:pt><c:pt idx="1"><c:v>2</c:v></c:pt></c:numLit></c:val>`, []float64{1, 2}, ""}, // as many as there are points
		{`<c:val><c:numLit><c:ptCount val="3"/><c:pt idx="0"><c:v>x</c:v></c:pt><c:pt idx="1"/><c:pt idx="2"><c:v>1e300</c:v></c:pt></c:numLit></c:val>`, []float64{none, none, none}, ""},
		{`<c:val><c:numLit><c:ptCount val="1"/><c:pt idx="1"><c:v>1</c:v></c:pt><c:pt idx="-1"><c:v>2</c:v></c:pt><c:pt><c:v>3</c:v></c:pt></c:numLit></c:val>`, []float64{none}, ""},
		{`<c:val><c:numLit><c:ptCount val="-4"/><c:pt idx="0"><c:v>1</c:v></c:pt></c:numLit></c:val>`, nil, ""},
		{`<c:val><c:numRef><c:f>Sheet1!A1</c:f></c:numRef></c:val>`, nil, ""},
		{``, nil, ""},
	} {
		got := firstSeries(t, "lineChart", c.source, "")
		if !sameValues(got.Values, c.want) || got.Format != c.format || len(got.X) != 0 {
			t.Errorf("%s: got %v in %q and %v along, want %v in %q and none", c.source, got.Values, got.Format, got.X, c.want, c.format)
		}
	}
	got := firstSeries(t, "scatterChart", `<c:xVal>`+numCache("0", "1", "", "3")+`</c:xVal><c:yVal>`+numCache("0", "4", "5", "6")+`</c:yVal>`, "")
	if !sameValues(got.X, []float64{1, none, 3}) || !sameValues(got.Values, []float64{4, 5, 6}) {
		t.Errorf("a scatter plot: got %v along, %v up; want [1 NaN 3], [4 5 6]", got.X, got.Values)
	}
}

func TestCategoriesAreWritten(t *testing.T) {
	t.Parallel()
	points := `<c:pt idx="0"><c:v>Q1</c:v></c:pt><c:pt idx="2"><c:v>Q3</c:v></c:pt><c:pt idx="3"><c:v>out</c:v></c:pt><c:pt><c:v>nowhere</c:v></c:pt>`
	for source, want := range map[string][]string{
		`<c:cat>` + strCache("North", "South") + `</c:cat>`:                      {"North", "South"},
		`<c:cat><c:strLit><c:ptCount val="3"/>` + points + `</c:strLit></c:cat>`: {"Q1", "", "Q3"},
		`<c:cat>` + numCache("0.0", "1", "", "2.5") + `</c:cat>`:                 {"1.0", "", "2.5"},
		`<c:cat>` + numCache("d/m/yyyy", "39083") + `</c:cat>`:                   {"1/1/2007"},
		`<c:xVal>` + numCache("General", "7") + `</c:xVal>`:                      {"7"},
		`<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:ptCount val="3"/><c:lvl>` + points + `</c:lvl><c:lvl><c:pt idx="0"><c:v>2026</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat>`: {"Q1", "", "Q3"}, // the innermost level comes first
		`<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:ptCount val="3"/></c:multiLvlStrCache></c:multiLvlStrRef></c:cat>`:                                                                                 nil,
		``: nil,
	} {
		if got := plotArea(t, `<c:barChart><c:ser>`+source+`</c:ser></c:barChart>`).Categories; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

func TestTheSeriesWithMostCategoriesNamesThem(t *testing.T) {
	t.Parallel()
	cat := func(names ...string) string { return `<c:cat>` + strCache(names...) + `</c:cat>` }
	got := plotArea(t, `<c:barChart>`+series(0, cat("a"))+series(1, cat("b", "c"))+series(2, cat("d", "e"))+series(3, cat("f"))+`</c:barChart>`)
	if want := []string{"b", "c"}; !slices.Equal(got.Categories, want) {
		t.Errorf("got %q, want %q", got.Categories, want)
	}
}

// The accents of Office's own scheme.
var accents = []RGB{{0x4F, 0x81, 0xBD}, {0xC0, 0x50, 0x4D}, {0x9B, 0xBB, 0x59}, {0x80, 0x64, 0xA2}, {0x4B, 0xAC, 0xC6}, {0xF7, 0x96, 0x46}}

func TestSeriesTakeTheAccentsInTurn(t *testing.T) {
	t.Parallel()
	all := ""
	for i := range 14 {
		all += series(i, "", "1")
	}
	got := plotArea(t, `<c:barChart>`+all+`</c:barChart>`).Plots[0].Series
	for i, want := range accents {
		wantColor(t, fmt.Sprintf("series %d", i), got[i].Fill, want)
	}
	// From the seventh on they are a fifth darker, from the thirteenth two fifths.
	wantColor(t, "series 6", got[6].Fill, RGB{63, 103, 151})  // 79, 129, 189 times 0.8
	wantColor(t, "series 12", got[12].Fill, RGB{47, 77, 113}) // times 0.6
	wantColor(t, "series 13", got[13].Fill, RGB{115, 48, 46}) // 192, 80, 77 times 0.6
}

func TestTheColorsOfManySeriesStayVisible(t *testing.T) {
	t.Parallel()
	wantColor(t, "series 24", plotArea(t, `<c:barChart>`+series(24, "", "1")+`</c:barChart>`).Plots[0].Series[0].Fill, RGB{32, 52, 76}) // times 0.4, the least
	wantColor(t, "series -3", plotArea(t, `<c:barChart>`+series(-3, "", "1")+`</c:barChart>`).Plots[0].Series[0].Fill, accents[0])
	const last = `<c:style val="3"/>`
	got := readChart(t, newReader(t, nil), last+`<c:chart><c:plotArea><c:barChart>`+series(50, "", "1")+`</c:barChart></c:plotArea></c:chart>`)
	wantColor(t, "series 50 of one accent", got.Plots[0].Series[0].Fill, RGB{202, 217, 235}) // 0.3 of the accent, 0.7 of white
}

// ECMA-376 part 1, 21.2.2.227: styles go round in eights: greys, all accents, then
// each accent alone, getting lighter.
func TestTheStyleOfAChartChoosesItsColors(t *testing.T) {
	t.Parallel()
	grey := func(n uint8) RGB { return RGB{n, n, n} }
	for style, want := range map[string][]RGB{
		`<c:style val="1"/>`:  {grey(0x62), grey(0xB2), grey(0x82), grey(0x45), grey(0x9A), grey(0xC6), grey(0x62)},
		`<c:style val="33"/>`: {grey(0x62), grey(0xB2)},
		`<c:style val="2"/>`:  {accents[0], accents[1]},
		`<c:style val="10"/>`: {accents[0], accents[1]},
		`<c:style/>`:          {accents[0], accents[1]},
		`<c:style val="-7"/>`: {grey(0x62), grey(0xB2)},
		`<c:style val="3"/>`:  {accents[0], {100, 144, 197}, {121, 159, 205}}, // with 0.12 and 0.24 of white
		`<c:style val="4"/>`:  {accents[1]},
		`<c:style val="8"/>`:  {accents[5]},
		`<c:style val="48"/>`: {accents[5]},
	} {
		all := ""
		for i := range want {
			all += series(i, "", "1")
		}
		got := readChart(t, newReader(t, nil), style+`<c:chart><c:plotArea><c:barChart>`+all+`</c:barChart></c:plotArea></c:chart>`).Plots[0].Series
		for i := range want {
			wantColor(t, fmt.Sprintf("%s, series %d", style, i), got[i].Fill, want[i])
		}
	}
}

func TestSeriesAreColoredByTheirIndexOrPlace(t *testing.T) {
	t.Parallel()
	got := plotArea(t, `<c:barChart>`+series(2, "", "1")+`<c:ser><c:val>`+numCache("", "1")+`</c:val></c:ser></c:barChart><c:lineChart><c:ser><c:val>`+numCache("", "1")+`</c:val></c:ser></c:lineChart>`)
	wantColor(t, "with an index", got.Plots[0].Series[0].Fill, accents[2])
	wantColor(t, "without one, second in the chart", got.Plots[0].Series[1].Fill, accents[1])
	wantColor(t, "without one, third in the chart", got.Plots[1].Series[0].Fill, accents[2])
}

const (
	greenShape = `<c:spPr><a:solidFill><a:srgbClr val="00FF00"/></a:solidFill></c:spPr>`
	redOutline = `<c:spPr><a:ln w="25400"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:ln></c:spPr>`
)

func TestSingleValuesHaveColorsOfTheirOwn(t *testing.T) {
	t.Parallel()
	point := func(i int) string { return fmt.Sprintf(`<c:dPt><c:idx val="%d"/>%s</c:dPt>`, i, greenShape) }
	for _, c := range []struct {
		name, plot, of, more string
		want                 []RGB // of three values
	}{
		{"bars are alike", "barChart", ``, ``, []RGB{accents[0], accents[0], accents[0]}},
		{"bars that vary", "barChart", `<c:varyColors/>`, ``, []RGB{accents[0], accents[1], accents[2]}},
		{"bars that do not vary", "barChart", `<c:varyColors val="0"/>`, ``, []RGB{accents[0], accents[0], accents[0]}},
		{"bars that vary with a fill of their own", "barChart", `<c:varyColors val="1"/>`, greenShape, []RGB{green, green, green}},
		{"areas that vary", "areaChart", `<c:varyColors val="1"/>`, ``, []RGB{accents[0], accents[0], accents[0]}},
		{"a pie", "pieChart", ``, ``, []RGB{accents[0], accents[1], accents[2]}},
		{"a doughnut", "doughnutChart", `<c:varyColors val="0"/>`, ``, []RGB{accents[0], accents[1], accents[2]}},
		{"a pie with a fill of its own", "pieChart", ``, greenShape, []RGB{green, green, green}},
		{"a bar among others", "barChart", ``, point(1), []RGB{accents[0], green, accents[0]}},
		{"a piece of a pie", "pieChart", ``, point(2), []RGB{accents[0], accents[1], green}},
		{"a value without an index", "barChart", ``, `<c:dPt>` + greenShape + `</c:dPt>`, []RGB{green, accents[0], accents[0]}},
		{"a value without a fill", "barChart", ``, `<c:dPt><c:idx val="1"/><c:explosion val="5"/></c:dPt>`, []RGB{accents[0], accents[0], accents[0]}},
	} {
		s := plotArea(t, `<c:`+c.plot+`>`+c.of+series(0, c.more, "1", "2", "3")+`</c:`+c.plot+`>`).Plots[0].Series[0]
		for i, want := range c.want {
			wantColor(t, fmt.Sprintf("%s, value %d", c.name, i), s.Point(i), want)
		}
	}
}

func TestOnlyTheFirstSeriesOfBarsVaries(t *testing.T) {
	t.Parallel()
	got := plotArea(t, `<c:barChart><c:varyColors/>`+series(0, "", "1", "2")+series(1, "", "1", "2")+`</c:barChart>`).Plots[0].Series[1]
	wantColor(t, "second value of the second series", got.Point(1), accents[1])
	wantColor(t, "first value of the second series", got.Point(0), accents[1])
	ring := plotArea(t, `<c:doughnutChart>`+series(0, "", "1", "2")+series(1, "", "1", "2")+`</c:doughnutChart>`).Plots[0].Series[1]
	wantColor(t, "first value of the second ring", ring.Point(0), accents[0])
}

func TestSeriesHaveLines(t *testing.T) {
	t.Parallel()
	own := ShapeLine{Width: 2, Color: red, Alpha: 1, Dash: "solid"}
	automatic := ShapeLine{Width: 2.25, Color: accents[3], Alpha: 1, Dash: "solid"}
	for _, c := range []struct {
		plot, more string
		want       *ShapeLine
	}{
		{"lineChart", ``, &automatic}, {"scatterChart", ``, &automatic}, {"barChart", ``, nil}, {"areaChart", ``, nil}, {"pieChart", ``, nil},
		{"lineChart", redOutline, &own}, {"scatterChart", redOutline, &own}, {"barChart", redOutline, &own}, {"areaChart", redOutline, &own},
		{"scatterChart", `<c:spPr><a:ln><a:noFill/></a:ln></c:spPr>`, nil},
	} {
		got := firstSeries(t, c.plot, `<c:idx val="3"/>`+c.more, "").Line
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s with %q: got %+v, want %+v", c.plot, c.more, got, c.want)
		}
	}
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, plot, of, more string
		size                 float64 // 0: none
		color                RGB
	}{
		{"none on lines", "lineChart", ``, ``, 0, RGB{}},
		{"on lines that ask for them", "lineChart", `<c:marker val="1"/>`, ``, 5, accents[1]},
		{"on lines that ask for none", "lineChart", `<c:marker val="0"/>`, ``, 0, RGB{}},
		{"on a series that asks for them", "lineChart", ``, `<c:marker><c:symbol val="circle"/></c:marker>`, 5, accents[1]},
		{"on points", "scatterChart", ``, ``, 5, accents[1]},
		{"switched off", "scatterChart", ``, `<c:marker><c:symbol val="none"/></c:marker>`, 0, RGB{}},
		{"switched off on a series", "lineChart", `<c:marker val="1"/>`, `<c:marker><c:symbol val="none"/></c:marker>`, 0, RGB{}},
		{"of a size and a fill", "lineChart", ``, `<c:marker><c:size val="9"/>` + greenShape + `</c:marker>`, 9, green},
		{"too small", "scatterChart", ``, `<c:marker><c:size val="1"/></c:marker>`, 2, accents[1]}, // ST_MarkerSize is 2 to 72
		{"too large", "scatterChart", ``, `<c:marker><c:size val="73"/></c:marker>`, 72, accents[1]},
		{"of no size", "scatterChart", ``, `<c:marker><c:size/></c:marker>`, 5, accents[1]},
		{"none on bars", "barChart", `<c:marker val="1"/>`, `<c:marker><c:symbol val="circle"/></c:marker>`, 0, RGB{}},
	} {
		got := firstSeries(t, c.plot, `<c:idx val="1"/>`+c.more, c.of)
		if got.MarkerSize != c.size {
			t.Errorf("%s: got the size %v, want %v", c.name, got.MarkerSize, c.size)
		}
		if c.size == 0 {
			if got.Marker != nil {
				t.Errorf("%s: got %+v, want none", c.name, got.Marker)
			}
			continue
		}
		wantColor(t, c.name, got.Marker, c.color)
	}
}

func TestLabelsOfValues(t *testing.T) {
	t.Parallel()
	const all = `<c:showVal val="1"/><c:showPercent val="1"/><c:showCatName val="1"/><c:showSerName val="1"/>`
	for _, c := range []struct {
		name, of, more string
		want           string
		format         string
		size           float64
	}{
		{"none", ``, ``, "", "0%", 10},
		{"values", ``, `<c:dLbls><c:showVal/><c:showPercent val="0"/></c:dLbls>`, "value", "0%", 10},
		{"shares", ``, `<c:dLbls><c:showPercent val="1"/></c:dLbls>`, "percent", "0%", 10},
		{"names", ``, `<c:dLbls><c:showCatName val="1"/></c:dLbls>`, "category", "0%", 10},
		{"names of series", ``, `<c:dLbls><c:showSerName val="1"/></c:dLbls>`, "series", "0%", 10},
		{"all", ``, `<c:dLbls>` + all + `</c:dLbls>`, "value percent category series", "0%", 10},
		{"of the plot", `<c:dLbls><c:showVal val="1"/></c:dLbls>`, ``, "value", "0%", 10},
		{"of the series, not the plot", `<c:dLbls><c:showVal val="1"/></c:dLbls>`, `<c:dLbls><c:showCatName val="1"/></c:dLbls>`, "category", "0%", 10},
		{"deleted", `<c:dLbls>` + all + `</c:dLbls>`, `<c:dLbls><c:delete val="1"/>` + all + `</c:dLbls>`, "", "0%", 10},
		{"in a format", ``, `<c:dLbls><c:numFmt formatCode="0.0" sourceLinked="0"/><c:showVal/></c:dLbls>`, "value", "0.0", 10},
		{"in the format of the values", ``, `<c:dLbls><c:numFmt formatCode="0.0" sourceLinked="1"/><c:showVal/></c:dLbls>`, "value", "0%", 10},
		{"in a format without a code", ``, `<c:dLbls><c:numFmt/><c:showVal/></c:dLbls>`, "value", "0%", 10},
		{"in a style", ``, `<c:dLbls><c:txPr><a:p><a:pPr><a:defRPr sz="700"/></a:pPr></a:p></c:txPr><c:showVal/></c:dLbls>`, "value", "0%", 7},
	} {
		got := firstSeries(t, "barChart", c.more+`<c:val>`+numCache("0%", "1")+`</c:val>`, c.of).Labels
		var shown []string
		for i, isShown := range []bool{got.HasValue, got.HasPercent, got.HasCategory, got.HasSeries} {
			if isShown {
				shown = append(shown, []string{"value", "percent", "category", "series"}[i])
			}
		}
		if s := strings.Join(shown, " "); s != c.want || got.HasAny() != (c.want != "") || got.Format != c.format || got.Style.Size != c.size {
			t.Errorf("%s: got %q (%v) in %q, size %v; want %q in %q, size %v", c.name, s, got.HasAny(), got.Format, got.Style.Size, c.want, c.format, c.size)
		}
	}
}

func TestChartsAreLimited(t *testing.T) {
	t.Parallel()
	const mostSeries, mostPoints, mostValues = 256, 4096, 20_000
	many := plotArea(t, `<c:barChart>`+strings.Repeat(series(0, "", "1"), mostSeries+5)+`</c:barChart><c:lineChart>`+series(0, "", "1")+`</c:lineChart>`)
	if len(many.Plots) != 1 || len(many.Plots[0].Series) != mostSeries {
		t.Errorf("got %d plots with %d series first, want 1 with %d", len(many.Plots), len(many.Plots[0].Series), mostSeries)
	}
	empty := func(n int) string {
		return fmt.Sprintf(`<c:ser><c:val><c:numLit><c:ptCount val="%d"/></c:numLit></c:val></c:ser>`, n)
	}
	long := plotArea(t, `<c:barChart>`+strings.Repeat(empty(mostPoints+1), 6)+`</c:barChart>`).Plots[0].Series
	if got := len(long[0].Values); got != mostPoints {
		t.Errorf("got %d values of a series, want %d", got, mostPoints)
	}
	if want := mostValues/mostPoints + 1; len(long) != want { // the first with which they are enough
		t.Errorf("got %d series of %d values, want %d", len(long), mostPoints, want)
	}
	exact := plotArea(t, `<c:barChart>`+strings.Repeat(empty(mostValues/5), 6)+`</c:barChart>`).Plots[0].Series
	if len(exact) != 5 {
		t.Errorf("got %d series of %d values, want 5", len(exact), mostValues/5)
	}
}

func TestSingleValuesWithColorsAreLimited(t *testing.T) {
	t.Parallel()
	const mostPoints = 4096
	var points strings.Builder
	for i := range mostPoints + 3 {
		fmt.Fprintf(&points, `<c:dPt><c:idx val="%d"/>%s</c:dPt>`, i, greenShape)
	}
	if got := len(firstSeries(t, "barChart", points.String(), "").Points); got != mostPoints {
		t.Errorf("got %d, want %d", got, mostPoints)
	}
}

func TestLabelsOfSinglePointsSayWhatIsTheirs(t *testing.T) {
	t.Parallel()
	const values = `<c:val><c:numRef><c:numCache><c:ptCount val="4"/><c:pt idx="0"><c:v>5</c:v></c:pt></c:numCache></c:numRef></c:val>`
	labels := `<c:dLbls><c:dLbl><c:idx val="0"/><c:showVal val="1"/><c:showCatName val="1"/></c:dLbl><c:dLbl><c:idx val="1"/><c:delete val="1"/></c:dLbl>` +
		`<c:dLbl><c:idx val="2"/><c:tx><c:rich><a:p><a:r><a:t>typed</a:t></a:r></a:p></c:rich></c:tx><c:showVal val="1"/></c:dLbl><c:dLbl><c:idx val="3"/><c:layout/></c:dLbl>` +
		`<c:dLbl><c:idx val="9"/><c:showVal val="1"/></c:dLbl><c:showSerName val="1"/></c:dLbls>`
	s := plotArea(t, `<c:barChart><c:ser>`+labels+values+`</c:ser></c:barChart>`).Plots[0].Series[0]
	shown := func(l *ChartLabels) string {
		return fmt.Sprint(l.HasValue, l.HasCategory, l.HasSeries, l.Lines)
	}
	for point, want := range map[int]string{0: "true true false []", 1: "false false false []", 2: "true false false [typed]", 3: "false false true []", 9: "false false true []"} {
		if got := shown(s.LabelsOf(point)); got != want {
			t.Errorf("point %d: got %s, want %s", point, got, want)
		}
	}
}
