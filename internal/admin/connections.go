package admin

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/operate"
)

// ConnectUser stores how the drive of the user with this address is opened.
func (a *Admin) ConnectUser(ctx context.Context, email string, c platen.DriveConnection) error {
	return a.WithUser(ctx, email, func(ctx context.Context, id string) error {
		return a.DB.Connections.SaveDriveConnection(ctx, id, c)
	})
}

// A Link makes the address at which the user with an e-mail address connects a drive in a
// browser, until a time.
type Link func(email string, until time.Time) string

// ConnectLink returns where the user with this address connects a drive in a browser, for as
// long as valid says.
func (a *Admin) ConnectLink(ctx context.Context, link Link, email string, valid time.Duration) (string, error) {
	if valid <= 0 {
		return "", refuse("valid", "%s is over already; give a time such as 24h", valid)
	}
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return "", err
	}
	return link(u.Email, time.Now().Add(valid)), nil
}

// ConnectLinkOnPage is ConnectLink for the user with an id, and refused for operators: a page
// gives them nothing.
func (a *Admin) ConnectLinkOnPage(ctx context.Context, link Link, userID string, valid time.Duration) (string, error) {
	u, err := a.connectedOnPage(ctx, userID, "platen user connect-link")
	if err != nil {
		return "", err
	}
	return link(u.Email, time.Now().Add(valid)), nil
}

// connectedOnPage is a user whose drive a page connects, whom the act of ctx is then about. A
// command does it for operators.
func (a *Admin) connectedOnPage(ctx context.Context, userID, command string) (platen.UserStanding, error) {
	u, err := a.DB.Users.UserStanding(ctx, userID)
	if err != nil {
		return u, err
	}
	switch {
	case u.OperatorSince != nil:
		return u, operate.ErrOperatorByCommand(command)
	case u.State == platen.UserDeleted:
		return u, platen.Errorf(platen.KindInvalid, "user_deleted", "The user was deleted: create another user.")
	}
	platen.About(ctx, userID)
	if act := platen.ActOf(ctx); act != nil {
		act.Entry.OwnerID = userID
	}
	return u, nil
}

// GiveDrive makes an account of our own drive for a user who has no drive, and connects it. An
// account with the user's address may be somebody else's: it is KindConflict with code
// "drive_account_exists".
func (a *Admin) GiveDrive(ctx context.Context, userID string) error {
	u, err := a.connectedOnPage(ctx, userID, "platen user connect")
	if err != nil {
		return err
	}
	return a.DB.Connections.ConnectFirst(ctx, userID, func(tx pgx.Tx) (platen.DriveConnection, error) {
		token, err := store.OpenAccount(ctx, tx, u.Name, u.Email)
		if errors.Is(err, store.ErrExists) {
			err = platen.Errorf(platen.KindConflict, "drive_account_exists", "The drive has an account with the address %s already, whose files may be somebody else's. If they are the user's, connect it: platen drive token, then platen user connect.", u.Email)
		}
		return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(token)}, err
	})
}

// A Revoker is where users gave access to their drives, and where it ends.
type Revoker interface {
	Revoke(ctx context.Context, refreshToken string) error
}

// Disconnect ends the connection of a user: at Google first, where it is a refresh token,
// then here. While Google does not answer nothing is removed, so that it can be called again.
func (a *Admin) Disconnect(ctx context.Context, at Revoker, userID string) error {
	stored, err := a.DB.Connections.StoredConnection(ctx, userID)
	if err != nil {
		return err
	}
	if stored.Kind == platen.ConnectionRefreshToken {
		if err := at.Revoke(ctx, string(stored.Secret)); err != nil {
			return err
		}
	}
	removed, err := a.DB.Connections.RemoveDriveConnection(ctx, userID, stored)
	if err == nil && !removed {
		err = platen.Errorf(platen.KindConflict, "connection_changed", "the user was connected again meanwhile; that connection was left alone")
	}
	return err
}
