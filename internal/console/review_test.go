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

// reviewPageOf opens the page of a link of lead@example.com, whose output stands as a JSON
// object says; data is what it is made of.
func reviewPageOf(t *testing.T, output, data, language string) string {
	t.Helper()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	link := platen.ReviewLink{WorkflowID: "wkf_0000000000000001", OutputID: "out_0000000000000001", Round: 1, For: "lead@example.com", By: "lead@example.com", Until: time.Now().Add(time.Hour)}
	path, err := link.Path(box)
	if err != nil {
		t.Fatal(err)
	}
	pages := NewReviews(ReviewOptions{
		API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if strings.HasSuffix(r.URL.Path, "/data/") {
				fmt.Fprintf(w, `{"data": %s}`, data)
				return
			}
			fmt.Fprintf(w, `[{"id": %q, %s]`, link.OutputID, strings.TrimPrefix(output, "{"))
		}),
		Sealer: box, Client: func(*http.Request) netip.Addr { return netip.Addr{} }, PublicURL: "http://platen.test",
		Workflow: func(context.Context, string) (platen.Workflow, error) {
			return platen.Workflow{ID: link.WorkflowID, Name: "Offers", Owner: platen.User{ID: "usr_1"}}, nil
		},
	})
	r, w := httptest.NewRequest(http.MethodGet, "http://platen.test"+path, nil), httptest.NewRecorder()
	r.Header.Set("Accept-Language", language)
	pages.ServeHTTP(w, r)
	return w.Body.String()
}

// A late approver reads the decision. One who has approved reads nothing else.
func TestWhoComesTooLateReadsWhatWasDecided(t *testing.T) {
	t.Parallel()
	const own = `{"for": "lead@example.com", "by": "lead@example.com", "approves": true}`
	for _, c := range []struct{ state, verdict, answers, want string }{
		{"DONE", "APPROVED", "", "Es wurde freigegeben."},
		{"FAILED", "REJECTED", "", "Es wurde abgelehnt."},
		{"DONE", "APPROVED", own, "Es geht jetzt hinaus."},
		{"FAILED", "REJECTED", own, "Es wurde abgelehnt."},
		{"FAILED", "EXPIRED", own, "nicht rechtzeitig"},
		{"PENDING", "CORRECTED", own, "Eine neue E-Mail bringt den Link dazu."},
		{"FAILED", "CORRECTED", own, "damit kann es nicht erstellt werden: Total is no number."},
	} {
		page := reviewPageOf(t, fmt.Sprintf(`{"state": %q, "error": {"code": "data_unusable", "message": "Total is no number."}, "review": {"round": 1, "by": ["finance@example.com", "lead@example.com"], "needed": 2, "correctByLink": true, "verdict": %q, "answers": [%s]}}`, c.state, c.verdict, c.answers), "{}", "de")
		if !strings.Contains(page, c.want) || c.verdict != "APPROVED" && strings.Contains(page, "Es geht jetzt hinaus.") {
			t.Errorf("%s: got %s, want %s", c.verdict, page, c.want)
		}
	}
}

// A form shows a text whole: HTML takes a line feed at the beginning of one away.
func TestAFormOfALinkShowsTextsWhole(t *testing.T) {
	t.Parallel()
	for _, review := range []string{`"state": "REVIEW", "review": {"round": 1`, `"state": "FAILED", "review": {"verdict": "CORRECTED", "round": 1`} {
		page := reviewPageOf(t, `{`+review+`, "by": ["lead@example.com"], "needed": 1, "correctByLink": true, "answers": []}}`, `{"Text": "\nfrom below"}`, "en")
		if !strings.Contains(page, ">\n\nfrom below</textarea>") {
			t.Errorf("got %s, want the text with its first line", page)
		}
	}
}
