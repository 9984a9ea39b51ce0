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
	// maxZipRows is how many rows of a batch one zip has: what a zip says of each of its
	// files is in memory until its end.
	maxZipRows = 10_000
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

// zipBatch answers with the PDFs of the outputs of a batch, one after the other in the order
// of its rows. They are read while they are sent, one at a time.
func (s *server) zipBatch(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err != nil {
		return err
	}
	_, id, err := s.batchID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	first, last := in.rowRange()
	if err := in.err(); err != nil {
		return err
	}
	b, err := s.Batches.Batch(r.Context(), caller(r.Context()), wf.ID, id)
	if err != nil {
		return err
	}
	if b.Rows > maxZipRows && last-first >= maxZipRows {
		in.fault("The parameter rows must name at most %d rows of a batch that has more, such as 1-%d.", maxZipRows, maxZipRows)
		return in.err()
	}
	if err := s.zips.Take(w.Header(), sha256.Sum256([]byte(caller(r.Context()).ID))); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", disposition("attachment", strings.TrimSuffix(b.ID+" "+b.Name, " ")+".zip"))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	z := batchZip{s: s, r: r, out: http.NewResponseController(w), to: newNamedZip(w), ownerID: wf.Owner.ID}
	for after := first - 1; ; {
		rows, err := s.Batches.BatchRows(r.Context(), caller(r.Context()), wf.ID, id, platen.RowQuery{After: after, Limit: zipPage})
		if err != nil {
			panic(http.ErrAbortHandler) // half of it must not look like all
		}
		for _, row := range rows {
			if row.Number > last {
				z.end()
				return nil
			}
			if after = row.Number; !z.add(row) {
				return nil
			}
		}
		if len(rows) < zipPage {
			z.end()
			return nil
		}
	}
}

// A batchZip is a zip that is sent while its files are read.
type batchZip struct {
	s       *server
	r       *http.Request
	out     *http.ResponseController
	to      *namedZip
	ownerID string
	left    strings.Builder // rows without a file, and why
}

// add sends what was made of a row; false: nobody listens any more.
func (z *batchZip) add(row platen.StoredRow) bool {
	leave := func(name, why string) { fmt.Fprintf(&z.left, "row %d%s: %s\r\n", row.Number, name, why) }
	if len(row.Outputs) == 0 {
		leave("", whyNothing(row))
	}
	for _, o := range row.Outputs {
		content, err := z.read(o)
		switch {
		case z.r.Context().Err() != nil:
			return false
		case err != nil:
			leave(" "+safeName(nameOf(o)), reasonOf(z.r, err))
		case z.to.add(fmt.Sprintf("%05d %s", row.Number, pdfName(o)), o.UpdatedAt, content) != nil || z.out.Flush() != nil:
			return false
		}
	}
	return true
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
func (z *batchZip) read(o platen.Output) ([]byte, error) {
	if err := hasPDF(o); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		_ = z.out.SetWriteDeadline(time.Now().Add(zipEntryWindow)) // not every writer has one
		content, err := z.s.outputFiles.read(z.r.Context(), z.ownerID, caller(z.r.Context()).ID, o)
		e, ok := errors.AsType[*platen.Error](err)
		if !ok || e.Kind != platen.KindRateLimited && e.Kind != platen.KindUnavailable || attempt == zipAttempts {
			return content, err
		}
		select {
		case <-z.r.Context().Done():
			return nil, err
		case <-time.After(min(max(e.RetryAfter, time.Second), zipEntryWindow/2)):
		}
	}
}

// end sends what was left out, and the end of the zip.
func (z *batchZip) end() {
	_ = z.out.SetWriteDeadline(time.Now().Add(zipEntryWindow))
	if z.left.Len() > 0 {
		_ = z.to.add(zipErrors, z.s.now(), []byte(z.left.String()))
	}
	_ = z.to.Close() // fails only when nobody listens any more
}
