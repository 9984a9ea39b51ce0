package activities_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// asked is a review in memory, and the mail server that asks its people.
type asked struct {
	review  platen.Review
	mailed  []string
	letters []platen.Letter
	now     time.Time
	away    error  // of the mail server
	refuses string // an address that the mail server refuses
	during  func() // nil: nothing happens while it takes a letter
}

func (a *asked) Host() string { return "example.com" }

func (a *asked) Deliver(_ context.Context, l platen.Letter) ([]platen.Recipient, error) {
	if a.during != nil {
		a.during()
	}
	switch {
	case a.away != nil:
		return nil, a.away
	case l.To[0] == a.refuses:
		return []platen.Recipient{{Address: a.refuses, State: platen.RecipientRefused, Status: "550 5.1.1"}}, platen.Errorf(platen.KindInvalid, platen.CodeEmailAddressRefused, "The mail server refused an address.")
	}
	a.letters = append(a.letters, l)
	return []platen.Recipient{{Address: l.To[0], State: platen.RecipientAccepted}}, nil
}

func (a *asked) BeginReview(context.Context, string, platen.Approval, func(*platen.Output) error) (platen.Output, error) {
	return platen.Output{}, errors.ErrUnsupported
}

func (a *asked) Review(context.Context, string) (platen.Review, []string, error) {
	return a.review, slices.Clone(a.mailed), nil
}

func (a *asked) NoteReviewMail(_ context.Context, _ string, _ int, id, unsent string) error {
	a.review.Unsent = unsent
	if id != "" {
		a.mailed = append(a.mailed, id)
	}
	return nil
}

func (a *asked) NoteReviewDue(_ context.Context, _ string, _ int, _, reminded time.Time) error {
	if !reminded.IsZero() {
		a.review.RemindedAt = &reminded
	}
	return nil
}

func (a *asked) ExpireReview(context.Context, string, int) error {
	a.review.Verdict = platen.VerdictExpired
	return nil
}

// reviewing is an output in REVIEW, with what looks after it.
func reviewing(of platen.Approval) (*harness, *asked, *activities.Reviews) {
	d := document()
	d.CreatePDFCopy, d.Approval = true, &of
	w := newHarness(d, ada)
	w.files["pdf"] = stored{File: platen.File{ID: "pdf", Name: "Letter Ada.pdf", SHA256: "approved"}, content: "%PDF"}
	o := w.outputs["out_1"]
	pdf := w.files["pdf"].File
	o.State, o.PDF, o.PDFID, o.PDFHashes, o.Name = platen.OutputReview, &pdf, "pdf", []string{"approved"}, "Letter Ada"
	o.CopyBegun, o.FillBegun, o.FillEnded, o.Copy = true, true, true, &platen.File{ID: "copy"}
	w.outputs["out_1"] = o
	began := w.plan.AcceptedAt
	a := &asked{now: began, review: platen.Review{Approval: of, OutputID: "out_1", AutomationID: "aut_1", WorkflowID: "wkf_1", Round: o.Attempt, SHA256: "approved", RequestedAt: began, ExpiresAt: began.AddDate(0, 0, of.ExpireDays)}}
	documents := w.documents()
	documents.Now = func() time.Time { return a.now }
	return w, a, &activities.Reviews{Documents: documents, Store: a, Server: a, Link: func(l platen.ReviewLink) (string, error) {
		return "https://platen.example/reviews/" + l.By, nil
	}}
}

// Ninety days with a reminder every thirtieth; the deputy is asked from the first on.
func TestPeopleAreAskedAndRemindedUntilTheEnd(t *testing.T) {
	t.Parallel()
	_, a, v := reviewing(platen.Approval{By: []string{"ada@example.com", "bob@example.com"}, RemindDays: 30, ExpireDays: 90, Deputies: map[string]string{"ada@example.com": "dan@example.com"}})
	var said []string
	for looks := 0; ; looks++ {
		if looks > 10 {
			t.Fatal("it does not end")
		}
		before := len(a.letters)
		for range 2 { // a repeat asks nobody again
			if _, err := v.TendReview(t.Context(), activities.ReviewInput{Step: stepOfMail}); err != nil {
				t.Fatal(err)
			}
		}
		day := int(a.now.Sub(a.review.RequestedAt).Hours() / 24)
		for _, l := range a.letters[before:] {
			said = append(said, fmt.Sprintf("%d %s", day, l.To[0]))
		}
		result, err := v.TendReview(t.Context(), activities.ReviewInput{Step: stepOfMail})
		if err != nil {
			t.Fatal(err)
		}
		if result.Ended {
			break
		}
		a.now = a.now.Add(result.Wait)
		if day == 30 { // bob approves
			a.review.Answers = []platen.Answer{{For: "bob@example.com", By: "bob@example.com", Approves: true}}
		}
	}
	want := []string{"0 ada@example.com", "0 bob@example.com", "30 ada@example.com", "30 dan@example.com", "30 bob@example.com", "60 ada@example.com", "60 dan@example.com"}
	if !slices.Equal(said, want) || a.review.Verdict != platen.VerdictExpired {
		t.Errorf("got %v and %q, want %v and that it expires", said, a.review.Verdict, want)
	}
	ids := map[string]bool{}
	for _, l := range a.letters {
		ids[l.MessageID] = true
	}
	if len(ids) != len(want) {
		t.Errorf("got %d names of %d letters", len(ids), len(want))
	}
	if dan := a.letters[3]; !strings.Contains(dan.Text, "You stand in for ada@example.com") || !strings.HasPrefix(dan.Subject, "Reminder") || !strings.Contains(dan.Text, "https://platen.example/reviews/dan@example.com") {
		t.Errorf("got %q: %s", dan.Subject, dan.Text)
	}
}

