package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"unicode/utf8"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/table"
)

// maxWorkbook bounds a workbook, which is held whole: it is read at its end first.
const maxWorkbook = 16 << 20

// workbookRoom is what a workbook takes in memory beside its bytes: the texts that its cells
// share, and one row. With a workbook it is within what one caller may hold.
const workbookRoom = 32 << 20

// tableRoom is what reading a CSV file takes: its beginning, as it is and unpacked, and one row.
const tableRoom = 4 << 20

// tableOptions reads what a sender says of a table. The rest is found.
func (p *parameters) tableOptions() table.Options {
	o := table.Options{Sheet: p.word("sheet"), Encoding: p.word("encoding"), Delimiter: p.word("delimiter"), Decimal: p.word("decimal"), Key: p.word("key"), Items: p.word("items")}
	switch {
	case o.Key == "" && o.Items != "":
		p.fault("The parameter items names the list of rows with one key: set the parameter key, too.")
	case o.Key != "" && o.Items == "":
		o.Items = "Items"
	}
	return o
}

// word reads a parameter of some characters.
func (p *parameters) word(name string) string {
	text, given := p.one(name)
	if given && (text == "" || utf8.RuneCountInString(text) > maxBatchName || !utf8.ValidString(text)) {
		p.fault("The parameter %s must have 1 to %d characters.", name, maxBatchName)
	}
	return text
}

// readFile reads rows by what a file begins with: a workbook, JSON, or else CSV. What is sent
// as JSON is read as JSON.
func (s *server) readFile(ctx context.Context, file io.Reader, isJSON bool, o table.Options) (batchFile, error) {
	in := bufio.NewReaderSize(file, 64<<10)
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return batchFile{}, unreadable(err, 0)
	}
	var found table.Found
	var read table.Rows
	switch isWorkbook := bytes.Equal(head, []byte("PK\x03\x04")) || bytes.Equal(head, []byte("\xD0\xCF\x11\xE0")); {
	case isJSON:
		return batchFile{rows: s.readRows(in)}, nil
	case isWorkbook:
		found, read, err = readWorkbook(ctx, in, o)
	default:
		first, skipErr := skipSpace(in)
		if skipErr != nil || first == '[' || first == '{' {
			return batchFile{rows: s.readRows(in)}, nil
		}
		if err = edge.Reserve(ctx, tableRoom); err == nil {
			found, read, err = table.CSV(in, o)
		}
	}
	if err != nil {
		return batchFile{}, tableError(err)
	}
	edge.Note(ctx, slog.String("table", found.Kind), slog.String("encoding", found.Encoding), slog.String("delimiter", found.Delimiter), slog.Int("hidden", found.Hidden))
	return batchFile{table: &found, rows: func(yield func(platen.BatchRow, error) bool) {
		for row, err := range read {
			switch {
			case err != nil && row.Number > 0:
				err = rowFault("%s", err)
			case err != nil:
				err = tableError(err)
			}
			if !yield(platen.BatchRow{Number: row.Number, Body: row.Body}, err) || err != nil && row.Number == 0 {
				return
			}
		}
	}}, nil
}

func readWorkbook(ctx context.Context, in io.Reader, o table.Options) (table.Found, table.Rows, error) {
	if err := edge.Reserve(ctx, workbookRoom); err != nil {
		return table.Found{}, nil, err
	}
	var whole pieces
	size := int64(0)
	for {
		if err := edge.Reserve(ctx, pieceSize); err != nil {
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
