package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// OverdueMails knows mails that nobody tries to send.
type OverdueMails interface {
	// OverdueMails returns those that nobody has tried for age, the longest first.
	OverdueMails(ctx context.Context, age time.Duration, limit int) ([]platen.OverdueMail, error)
	// GiveUpMail ends one.
	GiveUpMail(ctx context.Context, key platen.MailKey, code, message string) error
}

const (
	// overdueAfter is longer than any wait between two attempts: the run that made them
	// is gone, because Temporal was restored from a backup.
	overdueAfter   = time.Hour
	overdueAtOnce  = 50
	overdueForGood = 26 * time.Hour
)

// SendOverdueMails makes an attempt to send each mail whose run is gone, for as long as a
// run would; then it gives the mail up.
func SendOverdueMails(store OverdueMails, send func(ctx context.Context, m platen.OverdueMail) error) Job {
	return Job{Name: "overdue mails", Every: 15 * time.Minute, Do: func(ctx context.Context, log *slog.Logger) error {
		due, err := store.OverdueMails(ctx, overdueAfter, overdueAtOnce)
		if err != nil {
			return err
		}
		var failed []error
		for _, m := range due {
			if ctx.Err() != nil {
				break
			}
			if time.Since(m.CreatedAt) > overdueForGood {
				err = store.GiveUpMail(ctx, m.MailKey, platen.CodeGaveUp, "The mail could not be sent within a day of tries.")
			} else {
				err = send(ctx, m)
			}
			log.Warn("a mail was due that nobody tried to send", "automation", m.AutomationID, "output", m.OutputID)
			if err != nil {
				failed = append(failed, fmt.Errorf("mail of %s: %w", m.OutputID, err))
			}
		}
		return errors.Join(failed...)
	}}
}
