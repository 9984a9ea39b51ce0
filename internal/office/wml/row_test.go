package wml

import (
	"strings"
	"testing"
)

// ECMA-376 part 1, 17.13.5.12: what is left when the change is accepted is the
// table that is shown.
func TestADeletedRowCountsForNothing(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="table" w:styleId="T"><w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr></w:tblStylePr>` +
		`<w:tblStylePr w:type="lastRow"><w:rPr><w:i/></w:rPr></w:tblStylePr><w:tblStylePr w:type="band2Horz"><w:rPr><w:caps/></w:rPr></w:tblStylePr></w:style>`
	row := func(trPr, name string) string {
		return `<w:tr><w:trPr>` + trPr + `</w:trPr><w:tc><w:p>` + text(name) + `</w:p></w:tc></w:tr>`
	}
	const deleted = `<w:del/>`
	d := docx{styles: styles, body: `<w:tbl><w:tblPr><w:tblStyle w:val="T"/><w:tblLook w:val="0060"/></w:tblPr>` +
		row(deleted, "x") + row(``, "head") + row(``, "odd") + row(deleted, "x") + row(``, "even") + row(``, "last") + row(deleted, "x") + `</w:tbl>`}.read(t)
	var got []string
	for _, row := range firstTable(t, d).Rows {
		r := paragraphsOf(row.Cells[0].Blocks)[0].Runs[0]
		style := ""
		for _, on := range []struct {
			is   bool
			name string
		}{{r.Bold, " bold"}, {r.Italic, " italic"}, {r.Caps, " caps"}} {
			if on.is {
				style += on.name
			}
		}
		got = append(got, r.Items[0].Text+style)
	}
	equal(t, "rows", got, []string{"head bold", "odd", "even caps", "last italic"})
}

func TestEachPropertyOfARowIsReadAndChangesNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		trPr string
		want Row
	}{
		{``, Row{}},
		{`<w:trHeight w:val="400"/>`, Row{Height: 20}},
		{`<w:trHeight w:val="400" w:hRule="atLeast"/>`, Row{Height: 20}},
		{`<w:trHeight w:val="400" w:hRule="exact"/>`, Row{Height: 20, HasExactHeight: true}},
		{`<w:trHeight w:val="0" w:hRule="exact"/>`, Row{}},
		{`<w:trHeight w:hRule="exact"/>`, Row{}},
		{`<w:tblHeader/>`, Row{IsHeader: true}},
		{`<w:tblHeader w:val="0"/>`, Row{}},
		{`<w:cantSplit/>`, Row{CantSplit: true}},
		{`<w:cantSplit w:val="false"/>`, Row{}},
		{`<w:gridBefore w:val="2"/>`, Row{GridBefore: 2}},
		{`<w:gridBefore w:val="-2"/>`, Row{}},
		{`<w:gridBefore w:val="201"/>`, Row{GridBefore: 200}},
		{`<w:gridAfter w:val="3"/>`, Row{GridAfter: 3}},
		{`<w:ins/><w:jc w:val="center"/>`, Row{}},
	} {
		row := *firstTable(t, docx{body: `<w:tbl><w:tr><w:trPr>` + c.trPr + `</w:trPr><w:tc><w:p/></w:tc></w:tr></w:tbl>`}.read(t)).Rows[0]
		if got := row.Cells[0].Column; got != c.want.GridBefore {
			t.Errorf("%s: the first cell begins at column %d, want %d", c.trPr, got, c.want.GridBefore)
		}
		row.Cells = nil
		equal(t, c.trPr, row, c.want)
	}
}

// ECMA-376 part 1, 17.4.61: exceptions of a row from its table.
func TestARowMayHaveOtherBordersAndMarginsThanItsTable(t *testing.T) {
	t.Parallel()
	const cell = `<w:tc><w:p/></w:tc>`
	rows := firstTable(t, docx{body: `<w:tbl><w:tblPr><w:tblBorders><w:left w:val="single" w:sz="8"/><w:insideH w:val="single" w:sz="8"/></w:tblBorders><w:tblCellMar><w:left w:w="40"/><w:right w:w="60"/></w:tblCellMar></w:tblPr>` +
		`<w:tr><w:tblPrEx><w:tblBorders><w:left w:val="double" w:sz="8"/></w:tblBorders><w:tblCellMar><w:left w:w="200"/></w:tblCellMar></w:tblPrEx>` + cell + `</w:tr><w:tr>` + cell + `</w:tr></w:tbl>`}.read(t)).Rows
	single, double := &Border{Style: "single", Width: 1}, &Border{Style: "double", Width: 1}
	equal(t, "borders of the first row", rows[0].Cells[0].Borders, CellBorders{Left: double, Bottom: single})
	equal(t, "margins of the first row", rows[0].Cells[0].Margins, Margins{Left: 10, Right: 3})
	equal(t, "borders of the second row", rows[1].Cells[0].Borders, CellBorders{Left: single, Top: single})
	equal(t, "margins of the second row", rows[1].Cells[0].Margins, Margins{Left: 2, Right: 3})
}

func TestARowHasTwoHundredCellsAtMost(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{200: 200, 201: 200} {
		d := docx{body: `<w:tbl><w:tr>` + strings.Repeat(`<w:tc><w:p/></w:tc>`, n) + `</w:tr></w:tbl>`}.read(t)
		if got := len(firstTable(t, d).Rows[0].Cells); got != want || d.IsTruncated != (n > want) {
			t.Errorf("%d cells: got %d, told as left out: %t; want %d", n, got, d.IsTruncated, want)
		}
	}
}

// ECMA-376 part 1, 17.7.6: what a table style asks of the rows of a region.
func TestARowHasThePropertiesThatItsTableStyleGivesToItsRegion(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="table" w:styleId="T"><w:tblStylePr w:type="firstRow"><w:trPr><w:cantSplit/><w:tblHeader/></w:trPr></w:tblStylePr>` +
		`<w:tblStylePr w:type="lastRow"><w:trPr><w:trHeight w:val="400"/></w:trPr></w:tblStylePr></w:style>`
	const row = `<w:tr><w:trPr>%</w:trPr><w:tc><w:p/></w:tc></w:tr>`
	for look, want := range map[string][]Row{
		"0060": {{IsHeader: true}, {}, {Height: 20}},
		"0000": {{CantSplit: false}, {}, {}},
	} {
		d := docx{styles: styles, body: `<w:tbl><w:tblPr><w:tblStyle w:val="T"/><w:tblLook w:val="` + look + `"/></w:tblPr>` +
			strings.ReplaceAll(row, "%", `<w:cantSplit w:val="0"/>`) + strings.ReplaceAll(row, "%", "") + strings.ReplaceAll(row, "%", "") + `</w:tbl>`}.read(t)
		var got []Row
		for _, r := range firstTable(t, d).Rows {
			got = append(got, Row{IsHeader: r.IsHeader, CantSplit: r.CantSplit, Height: r.Height})
		}
		equal(t, "look "+look, got, want)
	}
}
