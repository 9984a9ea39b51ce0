package chaos

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/secret"
)

// reviewedName is the workflow whose documents wait for both approvers.
const reviewedName = "reviewed"

// approvers decide by links, and have no account.
func approvers() []string { return []string{"lead@chaos.example", "law@chaos.example"} }

// lookForWork is how often the approvers look at what waits for them.
const lookForWork = 300 * time.Millisecond

// refuses tells whether the second approver rejects an output: one in nine.
func refuses(id string) bool { return id[len(id)-1] >= 't' }

// people decide about what waits until the test ends. They answer at the same moment, and
// once more where an answer was lost.
type people struct {
	service  *service
	workflow *workflow
	box      *secret.Box
	client   *http.Client
}

func (h *harness) openOffice() {
	h.t.Helper()
	box, err := secret.ParseKeys(h.service.secretKeys)
	if err != nil {
		h.t.Fatal(err)
	}
	p := &people{service: h.service, box: box, client: &http.Client{Timeout: 10 * time.Second}}
	for _, w := range h.integrator.workflows {
		if w.name == reviewedName {
			p.workflow = w
		}
	}
	ctx, cancel := context.WithCancel(h.t.Context())
	var working sync.WaitGroup
	working.Go(func() { p.work(ctx) })
	h.t.Cleanup(func() { cancel(); working.Wait() })
}

func (p *people) work(ctx context.Context) {
	tick := time.NewTicker(lookForWork)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var answers sync.WaitGroup
		for _, o := range p.waiting(ctx) {
			for n, by := range approvers() {
				form := url.Values{"decision": {"approve"}}
				if n == 1 && refuses(o.ID) {
					form = url.Values{"decision": {"reject"}, "reason": {"Not this one."}}
				}
				answers.Go(func() { p.answer(ctx, o, by, form) })
			}
		}
		answers.Wait()
	}
}

// A waitingOutput is one that people are to decide about.
type waitingOutput struct {
	ID     string
	Review struct {
		Round     int
		ExpiresAt time.Time
	}
}

// waiting is empty, too, while the service does not answer.
func (p *people) waiting(ctx context.Context) (all []waitingOutput) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.service.api+"/workflows/"+p.workflow.id+"/outputs/?state=REVIEW", nil)
	if err != nil {
		return nil
	}
	request.Header.Set("Authorization", p.workflow.owner.token)
	answer, err := p.client.Do(request)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || json.NewDecoder(answer.Body).Decode(&all) != nil {
		return nil
	}
	return all
}

func (p *people) answer(ctx context.Context, o waitingOutput, by string, form url.Values) {
	link := platen.ReviewLink{WorkflowID: p.workflow.id, OutputID: o.ID, Round: o.Review.Round, For: by, By: by, Until: o.Review.ExpiresAt}
	path, err := link.Path(p.box)
	if err != nil {
		return
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(p.service.api, "/v0")+path, strings.NewReader(form.Encode()))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if answer, err := p.client.Do(request); err == nil {
		_ = answer.Body.Close()
	}
}

// review makes the documents of a workflow wait for both approvers.
func (i *integrator) review(t *testing.T, w *workflow) {
	t.Helper()
	for _, d := range w.documents {
		i.call(t, w.owner, http.MethodPatch, "/workflows/"+w.id+"/documents/"+d.id+"/", object{"approval": object{"by": approvers()}}, nil)
	}
}

// checkReviews: each review ended once, as both said. What was approved is what is in the
// drive, and no event about it was sent before.
func (w *witness) checkReviews(ctx context.Context, files map[string]*driveapi.File) {
	w.t.Helper()
	type reviewRow struct {
		OutputID, Verdict, SHA256 string
		Decided                   time.Time
		Answers                   int
		State, Code               string
		PDF                       *string
	}
	rows, err := w.db.Query(ctx, `
		SELECT DISTINCT ON (o.id) o.id, coalesce(r.verdict, ''), coalesce(r.sha256, ''), coalesce(r.decided_at, now()),
			(SELECT count(*) FROM review_answers v WHERE v.output_id = r.output_id AND v.round = r.round), o.state, o.failure_code, o.pdf->>'id'
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		JOIN workflows f ON f.id = a.workflow_id
		LEFT JOIN reviews r ON r.output_id = o.id
		WHERE f.name = $1
		ORDER BY o.id, r.round DESC`, reviewedName)
	if err != nil {
		w.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[reviewRow])
	if err != nil {
		w.t.Fatal(err)
	}
	first := w.sentFirst()
	chaos := map[string]outputRow{}
	for _, o := range w.outputs(ctx) {
		chaos[o.ID] = o
	}
	for _, r := range all {
		o := chaos[r.OutputID]
		want, state := "APPROVED", "DONE"
		if refuses(r.OutputID) {
			want, state = "REJECTED", "FAILED"
		}
		switch {
		case w.interventions.endOf(o.AutomationID) != "" && r.State == "FAILED":
			continue
		case r.Verdict != want || r.State != state:
			w.fault("review", "output %s of %s is %s %s with the verdict %q, want %s", r.OutputID, o.Chaos, r.State, r.Code, r.Verdict, want)
			continue
		}
		w.counts["reviews"]++
		if at, sent := first[r.OutputID]; sent && at.Before(r.Decided) && !w.timeline.forgot(at, lateAttempt) {
			w.fault("review", "an event about output %s of %s was sent %v before it was decided", r.OutputID, o.Chaos, r.Decided.Sub(at))
		}
		if want == "APPROVED" && (r.Answers != len(approvers()) || r.PDF == nil || files[*r.PDF] == nil || files[*r.PDF].Sha256Checksum != r.SHA256) {
			w.fault("review", "output %s of %s has %d answers, or other bytes than what was approved", r.OutputID, o.Chaos, r.Answers)
		}
	}
	if w.counts["reviews"] == 0 {
		w.fault("review", "no document waited for people")
	}
}

// sentFirst is when the first attempt of an event about each output arrived.
func (w *witness) sentFirst() map[string]time.Time {
	w.t.Helper()
	about := map[string]string{}
	for _, e := range w.events(w.t.Context()) {
		about[e.ID] = e.OutputID
	}
	first := map[string]time.Time{}
	for _, a := range w.receiver.all() {
		id := about[a.header.Get("webhook-id")]
		if at, ok := first[id]; !ok || a.at.Before(at) {
			first[id] = a.at
		}
	}
	return first
}
