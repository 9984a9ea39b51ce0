package admin

import (
	"context"
	"errors"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
)

// DriveAccount is the account of our own drive with this address, which the act of ctx
// is then about. One that is not there is KindNotFound.
func (a *Admin) DriveAccount(ctx context.Context, email string) (store.User, error) {
	u, err := a.Drive.UserByEmail(ctx, email)
	if errors.Is(err, store.ErrNotFound) {
		return u, platen.Errorf(platen.KindNotFound, "drive_account_not_found", "the drive has no account with the address %s: correct it, or make the account first", email)
	}
	if err == nil {
		platen.About(ctx, u.ID)
	}
	return u, err
}

// CreateDriveAccount makes an account of our own drive.
func (a *Admin) CreateDriveAccount(ctx context.Context, name, email string) (store.User, error) {
	u, err := a.Drive.CreateUser(ctx, name, email)
	if err == nil {
		platen.About(ctx, u.ID)
	}
	return u, err
}

// DisableDriveAccount has the credentials of the account of our own drive with this
// address open nothing; off: false takes that back.
func (a *Admin) DisableDriveAccount(ctx context.Context, email string, off bool) error {
	u, err := a.DriveAccount(ctx, email)
	if err != nil {
		return err
	}
	return a.Drive.DisableUser(ctx, u.ID, off)
}

// CreateDriveToken makes a bearer token of our own drive for the account with
// this address, and the account when there is none.
func (a *Admin) CreateDriveToken(ctx context.Context, name, email string) (string, error) {
	account, err := a.DriveAccount(ctx, email)
	if platen.KindOf(err) == platen.KindNotFound {
		account, err = a.CreateDriveAccount(ctx, name, email)
	}
	if err != nil {
		return "", err
	}
	return a.Drive.CreateToken(ctx, account.ID)
}
