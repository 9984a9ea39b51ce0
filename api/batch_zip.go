package api

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

const (
	// zipPage is how many rows are read at a time: the zip is sent for minutes, in which
	// no connection to the database is held.
	zipPage = 100
	// zipAttempts is how many times a file is read while the drive is over its limit or
	// unavailable.
	zipAttempts = 5
)

var rowRange = regexp.MustCompile(`^([1-9][0-9]{0,8})-([1-9][0-9]{0,8})$`)

// rowRange reads which rows are asked for; without it, all.
func (p *parameters) rowRange() (first, last int) {
	text, given := p.one("rows")
	if !given {
		return 1, math.MaxInt32
	}
	if m := rowRange.FindStringSubmatch(text); m != nil {
		first, _ = strconv.Atoi(m[1])
		last, _ = strconv.Atoi(m[2])
	}
	if first == 0 || last < first {
		p.fault("The parameter rows must be two numbers of rows, such as 1-500.")
	}
	return first, last
}

// batchFiles are the PDFs of the rows of a batch. They are read while they are sent, one at a
// time.
type batchFiles struct {
	s           *server
	r           *http.Request
	out         *http.ResponseController
	of          platen.Batch
	ownerID     string
	callerID    string
	first, last int             // rows
	open        bool            // those alone that open without a password
	left        strings.Builder // what has no file, and why
}

// batchFiles finds those that a request asks for.
func (s *server) batchFiles(w http.ResponseWriter, r *http.Request) (*batchFiles, error) {
	wf, err := s.find(r)
	if err != nil {
		return nil, err
	}
	_, id, err := s.batchID(r)
	if err != nil {
		return nil, err
	}
	in := parametersOf(r)
	first, last := in.rowRange()
	if err := in.err(); err != nil {
		return nil, err
	}
	b, err := s.Batches.Batch(r.Context(), caller(r.Context()), wf.ID, id)
	if err != nil {
		return nil, err
	}
	if b.Rows > platen.MaxRowsOfFile && last-first >= platen.MaxRowsOfFile {
		in.fault("The parameter rows must name at most %d rows of a batch that has more, such as 1-%d.", platen.MaxRowsOfFile, platen.MaxRowsOfFile)
		return nil, in.err()
	}
	f := &batchFiles{s: s, r: r, out: http.NewResponseController(w), of: b, ownerID: wf.Owner.ID, callerID: caller(r.Context()).ID, first: first, last: last}
	return f, s.zips.Take(w.Header(), sha256.Sum256([]byte(f.callerID)))
}

// begin answers with the headers of a file; false: nobody wants more.
func (f *batchFiles) begin(w http.ResponseWriter, kind, extension string) bool {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", disposition("attachment", strings.TrimSuffix(f.of.ID+" "+f.of.Name, " ")+extension))
	w.WriteHeader(http.StatusOK)
	return f.r.Method != http.MethodHead
}

// each calls add with the rows in their order, as long as it is true, and returns whether it
// always was.
func (f *batchFiles) each(add func(platen.StoredRow) bool) (bool, error) {
	for after := f.first - 1; ; {
		rows, err := f.s.Batches.BatchRows(f.r.Context(), caller(f.r.Context()), f.of.WorkflowID, f.of.ID, platen.RowQuery{After: after, Limit: zipPage})
		if err != nil {
			return false, err
		}
		for _, row := range rows {
			if row.Number > f.last {
				return true, nil
			}
			if after = row.Number; !add(row) {
				return false, nil
			}
		}
		if len(rows) < zipPage {
			return true, nil
		}
	}
}

// send calls add with each PDF, as long as it is true, and notes what has none. It returns
// whether somebody listens still. An error of add is about the PDF.
func (f *batchFiles) send(add func(row int, o platen.Output, content []byte) (bool, error)) bool {
	whole, err := f.each(func(row platen.StoredRow) bool {
		if len(row.Outputs) == 0 {
			f.leave(row.Number, "", whyNothing(row))
		}
		for _, o := range row.Outputs {
			content, err := f.read(o)
			goesOn := true
			if err == nil {
				goesOn, err = add(row.Number, o, content)
			}
			if f.r.Context().Err() != nil || !goesOn {
				return false
			}
			if err != nil {
				f.leave(row.Number, " "+safeName(nameOf(o)), reasonOf(f.r, err))
			}
		}
		return true
	})
	if err != nil {
		panic(http.ErrAbortHandler) // half of it must not look like all
	}
	return whole
}

func (f *batchFiles) leave(row int, name, why string) {
	fmt.Fprintf(&f.left, "row %d%s: %s\r\n", row, name, why)
}

// zipBatch answers with the PDFs of the outputs of a batch, one after the other in the order
// of its rows.
func (s *server) zipBatch(w http.ResponseWriter, r *http.Request) error {
	f, err := s.batchFiles(w, r)
	if err != nil {
		return err
	}
	if !f.begin(w, "application/zip", ".zip") {
		return nil
	}
	z := newNamedZip(w)
	if !f.send(func(row int, o platen.Output, content []byte) (bool, error) {
		return z.add(fmt.Sprintf("%05d %s", row, pdfName(o)), o.UpdatedAt, content) == nil && f.out.Flush() == nil, nil
	}) {
		return nil
	}
	_ = f.out.SetWriteDeadline(time.Now().Add(zipEntryWindow))
	if f.left.Len() > 0 {
		_ = z.add(zipErrors, s.now(), []byte(f.left.String()))
	}
	_ = z.Close() // fails only when nobody listens any more
	return nil
}

// whyNothing says why a row has no output.
func whyNothing(row platen.StoredRow) string {
	switch {
	case row.Message != "":
		return edge.Sentence(&platen.Error{Message: row.Message}) + " (" + row.Code + ")"
	case row.State == platen.RowCompleted:
		return "No document was made: its condition is not true of the row."
	default:
		return "It is " + string(row.State) + "."
	}
}

// read reads the PDF of an output. It asks again where too much was asked of the drive:
// a batch is as large as what the drive allows in some minutes.
func (f *batchFiles) read(o platen.Output) ([]byte, error) {
	if err := hasPDF(o); err != nil {
		return nil, err
	}
	if f.open && isEncrypted(o) {
		return nil, errEncrypted
	}
	for attempt := 1; ; attempt++ {
		_ = f.out.SetWriteDeadline(time.Now().Add(zipEntryWindow)) // not every writer has one
		content, err := f.s.outputFiles.read(f.r.Context(), f.ownerID, f.callerID, o)
		e, ok := errors.AsType[*platen.Error](err)
		if !ok || e.Kind != platen.KindRateLimited && e.Kind != platen.KindUnavailable || attempt == zipAttempts {
			return content, err
		}
		select {
		case <-f.r.Context().Done():
			return nil, err
		case <-time.After(min(max(e.RetryAfter, time.Second), zipEntryWindow/2)):
		}
	}
}
