package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// bouncesFor is how long after its last attempt a mail may come back. Servers give up after
// about five days.
const bouncesFor = 30 * 24 * time.Hour

// WorkflowOfOutput is the workflow whose output this is, of any user. KindNotFound: there is
// none.
func (s *Mails) WorkflowOfOutput(ctx context.Context, outputID string) (workflowID string, err error) {
	err = s.db.pool.QueryRow(ctx, `
		SELECT d.workflow_id
		FROM outputs o
		JOIN documents d ON d.id = o.document_id
		WHERE o.id = @id`, pgx.NamedArgs{"id": outputID}).Scan(&workflowID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", platen.ErrOutputNotFound()
	case err != nil:
		return "", fmt.Errorf("find the workflow of output %s: %w", outputID, Classify(err))
	}
	return workflowID, nil
}

// BounceMail notes that the mail with a number about an output came back from recipients, and
// tells whether that is news. Later mails that leave out who got this one know of it as well.
// KindNotFound: there is no such mail, or none that can come back. KindUnavailable with code
// "mail_under_way": an attempt to send it is under way, and what became of it is not noted yet,
// or it is still tried, and which of its recipients it came back from is not known.
func (s *Mails) BounceMail(ctx context.Context, outputID string, number int, failed []platen.FailedRecipient) (isNews bool, err error) {
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		isNews, err = s.bounceMail(ctx, tx, outputID, number, failed)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("note that mail %d of output %s came back: %w", number, outputID, err)
	}
	return isNews, nil
}

func (s *Mails) bounceMail(ctx context.Context, tx pgx.Tx, outputID string, number int, failed []platen.FailedRecipient) (isNews bool, err error) {
	// As when it is sent again: the automation is kept from being erased meanwhile, and those
	// who change mails of the output take turns.
	type automation struct {
		ID      string `db:"id"`
		DataKey []byte `db:"data_key"`
	}
	a, found, err := CollectOne[automation](ctx, tx, `
		SELECT a.id, a.data_key
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = @id
		FOR SHARE OF a FOR NO KEY UPDATE OF o`, pgx.NamedArgs{"id": outputID})
	if err != nil {
		return false, err
	}
	if !found {
		return false, platen.ErrOutputNotFound()
	}
	type row struct {
		mailRow
		UnderWay bool `db:"under_way"`
		IsOld    bool `db:"is_old"`
	}
	rows, err := Collect[row](ctx, tx, `
		SELECT `+mailColumns+`, coalesce(m.leased_until > now(), false) AS under_way, coalesce(m.tried_at < now() - @age::interval, true) AS is_old
		FROM mails m
		WHERE m.output_id = @id AND m.number >= @number
		ORDER BY m.number
		LIMIT @limit
		FOR NO KEY UPDATE`, pgx.NamedArgs{"id": outputID, "number": number, "age": bouncesFor, "limit": mailsShown})
	switch {
	case err != nil:
		return false, err
	case len(rows) == 0 || rows[0].Number != number || rows[0].IsOld || rows[0].State == platen.MailNotSent:
		return false, platen.ErrOutputNotFound()
	case rows[0].Code == platen.CodeDataErased || rows[0].Code == platen.CodeCancelled: // somebody gave it up: UnsentMail leaves it out
		return false, platen.ErrOutputNotFound()
	}
	for _, r := range rows {
		if r.State == platen.MailPending && r.UnderWay {
			return false, errMailUnderWay()
		}
	}
	for _, r := range rows {
		bounced, err := s.bounceRow(ctx, tx, a.DataKey, r.mailRow, number, failed)
		if err != nil {
			return false, err
		}
		isNews = isNews || bounced
	}
	return isNews, nil
}

func errMailUnderWay() error {
	return platen.Errorf(platen.KindUnavailable, "mail_under_way", "An attempt to send this mail is under way. Hand the message over again in a minute.")
}

// bounceRow notes in one mail that the one with a number came back.
func (s *Mails) bounceRow(ctx context.Context, tx pgx.Tx, dataKey []byte, r mailRow, number int, failed []platen.FailedRecipient) (bool, error) {
	m := r.mail()
	var key DataKey
	var err error
	if len(r.Whom) > 0 { // else nobody is known, or was erased
		if key, err = s.db.vault.OpenDataKey(dataKey, m.AutomationID); err != nil {
			return false, err
		}
		if m.Whom, err = openWhom(key, r.Whom); err != nil {
			return false, err
		}
	}
	before := slices.Clone(m.Whom)
	if !m.Bounce(number, failed) {
		return false, nil
	}
	// The next attempt counts by recipients. It would forget one that is not in them.
	if m.State == platen.MailPending && slices.Equal(before, m.Whom) {
		return false, errMailUnderWay()
	}
	var whom []byte // null: as before
	if len(m.Whom) > 0 {
		if whom, err = sealWhom(key, m.Whom); err != nil {
			return false, err
		}
	}
	_, err = Execute(ctx, tx, `
		UPDATE mails
		SET state = @state, accepted = @accepted, whom = coalesce(@whom, whom), code = @code, message = @message, ended_at = CASE WHEN @state <> 'PENDING' THEN now() END
		WHERE id = @id`,
		pgx.NamedArgs{"id": m.ID(), "state": m.State, "accepted": m.Accepted, "whom": whom, "code": m.Code, "message": m.Message})
	return err == nil, err
}
