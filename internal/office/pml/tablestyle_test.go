package pml

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

// everyPart is a style that has all parts.
var everyPart = func() string {
	out := ""
	for _, tag := range []string{"wholeTbl", "band1H", "band2H", "band1V", "band2V", "lastCol", "firstCol", "lastRow", "seCell", "swCell", "firstRow", "neCell", "nwCell"} {
		out += `<a:` + tag + `/>`
	}
	return `<a:tblStyle>` + out + `</a:tblStyle>`
}()

// ECMA-376 part 1, 21.1.3.15: a table says which parts of its style it uses. The
// corners stand above the rows, these above the columns, and all above the bands,
// which count from behind the first row or column.
func TestPartsOfAStyleThatApplyToACell(t *testing.T) {
	t.Parallel()
	all := tableFlags{true, true, true, true, true, true}
	for _, c := range []struct {
		name     string
		flags    tableFlags
		row, col int // of four and four
		want     string
	}{
		{"nothing is used", tableFlags{}, 0, 0, "wholeTbl"},
		{"upper left corner", all, 0, 0, "nwCell firstRow firstCol wholeTbl"},
		{"upper right corner", all, 0, 3, "neCell firstRow lastCol wholeTbl"},
		{"lower left corner", all, 3, 0, "swCell lastRow firstCol wholeTbl"},
		{"lower right corner", all, 3, 3, "seCell lastRow lastCol wholeTbl"},
		{"first row", all, 0, 1, "firstRow band1V wholeTbl"},
		{"last row", all, 3, 2, "lastRow band2V wholeTbl"},
		{"first column", all, 1, 0, "firstCol band1H wholeTbl"},
		{"last column", all, 2, 3, "lastCol band2H wholeTbl"},
		{"inside", all, 1, 1, "band1H band1V wholeTbl"},
		{"further inside", all, 2, 2, "band2H band2V wholeTbl"},
		{"no corner of one side alone", tableFlags{hasFirstRow: true}, 0, 0, "firstRow wholeTbl"},
		{"no corner of the other side alone", tableFlags{hasLastCol: true}, 3, 3, "lastCol wholeTbl"},
		{"first of the bands of rows", tableFlags{hasBandRows: true}, 0, 0, "band1H wholeTbl"},
		{"second of the bands of rows", tableFlags{hasBandRows: true}, 1, 0, "band2H wholeTbl"},
		{"third of the bands of rows", tableFlags{hasBandRows: true}, 2, 0, "band1H wholeTbl"},
		{"first band behind a first row", tableFlags{hasFirstRow: true, hasBandRows: true}, 1, 0, "band1H wholeTbl"},
		{"second band behind a first row", tableFlags{hasFirstRow: true, hasBandRows: true}, 2, 0, "band2H wholeTbl"},
		{"no band in a last row", tableFlags{hasLastRow: true, hasBandRows: true}, 3, 0, "lastRow wholeTbl"},
		{"no first row inside", tableFlags{hasFirstRow: true, hasLastRow: true}, 1, 0, "wholeTbl"},
		{"first of the bands of columns", tableFlags{hasBandCols: true}, 0, 0, "band1V wholeTbl"},
		{"second of the bands of columns", tableFlags{hasBandCols: true}, 0, 1, "band2V wholeTbl"},
		{"first band behind a first column", tableFlags{hasFirstCol: true, hasBandCols: true}, 0, 1, "band1V wholeTbl"},
		{"no band in a last column", tableFlags{hasLastCol: true, hasBandCols: true}, 0, 3, "lastCol wholeTbl"},
	} {
		var got []string
		for _, e := range (&tableStyle{e: parse(t, everyPart)}).parts(c.flags, c.row, c.col, 4, 4) {
			got = append(got, e.Tag)
		}
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
		}
	}
	if got := (&tableStyle{e: parse(t, `<a:tblStyle><a:firstRow/></a:tblStyle>`)}).parts(all, 1, 1, 4, 4); len(got) != 0 {
		t.Errorf("a style without the parts: got %d, want none", len(got))
	}
	if got := (&tableStyle{}).parts(all, 0, 0, 4, 4); got != nil {
		t.Errorf("no style: got %d parts, want none", len(got))
	}
}

