package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Connections is the store of what users' drives are opened with.
type Connections struct{ db *DB }

const connectionSecret = "drive_connections.secret"

type connectionRow struct {
	Kind     platen.ConnectionKind `db:"kind"`
	Subject  string                `db:"subject"`
	Secret   []byte                `db:"secret"`
	BrokenAt *time.Time            `db:"broken_at"`
	Reason   *string               `db:"broken_reason"`
}

// DriveConnection returns what a user's drive is opened with. It answers
// KindForbidden with code "drive_not_connected" when there is nothing, and with
// platen.CodeConnectionBroken when MarkBroken was told of it.
func (s *Connections) DriveConnection(ctx context.Context, userID string) (platen.DriveConnection, error) {
	r, ok, err := s.Stored(ctx, s.db.pool, userID, "")
	if err != nil {
		return platen.DriveConnection{}, err
	}
	if !ok {
		return platen.DriveConnection{}, ErrNotConnected()
	}
	if r.BrokenAt != nil {
		return platen.DriveConnection{}, platen.Errorf(platen.KindForbidden, platen.CodeConnectionBroken,
			"The connection to the drive ended on %s (access was withdrawn, or it was not used for long): connect the drive again.", r.BrokenAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
	return s.OpenStored(r, userID)
}

// ErrNotConnected is KindForbidden with code "drive_not_connected".
func ErrNotConnected() error {
	return platen.Errorf(platen.KindForbidden, "drive_not_connected",
		"no cloud drive is connected for this user: ask the operator to connect one")
}

// Stored reads a user's connection; lock is empty or FOR UPDATE.
func (s *Connections) Stored(ctx context.Context, q Querier, userID, lock string) (connectionRow, bool, error) {
	r, ok, err := CollectOne[connectionRow](ctx, q, `
		SELECT kind, subject, secret, broken_reason,
			CASE WHEN broken_at >= updated_at THEN broken_at END AS broken_at
		FROM drive_connections
		WHERE user_id = @user_id `+lock,
		pgx.NamedArgs{"user_id": userID})
	if err != nil {
		return connectionRow{}, false, fmt.Errorf("read drive connection of user %s: %w", userID, err)
	}
	return r, ok, nil
}

// Seal returns the secret of a user's connection as it is stored.
func (s *Connections) Seal(c platen.DriveConnection, userID string) ([]byte, error) {
	return s.db.vault.SealText(string(c.Secret), connectionSecret, userID)
}

// OpenStored opens the secret of a connection as Stored read it.
func (s *Connections) OpenStored(r connectionRow, userID string) (platen.DriveConnection, error) {
	secret, err := s.db.vault.OpenText(r.Secret, connectionSecret, userID)
	if err != nil {
		return platen.DriveConnection{}, err
	}
	return platen.DriveConnection{Kind: r.Kind, Subject: r.Subject, Secret: platen.Secret(secret)}, nil
}

// MarkBroken notes that the drive refuses a user's connection, with a reason for
// operators. first: it was not known before. A connection that was replaced or removed
// meanwhile is left alone.
func (s *Connections) MarkBroken(ctx context.Context, userID string, c platen.DriveConnection, reason string) (first bool, err error) {
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		r, ok, err := s.Stored(ctx, tx, userID, "FOR UPDATE")
		if err != nil || !ok || r.BrokenAt != nil {
			return err
		}
		stored, err := s.OpenStored(r, userID)
		if err != nil || stored != c {
			return err
		}
		_, err = Execute(ctx, tx, `
			UPDATE drive_connections
			SET broken_at = clock_timestamp(), broken_reason = @reason
			WHERE user_id = @user_id`,
			pgx.NamedArgs{"user_id": userID, "reason": CleanText(reason)})
		first = err == nil
		return err
	})
	if err != nil {
		return false, fmt.Errorf("mark drive connection of user %s as broken: %w", userID, err)
	}
	return first, nil
}

// SaveDriveConnection stores a user's connection in place of an earlier one, which
// may be broken, and has the user's runs that wait for it try again. An unknown user
// is KindNotFound.
func (s *Connections) SaveDriveConnection(ctx context.Context, userID string, c platen.DriveConnection) error {
	sealed, err := s.Seal(c, userID)
	if err != nil {
		return err
	}
	err = s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		deleted, err := lockUser(ctx, tx, userID, "")
		if err == nil && deleted {
			err = ErrUserDeleted(userID)
		}
		if err != nil {
			return Subject{OwnerID: userID, ObjectID: userID}, err
		}
		_, err = Execute(ctx, tx, `
			INSERT INTO drive_connections (user_id, kind, subject, secret)
			VALUES (@user_id, @kind, @subject, @secret)
			ON CONFLICT (user_id) DO UPDATE
			SET kind = excluded.kind, subject = excluded.subject, secret = excluded.secret, updated_at = now(), broken_at = NULL, broken_reason = NULL`,
			pgx.NamedArgs{"user_id": userID, "kind": c.Kind, "subject": c.Subject, "secret": sealed})
		if err == nil {
			err = wakeRuns(ctx, tx, userID)
		}
		return Subject{OwnerID: userID, ObjectID: userID}, err
	})
	if err != nil {
		return fmt.Errorf("save drive connection of user %s: %w", userID, err)
	}
	return nil
}

// wokenApart is how far apart runs are woken that waited for the same connection.
const wokenApart = 50 * time.Millisecond

// wakeRuns asks dispatch to wake the owner's runs that wait for a connection, when
// no worker remembers the earlier one any more.
func wakeRuns(ctx context.Context, tx pgx.Tx, ownerID string) error {
	_, err := Execute(ctx, tx, `
		INSERT INTO errands (kind, id, requested_at)
		SELECT @kind, id, now() + @after::interval + (row_number() OVER (ORDER BY accepted_at, id) - 1) * @apart::interval
		FROM automations
		WHERE owner_id = @owner_id AND state = 'RUNNING' AND parked_at IS NOT NULL
			AND jsonb_path_exists(waits, '$.* ? (@.code == $code)', jsonb_build_object('code', @code::text))
		ON CONFLICT (kind, id) DO UPDATE
		SET version = errands.version + 1, requested_at = excluded.requested_at, leased_until = NULL`,
		pgx.NamedArgs{"kind": platen.CommandWake, "owner_id": ownerID, "code": platen.CodeConnectionBroken, "after": platen.ConnectionRemembered, "apart": wokenApart})
	if err != nil {
		return fmt.Errorf("wake the runs of %s: %w", ownerID, err)
	}
	return nil
}
