package platen

import (
	"time"
)

// What operators see of accounts: who there is and since when, and nothing that a tenant
// made.

// A UserState is how a user stands.
type UserState string

// The states of a user.
const (
	UserActive   UserState = "active"
	UserDisabled UserState = "disabled"
	UserDeleted  UserState = "deleted" // name and address are forgotten
)

// A UserStanding is a user as operators see one.
type UserStanding struct {
	User
	State UserState
	// OperatorSince is when a command made the user an operator; nil: the user is none.
	OperatorSince *time.Time
	CreatedAt     time.Time
	LastUsedAt    *time.Time // of the user's tokens, exact to a minute; nil: never
	SignedInAt    *time.Time // last at an OpenID provider, as long as the audit keeps it; nil: never
	LiveTokens    int
	Workflows     int // that are not archived
	UnderWay      int // automations
}

// A UserQuery says which users a list is to hold, by e-mail address.
type UserQuery struct {
	Search string // a part of the name or of the address, or an id; empty: any
	TeamID string // empty: of any team and of none
	After  string // id of the last user of the page before; empty: from the start
	Limit  int
}

// A TeamStanding is a team as operators see one.
type TeamStanding struct {
	Team
	CreatedAt time.Time
	Members   int
	Workflows int // that are shared with the team and not archived
}

// A TokenStanding is what operators see of an access token: not its text, which is stored
// nowhere.
type TokenStanding struct {
	ID         string // tok_…
	UserID     string
	Name       string
	Scopes     Scopes
	CreatedAt  time.Time
	ExpiresAt  *time.Time // nil: never
	RevokedAt  *time.Time
	LastUsedAt *time.Time // exact to a minute
}

// Live tells whether the token still opens something.
func (t TokenStanding) Live(now time.Time) bool {
	return t.RevokedAt == nil && (t.ExpiresAt == nil || t.ExpiresAt.After(now))
}

// A ConnectionStanding is how a user's drive is opened, without what opens it.
type ConnectionStanding struct {
	UserID, UserName, UserEmail string
	Kind                        ConnectionKind
	Subject                     string // whom a service account acts for; empty: for itself
	ConnectedAt                 time.Time
	BrokenAt                    *time.Time // nil: it is not known to be
	Reason                      string     // why it is broken
}

// A ConnectionQuery says which connections a list is to hold, by the user's address.
type ConnectionQuery struct {
	Broken bool   // those alone
	After  string // id of the last user of the page before; empty: from the start
	Limit  int
}

// A KeyUse is how many values of one kind a master key encrypts.
type KeyUse struct {
	Key   string // its place among the keys that were given
	What  string
	Count int
}

// A WorkerSettings is what a worker says of itself beside what it takes.
type WorkerSettings struct {
	Build string // that goes on with its runs; empty: any does
	// How long things are kept after an automation ended; zero: for ever.
	RetentionData, RetentionOutputs time.Duration
}

// A WorkerStanding is a worker that said a word within ten seconds.
type WorkerStanding struct {
	ID       string
	Carries  int
	SeenAt   time.Time
	Settings WorkerSettings
}

// MostBehindRead is how many automations are looked at to count the batches that are behind.
const MostBehindRead = 10_000

// MostReviewsRead is how many outputs that wait for people are counted.
const MostReviewsRead = 100_000

// An Overview are the numbers of a whole installation at a moment, over all tenants.
type Overview struct {
	Backlog        int            // automations that are accepted and not started
	Paused         int            // of those, by an operator
	OldestAge      time.Duration  // of the oldest that is not paused
	Behind         int            // automations that wait for another of their key, and are not in Backlog
	OldestBehind   time.Duration  // of those, since the event was accepted
	BatchesBehind  int            // batches with rows in Behind, of its first MostBehindRead
	Reviews        int            // outputs that wait for people who approve them
	OldestReview   time.Duration  // since people were asked
	ReviewsUnsent  int            // of Reviews: the last mail about it did not go out
	Open           int            // runs that take a place
	Parked         map[string]int // runs that wait for something outside, by the code of the wait
	Workers        int            // that said a word within ten seconds
	Carried        int            // open runs that they take together
	EventsPending  int
	EventsOverdue  int // PENDING, and due more than 15 minutes ago
	EventsHeld     int
	MailsFailed    int            // that did not go out, in the last 24 hours
	NotStored      int            // outputs that a target did not get, in the last 24 hours
	NotStarted     int            // schedules whose last moment failed, in the last 24 hours
	SendersFailing int            // mail senders at whose server the last attempt failed
	Endpoints      map[string]int // by their breaker: closed, failing, open, half_open, disabled
	QuotaUsed      map[string]int // of the project that used most in the last minute, by quota
	Erasures       int            // automations that wait to be erased
	TokensEnding   int            // that were used and end within a week
	OldestData     *time.Time     // end of the oldest automation whose source data is kept; nil: there is none
}

// An Installation is what its database says of it at a moment.
type Installation struct {
	Postgres         string         // version of the server
	Schema           int            // number of the newest migration
	MaxConnections   int            // of the server
	Connections      map[string]int // to this database, by application_name: programs say there which build they are
	OtherConnections int            // to other databases of the server
	FailedByCode     map[string]int // automations
	FailedByOwner    map[string]int
}