// styledTable reads a table of three columns and rows in style {1} with this content.
func styledTable(t *testing.T, k deck, flags, style string) *SlideTable {
	t.Helper()
	k.tableStyles = `<a:tblStyle styleId="{0}"/><a:tblStyle styleId="{1}">` + style + `</a:tblStyle>`
	row := tr(10, tc("", ""), tc("", ""), tc("", ""))
	k.slide = sld(table(`<a:tblPr `+flags+`><a:tableStyleId>{1}</a:tableStyleId></a:tblPr>`, []int{10, 10, 10}, row, row, row))
	return k.first(t).Table
}

func TestTablesUseTheirFlags(t *testing.T) {
	t.Parallel()
	style := ""
	colors := map[string]string{"wholeTbl": "FFFFFF", "band1H": "000001", "band2H": "000002", "band1V": "000003", "band2V": "000004", "firstRow": "000005", "lastRow": "000006", "firstCol": "000007", "lastCol": "000008"}
	for tag, color := range colors {
		style += `<a:` + tag + `><a:tcStyle><a:fill>` + solid(color) + `</a:fill></a:tcStyle></a:` + tag + `>`
	}
	const o = 255 // the whole table
	for flags, want := range map[string][3][3]uint8{
		``:                                     {{o, o, o}, {o, o, o}, {o, o, o}},
		`firstRow="1"`:                         {{5, 5, 5}, {o, o, o}, {o, o, o}},
		`lastRow="1"`:                          {{o, o, o}, {o, o, o}, {6, 6, 6}},
		`firstCol="1"`:                         {{7, o, o}, {7, o, o}, {7, o, o}},
		`lastCol="1"`:                          {{o, o, 8}, {o, o, 8}, {o, o, 8}},
		`bandRow="1"`:                          {{1, 1, 1}, {2, 2, 2}, {1, 1, 1}},
		`bandCol="1"`:                          {{3, 4, 3}, {3, 4, 3}, {3, 4, 3}},
		`firstRow="1" bandRow="1" lastCol="1"`: {{5, 5, 5}, {1, 1, 8}, {2, 2, 8}},
		`firstRow="0" bandRow="0"`:             {{o, o, o}, {o, o, o}, {o, o, o}},
	} {
		got := styledTable(t, deck{}, flags, style)
		for i, row := range got.Rows {
			for j, cell := range row.Cells {
				color := dml.RGB{B: want[i][j]}
				if want[i][j] == o {
					color = white
				}
				wantColor(t, fmt.Sprintf("%s, row %d, column %d", flags, i, j), cell.Fill, color)
			}
		}
	}
}

func TestFillsOfAStyleMayBeThoseOfTheTheme(t *testing.T) {
	t.Parallel()
	const ref = `<a:wholeTbl><a:tcStyle>%s</a:tcStyle></a:wholeTbl>`
	k := deck{theme: themedStyles}
	wantColor(t, "by reference", styledTable(t, k, "", fmt.Sprintf(ref, `<a:fillRef idx="1"><a:srgbClr val="FF0000"/></a:fillRef>`)).Rows[0].Cells[0].Fill, red)
	for _, style := range []string{fmt.Sprintf(ref, `<a:fillRef idx="0"/>`), fmt.Sprintf(ref, `<a:fill/>`), fmt.Sprintf(ref, ""), ""} {
		if got := styledTable(t, k, "", style).Rows[0].Cells[0].Fill; got != nil {
			t.Errorf("%s: got %+v, want none", style, got)
		}
	}
	banded := `<a:band1H><a:tcStyle/></a:band1H>` + fmt.Sprintf(ref, `<a:fill>`+solid("00FF00")+`</a:fill>`)
	wantColor(t, "of a weaker part", styledTable(t, k, `bandRow="1"`, banded).Rows[0].Cells[0].Fill, green)
}

