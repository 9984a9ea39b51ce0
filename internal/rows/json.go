package rows

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// CodeInvalid is the code of rows that cannot be taken.
const CodeInvalid = "batch_rows_invalid"

// json reads a JSON list, or else JSON Lines, by what the file begins with.
func (r Reader) json(file io.Reader) Rows {
	return func(yield func(platen.BatchRow, error) bool) {
		in := bufio.NewReaderSize(file, 64<<10)
		first, err := First(in)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			yield(platen.BatchRow{}, unreadable(err, 0))
		case first == '[':
			r.list(in, yield)
		default:
			r.lines(in, yield)
		}
	}
}

// First returns the first byte of a file that is not white space, which stays unread. A
// byte order mark counts as white space, and new lines do not: they are counted.
func First(in *bufio.Reader) (byte, error) {
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

// list reads the elements of a JSON list. An element that is too long ends it: to look
// for its end would hold all of it.
func (r Reader) list(file io.Reader, yield func(platen.BatchRow, error) bool) {
	bounded := &boundedReader{src: file}
	in := json.NewDecoder(bounded)
	bounded.most = r.Limit
	_, err := in.Token()
	number := 0
	for err == nil && in.More() {
		number++
		bounded.most = in.InputOffset() + r.Limit + besideRow
		var row json.RawMessage
		if err = in.Decode(&row); err == nil && !yield(platen.BatchRow{Number: number, Body: row}, nil) {
			return
		}
	}
	if err == nil {
		bounded.most = in.InputOffset() + r.Limit
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

// lines reads JSON Lines (https://jsonlines.org): an object on each line; empty lines
// are left out.
func (r Reader) lines(in *bufio.Reader, yield func(platen.BatchRow, error) bool) {
	for number := 1; ; number++ {
		line, err := readLine(in, r.Limit)
		tooLong := errors.Is(err, errRowTooLong)
		if err != nil && !errors.Is(err, io.EOF) && !tooLong {
			yield(platen.BatchRow{}, unreadable(err, number))
			return
		}
		row, wrong := platen.BatchRow{Number: number, Body: line}, error(nil)
		if tooLong {
			wrong = r.rowTooLong()
		}
		if (wrong != nil || len(bytes.TrimSpace(line)) > 0) && !yield(row, wrong) {
			return
		}
		if errors.Is(err, io.EOF) {
			return
		}
	}
}

// fault is what is wrong with one row.
func fault(format string, args ...any) error {
	return platen.Errorf(platen.KindInvalid, CodeInvalid, format, args...)
}

func (r Reader) rowTooLong() error {
	return fault("has more than %d bytes: an event may have no more", r.Limit)
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

// unreadable is the error of a file that is not what it begins as, or not all of it. The end of
// its reader says nothing of it.
func unreadable(err error, row int) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
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
