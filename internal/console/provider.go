package console

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/signin"
)

const (
	providerPath = signInPath + "/provider"
	// ProviderCallback is where the provider sends browsers back to.
	ProviderCallback = signInPath + "/callback"
	// providerTime is how long a user may take there.
	providerTime = 10 * time.Minute
)

// A Provider finds out whose browser it is (package signin).
type Provider interface {
	AuthURL(ctx context.Context, state, nonce, verifier string) (string, error)
	Email(ctx context.Context, code, nonce, verifier string) (string, error)
}

// An Audit keeps who signed in, and who sent which event from a page.
type Audit interface {
	Record(ctx context.Context, e platen.AuditEntry) error
}

// A detour is what the browser keeps while its user is at the provider.
type detour struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Next     string    `json:"next"`
	Until    time.Time `json:"until"`
}

func (s *site) detourCookie(value string, maxAge int) *http.Cookie {
	c := s.cookie(value, maxAge)
	c.Name += "_begun"
	return c
}

// signInPage is the form, with the way to the provider.
func (s *site) signInPage(next string, problem saying) signInPage {
	page := signInPage{Next: next, Problem: problem}
	if s.Provider != nil {
		page.Provider, page.ProviderName = providerPath+"?"+query("next", next), s.ProviderName
	}
	return page
}

// askProvider leads to the provider.
func (s *site) askProvider(w http.ResponseWriter, r *http.Request) {
	d := detour{State: rand.Text(), Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(), Next: localPath(r.URL.Query().Get("next")), Until: s.Now().Add(providerTime)}
	to, err := s.Provider.AuthURL(r.Context(), d.State, d.Nonce, d.Verifier)
	if err != nil { // the provider's log has it
		s.refuse(w, r, http.StatusServiceUnavailable, d.Next, own(s.in(r).Text("The sign-in service does not answer. Try again in a moment, or use an access token.")))
		return
	}
	c := s.detourCookie("", int(providerTime.Seconds()))
	if c.Value, err = s.seal(c.Name, d); err != nil {
		s.fail(w, r, err)
		return
	}
	http.SetCookie(w, c)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// fromProvider takes what the provider sends the browser back with.
func (s *site) fromProvider(w http.ResponseWriter, r *http.Request) {
	var d detour
	err := s.unseal(r, s.detourCookie("", 0).Name, &d)
	if err != nil || !s.Now().Before(d.Until) || !hmac.Equal([]byte(r.URL.Query().Get("state")), []byte(d.State)) {
		s.refuse(w, r, http.StatusBadRequest, "/", own(s.in(r).Text("This sign-in was begun in another browser, was finished already, or took longer than ten minutes. Sign in again.")))
		return
	}
	if s.ProviderLimit != nil && s.ProviderLimit(w.Header(), r) != nil {
		s.refuse(w, r, http.StatusTooManyRequests, d.Next, own(s.in(r).Text("Too many sign-ins come from your address. Sign in again in a moment.")))
		return
	}
	http.SetCookie(w, s.detourCookie("", -1))
	if r.URL.Query().Get("error") != "" {
		s.refuse(w, r, http.StatusBadRequest, d.Next, own(s.in(r).Text("You were not signed in there.")))
		return
	}
	email, err := s.Provider.Email(r.Context(), r.URL.Query().Get("code"), d.Nonce, d.Verifier)
	if refusal, ok := errors.AsType[*signin.Refusal](err); ok {
		s.refuse(w, r, http.StatusForbidden, d.Next, theirs(s.in(r), "", refusal.Text))
		return
	}
	if err != nil {
		if !errors.Is(err, signin.ErrDown) && r.Context().Err() == nil {
			s.Log.Error("a user could not sign in at the OpenID provider", "error", err)
		}
		s.refuse(w, r, http.StatusServiceUnavailable, d.Next, own(s.in(r).Text("The sign-in could not be checked. Try again in a moment, or use an access token.")))
		return
	}
	s.admit(w, r, email, d.Next)
}

// admit signs in the user with this e-mail address, if there is one who may.
func (s *site) admit(w http.ResponseWriter, r *http.Request, email, next string) {
	user, err := s.Users.UserByEmail(r.Context(), email)
	if platen.KindOf(err) == platen.KindNotFound {
		s.refuse(w, r, http.StatusForbidden, next, own(s.in(r).Text("You are known there as %s, and nobody here has this e-mail address. Ask the operator for an account.", email)))
		return
	}
	in := session{User: user.ID, Until: s.Now().Add(SessionTime)}
	if err == nil {
		_, err = s.request(r, in).api.Me(r.Context())
	}
	if p := refusalIn(err); p != nil {
		s.recordSignIn(r, user, p.Code)
		s.refuse(w, r, p.Status, next, theirs(s.in(r), p.Code, p.Detail))
		return
	}
	if err == nil {
		err = s.keep(w, in)
	}
	if err == nil {
		s.recordSignIn(r, user, platen.AuditDone)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	http.Redirect(w, r, s.base+next, http.StatusSeeOther)
}

// recordSignIn has an entry in the audit for the sign-in of a user, or for its refusal.
// Nobody is kept out because that fails.
func (s *site) recordSignIn(r *http.Request, user platen.User, outcome string) {
	if s.Audit == nil {
		return
	}
	actor := platen.Actor{Kind: platen.ActorUser, ID: user.ID}
	if s.Client != nil {
		actor.Address = s.Client(r)
	}
	ctx, act := platen.BeginAct(platen.WithCaller(r.Context(), user), platen.AuditEntry{Actor: actor, Action: "GET " + ProviderCallback})
	act.Entry.Outcome = outcome
	if err := s.Audit.Record(ctx, act.Entry); err != nil {
		s.Log.Error("a sign-in is not in the audit", "user", user.ID, "error", err)
	}
}

// refuse shows the form again, and why nobody was signed in.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, status int, next string, why saying) {
	s.write(w, r, status, "sign-in", view{Title: s.in(r).Text("Sign in"), Page: s.signInPage(next, why)})
}