// borders is a part of a style with a line of each width in points at the sides.
func borders(part string, widths map[string]int) string {
	out := ""
	for side, w := range widths {
		out += fmt.Sprintf(`<a:%s><a:ln w="%d">%s</a:ln></a:%s>`, side, w*dml.EMUPerPoint, solid("000000"), side)
	}
	return `<a:` + part + `><a:tcStyle><a:tcBdr>` + out + `</a:tcBdr></a:tcStyle></a:` + part + `>`
}

func TestBordersOfATableAreAroundAndInside(t *testing.T) {
	t.Parallel()
	width := func(l *dml.ShapeLine) float64 {
		if l == nil {
			return 0
		}
		return l.Width
	}
	got := styledTable(t, deck{}, `firstRow="1"`, borders("wholeTbl", map[string]int{"left": 1, "right": 2, "top": 3, "bottom": 4, "insideH": 5, "insideV": 6})+borders("firstRow", map[string]int{"bottom": 9}))
	for i, row := range [3][3][4]float64{ // left, right, top, bottom
		{{1, 6, 3, 9}, {6, 6, 3, 9}, {6, 2, 3, 9}}, // the first row has a lower border of its own
		{{1, 6, 5, 5}, {6, 6, 5, 5}, {6, 2, 5, 5}},
		{{1, 6, 5, 4}, {6, 6, 5, 4}, {6, 2, 5, 4}},
	} {
		for j, want := range row {
			c := got.Rows[i].Cells[j]
			if got := [4]float64{width(c.Left), width(c.Right), width(c.Top), width(c.Bottom)}; got != want {
				t.Errorf("row %d, column %d: got %v, want %v", i, j, got, want)
			}
		}
	}
}

func TestBordersOfAStyleMayBeLinesOfTheTheme(t *testing.T) {
	t.Parallel()
	const whole = `<a:wholeTbl><a:tcStyle><a:tcBdr><a:left>%s</a:left></a:tcBdr></a:tcStyle></a:wholeTbl>`
	k := deck{theme: themedStyles}
	if got := styledTable(t, k, "", fmt.Sprintf(whole, `<a:lnRef idx="1"><a:srgbClr val="0000FF"/></a:lnRef>`)).Rows[0].Cells[0].Left; got == nil || got.Width != 3 || got.Color != blue {
		t.Errorf("got %+v, want a blue line of 3 points", got)
	}
	for _, side := range []string{``, `<a:lnRef idx="0"/>`, `<a:ln><a:noFill/></a:ln>`} {
		if got := styledTable(t, k, "", fmt.Sprintf(whole, side)).Rows[0].Cells[0].Left; got != nil {
			t.Errorf("%q: got %+v, want none", side, got)
		}
	}
}

func TestAStyleSaysHowTextLooks(t *testing.T) {
	t.Parallel()
	const style = `<a:wholeTbl><a:tcTxStyle b="on" i="on"><a:srgbClr val="FF0000"/></a:tcTxStyle></a:wholeTbl><a:firstRow><a:tcTxStyle i="off"><a:srgbClr val="0000FF"/></a:tcTxStyle></a:firstRow><a:lastRow><a:tcTxStyle b="def"/></a:lastRow><a:firstCol/>`
	got := styledTable(t, deck{}, `firstRow="1" lastRow="1" firstCol="1"`, style)
	for i, want := range []struct {
		bold, italic bool
		color        dml.RGB
	}{{true, false, blue}, {true, true, red}, {true, true, red}} { // the stronger part says less, and wins where it does
		if r := got.Rows[i].Cells[0].Text.Paragraphs[0].Runs[0]; r.Bold != want.bold || r.Italic != want.italic || r.Color != want.color {
			t.Errorf("row %d: got bold %v, italic %v, %v; want %+v", i, r.Bold, r.Italic, r.Color, want)
		}
	}
}

