package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// MailSenders is the store of mail servers of owners.
type MailSenders struct{ db *DB }

const senderPassword = "mail_senders.password"

// senderJSON is what is stored of a sender beside its password. Its names are for ever.
type senderJSON struct {
	From     string              `json:"from"`
	Host     string              `json:"host"`
	Port     int                 `json:"port"`
	Security platen.MailSecurity `json:"security"`
	User     string              `json:"user,omitempty"`
	Bounces  string              `json:"bounces,omitempty"`
}

const selectSender = `
	SELECT id, owner_id, name, settings, password, created_at, updated_at, greatest(updated_at, tested_at) AS checked_at, failing_since, code, message
	FROM mail_senders`

type senderRow struct {
	ID           string          `db:"id"`
	OwnerID      string          `db:"owner_id"`
	Name         string          `db:"name"`
	Settings     json.RawMessage `db:"settings"`
	Password     []byte          `db:"password"`
	CreatedAt    time.Time       `db:"created_at"`
	UpdatedAt    time.Time       `db:"updated_at"`
	CheckedAt    time.Time       `db:"checked_at"`
	FailingSince *time.Time      `db:"failing_since"`
	Code         string          `db:"code"`
	Message      string          `db:"message"`
}

func (r senderRow) sender(v Vault) (platen.MailSender, error) {
	var j senderJSON
	if err := json.Unmarshal(r.Settings, &j); err != nil {
		return platen.MailSender{}, fmt.Errorf("read the settings of mail sender %s: %w", r.ID, err)
	}
	password, err := v.OpenText(r.Password, senderPassword, r.ID)
	return platen.MailSender{
		ID: r.ID, OwnerID: r.OwnerID, Name: r.Name, From: j.From, Host: j.Host, Port: j.Port, Security: j.Security, User: j.User, Password: platen.Secret(password), Bounces: j.Bounces,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), CheckedAt: r.CheckedAt.UTC(), FailingSince: UTC(r.FailingSince), Code: r.Code, Message: r.Message,
	}, err
}

// findSender reads the sender of an owner that meets a condition; not ok: there is none.
func findSender(ctx context.Context, q Querier, v Vault, where string, args pgx.NamedArgs) (s platen.MailSender, ok bool, err error) {
	r, ok, err := CollectOne[senderRow](ctx, q, selectSender+`
	WHERE owner_id = @owner_id AND `+where, args)
	if err == nil && ok {
		s, err = r.sender(v)
	}
	return s, ok, err
}

// MailSenders returns those of the caller, by their names.
func (s *MailSenders) MailSenders(ctx context.Context, caller platen.User) ([]platen.MailSender, error) {
	rows, err := Collect[senderRow](ctx, s.db.pool, selectSender+`
	WHERE owner_id = @owner_id
	ORDER BY name`, pgx.NamedArgs{"owner_id": caller.ID})
	all := make([]platen.MailSender, len(rows))
	for i := 0; err == nil && i < len(rows); i++ {
		all[i], err = rows[i].sender(s.db.vault)
	}
	if err != nil {
		return nil, fmt.Errorf("list the mail senders of %s: %w", caller.ID, err)
	}
	return all, nil
}

// MailSender answers KindNotFound with code "mail_sender_not_found" for one that the caller does not
// have.
func (s *MailSenders) MailSender(ctx context.Context, caller platen.User, id string) (platen.MailSender, error) {
	found, err := s.one(ctx, s.db.pool, caller, id)
	if err != nil {
		return platen.MailSender{}, fmt.Errorf("read mail sender %s: %w", id, err)
	}
	return found, nil
}

func (s *MailSenders) one(ctx context.Context, q Querier, caller platen.User, id string) (platen.MailSender, error) {
	found, ok, err := findSender(ctx, q, s.db.vault, `id = @id`, pgx.NamedArgs{"owner_id": caller.ID, "id": id})
	if err == nil && !ok {
		err = platen.ErrSenderNotFound()
	}
	return found, err
}

