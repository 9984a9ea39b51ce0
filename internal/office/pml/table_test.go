package pml

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

func TestTablesHaveColumnsAndRows(t *testing.T) {
	t.Parallel()
	got := deck{slide: sld(table("", []int{10, 20}, tr(30, tc("", ""), tc("", "")), tr(40, tc("", ""))))}.first(t).Table
	if !slices.Equal(got.Columns, []float64{10, 20}) || len(got.Rows) != 2 || got.Rows[0].Height != 30 || got.Rows[1].Height != 40 || got.Elem == nil || got.Rows[0].Elem == nil {
		t.Fatalf("got the columns %v and %d rows, want 10 and 20 points, and rows of 30 and 40", got.Columns, len(got.Rows))
	}
	if len(got.Rows[0].Cells) != 2 || len(got.Rows[1].Cells) != 1 {
		t.Errorf("got %d and %d cells, want 2 and 1", len(got.Rows[0].Cells), len(got.Rows[1].Cells))
	}
	if got := got.Rows[0].Cells[1].Text.Paragraphs[0].Runs[0].Text; got != "x" {
		t.Errorf("got the text %q, want x", got)
	}
}

func TestCellsBeyondTheColumnsAreLeftOut(t *testing.T) {
	t.Parallel()
	got := deck{slide: sld(table("", []int{10}, tr(10, tc("", ""), tc("", ""))))}.first(t).Table
	if n := len(got.Rows[0].Cells); n != 1 {
		t.Errorf("got %d cells, want 1", n)
	}
	if got := (deck{slide: sld(table("", nil, tr(10, tc("", ""))))}).first(t).Table; len(got.Rows) != 1 || len(got.Rows[0].Cells) != 0 {
		t.Errorf("without columns: got %+v, want a row without cells", got.Rows)
	}
}

func TestTablesAreLimited(t *testing.T) {
	t.Parallel()
	const most = 20_000
	columns := make([]int, 100)
	row := tr(1)
	if got := len(deck{slide: sld(table("", columns, strings.Repeat(row, most/100+1)))}.first(t).Table.Rows); got != most/100 {
		t.Errorf("got %d rows of 100 columns, want %d", got, most/100)
	}
	if got := len(deck{slide: sld(table("", nil, strings.Repeat(row, most+1)))}.first(t).Table.Rows); got != most {
		t.Errorf("got %d rows without columns, want %d", got, most)
	}
}

func TestCellsSpanOthers(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]struct {
		columns, rows int
		isMerged      bool
	}{
		``: {1, 1, false}, `gridSpan="3"`: {3, 1, false}, `rowSpan="2"`: {1, 2, false}, `hMerge="1"`: {1, 1, true}, `vMerge="true"`: {1, 1, true}, `rowSpan="2" hMerge="1"`: {1, 2, true},
		`gridSpan="0" rowSpan="-1"`: {1, 1, false}, `hMerge="0" vMerge="0"`: {1, 1, false},
	} {
		if got := cellOf(t, deck{}, "", attributes, ""); got.ColSpan != want.columns || got.RowSpan != want.rows || got.Merged != want.isMerged {
			t.Errorf("%s: got %d by %d, merged %v; want %+v", attributes, got.ColSpan, got.RowSpan, got.Merged, want)
		}
	}
}

// ECMA-376 part 1, 21.1.3.17: the margins of a cell are those of a shape.
func TestTextOfCells(t *testing.T) {
	t.Parallel()
	for tcPr, want := range map[string]dml.TextBody{
		``:          {Left: 7.2, Top: 3.6, Right: 7.2, Bottom: 3.6, Anchor: "t"},
		`<a:tcPr/>`: {Left: 7.2, Top: 3.6, Right: 7.2, Bottom: 3.6, Anchor: "t", Vertical: "horz"},
		`<a:tcPr marL="12700" marT="25400" marR="38100" marB="50800" anchor="b" vert="vert270"/>`: {Left: 1, Top: 2, Right: 3, Bottom: 4, Anchor: "b", Vertical: "vert270"},
		`<a:tcPr marL="0" marB="0"/>`: {Left: 0, Top: 3.6, Right: 7.2, Bottom: 0, Anchor: "t", Vertical: "horz"},
	} {
		got := cellOf(t, deck{}, "", "", tcPr).Text
		if got.Left != want.Left || got.Top != want.Top || got.Right != want.Right || got.Bottom != want.Bottom || got.Anchor != want.Anchor || got.Vertical != want.Vertical || !got.InCell || got.Columns != 1 {
			t.Errorf("%s: got %+v, want %+v", tcPr, got, want)
		}
	}
}

