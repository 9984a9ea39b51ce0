package operate

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// StoredConnection returns what is stored for a user, broken or not, to end it.
// It answers KindForbidden with code "drive_not_connected" when there is nothing.
func (s *Connections) StoredConnection(ctx context.Context, userID string) (platen.DriveConnection, error) {
	r, ok, err := s.Stored(ctx, s.db.Pool(), userID, "")
	if err != nil {
		return platen.DriveConnection{}, err
	}
	if !ok {
		return platen.DriveConnection{}, postgres.ErrNotConnected()
	}
	return s.OpenStored(r, userID)
}

// ConnectFirst stores what open returns as the connection of a user without one. A deleted
// user is KindInvalid, one who is connected KindConflict with code "drive_connected".
func (s *Connections) ConnectFirst(ctx context.Context, userID string, open func(tx pgx.Tx) (platen.DriveConnection, error)) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		of := postgres.Subject{OwnerID: userID, ObjectID: userID}
		deleted, err := postgres.LockUser(ctx, tx, userID)
		if err == nil && deleted {
			err = postgres.ErrUserDeleted(userID)
		}
		if err != nil {
			return of, err
		}
		_, connected, err := s.Stored(ctx, tx, userID, "")
		if err == nil && connected {
			err = platen.Errorf(platen.KindConflict, "drive_connected", "The user has a drive already: disconnect it first.")
		}
		if err != nil {
			return of, err
		}
		c, err := open(tx)
		if err != nil {
			return of, err
		}
		sealed, err := s.Seal(c, userID)
		if err != nil {
			return of, err
		}
		_, err = postgres.Execute(ctx, tx, `
			INSERT INTO drive_connections (user_id, kind, subject, secret)
			VALUES (@user_id, @kind, @subject, @secret)`,
			pgx.NamedArgs{"user_id": userID, "kind": c.Kind, "subject": c.Subject, "secret": sealed})
		return of, err
	})
	if err != nil {
		return fmt.Errorf("connect the first drive of user %s: %w", userID, err)
	}
	return nil
}

// RemoveDriveConnection forgets a user's connection, unless another one than c was
// stored meanwhile: removed is false then, and when there is none.
func (s *Connections) RemoveDriveConnection(ctx context.Context, userID string, c platen.DriveConnection) (removed bool, err error) {
	err = s.db.InAct(ctx, func(tx pgx.Tx) (postgres.Subject, error) {
		of := postgres.Subject{OwnerID: userID, ObjectID: userID}
		r, ok, err := s.Stored(ctx, tx, userID, "FOR UPDATE")
		if err != nil || !ok {
			return of, err
		}
		stored, err := s.OpenStored(r, userID)
		if err != nil || stored != c {
			return of, err
		}
		_, err = postgres.Execute(ctx, tx, `
			DELETE FROM drive_connections
			WHERE user_id = @user_id`,
			pgx.NamedArgs{"user_id": userID})
		removed = err == nil
		return of, err
	})
	if err != nil {
		return false, fmt.Errorf("remove drive connection of user %s: %w", userID, err)
	}
	return removed, nil
}
