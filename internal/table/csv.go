package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// sampled is how much of a file is looked at to find what it is.
const sampled = 256 << 10

// CSV reads comma separated values (RFC 4180), in the encodings and with the separators of
// the programs that write them. Nothing of the file is read behind what Rows are asked for,
// but for its first 256 KiB.
func CSV(file io.Reader, o Options) (Found, Rows, error) {
	found := Found{Kind: "csv", Encoding: o.Encoding, Delimiter: o.Delimiter, Decimal: o.Decimal}
	in := bufio.NewReaderSize(file, sampled)
	raw, err := in.Peek(sampled)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return found, nil, err
	}
	isWhole := len(raw) < sampled
	if found.Encoding == "" {
		if found.Encoding = encodingOf(raw, isWhole); found.Encoding == "" {
			return found, nil, wrong("it is no UTF-8, and its encoding cannot be known. Say it, such as windows-1252, or save the file as UTF-8")
		}
	}
	known, err := htmlindex.Get(found.Encoding)
	if err != nil {
		return found, nil, wrong("the encoding %q is not known. UTF-8 and windows-1252 are, for example", o.Encoding)
	}
	end := &lastByte{src: in}
	var text io.Reader = end
	isUTF8 := known == unicode.UTF8
	if !isUTF8 {
		text = transform.NewReader(end, known.NewDecoder())
	}
	unpacked := bufio.NewReaderSize(text, sampled)
	sample, err := unpacked.Peek(sampled)
	if err != nil && !errors.Is(err, io.EOF) {
		return found, nil, err
	}
	skipped := 0
	if mark := []byte("\ufeff"); bytes.HasPrefix(sample, mark) {
		sample, skipped = sample[len(mark):], len(mark)
	}
	// Excel takes the delimiter from such a line.
	lines := 0
	if line, rest, _ := bytes.Cut(sample, []byte("\n")); len(line) >= len("sep=") && strings.EqualFold(string(line[:len("sep=")]), "sep=") && len(bytes.TrimRight(line, "\r")) == len("sep=")+1 {
		if found.Delimiter == "" {
			found.Delimiter = string(line[len("sep=")])
		}
		sample, skipped, lines = rest, skipped+len(line)+1, 1
	}
	_, _ = unpacked.Discard(skipped)
	sample = slices.Clone(sample)
	if !isWhole {
		if at := bytes.LastIndexByte(sample, '\n'); at >= 0 {
			sample = sample[:at+1]
		}
	}
	if found.Delimiter == "" {
		found.Delimiter = delimiterOf(sample)
	}
	if n := utf8.RuneCountInString(found.Delimiter); n != 1 || strings.ContainsAny(found.Delimiter, "\"\r\n") {
		return found, nil, wrong("the delimiter %q is not one character that may part cells", o.Delimiter)
	}
	if o.Decimal != "" && o.Decimal != "." && o.Decimal != "," {
		return found, nil, wrong("the decimal sign %q is neither . nor ,", o.Decimal)
	}
	bounded := &limitedReader{src: unpacked}
	t := &csvReader{bounded: bounded, in: newReader(bounded, found.Delimiter), decimal: o.Decimal, isUTF8: isUTF8, lines: lines, end: end}
	first, err := t.next()
	for err == nil && isEmpty(first.cells) {
		first, err = t.next()
	}
	if errors.Is(err, io.EOF) {
		return found, nil, wrong("the file is empty. Put the names of the columns into its first row")
	}
	if err != nil {
		return found, nil, err
	}
	named, err := readColumns(first.cells)
	if err != nil {
		return found, nil, err
	}
	t.columns, found.Columns = len(named.names), named.names
	return found, objects(named, o, t.records()), nil
}

// encodingOf finds an encoding by a mark, by zeros of UTF-16, and by what is UTF-8; empty
// where it is none of these: what then looks like a letter would be a guess.
func encodingOf(raw []byte, isWhole bool) string {
	switch {
	case bytes.HasPrefix(raw, []byte("\xFF\xFE")):
		return "UTF-16LE"
	case bytes.HasPrefix(raw, []byte("\xFE\xFF")):
		return "UTF-16BE"
	}
	var zeros [2]int
	for i, b := range raw {
		if b == 0 {
			zeros[i%2]++
		}
	}
	const many = 4 // of so many characters one is Latin
	switch half := len(raw) / 2; {
	case zeros[1] > half/many && zeros[1] > zeros[0]:
		return "UTF-16LE"
	case zeros[0] > half/many:
		return "UTF-16BE"
	}
	for cut := range utf8.UTFMax { // the last character may not be there whole
		if cut == 0 || !isWhole && cut < len(raw) {
			if utf8.Valid(raw[:len(raw)-cut]) {
				return "UTF-8"
			}
		}
	}
	return ""
}

