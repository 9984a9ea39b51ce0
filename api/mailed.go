package api

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// mailedRate is how often one link is opened.
var mailedRate = edge.Rate{PerSecond: 1, Burst: 20}

// What people read who open a link of a mail that does not open.
const (
	mailedEnded  = "This link has ended, or never was. Ask the sender of the mail for a new one.\n"
	mailedBusy   = "Too many ask for this at once. Open the link again in a moment.\n"
	mailedFailed = "The file cannot be read now. Open the link again later.\n"
)

// serveMailed answers to everybody who has the link of a mail with the PDF of its output. A
// link that has ended, one that was made up and one of a file that is gone look alike.
func (s *server) serveMailed(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address is a credential
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex")
	say := func(status int, text string) {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text)) // fails only when nobody listens any more
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		say(http.StatusMethodNotAllowed, "Open the link in a browser.\n")
		return
	}
	workflowID, mailID, ok := platen.ReadMailLink(s.linkKeys, r.URL.Path)
	if !ok {
		say(http.StatusNotFound, mailedEnded)
		return
	}
	edge.Note(r.Context(), slog.String("mail", mailID))
	if s.mailed.Take(h, sha256.Sum256([]byte(mailID))) != nil {
		say(http.StatusTooManyRequests, mailedBusy)
		return
	}
	content, name, err := s.mailedFile(r.Context(), workflowID, mailID)
	switch platen.KindOf(err) {
	case platen.KindNotFound, platen.KindInvalid:
		say(http.StatusNotFound, mailedEnded)
		return
	}
	if err != nil {
		edge.Note(r.Context(), slog.String("error", err.Error()))
		h.Set("Retry-After", strconv.Itoa(int((10 * time.Second).Seconds())))
		say(http.StatusServiceUnavailable, mailedFailed)
		return
	}
	h.Set("Content-Type", platen.MIMEPDF)
	h.Set("Content-Disposition", disposition("inline", name))
	h.Set("Content-Length", strconv.Itoa(len(content)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(content) // fails only when nobody listens any more
	}
}

// mailedFile reads the PDF that a mail has a link to, as the owner of its workflow.
func (s *server) mailedFile(ctx context.Context, workflowID, mailID string) (content []byte, name string, err error) {
	wf, err := s.Workflows.WorkflowByID(ctx, workflowID)
	if err != nil {
		return nil, "", err
	}
	ctx = platen.WithCaller(ctx, wf.Owner)
	outputID, err := s.Mails.LinkedOutput(ctx, workflowID, mailID)
	if err != nil {
		return nil, "", err
	}
	found, err := s.Outputs.WorkflowOutputs(ctx, wf.Owner, workflowID, platen.OutputQuery{IDs: []string{outputID}})
	if err != nil {
		return nil, "", err
	}
	i := slices.IndexFunc(found, func(o platen.Output) bool { return o.ID == outputID })
	if i < 0 {
		return nil, "", platen.ErrOutputNotFound()
	}
	if err := hasPDF(found[i]); err != nil {
		return nil, "", err
	}
	content, err = s.outputFiles.read(ctx, wf.Owner.ID, "mailed "+wf.Owner.ID, found[i])
	return content, pdfName(found[i]), err
}
