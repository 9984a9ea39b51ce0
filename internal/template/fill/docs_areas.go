package fill

import (
	"slices"

	"google.golang.org/api/docs/v1"
)

// An area is a cell of a copied table, of one place or merged over several.
type area struct {
	row           int
	column        int64
	rows, columns int64
	style         *docs.TableCellStyle // nil: that of a new table
	key           string
}

func (a *area) merged() bool { return a.rows > 1 || a.columns > 1 }

// sameStyle tells of cells that a request may style together.
func (a *area) sameStyle(b *area) bool {
	if a.merged() || b.merged() {
		return a == b
	}
	return (a.style == nil) == (b.style == nil) && a.key == b.key
}

// areas are the cells of a copy by their places. Neighbours share their lines, as
// requests set those of both.
func (t *filledTable) areas() [][]*area {
	columns := t.columns()
	all := make([][]*area, len(t.rows))
	for i, r := range t.rows {
		all[i] = make([]*area, columns)
		for _, c := range r.of.cells {
			switch {
			case all[i][c.column] != nil: // a merged one covers it
			case c.above && i > 0:
				above := all[i-1][c.column]
				for j := above.column; j < above.column+above.columns; j++ {
					all[i][j] = above
				}
			default:
				a := &area{row: i, column: c.column, rows: c.rows, columns: c.span, style: withoutSpans(c.style)}
				for j := c.column; j < c.column+c.span; j++ {
					all[i][j] = a
				}
			}
		}
		for j := range all[i] {
			if all[i][j] == nil {
				all[i][j] = &area{row: i, column: int64(j), rows: 1, columns: 1}
			}
		}
	}
	shareLines(all)
	for _, cells := range all {
		for _, a := range cells {
			if a.style != nil {
				a.key = newStyle(a.style).key
			}
		}
	}
	return all
}

// shareLines gives neighbours the wider of the lines that they have for the same edge. A
// merged cell has the line of its first place.
func shareLines(all [][]*area) {
	share := func(a, b *area, of func(*docs.TableCellStyle) **docs.TableCellBorder, opposite func(*docs.TableCellStyle) **docs.TableCellBorder) {
		if a == b || a.style == nil || b.style == nil {
			return
		}
		mine, theirs := of(a.style), opposite(b.style)
		if *mine == nil || *theirs != nil && widthOf(*theirs) > widthOf(*mine) {
			*mine = *theirs
		}
		*theirs = *mine
	}
	for i, cells := range all {
		for j, a := range cells {
			if j+1 < len(cells) {
				share(a, cells[j+1], func(s *docs.TableCellStyle) **docs.TableCellBorder { return &s.BorderRight }, func(s *docs.TableCellStyle) **docs.TableCellBorder { return &s.BorderLeft })
			}
			if i+1 < len(all) {
				share(a, all[i+1][j], func(s *docs.TableCellStyle) **docs.TableCellBorder { return &s.BorderBottom }, func(s *docs.TableCellStyle) **docs.TableCellBorder { return &s.BorderTop })
			}
		}
	}
}

func widthOf(b *docs.TableCellBorder) float64 { return points(b.Width) }

// withoutSpans is a style as a request may give it: how far a cell is merged is none.
func withoutSpans(s *docs.TableCellStyle) *docs.TableCellStyle {
	if s == nil {
		return nil
	}
	own := *s
	own.RowSpan, own.ColumnSpan = 0, 0
	own.ForceSendFields = slices.DeleteFunc(slices.Clone(s.ForceSendFields), func(name string) bool { return name == "RowSpan" || name == "ColumnSpan" })
	return &own
}
