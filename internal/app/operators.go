package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/telemetry"
)

// operatorConns are enough for a handful of operators, and few enough for a stock Postgres.
const operatorConns = 4

// openOperators opens the database with the login of the operators' pages; nil without one.
func (s *served) openOperators(ctx context.Context, traces *telemetry.Traces) error {
	if s.OperatorDatabaseURL == "" {
		return nil
	}
	database := s.Database
	database.DatabaseURL = s.OperatorDatabaseURL
	db, err := postgres.Open(ctx, database.DatabaseURL, s.box, postgres.Options{
		AllowUnsafeDurability: database.AllowUnsafeDurability.Value(), Application: application(postgres.PartOperator), Part: postgres.PartOperator, MaxConns: operatorConns, Tracer: traces.Statements(),
	})
	if err != nil {
		return fmt.Errorf("open the database for the operators' pages (--operator-database-url): %w", err)
	}
	if err := checkStanding(ctx, db.Pool(), database, s.log); err != nil {
		db.Close()
		return fmt.Errorf("open the database for the operators' pages (--operator-database-url): %w", err)
	}
	s.operators = &operators{Admin: &Admin{DB: db, Drive: drive.NewStore(db.Pool()), pool: db.Pool()}, served: *s}
	return nil
}

// operators is what operators do on pages: what the commands do, with the login of the
// pages.
type operators struct {
	*Admin
	served served

	counting sync.Mutex
	counted  time.Time
	uses     []platen.KeyUse
}

// close ends the connections, where there are any.
func (o *operators) close() {
	if o != nil {
		o.Close()
	}
}

var _ console.Operators = (*operators)(nil)

// ActsAsOperator asks with serve's own login: no page of somebody else's waits for what
// operators read.
func (o *operators) ActsAsOperator(ctx context.Context, userID, tokenID string) (bool, error) {
	return o.served.db.Users.ActsAsOperator(ctx, userID, tokenID)
}

func (o *operators) Act(ctx context.Context, entry platen.AuditEntry, do func(context.Context) error) error {
	return actAs(ctx, o.DB.Audit, entry, do)
}

func (o *operators) Status(ctx context.Context) (s console.Status, err error) {
	if s.Overview, err = o.DB.Overview(ctx); err != nil {
		return s, err
	}
	if s.Installation, err = o.DB.Installation(ctx, 24*time.Hour); err != nil {
		return s, err
	}
	if s.Pauses, err = o.DB.Pauses.Pauses(ctx); err != nil {
		return s, err
	}
	s.AuditRetention = o.served.AuditRetention.Value()
	s.WorkersNow, err = o.DB.Queue.Workers(ctx)
	return s, err
}

// Resume takes a pause back; one that is not there any more is no error. A workflow's owner
// finds it in the audit.
func (o *operators) Resume(ctx context.Context, scope platen.PauseScope, id string) error {
	aboutPause(ctx, scope, id)
	if scope == platen.PauseWorkflow {
		owner, err := o.DB.Workflows.OwnerOf(ctx, id)
		if err != nil {
			return err
		}
		platen.ActOf(ctx).Entry.OwnerID = owner
	}
	_, err := o.DB.Pauses.Resume(ctx, scope, id)
	return err
}

// keysCounted is how old a count of what keys encrypt may be: it reads all of it.
const keysCounted = time.Minute

// KeyUses is that of the commands, a minute old at most. One count is made at a time.
func (o *operators) KeyUses(ctx context.Context) ([]platen.KeyUse, error) {
	o.counting.Lock()
	defer o.counting.Unlock()
	if time.Since(o.counted) < keysCounted {
		return o.uses, nil
	}
	counts, err := o.DB.Rotation.CountsOnly(ctx)
	if err != nil {
		return nil, err
	}
	o.counted, o.uses = time.Now(), keyUses(o.served.box, counts)
	return o.uses, nil
}

func (o *operators) AuditEntries(ctx context.Context, q platen.AuditQuery) ([]platen.AuditEntry, error) {
	if strings.Contains(q.UserID, "@") {
		u, err := o.DB.Users.UserByEmail(ctx, q.UserID)
		if platen.KindOf(err) == platen.KindNotFound {
			return nil, platen.Errorf(platen.KindInvalid, "user_not_found", "Nobody has this e-mail address. Of somebody who was deleted, type in the id.")
		}
		if err != nil {
			return nil, err
		}
		q.UserID = u.ID
	}
	return o.DB.Audit.Entries(ctx, q)
}

func (o *operators) Users(ctx context.Context, q platen.UserQuery) ([]platen.UserStanding, error) {
	return o.DB.Users.UserStandings(ctx, q)
}

