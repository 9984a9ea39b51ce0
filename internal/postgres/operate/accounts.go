package operate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

type userStandingRow struct {
	postgres.UserRow
	State         platen.UserState `db:"state"`
	OperatorSince *time.Time       `db:"operator_since"`
	CreatedAt     time.Time        `db:"created_at"`
	LastUsedAt    *time.Time       `db:"last_used_at"`
	LiveTokens    int              `db:"live_tokens"`
}

func (r userStandingRow) standing() platen.UserStanding {
	return platen.UserStanding{
		User: r.User(), State: r.State, OperatorSince: postgres.UTC(r.OperatorSince), CreatedAt: r.CreatedAt.UTC(),
		LastUsedAt: postgres.UTC(r.LastUsedAt), LiveTokens: r.LiveTokens,
	}
}

// selectStanding is of users u with a condition to follow; tokens are read of the users
// that are left alone.
const selectStanding = `
		SELECT u.id, u.name, u.email, u.team_id, u.team_name, u.operator_since, u.created_at,
			CASE WHEN u.deleted_at IS NOT NULL THEN 'deleted' WHEN u.disabled_at IS NOT NULL THEN 'disabled' ELSE 'active' END AS state,
			k.last_used_at, k.live_tokens
		FROM (
			SELECT u.*, t.name AS team_name
			FROM users u
			LEFT JOIN teams t ON t.id = u.team_id
			WHERE `

const standingTokens = `
		) u
		CROSS JOIN LATERAL (
			SELECT max(last_used_at) AS last_used_at,
				count(*) FILTER (WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS live_tokens
			FROM tokens
			WHERE user_id = u.id
		) k
		ORDER BY lower(u.email)`

// UserStandings returns the users that q asks for, by e-mail address, at most
// platen.MaxList and one.
func (s *Users) UserStandings(ctx context.Context, q platen.UserQuery) ([]platen.UserStanding, error) {
	rows, err := postgres.Collect[userStandingRow](ctx, s.db.Pool(), userStandings, userStandingArgs(q))
	if err != nil {
		return nil, fmt.Errorf("list how users stand: %w", err)
	}
	found := make([]platen.UserStanding, len(rows))
	for i, r := range rows {
		found[i] = r.standing()
	}
	return found, nil
}

const userStandings = selectStanding + `(@search = '' OR u.id = @search OR strpos(lower(u.email), lower(@search)) > 0 OR strpos(lower(u.name), lower(@search)) > 0)
				AND (@team = '' OR u.team_id = @team)
				AND lower(u.email) > coalesce((SELECT lower(a.email) FROM users a WHERE a.id = @after), '')
			ORDER BY lower(u.email)
			LIMIT @limit` + standingTokens

func userStandingArgs(q platen.UserQuery) pgx.NamedArgs {
	return pgx.NamedArgs{"search": postgres.CleanText(strings.TrimSpace(q.Search)), "team": q.TeamID, "after": q.After, "limit": boundOf(q.Limit)}
}

// boundOf is the limit of a page, which asks for one entry more than it shows.
func boundOf(limit int) int {
	if limit <= 0 || limit > platen.MaxList+1 {
		return platen.MaxList
	}
	return limit
}

// signedIn is what the audit calls a sign-in at an OpenID provider.
const signedIn = "GET /console/sign-in/callback"

// UserStanding returns how a user stands, with numbers of what is the user's.
// KindNotFound has the code "user_not_found".
func (s *Users) UserStanding(ctx context.Context, userID string) (platen.UserStanding, error) {
	r, ok, err := postgres.CollectOne[userStandingRow](ctx, s.db.Pool(), selectStanding+`u.id = @id`+standingTokens, pgx.NamedArgs{"id": userID})
	if err == nil && !ok {
		err = postgres.ErrNoUser(userID)
	}
	if err != nil {
		return platen.UserStanding{}, fmt.Errorf("read how user %s stands: %w", userID, err)
	}
	found := r.standing()
	type row struct {
		SignedIn  *time.Time `db:"signed_in"`
		Workflows int        `db:"workflows"`
		UnderWay  int        `db:"under_way"`
	}
	n, _, err := postgres.CollectOne[row](ctx, s.db.Pool(), `
		SELECT (
				SELECT at
				FROM audit
				WHERE actor_id = @id AND action = @signed_in AND outcome = 'done'
				ORDER BY at DESC, id DESC
				LIMIT 1
			) AS signed_in,
			(SELECT count(*) FROM workflows WHERE owner_id = @id AND status <> 'ARCHIVED') AS workflows,
			(SELECT count(*) FROM automations WHERE owner_id = @id AND state IN ('ACCEPTED', 'BEHIND', 'RUNNING', 'REVIEW')) AS under_way`,
		pgx.NamedArgs{"id": userID, "signed_in": signedIn})
	if err != nil {
		return platen.UserStanding{}, fmt.Errorf("count what user %s has: %w", userID, err)
	}
	found.SignedInAt, found.Workflows, found.UnderWay = postgres.UTC(n.SignedIn), n.Workflows, n.UnderWay
	return found, nil
}