// SenderNames are the names of the senders of the owner of workflows that the caller sees.
func (s *MailSenders) SenderNames(ctx context.Context, caller platen.User, ownerID string) ([]string, error) {
	type row struct {
		Name string `db:"name"`
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		SELECT s.name
		FROM mail_senders s
		WHERE s.owner_id = @owner_id
			AND (s.owner_id = @caller OR EXISTS (SELECT FROM workflows w WHERE w.owner_id = s.owner_id AND w.team_id = @caller_team))
		ORDER BY s.name`, pgx.NamedArgs{"owner_id": ownerID, "caller": caller.ID, "caller_team": TeamID(caller.Team)})
	if err != nil {
		return nil, fmt.Errorf("list the names of the mail senders of %s: %w", ownerID, err)
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name
	}
	return names, nil
}

// SenderOf reads the sender of an owner that a mail names; KindUnavailable with
// platen.CodeSenderUnknown: the owner has none of the name.
func (s *MailSenders) SenderOf(ctx context.Context, ownerID, name string) (platen.MailSender, error) {
	found, ok, err := findSender(ctx, s.db.pool, s.db.vault, `name = @name`, pgx.NamedArgs{"owner_id": ownerID, "name": name})
	switch {
	case err != nil:
		return platen.MailSender{}, fmt.Errorf("read a mail sender of %s: %w", ownerID, err)
	case !ok:
		return platen.MailSender{}, platen.ErrSenderUnknown(name)
	}
	return found, nil
}

// CreateMailSender stores a sender of the caller's. It answers KindInvalid with code
// "too_many_mail_senders" beyond platen.MaxMailSenders, and with "mail_sender_name_taken" for a second
// one of its name.
func (s *MailSenders) CreateMailSender(ctx context.Context, caller platen.User, sender platen.MailSender) (platen.MailSender, error) {
	sender.OwnerID = caller.ID
	err := s.change(ctx, caller, sender.ID, func(tx pgx.Tx) error {
		// Those who ask at once take turns.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('platen.mail_senders.' || $1, 0))`, caller.ID); err != nil {
			return Classify(err)
		}
		var n int
		err := tx.QueryRow(ctx, `
			SELECT count(*), clock_timestamp()
			FROM mail_senders
			WHERE owner_id = @owner_id`, pgx.NamedArgs{"owner_id": caller.ID}).Scan(&n, &sender.CreatedAt)
		switch {
		case err != nil:
			return Classify(err)
		case n >= platen.MaxMailSenders:
			return platen.Errorf(platen.KindInvalid, "too_many_mail_senders", "You have %d mail senders, and may have no more. Delete one first.", n)
		}
		sender.CreatedAt = sender.CreatedAt.UTC()
		sender.UpdatedAt, sender.CheckedAt = sender.CreatedAt, sender.CreatedAt
		return s.write(ctx, tx, sender)
	})
	if err != nil {
		return platen.MailSender{}, fmt.Errorf("create a mail sender of %s: %w", caller.ID, err)
	}
	return sender, nil
}

// UpdateMailSender applies change under a row lock. Id, owner, name and times stay; what was
// known of failures is forgotten.
func (s *MailSenders) UpdateMailSender(ctx context.Context, caller platen.User, id string, change func(*platen.MailSender) error) (sender platen.MailSender, err error) {
	err = s.change(ctx, caller, id, func(tx pgx.Tx) error {
		stored, err := s.lock(ctx, tx, caller, id)
		if err != nil {
			return err
		}
		sender = stored
		if err := change(&sender); err != nil {
			return err
		}
		sender.ID, sender.OwnerID, sender.Name, sender.CreatedAt = stored.ID, stored.OwnerID, stored.Name, stored.CreatedAt
		sender.FailingSince, sender.Code, sender.Message = nil, "", ""
		if err := tx.QueryRow(ctx, `SELECT greatest($1::timestamptz + interval '1 microsecond', clock_timestamp())`, stored.UpdatedAt).Scan(&sender.UpdatedAt); err != nil {
			return Classify(err)
		}
		sender.UpdatedAt = sender.UpdatedAt.UTC()
		sender.CheckedAt = sender.UpdatedAt
		return s.write(ctx, tx, sender)
	})
	if err != nil {
		return platen.MailSender{}, fmt.Errorf("update mail sender %s: %w", id, err)
	}
	return sender, nil
}

// lock reads a sender of the caller's that nobody else changes or deletes meanwhile.
func (s *MailSenders) lock(ctx context.Context, tx pgx.Tx, caller platen.User, id string) (platen.MailSender, error) {
	// A statement of its own locks: what the next one sees is what is locked.
	if _, err := Execute(ctx, tx, `
		SELECT FROM mail_senders
		WHERE id = @id AND owner_id = @owner_id
		FOR UPDATE`, pgx.NamedArgs{"id": id, "owner_id": caller.ID}); err != nil {
		return platen.MailSender{}, err
	}
	return s.one(ctx, tx, caller, id)
}

// DeleteMailSender takes a sender of the caller's away, with its password. KindConflict with
// code "mail_sender_in_use": documents name it. allowed sees the sender under its row lock, and its
// error keeps it.
func (s *MailSenders) DeleteMailSender(ctx context.Context, caller platen.User, id string, allowed func(platen.MailSender) error) error {
	err := s.change(ctx, caller, id, func(tx pgx.Tx) error {
		sender, err := s.lock(ctx, tx, caller, id)
		if err == nil {
			err = allowed(sender)
		}
		if err == nil {
			err = unusedSender(ctx, tx, sender)
		}
		if err != nil {
			return err
		}
		_, err = Execute(ctx, tx, `
			DELETE FROM mail_senders
			WHERE id = @id`, pgx.NamedArgs{"id": id})
		return err
	})
	if err != nil {
		return fmt.Errorf("delete mail sender %s: %w", id, err)
	}
	return nil
}

// usesNamed is how many documents an answer names that use a sender.
const usesNamed = 5