func (o *operators) User(ctx context.Context, userID string) (platen.UserStanding, error) {
	return o.DB.Users.UserStanding(ctx, userID)
}

func (o *operators) EmailsOf(ctx context.Context, userIDs []string) (map[string]string, error) {
	return o.DB.Users.EmailsOf(ctx, userIDs)
}

func (o *operators) DisableUser(ctx context.Context, userID string) error {
	return o.DB.Users.DisableUser(ctx, userID)
}

func (o *operators) EnableUser(ctx context.Context, userID string) error {
	return o.DB.Users.EnableUser(ctx, userID)
}

func (o *operators) MoveUser(ctx context.Context, userID, team string, withWorkflows bool) error {
	if team == "" {
		return o.DB.Users.MoveUser(ctx, userID, nil, withWorkflows)
	}
	to, err := o.findTeam(ctx, team)
	if err != nil {
		return err
	}
	return o.DB.Users.MoveUser(ctx, userID, &to, withWorkflows)
}

// CreateUser is that of the commands.
func (o *operators) CreateUser(ctx context.Context, name, email, team string) (string, error) {
	if team != "" {
		found, err := o.findTeam(ctx, team)
		if err != nil {
			return "", err
		}
		team = found.ID
	}
	return o.Admin.CreateUser(ctx, name, email, team)
}

// findTeam is the team with this id or name.
func (o *operators) findTeam(ctx context.Context, idOrName string) (platen.Team, error) {
	teams, err := o.DB.Users.Teams(ctx)
	if err != nil {
		return platen.Team{}, err
	}
	switch found := teamsCalled(teams, idOrName); len(found) {
	case 1:
		return found[0], nil
	case 0:
		return platen.Team{}, platen.Errorf(platen.KindInvalid, "team_not_found", "No team has this id or this name. The page of teams lists all.")
	default:
		return platen.Team{}, platen.Errorf(platen.KindInvalid, "team_not_found", "%d teams have this name: type in the id, which the address of a team's page has.", len(found))
	}
}

func (o *operators) DeleteUser(ctx context.Context, userID string) error {
	return o.DB.Users.DeleteUser(ctx, userID)
}

func (o *operators) Teams(ctx context.Context, after string, limit int) ([]platen.TeamStanding, error) {
	return o.DB.Users.TeamStandings(ctx, after, limit)
}

func (o *operators) Team(ctx context.Context, teamID string) (platen.TeamStanding, error) {
	return o.DB.Users.TeamStanding(ctx, teamID)
}

func (o *operators) Tokens(ctx context.Context, userID string) ([]platen.TokenStanding, error) {
	return o.DB.Tokens.TokensOf(ctx, userID)
}

func (o *operators) Token(ctx context.Context, tokenID string) (platen.TokenStanding, error) {
	return o.DB.Tokens.TokenStanding(ctx, tokenID)
}

func (o *operators) CreateToken(ctx context.Context, tokenID, userID, name string, life time.Duration, scopes platen.Scopes) (string, error) {
	var expires time.Time
	if life > 0 {
		expires = time.Now().Add(life)
	}
	return o.DB.Tokens.CreateTokenOnce(ctx, tokenID, userID, name, expires, slices.Clone(scopes)...)
}

func (o *operators) RevokeToken(ctx context.Context, tokenID string) error {
	return o.DB.Tokens.RevokeToken(ctx, tokenID)
}

func (o *operators) Connections(ctx context.Context, q platen.ConnectionQuery) ([]platen.ConnectionStanding, error) {
	return o.DB.Connections.ConnectionStandings(ctx, q)
}

func (o *operators) Connection(ctx context.Context, userID string) (*platen.ConnectionStanding, error) {
	return o.DB.Connections.ConnectionStanding(ctx, userID)
}

func (o *operators) Links() bool { return o.served.OAuthRedirectURL != "" }

func (o *operators) ConnectLink(ctx context.Context, userID string, valid time.Duration) (string, error) {
	u, err := o.DB.Users.UserStanding(ctx, userID)
	if err != nil {
		return "", err
	}
	switch {
	case u.OperatorSince != nil:
		return "", postgres.ErrOperatorByCommand("platen user connect-link")
	case u.State == platen.UserDeleted:
		return "", platen.Errorf(platen.KindInvalid, "user_deleted", "The user was deleted: create another user.")
	}
	platen.About(ctx, userID)
	if act := platen.ActOf(ctx); act != nil {
		act.Entry.OwnerID = userID
	}
	return console.ConnectAddress(o.served.ConnectURL(), o.served.box.Derive(connectPurpose), u.Email, time.Now().Add(valid)), nil
}

func (o *operators) Disconnect(ctx context.Context, userID string) error {
	return o.disconnect(ctx, o.served.Cloud, platen.User{ID: userID})
}
