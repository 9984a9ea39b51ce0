package api

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/rows"
	"github.com/platenhq/platen/internal/table"
)

// A batchFile is the body of a request that brings rows.
type batchFile struct {
	rows.File
	name string // as its sender calls it; may be empty
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
		found, err := s.readFile(r.Context(), body, isJSON, o)
		return batchFile{File: found}, err
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
	whole := found.Rows
	found.Rows = func(yield func(platen.BatchRow, error) bool) {
		for row, err := range whole {
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
	}
	return batchFile{found, part.FileName()}, nil
}

// readFile reads rows by what a file begins with, or as JSON. The memory is of the request.
func (s *server) readFile(ctx context.Context, file io.Reader, isJSON bool, o table.Options) (rows.File, error) {
	found, err := rows.Reader{Limit: s.eventLimit, Reserve: edge.Reserve}.Read(ctx, file, isJSON, o)
	if t := found.Table; t != nil {
		edge.Note(ctx, slog.String("table", t.Kind), slog.String("encoding", t.Encoding), slog.String("delimiter", t.Delimiter), slog.Int("hidden", t.Hidden))
	}
	return found, err
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
