package table

import (
	"encoding/xml"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var reference = regexp.MustCompile(`^\$?([A-Z]{1,3})\$?([0-9]{1,7})$`)

// place is a cell's column and row, from 0 and from 1 on.
func place(ref string) (column, row int, ok bool) {
	m := reference.FindStringSubmatch(ref)
	if m == nil {
		return 0, 0, false
	}
	for _, letter := range m[1] {
		column = column*26 + int(letter-'A') + 1
	}
	row, _ = strconv.Atoi(m[2])
	return column - 1, row, true
}

// survey reads what a sheet says of its rows behind them: what is merged, and how many it
// does not show.
func (w *workbook) survey(part string) (hidden int, err error) {
	ok, err := w.part(part, func(in *xmlReader) error {
		return elements(in, func(e xml.StartElement) error {
			switch e.Name.Local {
			case "row":
				if isTrue(attribute(e, "hidden")) {
					hidden++
				}
			case "mergeCell":
				from, to, _ := strings.Cut(attribute(e, "ref"), ":")
				column, row, isFrom := place(from)
				_, lastRow, isTo := place(to)
				if isFrom && isTo && lastRow > row {
					if len(w.merged) == maxMerges {
						return wrong("the sheet has more than %d cells that go over several rows", maxMerges)
					}
					w.merged = append(w.merged, merge{row, lastRow, column, nil})
				}
			}
			return nil
		})
	})
	if err == nil && !ok {
		err = errCut
	}
	slices.SortFunc(w.merged, func(a, b merge) int { return a.firstRow - b.firstRow })
	return hidden, err
}

// records are the rows of a sheet.
func (w *workbook) records(part string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		isEnough, errEnough := false, errors.New("no more is wanted")
		w.ahead, w.showing = w.merged, nil
		row := 0
		_, err := w.part(part, func(in *xmlReader) error {
			return elements(in, func(e xml.StartElement) error {
				if e.Name.Local != "row" {
					return nil
				}
				row++
				if n, err := strconv.Atoi(attribute(e, "r")); err == nil {
					if n < row {
						return errCut
					}
					row = n
				}
				if row > maxRows {
					return wrong("the sheet has more than %d rows", maxRows)
				}
				r, err := w.record(in, row)
				if known, ok := errors.AsType[*FormatError](err); err != nil && !ok {
					return err
				} else if ok {
					err = known
				}
				if isEnough = !yield(r, err); isEnough {
					return errEnough
				}
				return nil
			})
		})
		if err != nil && !isEnough {
			yield(record{}, err)
		}
	}
}

// record reads a row that has begun, to its end. An error of a cell is one of the row.
func (w *workbook) record(in *xmlReader, number int) (record, error) {
	r, column := record{number: number}, -1
	var fault error
	for {
		token, err := in.Token()
		if err != nil {
			return r, err
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == "row" {
				w.fillMerged(&r)
				return r, fault
			}
		case xml.StartElement:
			if t.Name.Local != "c" {
				continue
			}
			column++
			if at, _, ok := place(attribute(t, "r")); ok {
				column = at
			}
			v, err := w.cell(in, t)
			if known, ok := errors.AsType[*FormatError](err); ok {
				if fault == nil {
					fault = wrong("column %s: %s", letters(column), known.Message)
				}
			} else if err != nil {
				return r, err
			}
			const widest = 16384
			if v == nil || column >= widest {
				continue
			}
			for len(r.cells) <= column {
				r.cells = append(r.cells, nil)
			}
			r.cells[column] = v
		}
	}
}

// fillMerged gives a row what cells over several rows show. A row without anything of its
// own stays empty.
func (w *workbook) fillMerged(r *record) {
	for len(w.ahead) > 0 && w.ahead[0].firstRow <= r.number {
		m := w.ahead[0]
		w.ahead = w.ahead[1:]
		if m.firstRow == r.number && m.firstColumn < len(r.cells) && len(w.showing) < MaxColumns {
			m.value = r.cells[m.firstColumn]
			w.showing = append(w.showing, m)
		}
	}
	w.showing = slices.DeleteFunc(w.showing, func(m merge) bool { return m.lastRow < r.number || m.value == nil })
	if isEmpty(r.cells) {
		return
	}
	for _, m := range w.showing {
		for len(r.cells) <= m.firstColumn {
			r.cells = append(r.cells, nil)
		}
		r.cells[m.firstColumn] = m.value
	}
}