func TestStylesAreFoundByTheirID(t *testing.T) {
	t.Parallel()
	fill := func(color string) string {
		return `<a:wholeTbl><a:tcStyle><a:fill>` + solid(color) + `</a:fill></a:tcStyle></a:wholeTbl>`
	}
	const medium2 = "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"
	k := deck{tableStyles: `<a:tblStyle styleId="{abc}">` + fill("FF0000") + `</a:tblStyle><a:tblStyle styleId="` + medium2 + `">` + fill("00FF00") + `</a:tblStyle>`}
	id := func(s string) string { return `<a:tblPr><a:tableStyleId>` + s + `</a:tableStyleId></a:tblPr>` }
	wantColor(t, "in other letters", cellOf(t, k, id("{ABC}"), "", "").Fill, red)
	wantColor(t, "in the file before the built-in one", cellOf(t, k, id(medium2), "", "").Fill, green)
	for _, tblPr := range []string{"", `<a:tblPr/>`, id(""), id("{unknown}")} {
		if got := cellOf(t, k, tblPr, "", "").Fill; got != nil {
			t.Errorf("%q: got %+v, want none", tblPr, got)
		}
	}
	k.parts = map[string]string{"ppt/_rels/presentation.xml.rels": relations(relation("s1", "slide", "/"+slidePart) + relation("gone", "tableStyles", "/ppt/gone.xml"))}
	if got := cellOf(t, k, id("{abc}"), "", "").Fill; got != nil {
		t.Errorf("without the part of styles: got %+v, want none", got)
	}
	wantColor(t, "built in", cellOf(t, k, id(strings.ToLower(medium2)), "", "").Fill, dml.RGB{R: 0xE9, G: 0xED, B: 0xF4}) // as PowerPoint draws it
}

// "Medium Style 2" in the accents of the theme, by the ids that PowerPoint gives it.
func TestBuiltInStylesAreDrawnInTheirAccents(t *testing.T) {
	t.Parallel()
	for id, name := range map[string]string{
		"{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}": "accent1", "{21E4AEA4-8DFA-4A89-87EB-49C32662AFE0}": "accent2", "{F5AB1C69-6EDB-4FF4-983F-18BD219EF322}": "accent3",
		"{00A15C55-8517-42AA-B614-E9B94910E393}": "accent4", "{7DF18680-E054-41AD-8BC1-D1AEF772440D}": "accent5", "{93296810-A885-4BE3-A3E7-6D5BEEA58F35}": "accent6", "{073A0DAA-6AF3-43AB-8588-CEC1D06C72B9}": "dk1",
	} {
		accent, _ := (&dml.Theme{}).Color(name)
		row := tr(10, tc("", ""), tc("", ""), tc("", ""))
		k := deck{slide: sld(table(`<a:tblPr firstRow="1" lastRow="1" firstCol="1" lastCol="1" bandRow="1"><a:tableStyleId>`+id+`</a:tableStyleId></a:tblPr>`, []int{10, 10, 10}, row, row, row, row))}
		rows := k.first(t).Table.Rows
		for what, c := range map[string]*SlideCell{"first row": rows[0].Cells[1], "last row": rows[3].Cells[1], "first column": rows[1].Cells[0], "last column": rows[1].Cells[2]} {
			wantColor(t, name+", "+what, c.Fill, accent)
			if r := c.Text.Paragraphs[0].Runs[0]; !r.Bold || r.Color != white {
				t.Errorf("%s, %s: got bold %v, %v; want white bold text", name, what, r.Bold, r.Color)
			}
		}
		tinted := func(share string) dml.RGB {
			return dml.ApplyColorModifiers(accent, parse(t, `<a:schemeClr><a:tint val="`+share+`"/></a:schemeClr>`))
		}
		wantColor(t, name+", first band", rows[1].Cells[1].Fill, tinted("40000"))
		wantColor(t, name+", second band", rows[2].Cells[1].Fill, tinted("20000"))
		inside := rows[1].Cells[1]
		if r := inside.Text.Paragraphs[0].Runs[0]; r.Bold || r.Color != (dml.RGB{}) {
			t.Errorf("%s, inside: got bold %v, %v; want plain black text", name, r.Bold, r.Color)
		}
		for side, got := range map[string]*dml.ShapeLine{"left": inside.Left, "right": inside.Right, "bottom": inside.Bottom, "outer left": rows[1].Cells[0].Left, "outer right": rows[1].Cells[2].Right, "outer top": rows[0].Cells[1].Top, "outer bottom": rows[3].Cells[1].Bottom} {
			if got == nil || got.Width != 1 || got.Color != white {
				t.Errorf("%s, %s: got %+v, want a white line of a point", name, side, got)
			}
		}
		for what, got := range map[string]*dml.ShapeLine{"below the first row": rows[0].Cells[1].Bottom, "above the last row": rows[3].Cells[1].Top} {
			if got == nil || got.Width != 3 || got.Color != white {
				t.Errorf("%s, %s: got %+v, want a white line of three points", name, what, got)
			}
		}
	}
}