func newReader(in io.Reader, delimiter string) *csv.Reader {
	r := csv.NewReader(in)
	r.Comma, _ = utf8.DecodeRuneInString(delimiter)
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	return r
}

// delimiterOf is the one by which most rows have as many cells as the first. Where none parts
// the first, the table has one column. Its cells may have decimal commas, so it is then one
// that parts no row.
func delimiterOf(sample []byte) string {
	best, most, apart := ",", 0, ""
	for _, delimiter := range []string{";", ",", "\t", "|"} {
		r := newReader(bytes.NewReader(sample), delimiter)
		cells, alike, parts := 0, 0, false
		const rows = 50
		for range rows {
			record, err := r.Read()
			if err != nil {
				break
			}
			if cells == 0 {
				cells = len(record)
			}
			if len(record) == cells {
				alike += cells - 1
			}
			parts = parts || len(record) > 1
		}
		if !parts && (apart == "" || delimiter == ",") {
			apart = delimiter
		}
		if alike > most {
			best, most = delimiter, alike
		}
	}
	if most == 0 && apart != "" {
		return apart
	}
	return best
}

// ambiguous is a number whose sign may part thousands or decimals.
var ambiguous = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}[.,]\d{3}$`)

// A csvReader reads records. What a cell says stays a text, as it is shown.
type csvReader struct {
	bounded *limitedReader
	in      *csv.Reader
	decimal string
	isUTF8  bool
	columns int
	lines   int // that were read before its first
	end     *lastByte
}

// next returns a record, io.EOF, or an error of the file.
func (t *csvReader) next() (record, error) {
	const ahead = 64 << 10
	t.bounded.most = t.in.InputOffset() + maxRow + ahead
	cells, err := t.in.Read()
	if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
		return record{}, t.unreadable(syntax)
	}
	if errors.Is(err, errTooLong) {
		return record{}, wrong("a row has more than %d bytes: a quote may not be closed", maxRow)
	}
	if err != nil {
		return record{}, err
	}
	line, _ := t.in.FieldPos(0)
	r := record{number: t.lines + line, cells: make([]cell, len(cells))}
	for i, text := range cells {
		if t.isUTF8 && !utf8.ValidString(text) {
			return record{}, wrong("row %d is no UTF-8. Say the encoding of the file, such as windows-1252, or save it as UTF-8", r.number)
		}
		if text = strings.TrimSpace(text); text != "" {
			r.cells[i] = t.cell(text)
		}
	}
	return r, nil
}

func (t *csvReader) unreadable(e *csv.ParseError) error {
	if errors.Is(e.Err, csv.ErrQuote) && t.end.isEnd {
		return wrong("row %d begins a quote that is not closed: the file is cut off, or a quote in a cell is not written twice", t.lines+e.StartLine)
	}
	return wrong("row %d has a quote in line %d, at character %d, that does not belong there: a cell with quotes stands in quotes, and each of its own is written twice", t.lines+e.StartLine, t.lines+e.Line, e.Column)
}

func (t *csvReader) cell(text string) cell {
	if t.decimal == "" || !ambiguous.MatchString(text) {
		return text
	}
	text = strings.TrimPrefix(text, "+")
	if strings.Contains(text, t.decimal) {
		return number(strings.Replace(text, t.decimal, ".", 1))
	}
	return number(strings.NewReplacer(".", "", ",", "").Replace(text))
}

func (t *csvReader) records() iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		var before record // is yielded when it is known whether it is the last
		for {
			r, err := t.next()
			isEnd := errors.Is(err, io.EOF)
			if isEnd && t.end.isCut() && len(before.cells) < t.columns && before.number > 0 {
				yield(record{}, wrong("row %d, the last, has %d of %d cells and no end of its line: the file is cut off", before.number, len(before.cells), t.columns))
				return
			}
			if before.number > 0 && !yield(before, nil) || isEnd {
				return
			}
			if err != nil {
				yield(record{}, err)
				return
			}
			before = r
		}
	}
}

// lastByte knows how what was read ends.
type lastByte struct {
	src   io.Reader
	last  byte
	prior byte
	isEnd bool
}

func (l *lastByte) Read(p []byte) (int, error) {
	n, err := l.src.Read(p)
	switch {
	case n > 1:
		l.prior, l.last = p[n-2], p[n-1]
	case n == 1:
		l.prior, l.last = l.last, p[0]
	}
	l.isEnd = l.isEnd || errors.Is(err, io.EOF)
	return n, err
}

// isCut says that the file ended, and not with the end of a line.
func (l *lastByte) isCut() bool {
	return l.isEnd && l.last != '\n' && (l.last != 0 || l.prior != '\n') && l.last != '\r'
}
