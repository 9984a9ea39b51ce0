package console

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// operatorPath is above the pages of operators.
const operatorPath = consolePath + "operator/"

// Operators is what operators see and do on their pages. It tells who there is and how the
// installation stands, and nothing that tenants or their senders made. Errors that are a
// platen.Error are for the operator.
type Operators interface {
	// ActsAsOperator tells whether a user is an operator who may act as one, with a token
	// (tok_…) or, where that is empty, by a sign-in at a provider.
	ActsAsOperator(ctx context.Context, userID, tokenID string) (bool, error)
	// Act does what entry says who does, and has it in the audit.
	Act(ctx context.Context, entry platen.AuditEntry, do func(context.Context) error) error

	OperatorStatus
	OperatorAccounts
	OperatorConnections
}

// OperatorStatus is how the installation stands.
type OperatorStatus interface {
	Status(ctx context.Context) (Status, error)
	Resume(ctx context.Context, scope platen.PauseScope, id string) error
	KeyUses(ctx context.Context) ([]platen.KeyUse, error)
	// AuditEntries also finds a user by the e-mail address, where q.UserID is one.
	AuditEntries(ctx context.Context, q platen.AuditQuery) ([]platen.AuditEntry, error)
}

// A Status is what an installation says of itself.
type Status struct {
	platen.Overview
	platen.Installation
	Pauses         []platen.Pause
	WorkersNow     []platen.WorkerStanding
	AuditRetention time.Duration // zero: for ever
}

// OperatorAccounts are users with their tokens, and teams.
type OperatorAccounts interface {
	Users(ctx context.Context, q platen.UserQuery) ([]platen.UserStanding, error)
	User(ctx context.Context, userID string) (platen.UserStanding, error)
	EmailsOf(ctx context.Context, userIDs []string) (map[string]string, error)
	// CreateUser returns the id. The team is an id or a name; empty: none.
	CreateUser(ctx context.Context, name, email, team string) (string, error)
	DisableUser(ctx context.Context, userID string) error
	EnableUser(ctx context.Context, userID string) error
	MoveUser(ctx context.Context, userID, team string, withWorkflows bool) error
	DeleteUser(ctx context.Context, userID string) error

	Teams(ctx context.Context, after string, limit int) ([]platen.TeamStanding, error)
	Team(ctx context.Context, teamID string) (platen.TeamStanding, error)
	CreateTeam(ctx context.Context, name string) (string, error)

	Tokens(ctx context.Context, userID string) ([]platen.TokenStanding, error)
	Token(ctx context.Context, tokenID string) (platen.TokenStanding, error)
	// CreateToken returns the text. What is sent twice has one id, and makes one token.
	CreateToken(ctx context.Context, tokenID, userID, name string, life time.Duration, scopes platen.Scopes) (string, error)
	RevokeToken(ctx context.Context, tokenID string) error
}

// OperatorConnections are how users' drives are opened.
type OperatorConnections interface {
	Connections(ctx context.Context, q platen.ConnectionQuery) ([]platen.ConnectionStanding, error)
	// Connection is nil where no drive is connected.
	Connection(ctx context.Context, userID string) (*platen.ConnectionStanding, error)
	// OwnDrive tells whether the drive of users is ours, where GiveDrive makes an account for
	// a user without a drive and connects it.
	OwnDrive() bool
	GiveDrive(ctx context.Context, userID string) error
	// Links tells whether users connect in a browser.
	Links() bool
	// ConnectLink returns where a user does, for as long as valid says.
	ConnectLink(ctx context.Context, userID string, valid time.Duration) (string, error)
	Disconnect(ctx context.Context, userID string) error
}

