package wml

import (
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