// EmailsOf returns the e-mail addresses of users, by id. Who is not there is left out.
func (s *Users) EmailsOf(ctx context.Context, userIDs []string) (map[string]string, error) {
	rows, err := postgres.Collect[postgres.UserRow](ctx, s.db.Pool(), `
		SELECT id, name, email, NULL AS team_id, NULL AS team_name
		FROM users
		WHERE id = ANY (@ids)`, pgx.NamedArgs{"ids": userIDs})
	if err != nil {
		return nil, fmt.Errorf("read addresses of users: %w", err)
	}
	emails := make(map[string]string, len(rows))
	for _, r := range rows {
		emails[r.ID] = r.Email
	}
	return emails, nil
}

// TeamStandings returns teams by name, those behind the team whose id is after, at most
// limit.
func (s *Users) TeamStandings(ctx context.Context, after string, limit int) ([]platen.TeamStanding, error) {
	return s.teamStandings(ctx, `@after = '' OR (t.name, t.id) > (SELECT a.name, a.id FROM teams a WHERE a.id = @after)`, pgx.NamedArgs{"after": after, "limit": boundOf(limit)})
}

// TeamStanding returns how one team stands. KindNotFound has the code "team_not_found".
func (s *Users) TeamStanding(ctx context.Context, teamID string) (platen.TeamStanding, error) {
	found, err := s.teamStandings(ctx, `t.id = @id`, pgx.NamedArgs{"id": teamID, "limit": 1})
	if err == nil && len(found) == 0 {
		err = platen.Errorf(platen.KindNotFound, "team_not_found", "there is no team %s", teamID)
	}
	if err != nil {
		return platen.TeamStanding{}, err
	}
	return found[0], nil
}

func (s *Users) teamStandings(ctx context.Context, condition string, args pgx.NamedArgs) ([]platen.TeamStanding, error) {
	type row struct {
		ID        string    `db:"id"`
		Name      string    `db:"name"`
		CreatedAt time.Time `db:"created_at"`
		Members   int       `db:"members"`
		Workflows int       `db:"workflows"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		WITH shown AS (
			SELECT t.id, t.name, t.created_at
			FROM teams t
			WHERE `+condition+`
			ORDER BY t.name, t.id
			LIMIT @limit
		)
		SELECT t.id, t.name, t.created_at, coalesce(m.n, 0) AS members, coalesce(w.n, 0) AS workflows
		FROM shown t
		LEFT JOIN (SELECT team_id, count(*) AS n FROM users WHERE team_id IN (SELECT id FROM shown) GROUP BY 1) m ON m.team_id = t.id
		LEFT JOIN (SELECT team_id, count(*) AS n FROM workflows WHERE status <> 'ARCHIVED' AND team_id IN (SELECT id FROM shown) GROUP BY 1) w ON w.team_id = t.id
		ORDER BY t.name, t.id`, args)
	if err != nil {
		return nil, fmt.Errorf("list how teams stand: %w", err)
	}
	found := make([]platen.TeamStanding, len(rows))
	for i, r := range rows {
		found[i] = platen.TeamStanding{Team: platen.Team{ID: r.ID, Name: r.Name}, CreatedAt: r.CreatedAt.UTC(), Members: r.Members, Workflows: r.Workflows}
	}
	return found, nil
}

// TokensOf returns the tokens of a user, newest first, revoked ones included, at most
// platen.MaxList.
func (s *Tokens) TokensOf(ctx context.Context, userID string) ([]platen.TokenStanding, error) {
	return s.standings(ctx, `user_id = @id`, userID)
}

