package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// RowRange are rows of a batch by their numbers, both included. The zero value is all of
// them.
type RowRange struct{ First, Last int }

func (r RowRange) query() url.Values {
	if r == (RowRange{}) {
		return nil
	}
	return url.Values{"rows": {fmt.Sprintf("%d-%d", r.First, r.Last)}}
}

// RowRanges are ranges that have all rows of a batch, of at most this many numbers each. Rows
// of tables are numbered by their lines, so the last number may be far above the number of rows.
func (c *Client) RowRanges(ctx context.Context, workflowID, id string, most int) ([]RowRange, error) {
	var ranges []RowRange
	for after := 0; ; {
		next, err := Collect(c.BatchRows(WithPage(ctx, &Page{Limit: 1}), workflowID, id, BatchRowQuery{After: after}))
		if err != nil || len(next) == 0 {
			return ranges, err
		}
		r := RowRange{First: next[0].Row, Last: next[0].Row + most - 1}
		ranges, after = append(ranges, r), r.Last
	}
}

// BatchZip writes the PDFs of the outputs of a batch to a zip in the order of the rows, while
// it comes. Its errors.txt says which rows have no PDF, and why. A zip has 10,000 rows at most.
// After an error, what was written is not whole.
func (c *Client) BatchZip(ctx context.Context, workflowID, id string, rows RowRange, to io.Writer) error {
	return c.download(ctx, batchPath(workflowID, id)+"outputs.zip/", rows.query(), to)
}

// BatchPDF writes one PDF with the pages of all outputs of a batch in the order of the rows,
// while it comes. It has a bookmark for each, and an attached errors.txt if there are rows
// without a PDF. It has 10,000 rows at most. After an error, what was written is not whole.
func (c *Client) BatchPDF(ctx context.Context, workflowID, id string, rows RowRange, to io.Writer) error {
	return c.download(ctx, batchPath(workflowID, id)+"outputs.pdf/", rows.query(), to)
}

// download writes an answer as it comes, which may take longer than others. It asks once: what
// is written cannot be taken back.
func (c *Client) download(ctx context.Context, path string, query url.Values, to io.Writer) error {
	asked, err := c.newRequest(ctx, request{method: http.MethodGet, path: path, query: query}, nil, "")
	if err != nil {
		return err
	}
	patient := c.http
	patient.Timeout = 0
	ctx, cancel := context.WithCancelCause(asked.Context())
	defer cancel(nil)
	idle := time.AfterFunc(idleTime, func() { cancel(errIdle) })
	defer idle.Stop()
	answer, err := patient.Do(asked.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("ask %s: %w", asked.URL.Host, causeOf(ctx, err))
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // without it there is the status
		return ErrorOf(answer, said)
	}
	if _, err := io.Copy(to, &watched{answer.Body, idle}); err != nil {
		return fmt.Errorf("read the answer of %s: %w", asked.URL.Host, causeOf(ctx, err))
	}
	return nil
}

// idleTime is how long nothing may come of a download.
const idleTime = 2 * time.Minute

var errIdle = fmt.Errorf("nothing came for %s", idleTime)

// causeOf is why a download ended, in place of what that looks like.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause == errIdle {
		return cause
	}
	return err
}

// watched puts off the end of a download with each byte.
type watched struct {
	from io.Reader
	idle *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	w.idle.Reset(idleTime)
	return n, err
}
