package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// A run that is gone may have recorded what it made before it mailed that.
func TestTheMailsOfARunThatIsGoneAreSentAfterIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	const own, all, none = 0, 1, 2 // the kinds of documents, by their mails
	kindOf := func(d platen.Document) int {
		switch {
		case d.Email == nil:
			return none
		case d.Email.AllOutputs:
			return all
		}
		return own
	}
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()), storetest.NewDocument(w.ID, storetest.Now()))
		w.Documents[own].Email = &platen.Email{To: "ada@example.com", Subject: "One"}
		w.Documents[all].Email = &platen.Email{To: "ada@example.com", Subject: "All", AllOutputs: true}
		w.Documents[none].Email = nil
	})
	outputOf := func(p platen.Plan, kind int) platen.MailKey {
		i := slices.IndexFunc(p.Documents, func(d platen.PlannedDocument) bool { return kindOf(d.Document) == kind })
		return platen.MailKey{AutomationID: p.AutomationID, OutputID: p.Documents[i].OutputID}
	}
	type outcome = map[int]bool // by kinds of documents: an output that is made
	for name, c := range map[string]struct {
		made   outcome
		become func(p platen.Plan)
		want   map[int]platen.MailState
	}{
		"all are made":           {outcome{own: true, all: true, none: true}, func(platen.Plan) {}, map[int]platen.MailState{own: platen.MailPending, all: platen.MailPending}},
		"one is not":             {outcome{all: true}, func(platen.Plan) {}, map[int]platen.MailState{all: platen.MailPending}},
		"one was sent":           {outcome{own: true, all: true, none: true}, func(p platen.Plan) { f.mail(outputOf(p, own), platen.MailSent) }, map[int]platen.MailState{own: platen.MailSent, all: platen.MailPending}},
		"one was begun":          {outcome{own: true}, func(p platen.Plan) { f.mail(outputOf(p, own), platen.MailPending) }, map[int]platen.MailState{own: platen.MailPending}},
		"a test":                 {outcome{own: true, all: true, none: true}, func(p platen.Plan) { f.Exec(`UPDATE automations SET test = true WHERE id = $1`, p.AutomationID) }, map[int]platen.MailState{}},
		"nothing is made":        {outcome{}, func(platen.Plan) {}, map[int]platen.MailState{}},
		"what brings all failed": {outcome{own: true, none: true}, func(platen.Plan) {}, map[int]platen.MailState{own: platen.MailPending}},
	} {
		p := f.Running(w)
		c.become(p)
		for _, d := range p.Documents {
			if c.made[kindOf(d.Document)] {
				_, _, err := f.Outputs.RecordOutput(t.Context(), d.OutputID, storetest.Done, storetest.EventFor)
				f.Must(err)
			}
		}
		for range 2 { // the second changes nothing
			_, err := f.Another().Automations.EndAbandonedAutomation(t.Context(), p.AutomationID, 1, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return storetest.EventFor(o) })
			f.Must(err)
		}
		got := map[int]platen.MailState{}
		for _, d := range p.Documents {
			output, kind := d.OutputID, kindOf(d.Document)
			for _, state := range []platen.MailState{platen.MailPending, platen.MailSent} {
				if f.Count(`SELECT count(*) FROM mails WHERE output_id = $1 AND state = $2`, output, state) == 1 {
					got[kind] = state
				}
			}
			asked := f.Count(`SELECT count(*) FROM errands WHERE kind = 'MAIL' AND id = $1`, output)
			if (asked == 1) != (got[kind] == platen.MailPending) {
				t.Errorf("%s: %d commands to send the mail of kind %d, which is %q", name, asked, kind, got[kind])
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: mails (-want +got):\n%s", name, diff)
		}
	}
}

// mail has an attempt to send a mail leave it in a state.
func (f *harness) mail(key platen.MailKey, state platen.MailState) {
	f.T.Helper()
	m, err := f.Mails.BeginMail(f.T.Context(), key, time.Minute)
	f.Must(err)
	m.State = state
	f.Must(f.Mails.RecordMail(f.T.Context(), m))
}
