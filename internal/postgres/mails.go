package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Mails is the store of mails about outputs.
type Mails struct{ db *DB }

// mailRecipients and mailWhom are the encryption contexts of whom a mail was sent to in
// place of its document's recipients, and of what became of each recipient.
const (
	mailRecipients = "mails.sent_to"
	mailWhom       = "mails.whom"
)

// recipientJSON is what is stored of a recipient. Its names are for ever.
type recipientJSON struct {
	Address string                `json:"address"`
	State   platen.RecipientState `json:"state"`
	Status  string                `json:"status,omitempty"`
	Earlier int                   `json:"earlier,omitempty"`
}

type mailRow struct {
	OutputID     string           `db:"output_id"`
	AutomationID string           `db:"automation_id"`
	Number       int              `db:"number"`
	To           []byte           `db:"sent_to"`
	Whom         []byte           `db:"whom"`
	State        platen.MailState `db:"state"`
	Recipients   int              `db:"recipients"`
	Accepted     int              `db:"accepted"`
	Attempts     int              `db:"attempts"`
	Code         string           `db:"code"`
	Message      string           `db:"message"`
	LinkUntil    *time.Time       `db:"link_until"`
	Outputs      []string         `db:"outputs"`
	CreatedAt    time.Time        `db:"created_at"`
	TriedAt      *time.Time       `db:"tried_at"`
	SentAt       *time.Time       `db:"sent_at"`
}

const mailColumns = `m.output_id, m.automation_id, m.number, m.sent_to, m.whom, m.state, m.recipients, m.accepted, m.attempts, m.code, m.message, m.link_until, m.outputs, m.created_at, m.tried_at, m.sent_at`

// latestMail is a condition for mails m that say how their outputs stand.
const latestMail = `NOT EXISTS (SELECT FROM mails later WHERE later.output_id = m.output_id AND later.number > m.number)`

// UndeliveredMail is a condition for mails m that somebody did not get who should.
const UndeliveredMail = `m.state IN ('` + string(platen.MailFailed) + `', '` + string(platen.MailPartlySent) + `', '` + string(platen.MailBounced) + `')`

// UnsentMail is a condition for mails m that did not reach their recipients, and that nobody
// has sent again or given up.
const UnsentMail = UndeliveredMail + ` AND m.code NOT IN ('` + platen.CodeDataErased + `', '` + platen.CodeCancelled + `') AND ` + latestMail

// mail is a row without its recipients.
func (r mailRow) mail() platen.Mail {
	return platen.Mail{
		MailKey: platen.MailKey{AutomationID: r.AutomationID, OutputID: r.OutputID, Number: r.Number},
		State:   r.State, Recipients: r.Recipients, Accepted: r.Accepted, Attempts: r.Attempts, Code: r.Code, Message: r.Message, LinkUntil: UTC(r.LinkUntil), Outputs: r.Outputs,
		CreatedAt: r.CreatedAt.UTC(), TriedAt: UTC(r.TriedAt), SentAt: UTC(r.SentAt),
	}
}

// errOtherAttempt: an attempt that died keeps others away until its lease ends, and they come
// soon after that.
var errOtherAttempt = &platen.Error{Kind: platen.KindConflict, Code: "mail_under_way", RetryAfter: 30 * time.Second, Message: "Another attempt to send this mail is under way; it is tried again after that."}

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
		return platen.Mail{}, errOtherAttempt
	}
	return r.mail(), nil
}

// withRecipients is a mail with whom it goes to.
func (s *Mails) withRecipients(ctx context.Context, r mailRow) (platen.Mail, error) {
	m := r.mail()
	if len(r.To)+len(r.Whom) == 0 {
		return m, nil
	}
	key, err := s.db.dataKeyOf(ctx, s.db.pool, m.AutomationID)
	if err != nil {
		return m, err
	}
	to, err := key.Open(r.To, mailRecipients)
	if err != nil {
		return m, err
	}
	m.To = string(to)
	m.Whom, err = openWhom(key, r.Whom)
	return m, err
}

func sealWhom(key DataKey, whom []platen.Recipient) ([]byte, error) {
	stored := make([]recipientJSON, len(whom))
	for i, r := range whom {
		stored[i] = recipientJSON(r)
	}
	text, err := json.Marshal(stored)
	return key.Seal(text, mailWhom), err
}

