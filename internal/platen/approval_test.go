package platen

import (
	"errors"
	"strings"
	"testing"
	"time"
)

var reviewed = time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)

func newReview(a Approval) Review {
	if a.By == nil {
		a.By = []string{"ada@example.com", "bob@example.com", "eve@example.com"}
	}
	a.ExpireDays = 30
	return Review{Approval: a, RequestedAt: reviewed, ExpiresAt: reviewed.AddDate(0, 0, 30)}
}

func yes(who string) Answer { return Answer{For: who, By: who, Approves: true} }

func no(who string) Answer { return Answer{For: who, By: who, Reason: "Wrong town."} }

func codeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

func TestAReviewIsDecidedByItsAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		need    int
		answers []Answer
		want    Verdict
		code    string // of the last answer
	}{
		"nobody answered":       {answers: nil},
		"one of all":            {answers: []Answer{yes("ada@example.com")}},
		"all of all":            {answers: []Answer{yes("ada@example.com"), yes("eve@example.com"), yes("bob@example.com")}, want: VerdictApproved},
		"one is enough":         {need: 1, answers: []Answer{yes("bob@example.com")}, want: VerdictApproved},
		"two are enough":        {need: 2, answers: []Answer{yes("bob@example.com"), yes("ada@example.com")}, want: VerdictApproved},
		"twice is one":          {need: 2, answers: []Answer{yes("bob@example.com"), yes("bob@example.com")}},
		"one rejection ends it": {need: 2, answers: []Answer{yes("bob@example.com"), no("ada@example.com")}, want: VerdictRejected},
		"a rejection after the end comes too late": {need: 1, answers: []Answer{yes("bob@example.com"), no("ada@example.com")}, want: VerdictApproved, code: "review_ended"},
		"nobody changes an answer":                 {answers: []Answer{yes("bob@example.com"), no("bob@example.com")}, code: "review_answered"},
		"letters of an address do not matter":      {need: 1, answers: []Answer{yes("Bob@Example.com")}, want: VerdictApproved},
		"somebody else":                            {need: 1, answers: []Answer{yes("mallory@example.com")}, code: "not_an_approver"},
	} {
		r := newReview(Approval{Need: c.need})
		code := ""
		for _, a := range c.answers {
			a.At = reviewed.Add(time.Hour)
			_, err := r.Add(a)
			code = codeOf(err)
		}
		if r.Verdict != c.want || code != c.code {
			t.Errorf("%s: got %q and code %q, want %q and %q", name, r.Verdict, code, c.want, c.code)
		}
	}
}

func TestAnAnswerAfterTheEndDoesNotCount(t *testing.T) {
	t.Parallel()
	r := newReview(Approval{Need: 1})
	late := yes("ada@example.com")
	late.At = r.ExpiresAt
	if _, err := r.Add(late); codeOf(err) != "review_ended" {
		t.Errorf("got %v, want that the time is over", err)
	}
}

// A deputy answers for one person, after a reminder was due, and once.
func TestADeputyDecidesAfterTheReminder(t *testing.T) {
	t.Parallel()
	r := newReview(Approval{Need: 1, RemindDays: 3, Deputies: map[string]string{"ada@example.com": "dan@example.com"}})
	early, late := reviewed.AddDate(0, 0, 2), reviewed.AddDate(0, 0, 3)
	if _, err := r.For("dan@example.com", early); codeOf(err) != "not_an_approver" {
		t.Errorf("before the reminder: got %v, want that he is none", err)
	}
	as, err := r.For("dan@example.com", late)
	if err != nil || as != (Approver{For: "ada@example.com", By: "dan@example.com"}) {
		t.Fatalf("after the reminder: got %v %v, want a deputy of ada", as, err)
	}
	if _, err := r.Add(Answer{For: as.For, By: as.By, Approves: true, At: early}); codeOf(err) != "not_an_approver" {
		t.Errorf("an answer before: got %v, want that he is no approver", err)
	}
	if added, err := r.Add(Answer{For: as.For, By: as.By, Approves: true, At: late}); err != nil || !added || r.Verdict != VerdictApproved {
		t.Errorf("got %t %v %q, want that he approves", added, err, r.Verdict)
	}
	if added, err := r.Add(Answer{For: "ada@example.com", By: "ada@example.com", Approves: true, At: late}); err != nil || added {
		t.Errorf("the one he stood in for: got %t %v, want that it is one decision", added, err)
	}
}

func TestRemindersComeUntilTheEnd(t *testing.T) {
	t.Parallel()
	r := newReview(Approval{RemindDays: 12})
	var days []string
	for range 4 {
		at, reminds := r.Next()
		days = append(days, at.Format("2 Jan")+map[bool]string{true: " reminder", false: " end"}[reminds])
		if !reminds {
			break
		}
		r.RemindedAt = &at
	}
	if got, want := strings.Join(days, ", "), "14 Jan reminder, 26 Jan reminder, 1 Feb end"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnApprovalSaysWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	good := Approval{By: []string{"ada@example.com", "bob@example.com"}, RemindDays: 3, ExpireDays: 30}
	for want, change := range map[string]func(*Approval){
		"":            func(*Approval) {},
		"by":          func(a *Approval) { a.By = nil },
		"by ":         func(a *Approval) { a.By = []string{"ada@example.com", "Ada@example.com"} },
		"by  ":        func(a *Approval) { a.By = []string{"Ada <ada@example.com>"} },
		"need":        func(a *Approval) { a.Need = 3 },
		"expireDays":  func(a *Approval) { a.ExpireDays = 366 },
		"remindDays":  func(a *Approval) { a.RemindDays = 30 },
		"deputies":    func(a *Approval) { a.Deputies = map[string]string{"eve@example.com": "dan@example.com"} },
		"deputies ":   func(a *Approval) { a.Deputies = map[string]string{"ada@example.com": "ada@example.com"} },
		"deputies   ": func(a *Approval) { a.Deputies = map[string]string{"ada@example.com": "Bob@example.com"} },
		"deputies    ": func(a *Approval) {
			a.Deputies = map[string]string{"ada@example.com": "dan@example.com", "bob@example.com": "Dan@example.com"}
		},
		"deputies     ": func(a *Approval) {
			a.Deputies = map[string]string{"ada@example.com": "dan@example.com", "Ada@example.com": "eve@example.com"}
		},
		"deputies  ": func(a *Approval) {
			a.RemindDays, a.Deputies = 0, map[string]string{"ada@example.com": "dan@example.com"}
		},
	} {
		a := good
		change(&a)
		if member, problem := a.Problem(); member != strings.TrimSpace(want) || (problem == "") != (member == "") {
			t.Errorf("got %q: %q, want a fault of %q", member, problem, want)
		}
	}
}