// routeOperators registers the pages of operators. For other users they do not exist,
// whether or not the setting is on.
func (s *site) routeOperators(mux *http.ServeMux) {
	mux.HandleFunc(operatorPath, s.page("error", func(_ context.Context, r request) (view, error) {
		if at := s.pageAbove(r.Request); at != "" && r.operator {
			return view{to: at}, nil
		}
		return view{}, errNoPage
	}))
	if s.Operators == nil {
		return
	}
	get := func(path, name string, show func(context.Context, request) (view, error)) {
		mux.HandleFunc("GET "+operatorPath+path, s.operatorPage(name, show))
	}
	post := func(path, name string, show func(context.Context, request) (view, error)) {
		mux.HandleFunc("POST "+operatorPath+path, s.operatorPage(name, show))
	}
	// asked is a change that a page asks about first.
	asked := func(path string, ask func(context.Context, request) (confirmation, error), do func(context.Context, request) (to string, err error)) {
		get(path, "operator-confirm", s.confirm(ask))
		post(path, "operator-confirm", s.confirmed(ask, do))
	}
	get("{$}", "operator-overview", s.operatorOverview)
	asked("resume", s.askResume, s.resume)
	get("keys/{$}", "operator-keys", s.operatorKeys)
	get("retention/{$}", "operator-retention", s.operatorRetention)
	get("audit/{$}", "operator-audit", s.operatorAudit)

	get("users/{$}", "operator-users", s.operatorUsers)
	post("users/{$}", "operator-users", s.createUser)
	get("users/{user}/{$}", "operator-user", s.operatorUser)
	asked("users/{user}/disable", s.askDisable, s.disableUser)
	asked("users/{user}/delete", s.askDelete, s.deleteUser)
	asked("users/{user}/disconnect", s.askDisconnect, s.disconnect)
	post("users/{user}/enable", "operator-user", s.userForm("enable", s.enableUser))
	post("users/{user}/move", "operator-user", s.userForm("move", s.moveUser))
	post("users/{user}/tokens", "operator-once", s.createToken)
	post("users/{user}/drive", "operator-user", s.userForm("drive", s.giveDrive))
	post("users/{user}/connect-link", "operator-once", s.connectLink)
	asked("tokens/{token}/revoke", s.askRevoke, s.revokeToken)

	get("teams/{$}", "operator-teams", s.operatorTeams)
	post("teams/{$}", "operator-teams", s.createTeam)
	get("teams/{team}/{$}", "operator-team", s.operatorTeam)
	get("connections/{$}", "operator-connections", s.operatorConnections)
}

// operatorPage is page for operators, who are limited beside what /v0 limits.
func (s *site) operatorPage(name string, show func(context.Context, request) (view, error)) http.HandlerFunc {
	return s.page(name, func(ctx context.Context, r request) (view, error) {
		if !r.operator {
			return view{}, errNoPage
		}
		if s.OperatorLimit != nil && s.OperatorLimit(http.Header{}, sha256.Sum256([]byte(r.me.User.ID))) != nil {
			return view{}, &client.Error{Status: http.StatusTooManyRequests, Code: "rate_limited", Detail: "An operator may open 20 pages a second. Load the page again in a moment."}
		}
		v, err := show(ctx, r)
		return v, asProblem(err)
	})
}

// isOperator reports whether the signed-in user may see the operators' pages.
func (s *site) isOperator(ctx context.Context, r request) (bool, error) {
	if s.Operators == nil || r.session.User == "" && r.me.Token.ID == "" {
		return false, nil
	}
	return s.Operators.ActsAsOperator(ctx, r.me.User.ID, r.me.Token.ID)
}

// act records what an operator does in the audit log, under the page's route.
func (s *site) act(ctx context.Context, r request, do func(context.Context) error) error {
	actor := platen.Actor{Kind: platen.ActorUser, ID: r.me.User.ID, TokenID: r.me.Token.ID}
	if s.Client != nil {
		actor.Address = s.Client(r.Request)
	}
	return s.Operators.Act(ctx, platen.AuditEntry{Actor: actor, Action: strings.TrimSuffix(r.Pattern, "{$}")}, do)
}

// asProblem is an error of Operators as pages show it.
func asProblem(err error) error {
	e, ok := errors.AsType[*platen.Error](err)
	if !ok || e.Kind == platen.KindInternal {
		return err
	}
	shown := *e
	if len(e.Faults) == 1 {
		field := strings.TrimPrefix(e.Faults[0].Pointer, "/")
		shown.Message = cmp.Or(subjectOf(field), field) + " " + e.Faults[0].Message
	}
	return &client.Error{Status: edge.StatusOf(e.Kind), Detail: edge.Sentence(&shown), Code: cmp.Or(e.Code, "refused")}
}

// refusal is what a form says of an error that is for the operator; other errors end the
// page.
func refusal(err error) (said string, status int, _ error) {
	p := refusalIn(asProblem(err))
	if p == nil || p.Status >= http.StatusInternalServerError || p.Status == http.StatusNotFound {
		return "", 0, err
	}
	return p.Detail, p.Status, nil
}

// operatorPageSize is how many entries a page of a list has.
const operatorPageSize = 50

// pageOf cuts what was found beside one entry more, whose presence says that another page
// follows.
func pageOf[T any](found []T) (page []T, more bool) {
	if len(found) > operatorPageSize {
		return found[:operatorPageSize], true
	}
	return found, false
}

// afterOf is the id behind which a page begins; what has not its form is none.
func (r request) afterOf(prefix string) string {
	if id := r.URL.Query().Get("after"); platen.IsID(prefix, id) {
		return id
	}
	return ""
}
