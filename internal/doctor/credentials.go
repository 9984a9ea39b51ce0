package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/secret"
)

const (
	credentials = "credentials"
	storage     = "storage"
	folder      = "folder"
)

// mostUsers is how many users' drives are asked at most, unless one is named.
const mostUsers = 50

// atOnce is how many users' drives are asked at the same time.
const atOnce = 8

// noConnections opens no drive.
func noConnections(context.Context, string) (platen.DriveConnection, error) {
	return platen.DriveConnection{}, errors.New("no connections")
}

// credentials opens the drive of each user, or of one.
func (e *examination) credentials(ctx context.Context) {
	notLooked := func(why, cure string) {
		e.add(Finding{credentials, "users", Warning, "The drives of users were not looked at: " + why + ".", cure})
	}
	if e.Settings.Kind() == "" {
		notLooked("no cloud drive is chosen", "Set PLATEN_DRIVE_KIND.")
		return
	}
	box, err := secret.ParseKeys(string(e.Settings.SecretKeys))
	if err != nil {
		notLooked("there are no keys to open the connections with", "Set PLATEN_SECRET_KEYS, as for serve and worker.")
		return
	}
	pool, err := limited(ctx, e.Limit, e.openPool)
	if err != nil {
		notLooked("the database cannot be used", "Cure what is said of the database first.")
		return
	}
	defer pool.Close()
	db := postgres.New(pool, box)
	users, err := limited(ctx, e.Limit, func(ctx context.Context) ([]platen.User, error) { return e.users(ctx, db) })
	if err != nil {
		notLooked(err.Error(), "Run 'platen migrate', or correct --user: 'platen user list' shows the addresses.")
		return
	}
	connector, err := e.Drives(db.Connections.DriveConnection)
	if err != nil {
		notLooked("the settings of the drive cannot be used", "Cure what is said of the configuration first.")
		return
	}
	if len(users) == 0 {
		notLooked("there are none", "Make one: platen user create.")
	}
	if more := len(users) - mostUsers; more > 0 {
		users = users[:mostUsers]
		e.add(Finding{credentials, "users", OK, fmt.Sprintf("The drives of %d users were looked at, and those of %d others were not: each look is a call that their runs may need. --user looks at one of them.", mostUsers, more), ""})
	}
	var all sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, u := range users {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			e.user(ctx, db, connector, u)
		})
	}
	all.Wait()
}

func (e *examination) users(ctx context.Context, db *postgres.DB) ([]platen.User, error) {
	if e.User == "" {
		return operate.New(db).Users.All(ctx)
	}
	u, err := db.Users.UserByEmail(ctx, e.User)
	return []platen.User{u}, err
}

// user looks at the drive of one user.
func (e *examination) user(ctx context.Context, db *postgres.DB, connector *google.Connector, u platen.User) {
	type answer struct {
		connection platen.DriveConnection
		client     *google.Client
		account    google.Account
	}
	a, err := limited(ctx, e.Limit, func(ctx context.Context) (a answer, err error) {
		if a.connection, err = db.Connections.DriveConnection(ctx, u.ID); err != nil {
			return a, sealed{err}
		}
		if a.client, err = connector.Drive(ctx, u.ID); err != nil {
			return a, err
		}
		a.account, err = a.client.Account(ctx)
		return a, err
	})
	if err != nil {
		e.add(refused(u.Email, err))
		return
	}
	e.add(e.scopes(u.Email, a.connection, a.account))
	e.add(room(u.Email, a.connection, a.account))
	if e.Folder != "" {
		e.folder(ctx, u.Email, a.client)
	}
}

// sealed is the error of a connection that could not be read from the database.
type sealed struct{ error }

func (s sealed) Unwrap() error { return s.error }

