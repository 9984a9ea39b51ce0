package table

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Workbook reads a sheet of an Excel workbook (.xlsx, ECMA-376 part 1, 18). Dates and times
// are texts as the template language reads them: 2026-01-31, 2026-01-31T12:30:00, 12:30:00.
// Numbers have the fifteen digits that Excel shows. A formula has the value that was stored
// with it. What a merged cell shows counts for each of its rows.
func Workbook(file io.ReaderAt, size int64, o Options) (Found, Rows, error) {
	found := Found{Kind: "xlsx"}
	old := []byte("\xD0\xCF\x11\xE0")
	head := make([]byte, len(old))
	if _, err := file.ReadAt(head, 0); err == nil && bytes.Equal(head, old) {
		return found, nil, wrong("the file is an old workbook (.xls), or has a password. Save it as .xlsx, without a password")
	}
	archive, err := zip.NewReader(file, size)
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
	var first record
	for first, err = range w.records(part) {
		if err != nil || !isEmpty(first.cells) {
			break
		}
	}
	switch {
	case err != nil:
		return found, nil, err
	case isEmpty(first.cells):
		return found, nil, wrong("sheet %q is empty. Put the names of the columns into its first row", found.Sheet)
	}
	named, err := readColumns(first.cells)
	if err != nil {
		return found, nil, err
	}
	found.Columns = named.names
	return found, objects(named, o, func(yield func(record, error) bool) {
		for r, err := range w.records(part) {
			if (r.number > first.number || err != nil) && !yield(r, err) {
				return
			}
		}
	}), nil
}

type workbook struct {
	archive *zip.Reader
	// textPart and stylePart are their names; empty: there is none.
	textPart, stylePart string
	texts               []string
	formats             []format // by the number of a cell's style
	is1904              bool
	merged              []merge // by their first rows
	ahead, showing      []merge // those below the row that is read, and those over it
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
