package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/table"
)

// rows are those of a file in their order, as they are read. An error with a row is about
// that row alone, whose Number is set, and reading goes on; an error with the zero row is
// about the file, and ends it.
type rows = iter.Seq2[platen.BatchRow, error]

// A batchFile is the body of a request that brings rows.
type batchFile struct {
	name  string       // as its sender calls it; may be empty
	table *table.Found // nil: it is JSON
	rows  rows
}

// openBatch returns the file of a request, which is the body as it is or the one field of a
// form. No row of it is read yet.
func (s *server) openBatch(w http.ResponseWriter, r *http.Request, o table.Options) (batchFile, error) {
	body, err := edge.Stream(w, r, platen.MaxBatchBytes)
	if err != nil {
		return batchFile{}, err
	}
	kind, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != edge.FormType {
		isJSON := kind == "application/json" || kind == "application/x-ndjson" || kind == "application/jsonl"
		return s.readFile(r.Context(), body, isJSON, o)
	}
	form := multipart.NewReader(body, parameters["boundary"])
	const asFile = "send one file, with curl by -F " + fileField + "=@rows.json"
	part, err := form.NextPart()
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return batchFile{}, formError(err)
	case err != nil || part.FormName() != fileField || part.FileName() == "":
		return batchFile{}, invalidForm(asFile)
	}
	found, err := s.readFile(r.Context(), part, false, o)
	if err != nil {
		return batchFile{}, err
	}
	return batchFile{part.FileName(), found.table, func(yield func(platen.BatchRow, error) bool) {
		for row, err := range found.rows {
			if !yield(row, err) || err != nil && row.Number == 0 {
				return
			}
		}
		switch _, err := form.NextPart(); {
		case err == nil:
			yield(platen.BatchRow{}, invalidForm("is there more than once: "+asFile))
		case !errors.Is(err, io.EOF):
			yield(platen.BatchRow{}, formError(err))
		}
	}}, nil
}

func invalidForm(cure string) error {
	var d decoder
	d.fault("/"+fileField, "%s", cure)
	return d.err()
}

// formError is the error of a form that is none, or not all of it.
func formError(err error) error {
	if known, ok := errors.AsType[*platen.Error](err); ok {
		return known
	}
	return &platen.Error{Kind: platen.KindInvalid, Code: "body_unreadable", Err: err,
		Message: "The body is not the form that its Content-Type announces, or not all of it: a form ends with its boundary."}
}

// readRows reads a JSON list, or else JSON Lines, by what the file begins with.
func (s *server) readRows(file io.Reader) rows {
	return func(yield func(platen.BatchRow, error) bool) {
		in := bufio.NewReaderSize(file, 64<<10)
		first, err := skipSpace(in)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			yield(platen.BatchRow{}, unreadable(err, 0))
		case first == '[':
			s.readList(in, yield)
		default:
			s.readLines(in, yield)
		}
	}
}

// skipSpace returns the first byte of a file that is not white space, which stays unread. A
// byte order mark counts as white space, and new lines do not: they are counted.
func skipSpace(in *bufio.Reader) (byte, error) {
	mark, err := in.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = in.Discard(3)
	}
	for n := 1; ; n++ {
		seen, err := in.Peek(n)
		if len(seen) < n {
			return 0, err
		}
		if c := seen[n-1]; !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c, nil
		}
	}
}

// readList reads the elements of a JSON list. An element that is too long ends it: to look
// for its end would hold all of it.
func (s *server) readList(file io.Reader, yield func(platen.BatchRow, error) bool) {
	bounded := &boundedReader{src: file}
	in := json.NewDecoder(bounded)
	bounded.most = s.eventLimit
	_, err := in.Token()
	number := 0
	for err == nil && in.More() {
		number++
		bounded.most = in.InputOffset() + s.eventLimit + besideRow
		var row json.RawMessage
		if err = in.Decode(&row); err == nil && !yield(platen.BatchRow{Number: number, Body: row}, nil) {
			return
		}
	}
	if err == nil {
		bounded.most = in.InputOffset() + s.eventLimit
		_, err = in.Token() // the bracket
	}
	if err == nil {
		if _, err = in.Token(); err == nil {
			err = errors.New("there is something behind the list")
		}
		if errors.Is(err, io.EOF) {
			return
		}
	}
	yield(platen.BatchRow{}, unreadable(err, number))
}

// besideRow is white space and commas between two rows, and what a decoder reads ahead.
const besideRow = 64 << 10

// A boundedReader reads up to most bytes in all.
type boundedReader struct {
	src        io.Reader
	read, most int64
}

var errRowTooLong = errors.New("a row is too long")

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.read >= b.most {
		return 0, errRowTooLong
	}
	n, err := b.src.Read(p[:min(int64(len(p)), b.most-b.read)])
	b.read += int64(n)
	return n, err
}

// readLines reads JSON Lines (https://jsonlines.org): an object on each line; empty lines
// are left out.
func (s *server) readLines(in *bufio.Reader, yield func(platen.BatchRow, error) bool) {
	for number := 1; ; number++ {
		line, err := readLine(in, s.eventLimit)
		tooLong := errors.Is(err, errRowTooLong)
		if err != nil && !errors.Is(err, io.EOF) && !tooLong {
			yield(platen.BatchRow{}, unreadable(err, number))
			return
		}
		row, wrong := platen.BatchRow{Number: number, Body: line}, error(nil)
		if tooLong {
			wrong = s.rowTooLong()
		}
		if (wrong != nil || len(bytes.TrimSpace(line)) > 0) && !yield(row, wrong) {
			return
		}
		if errors.Is(err, io.EOF) {
			return
		}
	}
}