// unusedSender answers which documents name a sender.
func unusedSender(ctx context.Context, tx pgx.Tx, sender platen.MailSender) error {
	type row struct {
		Document string `db:"id"`
		Workflow string `db:"name"`
		All      int    `db:"n"`
	}
	found, err := Collect[row](ctx, tx, `
		SELECT d.id, w.name, count(*) OVER () AS n
		FROM documents d
		JOIN workflows w ON w.id = d.workflow_id
		WHERE w.owner_id = @owner_id AND w.status <> 'ARCHIVED' AND d.state IN ('PENDING', 'READY') AND d.email ->> 'sender' = @name
		ORDER BY w.name, d.id
		LIMIT @limit`, pgx.NamedArgs{"owner_id": sender.OwnerID, "name": sender.Name, "limit": usesNamed})
	if err != nil || len(found) == 0 {
		return err
	}
	var named []string
	for _, r := range found {
		named = append(named, fmt.Sprintf("%s of %q", r.Document, r.Workflow))
	}
	if more := found[0].All - len(found); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return platen.Errorf(platen.KindConflict, "mail_sender_in_use", "Mails of these documents leave by the sender: %s. Set another email.sender of each, or take it away, first.", strings.Join(named, ", "))
}

// requireSender has the owner of a document's workflow keep the sender that the document names
// until the transaction ends. KindInvalid with platen.CodeSenderUnknown: there is none.
func requireSender(ctx context.Context, tx pgx.Tx, d platen.Document) error {
	name := d.Email.SenderName()
	if name == "" {
		return nil
	}
	tag, err := Execute(ctx, tx, `
		SELECT FROM mail_senders s
		JOIN workflows w ON w.owner_id = s.owner_id
		WHERE w.id = @workflow_id AND s.name = @name
		FOR KEY SHARE OF s`, pgx.NamedArgs{"workflow_id": d.WorkflowID, "name": name})
	if err == nil && tag == 0 {
		return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeSenderUnknown, Message: "email.sender " + platen.SenderFault(name, nil), Faults: []platen.Fault{{Pointer: "/email/sender", Message: platen.SenderFault(name, nil)}}}
	}
	return err
}

// NoteSenderTested notes that a test of a sender of the caller's succeeded: workers that leave it
// alone go on.
func (s *MailSenders) NoteSenderTested(ctx context.Context, caller platen.User, id string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE mail_senders
		SET tested_at = now(), failing_since = NULL, code = '', message = ''
		WHERE id = @id AND owner_id = @owner_id`, pgx.NamedArgs{"id": id, "owner_id": caller.ID})
	if err != nil {
		return fmt.Errorf("note a test of mail sender %s: %w", id, err)
	}
	return nil
}

// NoteSender notes with a sender why an attempt failed at its server, or that one did not, where
// that is new. One that was changed or tested meanwhile stays as it is.
func (s *MailSenders) NoteSender(ctx context.Context, sender platen.MailSender, code, message string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE mail_senders
		SET failing_since = CASE WHEN @code <> '' THEN coalesce(failing_since, now()) END, code = @code, message = @message
		WHERE id = @id AND greatest(updated_at, tested_at) = @checked_at AND (code, message) <> (@code, @message)`,
		pgx.NamedArgs{"id": sender.ID, "checked_at": sender.CheckedAt, "code": code, "message": CleanText(message)})
	if err != nil {
		return fmt.Errorf("note what became of an attempt at mail sender %s: %w", sender.ID, err)
	}
	return nil
}

func (s *MailSenders) change(ctx context.Context, caller platen.User, id string, do func(tx pgx.Tx) error) error {
	return s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		return Subject{OwnerID: caller.ID, ObjectID: id}, do(tx)
	})
}

func (s *MailSenders) write(ctx context.Context, tx pgx.Tx, sender platen.MailSender) error {
	settings, err := json.Marshal(senderJSON{From: sender.From, Host: sender.Host, Port: sender.Port, Security: sender.Security, User: sender.User, Bounces: sender.Bounces})
	if err != nil {
		return err
	}
	password, err := s.db.vault.SealText(string(sender.Password), senderPassword, sender.ID)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO mail_senders (id, owner_id, name, settings, password, created_at, updated_at)
		VALUES (@id, @owner_id, @name, @settings, @password, @created_at, @updated_at)
		ON CONFLICT (id) DO UPDATE
		SET settings = excluded.settings, password = excluded.password, updated_at = excluded.updated_at, failing_since = NULL, code = '', message = ''`,
		pgx.NamedArgs{"id": sender.ID, "owner_id": sender.OwnerID, "name": sender.Name, "settings": string(settings), "password": password, "created_at": sender.CreatedAt, "updated_at": sender.UpdatedAt})
	if IsUniqueViolation(err, "mail_senders_owner_id_name_key") {
		return platen.Errorf(platen.KindInvalid, "mail_sender_name_taken", "Another mail sender of yours has this name.")
	}
	return err
}
