package slides

import (
	"strconv"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/pml"
)

func table(e *etree.Element, resolved *pml.Shape, v *variants) *gslides.Table {
	rows := cellsOf(e)
	out := &gslides.Table{Rows: int64(len(rows))}
	bodies := map[*etree.Element]*dml.TextBody{}
	var heights []float64
	if resolved != nil && resolved.Table != nil {
		for _, width := range resolved.Table.Columns {
			out.TableColumns = append(out.TableColumns, &gslides.TableColumnProperties{ColumnWidth: emu(width)})
		}
		for _, r := range resolved.Table.Rows {
			heights = append(heights, r.Height)
			for _, c := range r.Cells {
				bodies[c.Elem] = c.Text
			}
		}
	}
	for i, cells := range rows {
		row := &gslides.TableRow{}
		if i < len(heights) {
			row.RowHeight = emu(heights[i])
		}
		for j, tc := range cells {
			// Cells that another one covers are left out, as Google does.
			if isOn(tc, "hMerge") || isOn(tc, "vMerge") {
				continue
			}
			row.TableCells = append(row.TableCells, &gslides.TableCell{
				Location: &gslides.TableCellLocation{RowIndex: int64(i), ColumnIndex: int64(j)},
				RowSpan:  count(tc, "rowSpan"), ColumnSpan: count(tc, "gridSpan"),
				Text: text(child(tc, "txBody"), bodies[tc], v),
			})
		}
		out.Columns = max(out.Columns, int64(len(cells)))
		out.TableRows = append(out.TableRows, row)
	}
	return out
}

func isOn(e *etree.Element, key string) bool {
	v := e.SelectAttrValue(key, "")
	return v == "1" || v == "true"
}

func count(e *etree.Element, key string) int64 {
	n, err := strconv.ParseInt(e.SelectAttrValue(key, "1"), 10, 32)
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// placeholder shows the place of a layout that an object fills.
func placeholder(e *etree.Element) *gslides.Placeholder {
	ph := placeholderOf(e)
	if ph == nil {
		return nil
	}
	out := &gslides.Placeholder{Type: placeholderType(ph.SelectAttrValue("type", "obj"))}
	if n, err := strconv.ParseInt(ph.SelectAttrValue("idx", ""), 10, 32); err == nil {
		out.Index = n
	}
	return out
}

// placeholderType maps ST_PlaceholderType (ECMA-376 part 1, 19.7.10).
func placeholderType(t string) string {
	switch t {
	case "title":
		return "TITLE"
	case "ctrTitle":
		return "CENTERED_TITLE"
	case "subTitle":
		return "SUBTITLE"
	case "body":
		return "BODY"
	case "dt":
		return "DATE_AND_TIME"
	case "sldNum":
		return "SLIDE_NUMBER"
	case "ftr":
		return "FOOTER"
	case "hdr":
		return "HEADER"
	case "chart":
		return "CHART"
	case "tbl":
		return "TABLE"
	case "clipArt":
		return "CLIP_ART"
	case "dgm":
		return "DIAGRAM"
	case "media":
		return "MEDIA"
	case "sldImg":
		return "SLIDE_IMAGE"
	case "pic":
		return "PICTURE"
	}
	return "OBJECT"
}
