package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// Mails is the store of mails about outputs.
type Mails struct{ db *DB }

type mailRow struct {
	OutputID     string           `db:"output_id"`
	AutomationID string           `db:"automation_id"`
	State        platen.MailState `db:"state"`
	Recipients   int              `db:"recipients"`
	Attempts     int              `db:"attempts"`
	Code         string           `db:"code"`
	Message      string           `db:"message"`
	CreatedAt    time.Time        `db:"created_at"`
	TriedAt      *time.Time       `db:"tried_at"`
	SentAt       *time.Time       `db:"sent_at"`
}

const mailColumns = `output_id, automation_id, state, recipients, attempts, code, message, created_at, tried_at, sent_at`

func (r mailRow) mail() platen.Mail {
	return platen.Mail{
		OutputID: r.OutputID, State: r.State, Recipients: r.Recipients, Attempts: r.Attempts, Code: r.Code, Message: r.Message,
		CreatedAt: r.CreatedAt.UTC(), TriedAt: utc(r.TriedAt), SentAt: utc(r.SentAt),
	}
}

// BeginMail notes that an attempt to send the mail about an output begins, which nobody
// else makes until lease has passed, and returns the mail with it. One that has ended is
// returned as it is, and no attempt begins. KindConflict with code "mail_under_way":
// another attempt is under way.
func (s *Mails) BeginMail(ctx context.Context, automationID, outputID string, lease time.Duration) (platen.Mail, error) {
	m, err := s.beginMail(ctx, automationID, outputID, lease)
	if err != nil {
		return platen.Mail{}, fmt.Errorf("begin the mail of output %s: %w", outputID, err)
	}
	return m, nil
}

func (s *Mails) beginMail(ctx context.Context, automationID, outputID string, lease time.Duration) (platen.Mail, error) {
	args := pgx.NamedArgs{"output_id": outputID, "automation_id": automationID, "lease": lease}
	r, begun, err := collectOne[mailRow](ctx, s.db.pool, `
		INSERT INTO mails AS m (output_id, automation_id, state, attempts, tried_at, leased_until)
		SELECT o.id, o.automation_id, 'PENDING', 1, now(), now() + @lease::interval
		FROM outputs o
		WHERE o.id = @output_id AND o.automation_id = @automation_id
		ON CONFLICT (output_id) DO UPDATE
		SET attempts = m.attempts + 1, tried_at = now(), leased_until = now() + @lease::interval
		WHERE m.state = 'PENDING' AND (m.leased_until IS NULL OR m.leased_until < now())
		RETURNING `+mailColumns, args)
	if err != nil || begun {
		return r.mail(), err
	}
	r, known, err := collectOne[mailRow](ctx, s.db.pool, `
		SELECT `+mailColumns+`
		FROM mails
		WHERE output_id = @output_id`, args)
	switch {
	case err != nil:
		return platen.Mail{}, err
	case !known:
		return platen.Mail{}, platen.Errorf(platen.KindNotFound, "output_not_found", "there is no output %s", outputID)
	case r.State == platen.MailPending:
		return platen.Mail{}, platen.Errorf(platen.KindConflict, "mail_under_way", "Another attempt to send this mail is under way; it is tried again after that.")
	}
	return r.mail(), nil
}

// RecordMail stores the outcome of an attempt: state, recipients, code and message. A
// mail that has ended stays as it is, but for one that failed here and was sent after all.
func (s *Mails) RecordMail(ctx context.Context, m platen.Mail) error {
	_, err := execute(ctx, s.db.pool, `
		UPDATE mails
		SET state = @state, recipients = greatest(recipients, @recipients), code = @code, message = @message, leased_until = NULL,
			sent_at = CASE WHEN @state = 'SENT' THEN now() END
		WHERE output_id = @output_id AND (state = 'PENDING' OR state = 'FAILED' AND @state = 'SENT')`,
		pgx.NamedArgs{"output_id": m.OutputID, "state": m.State, "recipients": m.Recipients, "code": m.Code, "message": cleanText(m.Message)})
	if err != nil {
		return fmt.Errorf("record the mail of output %s: %w", m.OutputID, err)
	}
	return nil
}

// GiveUpMail ends a mail that was not sent, also one that no attempt began to send.
func (s *Mails) GiveUpMail(ctx context.Context, automationID, outputID, code, message string) error {
	_, err := execute(ctx, s.db.pool, `
		INSERT INTO mails AS m (output_id, automation_id, state, code, message)
		SELECT o.id, o.automation_id, 'FAILED', @code, @message
		FROM outputs o
		WHERE o.id = @output_id AND o.automation_id = @automation_id
		ON CONFLICT (output_id) DO UPDATE
		SET state = 'FAILED', code = excluded.code, message = excluded.message, leased_until = NULL
		WHERE m.state = 'PENDING'`,
		pgx.NamedArgs{"output_id": outputID, "automation_id": automationID, "code": code, "message": cleanText(message)})
	if err != nil {
		return fmt.Errorf("give up the mail of output %s: %w", outputID, err)
	}
	return nil
}

// SkipMail notes that the mail about an output is not sent, and why. One that was begun
// stays as it is.
func (s *Mails) SkipMail(ctx context.Context, automationID, outputID, code, message string) error {
	_, err := execute(ctx, s.db.pool, `
		INSERT INTO mails (output_id, automation_id, state, code, message)
		SELECT o.id, o.automation_id, 'NOT_SENT', @code, @message
		FROM outputs o
		WHERE o.id = @output_id AND o.automation_id = @automation_id
		ON CONFLICT (output_id) DO NOTHING`,
		pgx.NamedArgs{"output_id": outputID, "automation_id": automationID, "code": code, "message": cleanText(message)})
	if err != nil {
		return fmt.Errorf("note that the mail of output %s is not sent: %w", outputID, err)
	}
	return nil
}

// OverdueMails returns up to limit mails that nobody has tried to send for age, although
// they are PENDING, the longest first.
func (s *Mails) OverdueMails(ctx context.Context, age time.Duration, limit int) ([]platen.OverdueMail, error) {
	type row struct {
		AutomationID string    `db:"automation_id"`
		OutputID     string    `db:"output_id"`
		CreatedAt    time.Time `db:"created_at"`
	}
	rows, err := collect[row](ctx, s.db.pool, `
		SELECT automation_id, output_id, created_at
		FROM mails
		WHERE state = 'PENDING' AND coalesce(tried_at, created_at) < now() - @age::interval AND coalesce(leased_until, '-infinity') < now()
		ORDER BY coalesce(tried_at, created_at)
		LIMIT @limit`, pgx.NamedArgs{"age": age, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list overdue mails: %w", err)
	}
	all := make([]platen.OverdueMail, len(rows))
	for i, r := range rows {
		all[i] = platen.OverdueMail{AutomationID: r.AutomationID, OutputID: r.OutputID, CreatedAt: r.CreatedAt.UTC()}
	}
	return all, nil
}

// loadMails gives outputs of automations their mails.
func loadMails(ctx context.Context, q querier, automationIDs []string, outputs map[string][]platen.Output) error {
	rows, err := collect[mailRow](ctx, q, `
		SELECT `+mailColumns+`
		FROM mails
		WHERE automation_id = ANY (@ids)`, pgx.NamedArgs{"ids": automationIDs})
	if err != nil {
		return fmt.Errorf("list mails: %w", err)
	}
	for _, r := range rows {
		for i, o := range outputs[r.AutomationID] {
			if o.ID == r.OutputID {
				m := r.mail()
				outputs[r.AutomationID][i].Mail = &m
			}
		}
	}
	return nil
}
