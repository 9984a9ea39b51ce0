package table

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Workbook reads a sheet of an Excel workbook (.xlsx, ECMA-376 part 1, 18). Dates and times
// are texts as the template language reads them: 2026-01-31, 2026-01-31T12:30:00, 12:30:00.
// Numbers have the fifteen digits that Excel shows. A formula has the value that was stored
// with it. What a merged cell shows counts for each of its rows.
func Workbook(file []byte, o Options) (Found, Rows, error) {
	found := Found{Kind: "xlsx"}
	if bytes.HasPrefix(file, []byte("\xD0\xCF\x11\xE0")) {
		return found, nil, wrong("the file is an old workbook (.xls), or has a password. Save it as .xlsx, without a password")
	}
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return found, nil, wrong("the file is no workbook (.xlsx), or not all of it is there")
	}
	w := &workbook{archive: archive}
	sheets, err := w.sheets()
	if err != nil {
		return found, nil, err
	}
	part := ""
	for _, s := range sheets {
		found.Sheets = append(found.Sheets, s.name)
		if part == "" && (o.Sheet == s.name || o.Sheet == "" && !s.isHidden) {
			found.Sheet, part = s.name, s.part
		}
	}
	if part == "" {
		return found, nil, wrong("the workbook has no sheet %q: it has %s", o.Sheet, quoted(found.Sheets))
	}
	if err := w.readTexts(); err != nil {
		return found, nil, err
	}
	if err := w.readStyles(); err != nil {
		return found, nil, err
	}
	if found.Hidden, err = w.survey(part); err != nil {
		return found, nil, err
	}
	next, stop := iter.Pull2(w.records(part))
	first, err, ok := next()
	for ok && err == nil && isEmpty(first.cells) {
		first, err, ok = next()
	}
	switch {
	case ok && err != nil:
		stop()
		return found, nil, err
	case !ok:
		stop()
		return found, nil, wrong("sheet %q is empty. Put the names of the columns into its first row", found.Sheet)
	}
	named, err := readColumns(first.cells)
	if err != nil {
		stop()
		return found, nil, err
	}
	found.Columns = named.names
	return found, func(yield func(Row, error) bool) {
		defer stop()
		rest := func(yield func(record, error) bool) {
			for {
				r, err, ok := next()
				if !ok || !yield(r, err) || err != nil && r.number == 0 {
					return
				}
			}
		}
		objects(named, o, rest)(yield)
	}, nil
}

type workbook struct {
	archive *zip.Reader
	// textPart and stylePart are their names; empty: there is none.
	textPart, stylePart string
	texts               []string
	formats             []format // by the number of a cell's style
	is1904              bool
	merged              []merge // by their first rows
	showing             []merge // those of rows that are read
	texting             int     // bytes of texts
}

// A sheet is one of a workbook, with the part that it is in.
type sheet struct {
	name, part string
	isHidden   bool
}

// format says what a number format shows of a number.
type format struct{ hasDate, hasTime, isElapsed bool }

// merge is a cell over several rows and columns; value is what it shows, once read.
type merge struct {
	firstRow, lastRow, firstColumn int
	value                          cell
}

var errCut = wrong("the workbook is damaged, or not all of it is there. Open it in a spreadsheet, and save it again")

// part reads a part of the workbook as XML; false: it has none.
func (w *workbook) part(name string, read func(*xmlReader) error) (bool, error) {
	for _, f := range w.archive.File {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return true, errCut
		}
		defer in.Close() //nolint:errcheck // it is read only
		bounded := &limitedReader{src: in}
		err = read(&xmlReader{xml.NewDecoder(bounded), bounded})
		if known, ok := errors.AsType[*FormatError](err); ok {
			return true, known
		}
		if err != nil {
			return true, errCut
		}
		return true, nil
	}
	return false, nil
}

// An xmlReader reads a part up to its limit, and no piece of it that is longer than a row.
type xmlReader struct {
	*xml.Decoder
	bounded *limitedReader
}

// Token is that of the decoder.
func (r *xmlReader) Token() (xml.Token, error) {
	const ahead = 64 << 10
	if r.InputOffset() > maxPart {
		return nil, wrong("a part of the workbook has more than %d MiB", maxPart>>20)
	}
	r.bounded.most = r.InputOffset() + maxRow + ahead
	token, err := r.Decoder.Token()
	if errors.Is(err, errTooLong) {
		err = wrong("a piece of the workbook has more than %d bytes", maxRow)
	}
	return token, err
}

// elements calls see with each element that begins, until the end.
func elements(in *xmlReader, see func(xml.StartElement) error) error {
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := see(start); err != nil {
				return err
			}
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func isTrue(text string) bool { return text == "1" || text == "true" }

// A relation leads from a part to another (ECMA-376 part 2, 6.5).
type relation struct{ id, kind, target string }

// relations are those of a part; of the whole file for an empty name.
func (w *workbook) relations(name string) ([]relation, error) {
	folder, base := path.Split(name)
	var all []relation
	_, err := w.part(folder+"_rels/"+base+".rels", func(in *xmlReader) error {
		return elements(in, func(e xml.StartElement) error {
			if e.Name.Local != "Relationship" {
				return nil
			}
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join(folder, target)
			}
			all = append(all, relation{attribute(e, "Id"), path.Base(attribute(e, "Type")), strings.TrimPrefix(target, "/")})
			return nil
		})
	})
	return all, err
}