func openWhom(key DataKey, sealed []byte) ([]platen.Recipient, error) {
	text, err := key.Open(sealed, mailWhom)
	if err != nil || len(text) == 0 {
		return nil, err
	}
	var stored []recipientJSON
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("read the recipients of a mail: %w", err)
	}
	whom := make([]platen.Recipient, len(stored))
	for i, r := range stored {
		whom[i] = platen.Recipient(r)
	}
	return whom, nil
}

func mailArgs(key platen.MailKey, further pgx.NamedArgs) pgx.NamedArgs {
	further["id"], further["output_id"], further["automation_id"], further["first"] = key.ID(), key.OutputID, key.AutomationID, key.Number <= 1
	return further
}

// RecordMail stores the outcome of an attempt: state, recipients, code and message. A
// mail that has ended stays as it is, but for one that was given up here, whole or in part,
// and was sent after all. One that came back stays so.
func (s *Mails) RecordMail(ctx context.Context, m platen.Mail) error {
	err := s.recordMail(ctx, m)
	if err != nil {
		return fmt.Errorf("record mail %s: %w", m.ID(), err)
	}
	return nil
}

func (s *Mails) recordMail(ctx context.Context, m platen.Mail) error {
	var whom []byte // null: nothing new is known of them
	if len(m.Whom) > 0 {
		key, err := s.db.dataKeyOf(ctx, s.db.pool, m.AutomationID)
		if err != nil {
			return err
		}
		if whom, err = sealWhom(key, m.Whom); err != nil {
			return err
		}
	}
	_, err := Execute(ctx, s.db.pool, `
		UPDATE mails
		SET state = @state, recipients = greatest(recipients, @recipients), accepted = greatest(accepted, @accepted), whom = coalesce(@whom, whom), link_until = coalesce(link_until, @link_until), outputs = coalesce(@outputs::text[], outputs),
			code = @code, message = @message, leased_until = NULL,
			sent_at = CASE WHEN @state IN ('SENT', 'PARTLY_SENT', 'BOUNCED') THEN now() END, ended_at = CASE WHEN @state <> 'PENDING' THEN now() END
		WHERE id = @id AND (state = 'PENDING' OR state IN ('FAILED', 'PARTLY_SENT') AND code <> '`+platen.CodeEmailBounced+`' AND @state IN ('SENT', 'PARTLY_SENT'))`,
		pgx.NamedArgs{"id": m.ID(), "state": m.State, "recipients": m.Recipients, "accepted": m.Accepted, "whom": whom, "link_until": m.LinkUntil, "outputs": m.Outputs, "code": m.Code, "message": CleanText(m.Message)})
	return err
}

// GiveUpMail ends a mail that was not sent to all of its recipients, also that of an automation that no attempt
// began to send.
func (s *Mails) GiveUpMail(ctx context.Context, key platen.MailKey, code, message string) error {
	_, err := Execute(ctx, s.db.pool, `
		INSERT INTO mails AS m (id, output_id, automation_id, workflow_id, state, code, message, ended_at)
		SELECT @id, o.id, o.automation_id, a.workflow_id, 'FAILED', @code, @message, now()
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = @output_id AND o.automation_id = @automation_id AND (@first OR EXISTS (SELECT FROM mails WHERE id = @id))
		ON CONFLICT (id) DO UPDATE
		SET state = CASE WHEN m.accepted > 0 THEN 'PARTLY_SENT' ELSE 'FAILED' END, sent_at = CASE WHEN m.accepted > 0 THEN now() END,
			code = excluded.code, message = excluded.message, leased_until = NULL, ended_at = now()
		WHERE m.state = 'PENDING'`,
		mailArgs(key, pgx.NamedArgs{"code": code, "message": CleanText(message)}))
	if err != nil {
		return fmt.Errorf("give up mail %s: %w", key.ID(), err)
	}
	return nil
}

