package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Mails is the store of mails about outputs.
type Mails struct{ db *DB }

// mailRecipients is the encryption context of a mail's recipients.
const mailRecipients = "mails.sent_to"

type mailRow struct {
	OutputID     string           `db:"output_id"`
	AutomationID string           `db:"automation_id"`
	Number       int              `db:"number"`
	To           []byte           `db:"sent_to"`
	State        platen.MailState `db:"state"`
	Recipients   int              `db:"recipients"`
	Attempts     int              `db:"attempts"`
	Code         string           `db:"code"`
	Message      string           `db:"message"`
	CreatedAt    time.Time        `db:"created_at"`
	TriedAt      *time.Time       `db:"tried_at"`
	SentAt       *time.Time       `db:"sent_at"`
}

const mailColumns = `m.output_id, m.automation_id, m.number, m.sent_to, m.state, m.recipients, m.attempts, m.code, m.message, m.created_at, m.tried_at, m.sent_at`

// latestMail is a condition for mails m that say how their outputs stand.
const latestMail = `NOT EXISTS (SELECT FROM mails later WHERE later.output_id = m.output_id AND later.number > m.number)`

// mail is a row without its recipients.
func (r mailRow) mail() platen.Mail {
	return platen.Mail{
		MailKey: platen.MailKey{AutomationID: r.AutomationID, OutputID: r.OutputID, Number: r.Number},
		State:   r.State, Recipients: r.Recipients, Attempts: r.Attempts, Code: r.Code, Message: r.Message,
		CreatedAt: r.CreatedAt.UTC(), TriedAt: UTC(r.TriedAt), SentAt: UTC(r.SentAt),
	}
}

// BeginMail notes that an attempt to send a mail begins, which nobody else makes until
// lease has passed, and returns the mail with it, and with its recipients. One that has
// ended is returned as it is, and no attempt begins. The mail of the automation itself is
// made by its first attempt. KindConflict with code "mail_under_way": another attempt is
// under way.
func (s *Mails) BeginMail(ctx context.Context, key platen.MailKey, lease time.Duration) (platen.Mail, error) {
	m, err := s.beginMail(ctx, key, lease)
	if err != nil {
		return platen.Mail{}, fmt.Errorf("begin mail %s: %w", key.ID(), err)
	}
	return m, nil
}

func (s *Mails) beginMail(ctx context.Context, key platen.MailKey, lease time.Duration) (platen.Mail, error) {
	args := mailArgs(key, pgx.NamedArgs{"lease": lease})
	r, begun, err := CollectOne[mailRow](ctx, s.db.pool, `
		INSERT INTO mails AS m (id, output_id, automation_id, workflow_id, state, attempts, tried_at, leased_until)
		SELECT @id, o.id, o.automation_id, a.workflow_id, 'PENDING', 1, now(), now() + @lease::interval
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = @output_id AND o.automation_id = @automation_id AND (@first OR EXISTS (SELECT FROM mails WHERE id = @id))
		ON CONFLICT (id) DO UPDATE
		SET attempts = m.attempts + 1, tried_at = now(), leased_until = now() + @lease::interval
		WHERE m.state = 'PENDING' AND (m.leased_until IS NULL OR m.leased_until < now())
		RETURNING `+mailColumns, args)
	if err != nil {
		return platen.Mail{}, err
	}
	if begun {
		return s.withRecipients(ctx, r)
	}
	r, known, err := CollectOne[mailRow](ctx, s.db.pool, `
		SELECT `+mailColumns+`
		FROM mails m
		WHERE m.id = @id`, args)
	switch {
	case err != nil:
		return platen.Mail{}, err
	case !known:
		return platen.Mail{}, platen.Errorf(platen.KindNotFound, "output_not_found", "there is no mail %s", key.ID())
	case r.State == platen.MailPending:
		return platen.Mail{}, platen.Errorf(platen.KindConflict, "mail_under_way", "Another attempt to send this mail is under way; it is tried again after that.")
	}
	return r.mail(), nil
}

// withRecipients is a mail with whom it goes to.
func (s *Mails) withRecipients(ctx context.Context, r mailRow) (platen.Mail, error) {
	m := r.mail()
	if r.To == nil {
		return m, nil
	}
	key, err := s.db.dataKeyOf(ctx, s.db.pool, m.AutomationID)
	if err != nil {
		return m, err
	}
	to, err := key.open(r.To, mailRecipients)
	m.To = string(to)
	return m, err
}

func mailArgs(key platen.MailKey, further pgx.NamedArgs) pgx.NamedArgs {
	further["id"], further["output_id"], further["automation_id"], further["first"] = key.ID(), key.OutputID, key.AutomationID, key.Number <= 1
	return further
}