// TokenStanding returns how one token stands. KindNotFound has the code "token_not_found".
func (s *Tokens) TokenStanding(ctx context.Context, tokenID string) (platen.TokenStanding, error) {
	found, err := s.standings(ctx, `id = @id`, tokenID)
	if err == nil && len(found) == 0 {
		err = platen.Errorf(platen.KindNotFound, "token_not_found", "there is no token %s", tokenID)
	}
	if err != nil {
		return platen.TokenStanding{}, err
	}
	return found[0], nil
}

func (s *Tokens) standings(ctx context.Context, condition, id string) ([]platen.TokenStanding, error) {
	type row struct {
		ID         string        `db:"id"`
		UserID     string        `db:"user_id"`
		Name       string        `db:"name"`
		Scopes     platen.Scopes `db:"scopes"`
		CreatedAt  time.Time     `db:"created_at"`
		ExpiresAt  *time.Time    `db:"expires_at"`
		RevokedAt  *time.Time    `db:"revoked_at"`
		LastUsedAt *time.Time    `db:"last_used_at"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		SELECT id, user_id, name, scopes, created_at, expires_at, revoked_at, last_used_at
		FROM tokens
		WHERE `+condition+`
		ORDER BY created_at DESC, id
		LIMIT @limit`, pgx.NamedArgs{"id": id, "limit": platen.MaxList})
	if err != nil {
		return nil, fmt.Errorf("list tokens of %s: %w", id, err)
	}
	found := make([]platen.TokenStanding, len(rows))
	for i, r := range rows {
		found[i] = platen.TokenStanding{
			ID: r.ID, UserID: r.UserID, Name: r.Name, Scopes: r.Scopes, CreatedAt: r.CreatedAt.UTC(),
			ExpiresAt: postgres.UTC(r.ExpiresAt), RevokedAt: postgres.UTC(r.RevokedAt), LastUsedAt: postgres.UTC(r.LastUsedAt),
		}
	}
	return found, nil
}

// ConnectionStandings returns the connections that q asks for, by their users' addresses.
func (s *Connections) ConnectionStandings(ctx context.Context, q platen.ConnectionQuery) ([]platen.ConnectionStanding, error) {
	return s.standings(ctx, `(NOT @broken OR c.broken_at >= c.updated_at)
			AND (@after = '' OR lower(u.email) > (SELECT lower(a.email) FROM users a WHERE a.id = @after))`,
		pgx.NamedArgs{"broken": q.Broken, "after": q.After, "limit": boundOf(q.Limit)})
}

// ConnectionStanding returns how the drive of one user is opened; nil: no drive is
// connected.
func (s *Connections) ConnectionStanding(ctx context.Context, userID string) (*platen.ConnectionStanding, error) {
	found, err := s.standings(ctx, `c.user_id = @id`, pgx.NamedArgs{"id": userID, "limit": 1})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

func (s *Connections) standings(ctx context.Context, condition string, args pgx.NamedArgs) ([]platen.ConnectionStanding, error) {
	type row struct {
		UserID      string                `db:"user_id"`
		Name        string                `db:"name"`
		Email       string                `db:"email"`
		Kind        platen.ConnectionKind `db:"kind"`
		Subject     string                `db:"subject"`
		ConnectedAt time.Time             `db:"updated_at"`
		BrokenAt    *time.Time            `db:"broken_at"`
		Reason      *string               `db:"broken_reason"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		SELECT c.user_id, u.name, u.email, c.kind, c.subject, c.updated_at, c.broken_reason,
			CASE WHEN c.broken_at >= c.updated_at THEN c.broken_at END AS broken_at
		FROM drive_connections c
		JOIN users u ON u.id = c.user_id
		WHERE `+condition+`
		ORDER BY lower(u.email)
		LIMIT @limit`, args)
	if err != nil {
		return nil, fmt.Errorf("list how drives are connected: %w", err)
	}
	found := make([]platen.ConnectionStanding, len(rows))
	for i, r := range rows {
		found[i] = platen.ConnectionStanding{
			UserID: r.UserID, UserName: r.Name, UserEmail: r.Email, Kind: r.Kind, Subject: r.Subject,
			ConnectedAt: r.ConnectedAt.UTC(), BrokenAt: postgres.UTC(r.BrokenAt),
		}
		if r.BrokenAt != nil && r.Reason != nil {
			found[i].Reason = *r.Reason
		}
	}
	return found, nil
}
