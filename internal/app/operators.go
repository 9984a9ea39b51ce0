package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
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
	o := postgres.Options{Part: postgres.PartOperator, MaxConns: operatorConns, Tracer: traces.Statements()}
	db, err := awaitDatabase(ctx, database, s.box, s.StartWait.Value(), s.log, o, func(ctx context.Context, db *postgres.DB) error {
		return checkStanding(ctx, db.Pool(), database, s.log)
	})
	if err != nil {
		return fmt.Errorf("open the database for the operators' pages (--operator-database-url): %w", err)
	}
	s.operators = &operators{Admin: &admin.Admin{DB: operate.New(db)}, served: *s}
	return nil
}

// operators is what operators see and do on pages, with the login of the pages.
type operators struct {
	*admin.Admin
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
	s.WorkersNow, err = o.DB.Workers(ctx)
	return s, err
}

func (o *operators) Resume(ctx context.Context, scope platen.PauseScope, id string) error {
	return o.ResumeByID(ctx, scope, id)
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
	uses, err := o.Admin.KeyUses(ctx, o.served.box)
	if err != nil {
		return nil, err
	}
	o.counted, o.uses = time.Now(), uses
	return uses, nil
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
	return o.CreateTokenOnce(ctx, tokenID, userID, name, life, scopes)
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

// OwnDrive is of the installation's setting: accounts of our drive are in this database.
func (o *operators) OwnDrive() bool { return o.served.Cloud.Kind() == platen.DrivePlaten }

func (o *operators) Links() bool { return o.served.OAuthRedirectURL != "" }

func (o *operators) ConnectLink(ctx context.Context, userID string, valid time.Duration) (string, error) {
	return o.ConnectLinkOnPage(ctx, connectLinks(o.served.box, o.served.ConnectURL()), userID, valid)
}

func (o *operators) Disconnect(ctx context.Context, userID string) error {
	return o.Admin.Disconnect(ctx, Consents(o.served.Cloud), userID)
}