// mailMade has the mails about the outputs of a plan that are made be sent, unless they have
// ended. Those that bring the outputs of all documents begin once nobody looks at one any more.
func mailMade(ctx context.Context, tx pgx.Tx, automationID string, plan platen.Plan) error {
	own, all := []string{}, []string{} // outputs with mails
	for _, p := range plan.Documents {
		switch e := p.Document.Email; {
		case e == nil || plan.Test: // a test sends none
		case e.AllOutputs:
			all = append(all, p.OutputID)
		default:
			own = append(own, p.OutputID)
		}
	}
	type row struct {
		ID string `db:"id"`
	}
	begun, err := Collect[row](ctx, tx, `
		INSERT INTO mails AS m (id, output_id, automation_id, workflow_id, state)
		SELECT o.id, o.id, o.automation_id, a.workflow_id, 'PENDING'
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.automation_id = @id AND o.state = 'DONE'
			AND (o.id = ANY (@own) OR o.id = ANY (@all) AND NOT EXISTS (SELECT FROM outputs WHERE automation_id = @id AND state = 'REVIEW'))
		ON CONFLICT (id) DO UPDATE
		SET state = m.state
		WHERE m.state = 'PENDING'
		RETURNING m.id`, pgx.NamedArgs{"id": automationID, "own": own, "all": all})
	if err != nil || len(begun) == 0 {
		return err
	}
	ids := make([]string, len(begun))
	for i, m := range begun {
		ids[i] = m.ID
	}
	return enqueueCommands(ctx, tx, platen.CommandMail, ids)
}

// HoldMail notes with a mail why it waits, before an attempt of its own or after. One that has
// ended stays as it is.
func (s *Mails) HoldMail(ctx context.Context, key platen.MailKey, code, message string) error {
	_, err := Execute(ctx, s.db.pool, `
		INSERT INTO mails AS m (id, output_id, automation_id, workflow_id, state, code, message, held_at)
		SELECT @id, o.id, o.automation_id, a.workflow_id, 'PENDING', @code, @message, now()
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = @output_id AND o.automation_id = @automation_id AND (@first OR EXISTS (SELECT FROM mails WHERE id = @id))
		ON CONFLICT (id) DO UPDATE
		SET code = excluded.code, message = excluded.message, held_at = now()
		WHERE m.state = 'PENDING' AND (m.code <> excluded.code OR m.held_at IS NULL OR m.held_at < now() - interval '10 minutes')`,
		mailArgs(key, pgx.NamedArgs{"code": code, "message": CleanText(message)}))
	if err != nil {
		return fmt.Errorf("hold mail %s: %w", key.ID(), err)
	}
	return nil
}

