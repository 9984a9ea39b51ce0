package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// Connections is the store of what users' drives are opened with.
type Connections struct{ db *DB }

const connectionSecret = "drive_connections.secret"

// DriveConnection returns what a user's drive is opened with. It answers
// KindForbidden with code "drive_not_connected" when there is nothing.
func (s *Connections) DriveConnection(ctx context.Context, userID string) (platen.DriveConnection, error) {
	type row struct {
		Kind    platen.ConnectionKind `db:"kind"`
		Subject string                `db:"subject"`
		Secret  []byte                `db:"secret"`
	}
	r, ok, err := collectOne[row](ctx, s.db.pool, `
		SELECT kind, subject, secret
		FROM drive_connections
		WHERE user_id = @user_id`,
		pgx.NamedArgs{"user_id": userID})
	if err != nil {
		return platen.DriveConnection{}, fmt.Errorf("read drive connection of user %s: %w", userID, err)
	}
	if !ok {
		return platen.DriveConnection{}, platen.Errorf(platen.KindForbidden, "drive_not_connected",
			"no cloud drive is connected for this user: ask the operator to connect one")
	}
	c := platen.DriveConnection{Kind: r.Kind, Subject: r.Subject}
	if c.Secret, err = s.db.vault.open(r.Secret, connectionSecret, userID); err != nil {
		return platen.DriveConnection{}, err
	}
	return c, nil
}

// SaveDriveConnection stores a user's connection in place of an earlier one.
// An unknown user is KindNotFound.
func (s *Connections) SaveDriveConnection(ctx context.Context, userID string, c platen.DriveConnection) error {
	sealed, err := s.db.vault.seal(c.Secret, connectionSecret, userID)
	if err != nil {
		return err
	}
	_, err = execute(ctx, s.db.pool, `
		INSERT INTO drive_connections (user_id, kind, subject, secret)
		VALUES (@user_id, @kind, @subject, @secret)
		ON CONFLICT (user_id) DO UPDATE
		SET kind = excluded.kind, subject = excluded.subject, secret = excluded.secret, updated_at = now()`,
		pgx.NamedArgs{"user_id": userID, "kind": c.Kind, "subject": c.Subject, "secret": sealed})
	if isForeignKeyViolation(err, "drive_connections_user_id_fkey") {
		return platen.Errorf(platen.KindNotFound, "user_not_found", "there is no user %s", userID)
	}
	if err != nil {
		return fmt.Errorf("save drive connection of user %s: %w", userID, err)
	}
	return nil
}