func TestTextOfCellsTakesItsStyleFromTheNearest(t *testing.T) {
	t.Parallel()
	k := deck{main: `<p:defaultTextStyle>` + level(20) + `</p:defaultTextStyle>`, master: page("sldMaster", "", "", "", `<p:txStyles><p:otherStyle>`+level(23)+`</p:otherStyle></p:txStyles>`)}
	if got := cellOf(t, k, "", "", "").Text.Paragraphs[0].Runs[0].Size; got != 20 {
		t.Errorf("got the size %v, want 20 of the defaults", got)
	}
	k.slide = sld(table("", []int{10}, tr(10, `<a:tc><a:txBody><a:lstStyle>`+level(30)+`</a:lstStyle><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc>`)))
	if got := k.first(t).Table.Rows[0].Cells[0].Text.Paragraphs[0].Runs[0].Size; got != 30 {
		t.Errorf("with a list of its own: got the size %v, want 30", got)
	}
}

func TestCellsHaveFillsAndBordersOfTheirOwn(t *testing.T) {
	t.Parallel()
	border := func(side, color string) string {
		return `<a:` + side + ` w="12700">` + solid(color) + `</a:` + side + `>`
	}
	got := cellOf(t, deck{}, "", "", `<a:tcPr>`+border("lnL", "FF0000")+border("lnR", "00FF00")+border("lnT", "0000FF")+border("lnB", "FFFFFF")+solid("00FF00")+`</a:tcPr>`)
	wantColor(t, "fill", got.Fill, green)
	for side, c := range map[string]struct {
		line *dml.ShapeLine
		want dml.RGB
	}{"left": {got.Left, red}, "right": {got.Right, green}, "top": {got.Top, blue}, "bottom": {got.Bottom, white}} {
		if c.line == nil || c.line.Color != c.want || c.line.Width != 1 {
			t.Errorf("%s: got %+v, want %v of a point", side, c.line, c.want)
		}
	}
	if got := cellOf(t, deck{}, "", "", ""); got.Fill != nil || got.Left != nil || got.Right != nil || got.Top != nil || got.Bottom != nil {
		t.Errorf("of no style: got %+v, want neither fill nor borders", got)
	}
}

func TestCellsSwitchTheStyleOfTheTableOff(t *testing.T) {
	t.Parallel()
	k := deck{tableStyles: `<a:tblStyle styleId="{1}"><a:wholeTbl><a:tcStyle><a:tcBdr><a:left><a:ln>` + solid("FF0000") + `</a:ln></a:left></a:tcBdr><a:fill>` + solid("FF0000") + `</a:fill></a:tcStyle></a:wholeTbl></a:tblStyle>`}
	const tblPr = `<a:tblPr><a:tableStyleId>{1}</a:tableStyleId></a:tblPr>`
	got := cellOf(t, k, tblPr, "", `<a:tcPr/>`)
	wantColor(t, "of the style", got.Fill, red)
	if got.Left == nil || got.Left.Color != red {
		t.Errorf("of the style: got the border %+v, want a red one", got.Left)
	}
	got = cellOf(t, k, tblPr, "", `<a:tcPr><a:lnL><a:noFill/></a:lnL><a:noFill/></a:tcPr>`)
	wantNoFill(t, "switched off", got.Fill)
	if got.Left != nil {
		t.Errorf("switched off: got the border %+v, want none", got.Left)
	}
}
