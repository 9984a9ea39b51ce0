// Package rows reads files whose rows are source events: JSON lists, JSON Lines, CSV files
// and workbooks.
//
// It holds one row at a time, and a workbook whole. How a file comes, and where its rows are
// stored, is the business of its callers.
package rows

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/table"
)

// Rows are those of a file in their order, as they are read. An error with a row is about
// that row alone, whose Number is set, and reading goes on; an error with the zero row is
// about the file, and ends it.
type Rows = iter.Seq2[platen.BatchRow, error]

// A File is one whose rows can be read, once.
type File struct {
	Table *table.Found // nil: it is JSON
	Rows  Rows
}

// A Reader reads files.
type Reader struct {
	// Limit is how many bytes a row may have.
	Limit int64
	// Reserve takes memory before it is used. Its error ends the reading. nil: nobody counts.
	Reserve func(ctx context.Context, bytes int64) error
}

func (r Reader) reserve(ctx context.Context, bytes int64) error {
	if r.Reserve == nil {
		return nil
	}
	return r.Reserve(ctx, bytes)
}

// maxWorkbook bounds a workbook, which is held whole: it is read at its end first.
const maxWorkbook = 16 << 20

// workbookRoom is what a workbook takes in memory beside its bytes: the texts that its cells
// share, and one row. With a workbook it is within what one caller may hold.
const workbookRoom = 32 << 20

// tableRoom is what reading a CSV file takes: its beginning, as it is and unpacked, and one row.
const tableRoom = 4 << 20

// Read reads rows by what a file begins with: a workbook, JSON, or else CSV. What is sent
// as JSON is read as JSON.
func (r Reader) Read(ctx context.Context, file io.Reader, isJSON bool, o table.Options) (File, error) {
	in := bufio.NewReaderSize(file, 64<<10)
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return File{}, unreadable(err, 0)
	}
	var found table.Found
	var read table.Rows
	switch isWorkbook := bytes.Equal(head, []byte("PK\x03\x04")) || bytes.Equal(head, []byte("\xD0\xCF\x11\xE0")); {
	case isJSON:
		return File{Rows: r.json(in)}, nil
	case isWorkbook:
		found, read, err = r.workbook(ctx, in, o)
	default:
		first, firstErr := First(in)
		if firstErr != nil || first == '[' || first == '{' {
			return File{Rows: r.json(in)}, nil
		}
		if err = r.reserve(ctx, tableRoom); err == nil {
			found, read, err = table.CSV(in, o)
		}
	}
	if err != nil {
		return File{}, tableError(err)
	}
	return File{Table: &found, Rows: func(yield func(platen.BatchRow, error) bool) {
		for row, err := range read {
			switch {
			case err != nil && row.Number > 0:
				err = fault("%s", err)
			case err != nil:
				err = tableError(err)
			}
			if !yield(platen.BatchRow{Number: row.Number, Body: row.Body}, err) || err != nil && row.Number == 0 {
				return
			}
		}
	}}, nil
}

func (r Reader) workbook(ctx context.Context, in io.Reader, o table.Options) (table.Found, table.Rows, error) {
	if err := r.reserve(ctx, workbookRoom); err != nil {
		return table.Found{}, nil, err
	}
	var whole pieces
	size := int64(0)
	for {
		if err := r.reserve(ctx, pieceSize); err != nil {
			return table.Found{}, nil, err
		}
		piece := make([]byte, pieceSize)
		n, err := io.ReadFull(in, piece)
		whole, size = append(whole, piece), size+int64(n)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return table.Workbook(io.NewSectionReader(whole, 0, size), size, o)
		case err != nil:
			return table.Found{}, nil, err
		case size > maxWorkbook:
			return table.Found{}, nil, platen.Errorf(platen.KindTooLarge, "batch_too_long", "The workbook has more than %d MiB. Send it in parts, or as CSV.", maxWorkbook>>20)
		}
	}
}

// pieces are a file, each of pieceSize bytes: it grows without being copied.
type pieces [][]byte

const pieceSize = 1 << 20

// ReadAt reads bytes that are there.
func (p pieces) ReadAt(to []byte, at int64) (n int, err error) {
	for n < len(to) {
		n += copy(to[n:], p[(at+int64(n))/pieceSize][(at+int64(n))%pieceSize:])
	}
	return n, nil
}

// tableError is the error of a file that is no table, or not all of one.
func tableError(err error) error {
	if wrong, ok := errors.AsType[*table.FormatError](err); ok {
		return &platen.Error{Kind: platen.KindInvalid, Code: "batch_unreadable", Err: err, Message: "The table cannot be read, and nothing was stored: " + wrong.Message + "."}
	}
	return unreadable(err, 0)
}