// RecordMail stores the outcome of an attempt: state, recipients, code and message. A
// mail that has ended stays as it is, but for one that failed here and was sent after all.
func (s *Mails) RecordMail(ctx context.Context, m platen.Mail) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE mails
		SET state = @state, recipients = greatest(recipients, @recipients), code = @code, message = @message, leased_until = NULL,
			sent_at = CASE WHEN @state = 'SENT' THEN now() END, ended_at = CASE WHEN @state <> 'PENDING' THEN now() END
		WHERE id = @id AND (state = 'PENDING' OR state = 'FAILED' AND @state = 'SENT')`,
		pgx.NamedArgs{"id": m.ID(), "state": m.State, "recipients": m.Recipients, "code": m.Code, "message": CleanText(m.Message)})
	if err != nil {
		return fmt.Errorf("record mail %s: %w", m.ID(), err)
	}
	return nil
}

// GiveUpMail ends a mail that was not sent, also that of an automation that no attempt
// began to send.
func (s *Mails) GiveUpMail(ctx context.Context, key platen.MailKey, code, message string) error {
	_, err := Execute(ctx, s.db.pool, `
		INSERT INTO mails AS m (id, output_id, automation_id, workflow_id, state, code, message, ended_at)
		SELECT @id, o.id, o.automation_id, a.workflow_id, 'FAILED', @code, @message, now()
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = @output_id AND o.automation_id = @automation_id AND (@first OR EXISTS (SELECT FROM mails WHERE id = @id))
		ON CONFLICT (id) DO UPDATE
		SET state = 'FAILED', code = excluded.code, message = excluded.message, leased_until = NULL, ended_at = now()
		WHERE m.state = 'PENDING'`,
		mailArgs(key, pgx.NamedArgs{"code": code, "message": CleanText(message)}))
	if err != nil {
		return fmt.Errorf("give up mail %s: %w", key.ID(), err)
	}
	return nil
}

// SkipMail notes that the mail of an automation about an output is not sent, and why. One
// that was begun stays as it is.
func (s *Mails) SkipMail(ctx context.Context, key platen.MailKey, code, message string) error {
	_, err := Execute(ctx, s.db.pool, `
		INSERT INTO mails (id, output_id, automation_id, workflow_id, state, code, message, ended_at)
		SELECT @id, o.id, o.automation_id, a.workflow_id, 'NOT_SENT', @code, @message, now()
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = @output_id AND o.automation_id = @automation_id AND @first
		ON CONFLICT (id) DO NOTHING`,
		mailArgs(key, pgx.NamedArgs{"code": code, "message": CleanText(message)}))
	if err != nil {
		return fmt.Errorf("note that mail %s is not sent: %w", key.ID(), err)
	}
	return nil
}

// MailOutput has an output of one of the caller's workflows sent by mail again: the same
// files, to the recipients that the document names for it, or to others. It may be
// archived. KindInvalid: code "output_without_file" where it was not made,
// platen.CodeDataErased where its data was erased, platen.CodeTestMode for one of a test;
// without other recipients also "mail_recipients_missing" where none was sent before, and
// "mail_pending" while one is tried.
func (s *Mails) MailOutput(ctx context.Context, caller platen.User, workflowID, outputID, to string) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		of := Subject{WorkflowID: workflowID, ObjectID: outputID}
		if err := authorize(ctx, tx, caller, workflowID); err != nil {
			return of, err
		}
		return of, s.mailOutput(ctx, tx, workflowID, outputID, to)
	})
	if err != nil {
		return fmt.Errorf("mail output %s: %w", outputID, err)
	}
	return nil
}

func (s *Mails) mailOutput(ctx context.Context, tx pgx.Tx, workflowID, outputID, to string) error {
	type row struct {
		AutomationID string             `db:"automation_id"`
		State        platen.OutputState `db:"state"`
		Test         bool               `db:"test"`
		ErasedAt     *time.Time         `db:"erased_at"`
		DataKey      []byte             `db:"data_key"`
	}
	// The automation is kept from being erased meanwhile, and the output's row has those
	// who ask at once take turns.
	o, ok, err := CollectOne[row](ctx, tx, `
		SELECT o.automation_id, o.state, o.test, coalesce(a.erase_requested_at, a.data_erased_at) AS erased_at, a.data_key
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = @id AND a.workflow_id = @workflow_id
		FOR SHARE OF a FOR NO KEY UPDATE OF o`, pgx.NamedArgs{"id": outputID, "workflow_id": workflowID})
	switch {
	case err != nil:
		return err
	case !ok:
		return platen.ErrOutputNotFound()
	case o.ErasedAt != nil:
		return platen.ErrDataErased("the source data of output "+outputID, *o.ErasedAt)
	case o.Test:
		return platen.ErrMailOfTest()
	case o.State != platen.OutputDone:
		return platen.ErrOutputNotMade(o.State)
	}
	type mails struct {
		First bool             `db:"first"`
		Last  int              `db:"last"`
		State platen.MailState `db:"state"`
	}
	before, _, err := CollectOne[mails](ctx, tx, `
		SELECT coalesce(bool_or(number = 1), false) AS first, coalesce(max(number), 1) AS last,
			coalesce((array_agg(state ORDER BY number DESC))[1], '') AS state
		FROM mails
		WHERE output_id = @id`, pgx.NamedArgs{"id": outputID})
	switch {
	case err != nil:
		return err
	case to == "" && !before.First:
		return platen.ErrMailNobody()
	case to == "" && before.State == platen.MailPending:
		return platen.ErrMailPending()
	}
	var sealed []byte // null: the document names the recipients
	if to != "" {
		key, err := s.db.vault.openDataKey(o.DataKey, o.AutomationID)
		if err != nil {
			return err
		}
		sealed = key.Seal([]byte(to), mailRecipients)
	}
	mail := platen.MailKey{AutomationID: o.AutomationID, OutputID: outputID, Number: before.Last + 1}
	_, err = Execute(ctx, tx, `
		INSERT INTO mails (id, number, output_id, automation_id, workflow_id, state, sent_to)
		VALUES (@id, @number, @output_id, @automation_id, @workflow_id, 'PENDING', @sent_to)`,
		pgx.NamedArgs{"id": mail.ID(), "number": mail.Number, "output_id": outputID, "automation_id": o.AutomationID, "workflow_id": workflowID, "sent_to": sealed})
	if err != nil {
		return err
	}
	return enqueueCommands(ctx, tx, platen.CommandMail, []string{mail.ID()})
}

// mailsOf narrows a list to what has a mail in one of these states: id is the automation's
// or the output's, as column of mails is. Those that were not sent are read from their
// index, without all that were.
func mailsOf(states []platen.MailState, id, column, workflow string) string {
	if len(states) == 0 {
		return ""
	}
	rare := ""
	if !slices.ContainsFunc(states, func(s platen.MailState) bool { return s != platen.MailFailed && s != platen.MailPending }) {
		rare = ` AND m.state IN ('FAILED', 'PENDING')`
	}
	return `
					AND ` + id + ` IN (
						SELECT m.` + column + `
						FROM mails m
						WHERE m.workflow_id = ` + workflow + ` AND m.state = ANY (@mails::text[])` + rare + ` AND ` + latestMail + `
					)`
}

// OverdueMails returns up to limit mails that nobody has tried to send for age, although
// they are PENDING, the longest first.
func (s *Mails) OverdueMails(ctx context.Context, age time.Duration, limit int) ([]platen.OverdueMail, error) {
	type row struct {
		AutomationID string    `db:"automation_id"`
		OutputID     string    `db:"output_id"`
		Number       int       `db:"number"`
		CreatedAt    time.Time `db:"created_at"`
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		SELECT automation_id, output_id, number, created_at
		FROM mails
		WHERE state = 'PENDING' AND coalesce(tried_at, created_at) < now() - @age::interval AND coalesce(leased_until, '-infinity') < now()
		ORDER BY coalesce(tried_at, created_at)
		LIMIT @limit`, pgx.NamedArgs{"age": age, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list overdue mails: %w", err)
	}
	all := make([]platen.OverdueMail, len(rows))
	for i, r := range rows {
		all[i] = platen.OverdueMail{MailKey: platen.MailKey{AutomationID: r.AutomationID, OutputID: r.OutputID, Number: r.Number}, CreatedAt: r.CreatedAt.UTC()}
	}
	return all, nil
}

// loadMails gives outputs their latest mails.
func loadMails(ctx context.Context, q Querier, outputs []platen.Output) error {
	if len(outputs) == 0 {
		return nil
	}
	at := make(map[string]int, len(outputs))
	ids := make([]string, len(outputs))
	for i, o := range outputs {
		at[o.ID], ids[i] = i, o.ID
	}
	rows, err := Collect[mailRow](ctx, q, `
		SELECT DISTINCT ON (m.output_id) `+mailColumns+`
		FROM mails m
		WHERE m.output_id = ANY (@ids)
		ORDER BY m.output_id, m.number DESC`, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return fmt.Errorf("list mails: %w", err)
	}
	for _, r := range rows {
		m := r.mail()
		outputs[at[r.OutputID]].Mail = &m
	}
	return nil
}
