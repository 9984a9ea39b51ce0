package admin

import (
	"context"
	"time"

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
	u, err := a.DB.Users.UserStanding(ctx, userID)
	if err != nil {
		return "", err
	}
	switch {
	case u.OperatorSince != nil:
		return "", operate.ErrOperatorByCommand("platen user connect-link")
	case u.State == platen.UserDeleted:
		return "", platen.Errorf(platen.KindInvalid, "user_deleted", "The user was deleted: create another user.")
	}
	platen.About(ctx, userID)
	if act := platen.ActOf(ctx); act != nil {
		act.Entry.OwnerID = userID
	}
	return link(u.Email, time.Now().Add(valid)), nil
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
