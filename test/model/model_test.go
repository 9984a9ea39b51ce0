package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/platen"
)

// A model is what the service should hold for the users of one run.
type model struct {
	*service
	t               *rapid.T
	people          []*person
	teams           []*team
	unauthenticated []caller
	workflows       []*workflow // by creation
	turn            int         // whose list is looked at next
	keys            int         // Idempotency-Keys so far
	clock           time.Time   // of events
	failures        int         // automations that failed so far

	aliases map[string]string // of ids and secrets in messages
	bearers map[string]*person
	acts    map[string]act // by the id of their request
}

type person struct {
	name, id, email, token string
	team                   *team
	account                *account // nil: no connection to the drive
}

type team struct{ id, name string }

type document struct {
	label                     string
	id, previewURL            string
	slides                    bool
	fileID, fileName, fileURL string
	outputName, password      string
	onMissing, when           string
	pdfCopy, remove           bool
	protect, preventCopy      bool
}

type webhook struct {
	id, url, secret string
	rotated         any // until when the secret before signs along; nil: there is none
}

func (w *workflow) status() string {
	switch {
	case w.archived:
		return "ARCHIVED"
	case len(w.documents) > 0:
		return "COMPLETE"
	}
	return "INCOMPLETE"
}

// sees is the rule of section 4.1: owned by, or shared with the team of, the
// caller.
func (p *person) sees(w *workflow) bool {
	return p == w.owner || p != nil && p.team != nil && p.team == w.team
}

func (w *model) seenBy(p *person) []*workflow {
	var seen []*workflow
	for _, one := range w.workflows {
		if p.sees(one) {
			seen = append(seen, one)
		}
	}
	return seen
}

// settle makes the users of a run: two teams, a user in none, one without a
// drive, and credentials that open nothing.
func settle(t *rapid.T, s *service) *model {
	s.runs++
	w := &model{service: s, t: t, aliases: map[string]string{}, clock: time.Now().UTC().Truncate(time.Microsecond), bearers: map[string]*person{}, acts: map[string]act{}}
	teams := map[string]*team{}
	for _, name := range []string{"Red", "Blue"} {
		teams[name] = &team{id: platen.NewID(platen.PrefixTeam), name: fmt.Sprintf("%s %d", name, s.runs)}
		w.teams = append(w.teams, teams[name])
		w.must(s.admin.DB.Users.CreateTeam(t.Context(), platen.Team{ID: teams[name].id, Name: teams[name].name}))
	}
	for _, p := range []struct{ name, team, account string }{
		{"Ada", "Red", "A"},
		{"Bea", "Red", "B"},
		{"Cyd", "Blue", "C"},
		{"Eve", "Blue", ""},
		{"Dan", "", "D"},
	} {
		w.people = append(w.people, w.person(p.name, teams[p.team], s.accounts[p.account]))
	}
	w.unauthenticated = w.makeUnauthenticated()
	return w
}

func (w *model) person(name string, of *team, account *account) *person {
	ctx, db := w.t.Context(), w.admin.DB
	p := &person{
		name: name, id: platen.NewID(platen.PrefixUser), team: of, account: account,
		email: fmt.Sprintf("%s.%d@model.example", strings.ToLower(name), w.runs),
	}
	u := platen.User{ID: p.id, Name: name, Email: p.email}
	if of != nil {
		u.Team = &platen.Team{ID: of.id, Name: of.name}
	}
	w.must(db.Users.CreateUser(ctx, u))
	_, token, err := db.Tokens.CreateToken(ctx, p.id, "model", time.Time{})
	w.must(err)
	p.token = token
	w.bearers[token] = p
	if account != nil {
		w.must(db.Connections.SaveDriveConnection(ctx, p.id, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(account.token)}))
	}
	return p
}

