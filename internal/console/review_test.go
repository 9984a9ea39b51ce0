package console

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/secret"
)

// decisions are answers, and entries of the audit that came with one or apart.
type decisions struct {
	refuses     error
	with, apart []platen.AuditEntry
	corrected   []string
}

func (d *decisions) Answer(ctx context.Context, _ platen.User, _, _ string, _ int, _ func(platen.Review, time.Time) (platen.Answer, error)) (platen.Review, error) {
	if act := platen.ActOf(ctx); act != nil && d.refuses == nil {
		d.with = append(d.with, act.Entry)
		act.MarkRecorded()
	}
	return platen.Review{}, d.refuses
}

func (d *decisions) Correct(ctx context.Context, _ platen.User, _, _ string, round int, data []byte, correct func(platen.Review, time.Time) (platen.ReviewCorrection, error)) ([]string, error) {
	c, err := correct(platen.Review{Approval: platen.Approval{By: []string{"lead@example.com"}, CorrectByLink: true}, Round: round}, time.Now())
	if err != nil {
		return nil, err
	}
	d.corrected = append(d.corrected, c.By+" "+string(data))
	if act := platen.ActOf(ctx); act != nil {
		act.Entry.Fields = []string{"Total"}
		d.with = append(d.with, act.Entry)
		act.MarkRecorded()
	}
	return []string{"Total"}, nil
}

func (d *decisions) record(_ context.Context, e platen.AuditEntry) error {
	d.apart = append(d.apart, e)
	return nil
}

// An answer by a link and its entry in the audit are one transaction: no crash parts them.
func TestAnAnswerByALinkHasItsEntryInTheAuditWithIt(t *testing.T) {
	t.Parallel()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	link := platen.ReviewLink{WorkflowID: "wkf_0000000000000001", OutputID: "out_0000000000000001", Round: 1, For: "lead@example.com", By: "lead@example.com", Until: time.Now().Add(time.Hour)}
	path, err := link.Path(box)
	if err != nil {
		t.Fatal(err)
	}
	api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `[{"id": %q, "state": "REVIEW", "review": {"round": 1, "by": ["finance@example.com", "lead@example.com"], "needed": 1, "answers": []}}]`, link.OutputID)
	})
	for name, d := range map[string]*decisions{"done": {}, "review_ended": {refuses: platen.Errorf(platen.KindInvalid, "review_ended", "The time is over.")}} {
		pages := NewReviews(ReviewOptions{
			Reviews: d, API: api, Sealer: box, Record: d.record, Client: func(*http.Request) netip.Addr { return netip.Addr{} }, PublicURL: "http://platen.test",
			Workflow: func(context.Context, string) (platen.Workflow, error) {
				return platen.Workflow{ID: link.WorkflowID, Name: "Offers", Owner: platen.User{ID: "usr_1"}}, nil
			},
		})
		r, w := httptest.NewRequest(http.MethodPost, "http://platen.test"+path, strings.NewReader("decision=approve")), httptest.NewRecorder()
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		pages.ServeHTTP(w, r)
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%s: got %d: %s", name, w.Code, w.Body)
		}
		entries := d.with
		if d.refuses != nil {
			entries = d.apart
		}
		if len(d.with)+len(d.apart) != 1 || len(entries) != 1 {
			t.Fatalf("%s: got %+v with the answer and %+v apart, want one entry", name, d.with, d.apart)
		}
		if e := entries[0]; e.Actor.Kind != platen.ActorApprover || e.Actor.ID != "approver 2" || e.Action != "approve by link" || e.WorkflowID != link.WorkflowID || e.ObjectID != link.OutputID || d.refuses != nil && e.Outcome != name {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

// Who comes too late reads what was decided, and not only that it was.
func TestWhoComesTooLateReadsWhatWasDecided(t *testing.T) {
	t.Parallel()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	link := platen.ReviewLink{WorkflowID: "wkf_0000000000000001", OutputID: "out_0000000000000001", Round: 1, For: "lead@example.com", By: "lead@example.com", Until: time.Now().Add(time.Hour)}
	path, err := link.Path(box)
	if err != nil {
		t.Fatal(err)
	}
	for verdict, want := range map[string]string{"APPROVED": "Es wurde freigegeben.", "REJECTED": "Es wurde abgelehnt."} {
		pages := NewReviews(ReviewOptions{
			API: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `[{"id": %q, "state": "FAILED", "review": {"round": 1, "by": ["finance@example.com", "lead@example.com"], "needed": 1, "verdict": %q, "answers": []}}]`, link.OutputID, verdict)
			}),
			Sealer: box, Client: func(*http.Request) netip.Addr { return netip.Addr{} }, PublicURL: "http://platen.test",
			Workflow: func(context.Context, string) (platen.Workflow, error) {
				return platen.Workflow{ID: link.WorkflowID, Name: "Offers", Owner: platen.User{ID: "usr_1"}}, nil
			},
		})
		r, w := httptest.NewRequest(http.MethodGet, "http://platen.test"+path, nil), httptest.NewRecorder()
		r.Header.Set("Accept-Language", "de")
		pages.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %s", verdict, w.Code, w.Body, want)
		}
	}
}