// refused says what to do about a drive that cannot be opened.
func refused(email string, err error) Finding {
	f := Finding{Area: credentials, Subject: email, Status: Failure, Message: err.Error()}
	known, ok := errors.AsType[*platen.Error](err)
	if _, stored := errors.AsType[sealed](err); !ok && stored {
		f.Cure = "Look at what is said of the database: its keys open stored connections."
		return f
	}
	if !ok {
		f.Cure = "Look at what is said of the network."
		return f
	}
	f.Message = known.Message
	switch known.Code {
	case "drive_not_connected":
		f.Status, f.Message = Warning, "No drive is connected."
		f.Cure = "Connect one: platen user connect, or platen user connect-link."
	case platen.CodeConnectionBroken:
		f.Cure = "Have the user connect again: platen user connect-link --email " + email + ". With a service account, compare its delegation in the Admin console."
	case "drive_connection_mismatch":
		f.Cure = "Connect the user with the drive that PLATEN_DRIVE_KIND names: platen user connect --email " + email + "."
	case "drive_api_disabled":
		f.Cure = "Enable the Drive, Docs and Slides APIs of the project in the Google Cloud console."
	case "drive_file_forbidden":
		f.Cure = "Let the account use the drive: look at the restrictions on applications in the Admin console."
	default:
		f.Cure = "Look at what is said of the network, and try again."
	}
	return f
}

// scopes looks at what the connection allows.
func (e *examination) scopes(email string, c platen.DriveConnection, a google.Account) Finding {
	f := Finding{Area: credentials, Subject: email, Status: OK, Message: "The drive accepts the connection (" + string(c.Kind) + ")."}
	if c.Kind != platen.ConnectionRefreshToken || a.Scopes == nil {
		return f
	}
	granted := strings.Join(a.Scopes, ", ")
	again := "Have the user connect again and tick the box for Google Drive: platen user connect-link --email " + email + "."
	all, some := slices.Contains(a.Scopes, string(config.ScopeDrive)), slices.Contains(a.Scopes, string(config.ScopeDriveFile))
	switch {
	case !all && !some:
		return Finding{credentials, email, Failure, "The connection allows no access to files, but " + granted + ".", again}
	case !all && e.Settings.GoogleScope == config.ScopeDrive:
		return Finding{credentials, email, Warning, "The connection allows drive.file, and PLATEN_GOOGLE_SCOPE asks for drive.", again}
	}
	f.Message = "The drive accepts the connection, which allows " + granted + "."
	return f
}

// nearlyFull is the part of a storage from which on it is a warning, in percent.
const nearlyFull = 95

// room looks at the storage that is left.
func room(email string, c platen.DriveConnection, a google.Account) Finding {
	switch {
	case c.Kind == platen.ConnectionServiceAccount && c.Subject == "":
		return Finding{storage, email, OK, "A service account has no storage: its files must be on a shared drive.", ""}
	case a.Limit == 0:
		return Finding{storage, email, OK, "The account has no limit of its own.", ""}
	}
	f := Finding{Area: storage, Subject: email, Status: OK, Message: fmt.Sprintf("%d MiB of %d MiB are left.", max(0, a.Limit-a.Used)>>20, a.Limit>>20)}
	if a.Used >= a.Limit {
		f.Status = Failure
	} else if a.Used >= a.Limit/100*nearlyFull {
		f.Status = Warning
	}
	if f.Status != OK {
		f.Cure = "Remove files or get more storage, or keep templates and outputs on a shared drive."
	}
	return f
}

// folder looks at what a user may do in the folder.
func (e *examination) folder(ctx context.Context, email string, c *google.Client) {
	found, err := limited(ctx, e.Limit, func(ctx context.Context) (google.Folder, error) { return c.Folder(ctx, e.Folder) })
	if err != nil {
		f := refused(email, err)
		if platen.KindOf(err) == platen.KindNotFound {
			f.Message, f.Cure = "The account does not see the folder.", "Share the folder with the account. With the scope drive.file it sees only what this service made."
		}
		f.Area = folder
		e.add(f)
		return
	}
	where := "My Drive"
	if found.Shared {
		where = "a shared drive"
	}
	const manager = "Make the account a content manager of the shared drive, or an editor of the folder."
	switch {
	case !found.IsFolder:
		e.add(Finding{folder, email, Failure, "It is no folder.", "Give the id of a folder: it is the last part of its address."})
	case found.Trashed:
		e.add(Finding{folder, email, Failure, "The folder is in the trash.", "Restore it, or use another one."})
	case !found.CanAdd:
		e.add(Finding{folder, email, Failure, "The account may not make files there (" + where + ").", manager})
	case !found.CanTrash:
		e.add(Finding{folder, email, Warning, "The account may make files there and remove none (" + where + "): originals stay.", manager})
	default:
		e.ok(folder, email, "The account may make and remove files there (%s).", where)
	}
}