const codeRows = "batch_rows_invalid"

// rowFault is what is wrong with one row.
func rowFault(format string, args ...any) error {
	return platen.Errorf(platen.KindInvalid, codeRows, format, args...)
}

func (s *server) rowTooLong() error {
	return rowFault("has more than %d bytes: an event may have no more", s.eventLimit)
}

// readLine returns a line without its end. One that is longer than the limit is passed over.
func readLine(in *bufio.Reader, limit int64) ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := in.ReadSlice('\n')
		if long = long || int64(len(line)+len(piece)) > limit+2; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			if errors.Is(err, io.EOF) {
				in.Reset(bytes.NewReader(nil)) // the next line is the end
			}
			return nil, errRowTooLong
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

// unreadable is the error of a file that is not what it begins as, or not all of it.
func unreadable(err error, row int) error {
	if known, ok := errors.AsType[*platen.Error](err); ok {
		return known
	}
	why := "is no JSON"
	switch syntax, ok := errors.AsType[*json.SyntaxError](err); {
	case errors.Is(err, errRowTooLong):
		why = "is longer than an event may be"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		why = "is cut off"
	case ok:
		why = fmt.Sprintf("is no JSON at byte %d", syntax.Offset)
	}
	return &platen.Error{Kind: platen.KindInvalid, Code: "batch_unreadable", Err: err,
		Message: fmt.Sprintf("The file %s, in or behind row %d. Nothing was stored. Send a JSON list of objects, or one object on each line.", why, row)}
}

// A rowChecker reads rows as far as they can be taken, and gathers what is wrong with others.
type rowChecker struct {
	limit     int64
	reference string // the field that holds the reference of a row; empty: none does
	number    string // the field that holds its number, and is no part of it; empty: none does
	numbers   map[int]bool
	most      int // faults that are kept
	count     int // of all rows
	wrong     int // of them
	faults    []platen.Fault
}

// check yields the rows that can be taken. The first error about the file ends it.
func (c *rowChecker) check(from rows) rows {
	return func(yield func(platen.BatchRow, error) bool) {
		for row, err := range from {
			if err != nil && row.Number == 0 {
				yield(row, err)
				return
			}
			c.count++
			if c.count > platen.MaxBatchRows {
				yield(platen.BatchRow{}, platen.Errorf(platen.KindTooLarge, "batch_too_long", "The file has more than %d rows. Send it in parts.", platen.MaxBatchRows))
				return
			}
			if err == nil {
				err = c.look(&row)
			}
			if err != nil {
				c.fault(row.Number, err)
				continue
			}
			if !yield(row, nil) {
				return
			}
		}
		if c.count == 0 {
			yield(platen.BatchRow{}, platen.Errorf(platen.KindInvalid, "batch_without_rows", "The file has no rows. Send a table with names in its first row, a JSON list of objects, or one object on each line."))
		}
	}
}

// whole is check for a batch that is stored with all its rows or not at all: behind the first
// row that cannot be taken none is yielded.
func (c *rowChecker) whole(from rows) rows {
	return func(yield func(platen.BatchRow, error) bool) {
		for row, err := range c.check(from) {
			if err != nil || c.wrong == 0 {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
		if c.wrong > 0 {
			yield(platen.BatchRow{}, c.err())
		}
	}
}

// look reads a row as an event is read.
func (c *rowChecker) look(row *platen.BatchRow) error {
	row.Body = bytes.TrimPrefix(row.Body, []byte("\ufeff"))
	if int64(len(row.Body)) > c.limit {
		return rowFault("has more than %d bytes: an event may have no more", c.limit)
	}
	if _, err := platen.SourceFields(row.Body); err != nil {
		return err
	}
	if c.reference != "" {
		text, ok := textAt(row.Body, c.reference)
		if !ok || text != "" && !platen.IsReference(text) {
			return rowFault("has no reference in %s: it must be a text or a number of 1 to %d printable characters", cut(c.reference), platen.MaxReference)
		}
		row.Reference = text
	}
	if c.number != "" {
		return c.takeNumber(row)
	}
	return nil
}

// textAt is the text or number at a dotted path of an object; empty: there is nothing. It is
// not ok for anything else.
func textAt(body []byte, path string) (text string, ok bool) {
	value := json.RawMessage(body)
	for _, name := range strings.Split(path, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return "", false
		}
		if value = object[name]; value == nil {
			return "", true
		}
	}
	var v any
	in := json.NewDecoder(bytes.NewReader(value))
	in.UseNumber()
	if in.Decode(&v) != nil {
		return "", false
	}
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}

func (c *rowChecker) fault(number int, err error) {
	c.wrong++
	if len(c.faults) == c.most {
		return
	}
	message := "cannot be read"
	if known, ok := errors.AsType[*platen.Error](err); ok {
		message = strings.TrimPrefix(known.Message, "the body ")
	}
	c.faults = append(c.faults, platen.Fault{Row: number, Message: message})
}

// err is the error of a file with rows that cannot be taken.
func (c *rowChecker) err() error {
	first := c.faults[0]
	e := platen.Errorf(platen.KindInvalid, codeRows, "%d of %d rows cannot be taken, and nothing was stored: see errors. Row %d %s.", c.wrong, c.count, first.Row, first.Message)
	e.Faults = c.faults
	return e
}