func TestTheBuiltInGridIsOfBlackLines(t *testing.T) {
	t.Parallel()
	got := cellOf(t, deck{}, `<a:tblPr><a:tableStyleId>{5940675a-b579-460e-94d1-54222c63f5da}</a:tableStyleId></a:tblPr>`, "", "")
	if got.Fill != nil {
		t.Errorf("got the fill %+v, want none", got.Fill)
	}
	for side, l := range map[string]*dml.ShapeLine{"left": got.Left, "right": got.Right, "top": got.Top, "bottom": got.Bottom} {
		if l == nil || l.Width != 1 || l.Color != (dml.RGB{}) {
			t.Errorf("%s: got %+v, want a black line of a point", side, l)
		}
	}
}

// ECMA-376 part 1, 20.1.4.2.30: a style names the font of its text, by the theme or by itself;
// all styles of PowerPoint name the theme's font for text.
func TestTextOfATableHasTheFontOfItsStyle(t *testing.T) {
	t.Parallel()
	k := deck{
		theme: `<a:fontScheme name="x"><a:majorFont><a:latin typeface="Major"/></a:majorFont><a:minorFont><a:latin typeface="Minor"/></a:minorFont></a:fontScheme>`,
		main:  `<p:defaultTextStyle><a:lvl1pPr><a:defRPr><a:latin typeface="Default"/></a:defRPr></a:lvl1pPr></p:defaultTextStyle>`,
	}
	styled := func(part, content string) string {
		return `<a:` + part + `><a:tcTxStyle>` + content + `</a:tcTxStyle></a:` + part + `>`
	}
	fontOf := func(table *SlideTable) string { return table.Rows[0].Cells[0].Text.Paragraphs[0].Runs[0].Font }
	for _, c := range []struct{ what, flags, style, want string }{
		{"no font", "", styled("wholeTbl", ""), "Default"},
		{"for text", "", styled("wholeTbl", `<a:fontRef idx="minor"/>`), "Minor"},
		{"for headings", "", styled("wholeTbl", `<a:fontRef idx="major"><a:prstClr val="black"/></a:fontRef>`), "Major"},
		{"none", "", styled("wholeTbl", `<a:fontRef idx="none"/>`), "Default"},
		{"its own", "", styled("wholeTbl", `<a:font><a:latin typeface="Own"/></a:font>`), "Own"},
		{"of a stronger part", `firstRow="1"`, styled("wholeTbl", `<a:fontRef idx="minor"/>`) + styled("firstRow", `<a:fontRef idx="major"/>`), "Major"},
	} {
		if got := fontOf(styledTable(t, k, c.flags, c.style)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
	for id, want := range map[string]string{
		"": "Default", "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}": "Minor", "{5940675A-B579-460E-94D1-54222C63F5DA}": "Minor",
		"{2D5ABB26-0587-4C30-8999-92F81FD0307C}": "Minor", "{69012ECD-51FC-41F1-AA8D-1B2483CD663E}": "Minor",
	} {
		k.slide = sld(table(`<a:tblPr><a:tableStyleId>`+id+`</a:tableStyleId></a:tblPr>`, []int{10}, tr(10, tc("", ""))))
		if got := fontOf(k.first(t).Table); got != want {
			t.Errorf("style %q: got %q, want %q", id, got, want)
		}
	}
}