// sheets are those with cells, in their order. It finds the parts of texts and styles, too.
func (w *workbook) sheets() ([]sheet, error) {
	main := "xl/workbook.xml"
	ofFile, err := w.relations("")
	if err != nil {
		return nil, err
	}
	for _, r := range ofFile {
		if r.kind == "officeDocument" {
			main = r.target
		}
	}
	related, err := w.relations(main)
	if err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, r := range related {
		switch r.kind {
		case "worksheet":
			targets[r.id] = r.target
		case "sharedStrings":
			w.textPart = r.target
		case "styles":
			w.stylePart = r.target
		}
	}
	var all []sheet
	ok, err := w.part(main, func(in *xmlReader) error {
		return elements(in, func(e xml.StartElement) error {
			switch e.Name.Local {
			case "workbookPr":
				w.is1904 = isTrue(attribute(e, "date1904"))
			case "sheet":
				if part := targets[attribute(e, "id")]; part != "" {
					all = append(all, sheet{attribute(e, "name"), part, attribute(e, "state") == "hidden" || attribute(e, "state") == "veryHidden"})
				}
			}
			return nil
		})
	})
	switch {
	case err != nil:
		return nil, err
	case !ok || len(all) == 0:
		return nil, wrong("the file is no workbook (.xlsx): it has no sheets")
	}
	return all, nil
}

// readTexts reads the texts that cells share (18.4.8), without how they are pronounced.
func (w *workbook) readTexts() error {
	_, err := w.part(w.textPart, func(in *xmlReader) error {
		return elements(in, func(e xml.StartElement) error {
			if e.Name.Local != "si" {
				return nil
			}
			text, err := richText(in)
			if err != nil {
				return err
			}
			if w.texting += len(text); w.texting > maxText || len(w.texts) == maxTexts {
				return wrong("the cells of the workbook share more than %d texts, or %d MiB of them", maxTexts, maxText>>20)
			}
			w.texts = append(w.texts, text)
			return nil
		})
	})
	return err
}

// escaped is a character that XML cannot hold, as workbooks write it (22.9.2.19).
var escaped = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)

// richText reads the texts of an element that has begun, to its end.
func richText(in *xmlReader) (string, error) {
	var out strings.Builder
	isText, depth, phonetic := false, 1, 0
	for depth > 0 {
		token, err := in.Token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			if t.Name.Local == "rPh" {
				phonetic = depth
			}
			isText = t.Name.Local == "t" && phonetic == 0
		case xml.EndElement:
			if phonetic == depth {
				phonetic = 0
			}
			depth--
			isText = false
		case xml.CharData:
			if isText && out.Len() <= maxRow {
				out.Write(t)
			}
		}
	}
	return escaped.ReplaceAllStringFunc(out.String(), func(s string) string {
		n, _ := strconv.ParseUint(s[2:6], 16, 16)
		return string(rune(n))
	}), nil
}

// readStyles reads which styles show dates (18.8).
func (w *workbook) readStyles() error {
	custom, isCell := map[string]format{}, false
	_, err := w.part(w.stylePart, func(in *xmlReader) error {
		return elements(in, func(e xml.StartElement) error {
			switch e.Name.Local {
			case "numFmt":
				custom[attribute(e, "numFmtId")] = formatOf(attribute(e, "formatCode"))
			case "cellXfs":
				isCell = true
			case "cellStyles", "cellStyleXfs", "dxfs":
				isCell = false
			case "xf":
				if isCell && len(w.formats) == maxStyles {
					return wrong("the workbook has more than %d styles of cells", maxStyles)
				}
				if isCell {
					id := attribute(e, "numFmtId")
					f, ok := custom[id]
					if !ok {
						f = builtIn(id)
					}
					w.formats = append(w.formats, f)
				}
			}
			return nil
		})
	})
	return err
}

// builtIn are the formats that have a number and no code (18.8.30).
func builtIn(id string) format {
	n, _ := strconv.Atoi(id)
	switch {
	case n >= 14 && n <= 17, n >= 27 && n <= 31, n == 36, n >= 50 && n <= 54, n == 57, n == 58:
		return format{hasDate: true}
	case n >= 18 && n <= 21, n >= 32 && n <= 35, n == 45, n == 47, n == 55, n == 56:
		return format{hasTime: true}
	case n == 22:
		return format{hasDate: true, hasTime: true}
	case n == 46:
		return format{hasTime: true, isElapsed: true}
	}
	return format{}
}

var (
	// literal are what a format writes as it stands: texts, escaped characters, room and fill;
	// colours, conditions and currencies in brackets, but not times that go on ([h]).
	literal     = regexp.MustCompile(`"[^"]*"|\\.|[_*].|\[(?:[^hHmMsS\]][^\]]*|[hHmMsS][^\]hHmMsS][^\]]*)\]`)
	elapsedForm = regexp.MustCompile(`\[[hHmMsS]+\]`)
)

// formatOf reads a format's code (18.8.31).
func formatOf(code string) format {
	code, _, _ = strings.Cut(literal.ReplaceAllString(code, ""), ";")
	code = strings.ToLower(code)
	f := format{isElapsed: elapsedForm.MatchString(code)}
	if strings.Contains(code, "general") {
		return format{}
	}
	f.hasTime = f.isElapsed || strings.ContainsAny(code, "hs")
	f.hasDate = !f.isElapsed && (strings.ContainsAny(code, "dy") || strings.Contains(code, "m") && !f.hasTime)
	return f
}

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
	const most = 10_000
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
				if isFrom && isTo && lastRow > row && len(w.merged) < most {
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
		errEnough := errors.New("no more is wanted")
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
				if !yield(r, err) {
					return errEnough
				}
				return nil
			})
		})
		if err != nil && !errors.Is(err, errEnough) {
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
	for len(w.merged) > 0 && w.merged[0].firstRow <= r.number {
		m := w.merged[0]
		w.merged = w.merged[1:]
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