// makeUnauthenticated returns callers with every kind of credentials that are
// none; the tokens that ended were Ada's.
func (w *model) makeUnauthenticated() []caller {
	ctx, db, ada := w.t.Context(), w.admin.DB, w.people[0]
	revoked, revokedText, err := db.Tokens.CreateToken(ctx, ada.id, "revoked", time.Time{})
	w.must(err)
	w.must(db.Tokens.RevokeToken(ctx, revoked))
	_, expired, err := db.Tokens.CreateToken(ctx, ada.id, "expired", time.Now().Add(-time.Hour))
	w.must(err)
	return []caller{
		{name: "nobody", code: "credentials_missing"},
		{name: "an empty token", authorization: " ", code: "credentials_missing"},
		{name: "a wrong token", authorization: "plt_wrong", code: "credentials_malformed"},
		{name: "a mistyped token", authorization: ada.token[:len(ada.token)-1], code: "credentials_malformed"},
		{name: "an unknown token", authorization: platen.NewToken(), code: "token_unknown"},
		{name: "a revoked token", authorization: revokedText, code: "token_revoked"},
		{name: "an expired token", authorization: "Bearer " + expired, code: "token_expired"},
		{name: "Basic credentials", authorization: "Basic " + ada.token, code: "credentials_malformed"},
	}
}

func (w *model) must(err error) {
	if err != nil {
		w.t.Helper()
		w.t.Fatal(err)
	}
}

// A caller sends a request: a person, or an unauthenticated one, who gets 403
// with code.
type caller struct {
	name, authorization, code string
	person                    *person
}

// caller draws who calls, and how the token is written.
func (w *model) caller() caller {
	names := []string{"unauthenticated"}
	for _, p := range w.people {
		names = append([]string{p.name, p.name, p.name}, names...)
	}
	slices.Reverse(names[:len(names)-1]) // Ada first: shrinking goes there
	name := w.one("caller", names...)
	if name == "unauthenticated" {
		var kinds []string
		for _, s := range w.unauthenticated {
			kinds = append(kinds, s.name)
		}
		kind := w.one("credentials", kinds...)
		return w.unauthenticated[slices.Index(kinds, kind)]
	}
	p := w.people[slices.IndexFunc(w.people, func(p *person) bool { return p.name == name })]
	return caller{name: name, person: p, authorization: w.one("scheme", "", "", "", "Bearer ", "bearer ") + p.token}
}

// one draws one of the choices; shrinking goes to the first.
func (w *model) one(label string, choices ...string) string {
	return rapid.Map(rapid.Uint32(), func(u uint32) string { return choices[spread(u, len(choices))] }).Draw(w.t, label)
}

// number draws one from 0 to n-1.
func (w *model) number(label string, n int) int {
	return rapid.Map(rapid.Uint32(), func(u uint32) int { return spread(u, n) }).Draw(w.t, label)
}

// spread makes every choice as likely as another (Fibonacci hashing). rapid
// prefers small numbers, and a run of first choices shows little.
func spread(drawn uint32, n int) int {
	const golden = 2654435769
	return int(uint64(drawn*golden) * uint64(n) >> 32)
}

// A target is a workflow in a path; workflow is nil when there is none.
type target struct {
	label, id string
	workflow  *workflow
}

// target draws a workflow: mostly one that the caller sees, but also those of
// others and ids of nothing.
func (w *model) target(c caller) target {
	choices := w.workflows
	switch w.one("whose", "own", "own", "own", "own", "own", "own", "archived", "any", "any", "any", "none") {
	case "archived": // there are few, and they answer otherwise
		choices = slices.DeleteFunc(w.seenBy(c.person), func(one *workflow) bool { return !one.archived })
	case "own":
		if seen := w.seenBy(c.person); len(seen) > 0 {
			choices = seen
		}
	case "none":
		choices = nil
	}
	var labels []string
	for _, one := range choices {
		labels = append(labels, one.label)
	}
	if len(labels) == 0 {
		id := w.one("id", "wkf_0123456789ABCDEF", "wkf_", "1", "doc_0123456789ABCDEF", "%2e%2e", "wkf_'--0123456789ABC")
		return target{label: id, id: id}
	}
	at := slices.Index(labels, w.one("workflow", labels...))
	return target{label: labels[at], id: choices[at].id, workflow: choices[at]}
}