// ReopenMail has a mail sent that was given up with platen.CodeEmailOutputMissing before an
// attempt began: it is as if it was never begun. Every other mail stays as it is.
func (s *Mails) ReopenMail(ctx context.Context, key platen.MailKey) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE mails
		SET state = 'PENDING', code = '', message = '', created_at = now(), ended_at = NULL
		WHERE id = @id AND state = 'FAILED' AND code = '`+platen.CodeEmailOutputMissing+`' AND attempts = 0`, pgx.NamedArgs{"id": key.ID()})
	if err != nil {
		return fmt.Errorf("reopen mail %s: %w", key.ID(), err)
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
// files, to the recipients that the document names for it, or to others. Without others,
// a mail that was sent to a part of its recipients goes to the rest. It may be archived. KindInvalid: code "output_without_file" where it was not made,
// platen.CodeDataErased where its data was erased, platen.CodeTestMode for one of a test,
// platen.CodeEmailOutputMissing where its mail is to bring an output that failed;
// without other recipients also "mail_recipients_missing" where none was sent before or one
// came back from nobody knows whom, and "mail_pending" while one is tried.
func (s *Mails) MailOutput(ctx context.Context, caller platen.User, workflowID, outputID, to string) error {
	err := s.db.inActOf(ctx, caller, workflowID, outputID, func(tx pgx.Tx) error {
		return s.mailOutput(ctx, tx, workflowID, outputID, to)
	})
	if err != nil {
		return fmt.Errorf("mail output %s: %w", outputID, err)
	}
	return nil
}

func (s *Mails) mailOutput(ctx context.Context, tx pgx.Tx, workflowID, outputID, to string) error {
	o, err := lockMade(ctx, tx, workflowID, outputID, platen.ErrMailOfTest())
	if err != nil {
		return err
	}
	type mails struct {
		First bool             `db:"first"`
		Last  int              `db:"last"`
		State platen.MailState `db:"state"`
		To    []byte           `db:"sent_to"`
		Whom  []byte           `db:"whom"`
		// Missing says which output the automation's own mail could not bring; empty: none.
		Missing string `db:"missing"`
	}
	before, _, err := CollectOne[mails](ctx, tx, `
		SELECT coalesce(bool_or(number = 1), false) AS first, coalesce(max(number), 1) AS last,
			coalesce((array_agg(state ORDER BY number DESC))[1], '') AS state,
			(array_agg(sent_to ORDER BY number DESC))[1] AS sent_to, (array_agg(whom ORDER BY number DESC))[1] AS whom,
			coalesce(max(message) FILTER (WHERE number = 1 AND state = 'FAILED' AND code = '`+platen.CodeEmailOutputMissing+`'), '') AS missing
		FROM mails
		WHERE output_id = @id`, pgx.NamedArgs{"id": outputID})
	switch {
	case err != nil:
		return err
	case before.Missing != "": // the retry that makes it sends this mail
		return platen.Errorf(platen.KindInvalid, platen.CodeEmailOutputMissing, "%s", before.Missing)
	case to == "" && before.State == platen.MailPartlySent:
	case to == "" && !before.First:
		return platen.ErrMailNobody()
	case to == "" && before.State == platen.MailPending:
		return platen.ErrMailPending()
	}
	key, err := s.db.vault.OpenDataKey(o.DataKey, o.AutomationID)
	if err != nil {
		return err
	}
	var sealed, whom []byte // null: the document names the recipients, and each is to get it
	accepted := 0
	switch {
	case to != "":
		sealed = key.Seal([]byte(to), mailRecipients)
	case before.State == platen.MailPartlySent:
		sealed = before.To
		if whom, accepted, err = forTheRest(key, before.Whom, before.Last); err != nil {
			return err
		}
	}
	mail := platen.MailKey{AutomationID: o.AutomationID, OutputID: outputID, Number: before.Last + 1}
	_, err = Execute(ctx, tx, `
		INSERT INTO mails (id, number, output_id, automation_id, workflow_id, state, sent_to, whom, accepted)
		VALUES (@id, @number, @output_id, @automation_id, @workflow_id, 'PENDING', @sent_to, @whom, @accepted)`,
		pgx.NamedArgs{"id": mail.ID(), "number": mail.Number, "output_id": outputID, "automation_id": o.AutomationID, "workflow_id": workflowID, "sent_to": sealed, "whom": whom, "accepted": accepted})
	if err != nil {
		return err
	}
	return enqueueCommands(ctx, tx, platen.CommandMail, []string{mail.ID()})
}

// A madeOutput is one that is made, and that goes somewhere once more.
type madeOutput struct {
	AutomationID string             `db:"automation_id"`
	State        platen.OutputState `db:"state"`
	Test         bool               `db:"test"`
	ErasedAt     *time.Time         `db:"erased_at"`
	DataKey      []byte             `db:"data_key"`
}

// lockMade reads an output of a workflow that is made. Its automation is kept from being
// erased meanwhile, and its row has those who ask at once take turns. ofTest is the error
// for one of a test.
func lockMade(ctx context.Context, tx pgx.Tx, workflowID, outputID string, ofTest error) (madeOutput, error) {
	o, ok, err := CollectOne[madeOutput](ctx, tx, `
		SELECT o.automation_id, o.state, o.test, coalesce(a.erase_requested_at, a.data_erased_at) AS erased_at, a.data_key
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = @id AND a.workflow_id = @workflow_id
		FOR SHARE OF a FOR NO KEY UPDATE OF o`, pgx.NamedArgs{"id": outputID, "workflow_id": workflowID})
	switch {
	case err != nil:
		return o, err
	case !ok:
		return o, platen.ErrOutputNotFound()
	case o.ErasedAt != nil:
		return o, platen.ErrDataErased("the source data of output "+outputID, *o.ErasedAt)
	case o.Test:
		return o, ofTest
	case o.State != platen.OutputDone:
		return o, platen.ErrOutputNotMade(o.State)
	}
	return o, nil
}

// forTheRest is what is known of the recipients of the mail with a number, for one that goes
// to those who did not get it. Where that is nobody who is known, it is platen.ErrMailNobody.
func forTheRest(key DataKey, sealed []byte, number int) (whom []byte, accepted int, err error) {
	all, err := openWhom(key, sealed)
	if err != nil {
		return nil, 0, err
	}
	for i, r := range all {
		if r.State == platen.RecipientAccepted {
			all[i].Earlier = cmp.Or(r.Earlier, number)
			accepted++
		} else {
			all[i] = platen.Recipient{Address: r.Address, State: platen.RecipientPending}
		}
	}
	if accepted == len(all) {
		return nil, 0, platen.ErrMailNobody()
	}
	whom, err = sealWhom(key, all)
	return whom, accepted, err
}

// LinkedOutput returns the output that a mail of a workflow has a link to, which is good now.
// linkID is the mail's id, or a platen.MailPart of it.
// The link stands for the permission. KindNotFound: there is none, or not any more. It ends
// with the source data, also while that is still to be erased.
func (s *Mails) LinkedOutput(ctx context.Context, workflowID, linkID string) (outputID string, err error) {
	mailID, part := platen.CutMailPart(linkID)
	err = s.db.pool.QueryRow(ctx, `
		SELECT coalesce(nullif(@part, ''), m.output_id)
		FROM mails m
		JOIN automations a ON a.id = m.automation_id
		WHERE m.id = @id AND (@part = '' OR @part = ANY (m.outputs)) AND m.workflow_id = @workflow_id AND m.link_until > now() AND a.erase_requested_at IS NULL AND a.data_erased_at IS NULL`, pgx.NamedArgs{"id": mailID, "part": part, "workflow_id": workflowID}).Scan(&outputID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", platen.ErrOutputNotFound()
	case err != nil:
		return "", fmt.Errorf("read the link of mail %s: %w", mailID, Classify(err))
	}
	return outputID, nil
}

// RevokeMailLinks ends the links of all mails about an output of one of the caller's
// workflows, and of those that bring it beside another.
func (s *Mails) RevokeMailLinks(ctx context.Context, caller platen.User, workflowID, outputID string) error {
	err := s.db.inActOf(ctx, caller, workflowID, outputID, func(tx pgx.Tx) error {
		_, err := Execute(ctx, tx, `
			UPDATE mails
			SET link_until = now()
			WHERE automation_id = (SELECT automation_id FROM outputs WHERE id = @id) AND (output_id = @id OR @id = ANY (outputs))
				AND workflow_id = @workflow_id AND link_until > now()`, pgx.NamedArgs{"id": outputID, "workflow_id": workflowID})
		return err
	})
	if err != nil {
		return fmt.Errorf("revoke the links to output %s: %w", outputID, err)
	}
	return nil
}

// mailsShown is how many of the mails about an output are listed.
const mailsShown = 100

// OutputMails returns the mails about an output of one of the caller's workflows, the latest
// first, with their recipients while the source data is not erased.
func (s *Mails) OutputMails(ctx context.Context, caller platen.User, workflowID, outputID string) ([]platen.Mail, error) {
	all, err := s.outputMails(ctx, caller, workflowID, outputID)
	if err != nil {
		return nil, fmt.Errorf("list the mails of output %s: %w", outputID, err)
	}
	return all, nil
}

func (s *Mails) outputMails(ctx context.Context, caller platen.User, workflowID, outputID string) ([]platen.Mail, error) {
	if err := authorize(ctx, s.db.pool, caller, workflowID); err != nil {
		return nil, err
	}
	rows, err := Collect[mailRow](ctx, s.db.pool, `
		SELECT `+mailColumns+`
		FROM mails m
		WHERE m.output_id = @id AND m.workflow_id = @workflow_id
		ORDER BY m.number DESC
		LIMIT @limit`, pgx.NamedArgs{"id": outputID, "workflow_id": workflowID, "limit": mailsShown})
	if err != nil {
		return nil, err
	}
	all := make([]platen.Mail, len(rows))
	for i, r := range rows {
		if all[i], err = s.withRecipients(ctx, r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// mailsOf narrows a list to what has a mail in one of these states: id is the automation's
// or the output's, as column of mails is. Those that were not sent are read from their
// index, without all that were.
func mailsOf(states []platen.MailState, id, column, workflow string) string {
	if len(states) == 0 {
		return ""
	}
	rare := ""
	if !slices.Contains(states, platen.MailSent) && !slices.Contains(states, platen.MailNotSent) {
		rare = ` AND m.state IN ('FAILED', 'PARTLY_SENT', 'BOUNCED', 'PENDING')`
	}
	return `
					AND ` + id + ` IN (
						SELECT m.` + column + `
						FROM mails m
						WHERE m.workflow_id = ` + workflow + ` AND m.state = ANY (@mails::text[])` + rare + ` AND ` + latestMail + `
					)`
}

// OverdueMails returns up to limit mails that nobody has tried to send for age, nor held, although
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
		WHERE state = 'PENDING' AND greatest(coalesce(tried_at, created_at), held_at) < now() - @age::interval AND coalesce(leased_until, '-infinity') < now()
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