func TestAMailThatDoesNotGoOutIsTriedAgain(t *testing.T) {
	t.Parallel()
	_, a, v := reviewing(platen.Approval{By: []string{"ada@example.com"}, RemindDays: 3, ExpireDays: 30})
	a.away = platen.Errorf(platen.KindUnavailable, platen.CodeSMTPUnavailable, "The mail server does not answer.")
	result, err := v.TendReview(t.Context(), activities.ReviewInput{Step: stepOfMail})
	if err != nil || result.Wait != 15*time.Minute || a.review.Unsent != "The mail server does not answer." {
		t.Errorf("got %+v %v and %q, want another try in 15 minutes, and why", result, err, a.review.Unsent)
	}
	a.away = nil
	if _, err := v.TendReview(t.Context(), activities.ReviewInput{Step: stepOfMail}); err != nil || len(a.letters) != 1 || a.review.Unsent != "" {
		t.Errorf("got %d letters, %v and %q, want one", len(a.letters), err, a.review.Unsent)
	}
}

// An address that the server refuses keeps nobody else from being asked, and is named until
// it is not waited for any more.
func TestARefusedAddressKeepsNobodyElseFromBeingAsked(t *testing.T) {
	t.Parallel()
	_, a, v := reviewing(platen.Approval{By: []string{"gone@example.com", "bob@example.com"}, Need: 1, RemindDays: 3, ExpireDays: 30})
	a.refuses = "gone@example.com"
	for range 2 {
		result, err := v.TendReview(t.Context(), activities.ReviewInput{Step: stepOfMail})
		if err != nil || result.Wait != 6*time.Hour || len(a.letters) != 1 || a.letters[0].To[0] != "bob@example.com" || a.review.Unsent != "The mail server refused an address." {
			t.Errorf("got %+v, %v, %d letters and %q, want that bob is asked once, and another try in six hours", result, err, len(a.letters), a.review.Unsent)
		}
	}
	a.review.Answers = []platen.Answer{{For: "gone@example.com", By: "gone@example.com", Approves: true}}
	if _, err := v.TendReview(t.Context(), activities.ReviewInput{Step: stepOfMail}); err != nil || a.review.Unsent != "" {
		t.Errorf("got %v and %q, want that nothing is unsent", err, a.review.Unsent)
	}
}

// A batch asks about thousands of documents at once, and leaves places to mails of others.
func TestReviewsOfOneOwnerTakeTurns(t *testing.T) {
	t.Parallel()
	_, a, v := reviewing(platen.Approval{By: []string{"ada@example.com"}, ExpireDays: 30})
	underWay := 0
	var refused error
	a.during = func() {
		underWay++
		if _, err := v.TendReview(t.Context(), activities.ReviewInput{Step: stepOfMail}); refused == nil {
			refused = err
		}
	}
	_, err := v.TendReview(t.Context(), activities.ReviewInput{Step: stepOfMail})
	if err != nil || underWay != 4 || platen.KindOf(refused) != platen.KindRateLimited {
		t.Errorf("got %d at once, then %v, and %v at last; want 4, and that the next waits", underWay, refused, err)
	}
}

// What is decided while a run waits for its turn, or begins, is for the attempt after it.
func TestARunLeavesWhatIsDecidedForTheNext(t *testing.T) {
	t.Parallel()
	w, _, v := reviewing(platen.Approval{By: []string{"ada@example.com"}, ExpireDays: 30})
	o := w.outputs["out_1"]
	o.State, o.Verdict, o.Attempt = platen.OutputPending, platen.VerdictApproved, 3
	w.outputs["out_1"] = o
	w.plan.Attempt = 2
	for attempt, want := range map[int]bool{2: true, 3: false} {
		w.plan.Attempt = attempt
		plan, err := v.Documents.LoadPlan(t.Context(), activities.LoadPlanInput{AutomationID: "aut_1", Attempt: attempt})
		if err != nil || len(plan.Documents) != 1 || plan.Documents[0].Waits != want || plan.Documents[0].Verdict != platen.VerdictApproved {
			t.Errorf("attempt %d: got %+v, %v, want that it waits: %t", attempt, plan.Documents, err, want)
		}
	}
}

func TestOnlyTheBytesThatWereApprovedAreReleased(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*harness, *asked)
		code   string
	}{
		"the same":                   {func(*harness, *asked) {}, ""},
		"another content":            {func(w *harness, _ *asked) { f := w.files["pdf"]; f.SHA256 = "other"; w.files["pdf"] = f }, platen.CodeApprovedFileChanged},
		"it is gone":                 {func(w *harness, _ *asked) { delete(w.files, "pdf") }, ""},
		"a decision that is unknown": {func(_ *harness, a *asked) { a.review.Verdict = "" }, platen.CodeForgotten},
	} {
		w, a, v := reviewing(platen.Approval{By: []string{"ada@example.com"}, ExpireDays: 30})
		o := w.outputs["out_1"]
		o.State, o.Verdict = platen.OutputPending, platen.VerdictApproved
		w.outputs["out_1"] = o
		a.review.Verdict = platen.VerdictApproved
		c.change(w, a)
		err := v.ReleaseOutput(t.Context(), stepOfMail)
		code := ""
		if e, ok := errors.AsType[*platen.Error](err); ok {
			code = e.Code
		}
		if name == "it is gone" {
			if err == nil {
				t.Errorf("%s: it was released", name)
			}
			continue
		}
		if code != c.code || (err == nil) != (c.code == "") {
			t.Errorf("%s: got %v, want code %q", name, err, c.code)
		}
	}
}
