package api

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// resultRows is how many rows of a batch are read and sent at a time.
const resultRows = 500

// writeBatchResults answers with a line for each row of a batch (CSV, RFC 4180), which is sent
// while it is read. If a part cannot be read, the connection ends: half of it must not look
// like all.
func (s *server) writeBatchResults(w http.ResponseWriter, r *http.Request) error {
	wfID, id, err := s.batchID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	states := anyOf(in, "state", platen.RowStates()...)
	if err := in.err(); err != nil {
		return err
	}
	b, err := s.Batches.Batch(r.Context(), caller(r.Context()), wfID, id)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/csv")
	h.Set("Content-Disposition", disposition("attachment", strings.TrimSuffix(b.ID+" "+b.Name, " ")+".csv"))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out, server := csv.NewWriter(w), http.NewResponseController(w)
	_ = out.Write([]string{"row", "state", "code", "reason", "reference", "series", "number", "automation", "files", "links", "mail", "mail_reason"})
	for after := 0; ; {
		_ = server.SetWriteDeadline(time.Now().Add(zipEntryWindow)) // not every writer has one
		rows, err := s.Batches.BatchRows(r.Context(), caller(r.Context()), wfID, id, platen.RowQuery{After: after, Limit: resultRows, States: states})
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		for _, row := range rows {
			after = row.Number
			_ = out.Write(resultLine(row))
		}
		out.Flush()
		if len(rows) < resultRows || out.Error() != nil {
			return nil
		}
	}
}

// resultLine is a row of the results of a batch. Several numbers, files or mails are on lines
// of one cell.
func resultLine(row platen.StoredRow) []string {
	var names, links, series, numbers, mails, missed []string
	for _, n := range row.Numbers {
		series, numbers = append(series, n.Series), append(numbers, strconv.FormatInt(n.Number, 10))
	}
	for _, o := range row.Outputs {
		if m := o.Mail; m != nil {
			mails = append(mails, string(m.State))
			if m.Code != "" {
				missed = append(missed, edge.Sentence(&platen.Error{Message: m.Message}))
			}
		}
		if o.State != platen.OutputDone {
			continue
		}
		for _, f := range o.Files() {
			names, links = append(names, f.Name), append(links, f.URL)
		}
	}
	reason := row.Message
	if reason != "" {
		reason = edge.Sentence(&platen.Error{Message: reason})
	}
	return []string{
		strconv.Itoa(row.Number), string(row.State), row.Code, harmless(reason), harmless(row.Reference),
		strings.Join(series, "\n"), strings.Join(numbers, "\n"), row.AutomationID,
		harmless(strings.Join(names, "\n")), harmless(strings.Join(links, "\n")), strings.Join(mails, "\n"), harmless(strings.Join(missed, "\n")),
	}
}

// harmless is a text that no spreadsheet takes for a formula, as OWASP has it:
// https://owasp.org/www-community/attacks/CSV_Injection.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
