package platen

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"
)

// ActorKind says who did something.
type ActorKind string

const (
	ActorUser     ActorKind = "user"     // by a token, a sign-in at the provider, or a link that was made for the user
	ActorOperator ActorKind = "operator" // by a command of the program
	ActorApprover ActorKind = "approver" // by a link to approve an output
	ActorService  ActorKind = "service"  // by itself, such as a retention that is over
)

// An Actor is who did something, and from where.
type Actor struct {
	Kind ActorKind
	// ID is usr_… of a user; of an operator the name of the account on the machine; of an
	// approver the place in the list of the document's approval, such as "approver 2".
	ID      string
	TokenID string     // tok_…; empty: no token was used
	Address netip.Addr // of the client; zero: not known
	Agent   bool       // an AI agent's, through our tools for these
}

// AgentProgram is how requests of tools for AI agents name themselves in User-Agent.
const AgentProgram = "platen-mcp"

// AuditDone is the outcome of what was carried out; any other is the code of an
// error.
const AuditDone = "done"

// AuditReplayed is the outcome of a repeat that got the answer of the first
// request with its Idempotency-Key, and did nothing.
const AuditReplayed = "replayed"

// An AuditEntry says who did what, from where, and what became of it. It holds
// ids, and never a name, an address of e-mail, a body or a secret. Entries are
// added and expire; nobody changes one.
type AuditEntry struct {
	ID string // aud_…
	// At is the database's clock.
	At     time.Time
	Actor  Actor
	Action string // method and route, such as "DELETE /v0/workflows/{workflow}", or a command, such as "platen token create"
	// OwnerID is the user whom it concerns: the owner of the workflow, else the
	// user that was changed, else the actor. Empty: the installation as a whole.
	OwnerID    string
	TeamID     string // with whom it is shared; empty: with nobody
	WorkflowID string
	ObjectID   string // of any other object: a document, an automation, a token, a user
	Outcome    string // AuditDone, AuditReplayed, or the code of an error
	RequestID  string // empty: no request
	// Fields are the names of an event's fields that were changed: CorrectedFields.
	Fields []string
}

// An AuditQuery says which entries a list is to hold.
type AuditQuery struct {
	Page
	Since      time.Time // zero: from the first on
	Until      time.Time // the first moment that is left out; zero: up to the last
	WorkflowID string    // empty: of any
	UserID     string    // who did it, or whom it concerns; empty: anybody
}

// An Act is an operation in progress that will have one entry in the audit. It travels
// in a context: the store that carries it out adds the entry in the same transaction,
// and marks the act. If the act is not marked at its end, the code that began it adds
// the entry, under the same id.
type Act struct {
	Entry    AuditEntry
	recorded atomic.Bool
}

type actKey struct{}

// BeginAct returns a context in which e is being done. It gives e an id.
func BeginAct(ctx context.Context, e AuditEntry) (context.Context, *Act) {
	e.ID = NewID(PrefixAudit)
	if e.OwnerID == "" && e.Actor.Kind == ActorUser {
		e.OwnerID = e.Actor.ID
	}
	act := &Act{Entry: e}
	return context.WithValue(ctx, actKey{}, act), act
}

// ActOf returns what is being done in ctx; nil: nothing that the audit keeps.
func ActOf(ctx context.Context) *Act {
	act, _ := ctx.Value(actKey{}).(*Act)
	return act
}

// About says what is being done in ctx to what is no workflow, where nobody knew its id
// when the act began; in a context without an act it does nothing.
func About(ctx context.Context, objectID string) {
	if act := ActOf(ctx); act != nil {
		act.Entry.ObjectID = objectID
	}
}

// MarkRecorded says that the entry is in the audit for good: its transaction was
// committed.
func (a *Act) MarkRecorded() { a.recorded.Store(true) }

// Recorded tells whether MarkRecorded was called.
func (a *Act) Recorded() bool { return a.recorded.Load() }

type callerKey struct{}

// WithCaller returns a context of what is done on behalf of a user: the database shows
// it what that user may see and nothing else.
func WithCaller(ctx context.Context, caller User) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

type signedInKey struct{}

// WithSignedIn returns a context of a request that the service itself sends to its API for
// a user who signed in in a browser. Nothing that comes from outside gets one.
func WithSignedIn(ctx context.Context, userID string) context.Context {
	return context.WithValue(ctx, signedInKey{}, userID)
}

// SignedIn returns the user of WithSignedIn; ok is false without one.
func SignedIn(ctx context.Context) (userID string, ok bool) {
	userID, ok = ctx.Value(signedInKey{}).(string)
	return userID, ok
}

// CallerOf returns the user of WithCaller; ok is false without one.
func CallerOf(ctx context.Context) (caller User, ok bool) {
	caller, ok = ctx.Value(callerKey{}).(User)
	return caller, ok
}