// cell reads a cell that has begun (18.3.1.4), to its end.
func (w *workbook) cell(in *xmlReader, e xml.StartElement) (cell, error) {
	var value, text string
	hasFormula, hasValue := false, false
	for {
		token, err := in.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local != "c" {
				continue
			}
			if hasFormula && !hasValue {
				return nil, wrong("a formula without a value. Open the workbook in a spreadsheet, and save it again")
			}
			return w.value(attribute(e, "t"), attribute(e, "s"), value, text)
		case xml.StartElement:
			switch t.Name.Local {
			case "f":
				hasFormula = true
				if err := in.Skip(); err != nil {
					return nil, err
				}
			case "v":
				hasValue = true
				if value, err = characters(in); err != nil {
					return nil, err
				}
			case "is":
				if text, err = richText(in); err != nil {
					return nil, err
				}
			}
		}
	}
}

// characters reads the characters of an element that has begun, to its end.
func characters(in *xmlReader) (string, error) {
	var out strings.Builder
	for {
		token, err := in.Token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.CharData:
			if out.Len() <= maxRow {
				out.Write(t)
			}
		case xml.EndElement:
			return out.String(), nil
		}
	}
}

// value is what a cell of a kind shows.
func (w *workbook) value(kind, style, value, text string) (cell, error) {
	switch kind {
	case "s":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n >= len(w.texts) {
			return nil, errCut
		}
		text = w.texts[n]
	case "str", "d":
		text = value
	case "b":
		return isTrue(value), nil
	case "e":
		return nil, wrong("the error %s", value)
	case "inlineStr":
	default:
		if value == "" {
			return nil, nil
		}
		var f format
		if n, err := strconv.Atoi(style); err == nil && n >= 0 && n < len(w.formats) {
			f = w.formats[n]
		}
		return w.number(value, f)
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	return text, nil
}

// number writes a number as its format shows it: as a date, a time, or with the fifteen
// digits that Excel has.
func (w *workbook) number(value string, f format) (cell, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return nil, errCut
	}
	if !f.hasDate && !f.hasTime {
		digits := strconv.FormatFloat(v, 'e', 14, 64)
		v, _ = strconv.ParseFloat(digits, 64)
		return number(strconv.FormatFloat(v, 'f', -1, 64)), nil
	}
	return w.moment(v, f)
}

// moment writes a day of the calendar that begins with 1900 or 1904, and the time in it
// (18.17.4.1). In that of 1900 there was a 29 February, as in Lotus 1-2-3.
func (w *workbook) moment(v float64, f format) (cell, error) {
	const day = 86400
	seconds := int64(v*day + 0.5)
	days, rest := seconds/day, seconds%day
	clock := fmt.Sprintf("%02d:%02d:%02d", rest/3600, rest/60%60, rest%60)
	switch {
	case v < 0 || days > 2_958_465: // 31 December 9999
		return nil, wrong("a date before the calendar of Excel begins, or behind its end")
	case f.isElapsed:
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60), nil
	case f.hasTime && (!f.hasDate || days == 0):
		return clock, nil
	}
	date, err := w.date(days)
	switch {
	case err != nil:
		return nil, err
	case f.hasTime || rest != 0:
		return date + "T" + clock, nil
	}
	return date, nil
}

// date writes a day by its number.
func (w *workbook) date(days int64) (string, error) {
	const leapDay = 60
	begin := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case w.is1904:
		begin = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	case days == leapDay:
		return "", wrong("29 February 1900, a day that there was not")
	case days < leapDay:
		begin = begin.AddDate(0, 0, 1)
	}
	return begin.AddDate(0, 0, int(days)).Format(time.DateOnly), nil
}
