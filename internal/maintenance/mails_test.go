package maintenance_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/platen"
)

type overdue struct {
	mails   []platen.OverdueMail
	givenUp []string
}

func (o *overdue) OverdueMails(context.Context, time.Duration, int) ([]platen.OverdueMail, error) {
	return o.mails, nil
}

func (o *overdue) GiveUpMail(_ context.Context, key platen.MailKey, code, _ string) error {
	o.givenUp = append(o.givenUp, key.OutputID+" "+code)
	return nil
}

func TestMailsThatNobodySendsAreSentForADayAndThenGivenUp(t *testing.T) {
	t.Parallel()
	now := time.Now()
	o := &overdue{mails: []platen.OverdueMail{
		{MailKey: platen.MailKey{AutomationID: "aut_1", OutputID: "out_old"}, CreatedAt: now.Add(-27 * time.Hour)},
		{MailKey: platen.MailKey{AutomationID: "aut_2", OutputID: "out_fails"}, CreatedAt: now.Add(-2 * time.Hour)},
		{MailKey: platen.MailKey{AutomationID: "aut_3", OutputID: "out_new"}, CreatedAt: now.Add(-2 * time.Hour)},
	}}
	var sent []string
	away := errors.New("away")
	err := maintenance.SendOverdueMails(o, func(_ context.Context, m platen.OverdueMail) error {
		sent = append(sent, m.OutputID)
		if m.OutputID == "out_fails" {
			return away
		}
		return nil
	}).Do(t.Context(), slog.New(slog.DiscardHandler))
	if !errors.Is(err, away) {
		t.Errorf("got %v, want why one was not sent", err)
	}
	if want := []string{"out_fails", "out_new"}; !slices.Equal(sent, want) || !slices.Equal(o.givenUp, []string{"out_old gave_up"}) {
		t.Errorf("sent %q, gave up %q; want %q and the old one", sent, o.givenUp, want)
	}
}
