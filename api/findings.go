package api

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// What makes or changes something says at once what is wrong with it. It is done all the
// same: the specification refuses none of it.

const defaultFindingsTimeout = 3 * time.Second

// defaultFindingsRate leaves of what Google lets a user read in a minute four fifths to
// runs.
var defaultFindingsRate = edge.Rate{PerSecond: 1, Burst: 10}

// uncheckedJSON says why there are no findings.
type uncheckedJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// writeChanged answers with a document that was made or changed, and what is wrong with it.
func (s *server) writeChanged(ctx context.Context, w http.ResponseWriter, r *http.Request, status int, wf platen.Workflow, d platen.Document) error {
	resource := s.document(d)
	return writeTold(w, r, status, resource, s.withFindings(ctx, wf, d, resource))
}

// withFindings adds what is wrong with a document, or why that is not known; nothing where
// no template can be checked.
func (s *server) withFindings(ctx context.Context, wf platen.Workflow, d platen.Document, j documentJSON) documentJSON {
	if s.templates == nil {
		return j
	}
	found, err := s.findingsOf(ctx, wf, d)
	j.Findings = &found
	if err != nil {
		j.Unchecked = s.explainUnchecked(ctx, err)
	}
	return j
}

// findingsOf looks at the template and the settings of a document. The answer to a change
// waits for it, so it is given little time.
func (s *server) findingsOf(ctx context.Context, wf platen.Workflow, d platen.Document) ([]checkedJSON, error) {
	if err := s.checks.Take(http.Header{}, sha256.Sum256([]byte(caller(ctx).ID))); err != nil {
		return nil, platen.Errorf(platen.KindRateLimited, "check_too_often", "so many documents of yours were changed just now")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.checkTimeout, errDriveTimeout)
	defer cancel()
	fields, err := s.fieldsToCheck(ctx, wf, nil)
	var checked platen.TemplateCheck
	if err == nil {
		checked, err = s.templates.CheckTemplate(ctx, wf, d, nilIfNone(fields), nil)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = &platen.Error{Kind: platen.KindUnavailable, Err: err}
		}
		return nil, sampleError(ctx, err)
	}
	targets, err := s.Targets.Targets(ctx, caller(ctx), wf.ID)
	if err != nil {
		return nil, err
	}
	found := checkedOf(checked.Findings)
	for _, f := range wf.SettingFindings(d, targets) {
		if f.Code != platen.CodeTagNotClosed { // the check found it, with its place
			found = append(found, checkedJSON{Where: f.In, Code: f.Code, Message: f.In + " " + f.Message + ".", Nearest: []string{}, Severity: f.Severity()})
		}
	}
	return found, nil
}

// explainUnchecked says that the change was made, and why it was not checked.
func (s *server) explainUnchecked(ctx context.Context, err error) *uncheckedJSON {
	out := &uncheckedJSON{Code: codeOf(err), Message: "The document is saved. Whether it has mistakes is not known, for its template could not be read just now: check it later."}
	switch out.Code {
	case "check_too_often", "preview_busy":
		out.Message = "The document is saved. Whether it has mistakes is not known, for too much is being checked just now: check it later."
	case "":
		out.Code = "internal_error"
		edge.Note(ctx, slog.String("check_error", err.Error()))
	}
	return out
}

// maxTargetFindings is how many documents an answer about a target names.
const maxTargetFindings = 20

// targetWithFindings is a target of a workflow that was made or changed, and what is wrong
// with it.
func targetWithFindings(t platen.Target, wf platen.Workflow) targetJSON {
	out := target(t)
	for _, d := range wf.Documents {
		if t.MissesOffice(d) && len(out.Findings) < maxTargetFindings {
			out.Findings = append(out.Findings, checkedJSON{Where: "office", Code: platen.CodeOfficeRemoved, Nearest: []string{}, Severity: platen.SeverityMistake,
				Message: "office is true, and document " + d.ID + " removes its office file: the target gets its PDF alone. Switch removeOutput of the document off, or office."})
		}
	}
	return out
}

// outgoingWithFindings is an outgoing webhook that was made or changed, and what is wrong
// with it.
func (s *server) outgoingWithFindings(o platen.OutgoingWebhook) *outgoingWebhookJSON {
	out := outgoingWebhook(o)
	out.Findings = s.findingsOfAddress(o.URL)
	return &out
}

// findingsOfAddress say what keeps events from an address.
func (s *server) findingsOfAddress(address string) []checkedJSON {
	if !s.private(address) {
		return nil
	}
	return []checkedJSON{{Where: "webhookUrl", Code: "receiver_private", Nearest: []string{}, Severity: platen.SeverityMistake,
		Message: "webhookUrl names a private network or this machine: nothing is delivered there unless the operator allows the network. Use a public address, or platen listen while you develop."}}
}
