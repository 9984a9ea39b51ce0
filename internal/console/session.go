package console

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

// SessionTime is for how long a sign-in lasts at most. It ends before when its
// token is revoked, expires or loses its user.
const SessionTime = 12 * time.Hour

const (
	// maxSignIn is how many bytes the form of a sign-in may have.
	maxSignIn   = 4 << 10
	signInPath  = "/console/sign-in"
	signOutPath = "/console/sign-out"
)

// A session is what the browser keeps in a sealed cookie: nobody can read it there or
// make one, and the service keeps nothing.
type session struct {
	Token string    `json:"token,omitempty"`
	User  string    `json:"user,omitempty"` // usr_… of who signed in at a provider, without a token
	Until time.Time `json:"until"`
}

// key names a session in memory, without its token.
func (s session) key() string {
	sum := sha256.Sum256([]byte(s.Token + "\n" + s.User))
	return string(sum[:])
}

const (
	sessionCookie = "platen_session"
	// securePrefix has browsers take a cookie from this host alone, over https (RFC 6265bis,
	// section 4.1.3.2).
	securePrefix = "__Host-"
)

func (s *site) cookieName() string {
	if s.secure {
		return securePrefix + sessionCookie
	}
	return sessionCookie
}

func (s *site) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: s.cookieName(), Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode}
}

// session is that of a request; ok is false without a good one.
func (s *site) session(r *http.Request) (found session, ok bool) {
	err := s.unseal(r, s.cookieName(), &found)
	return found, err == nil && s.Now().Before(found.Until)
}

type signInPage struct {
	Next    string
	Problem saying
	// Provider is the address that leads to the provider; empty: there is none.
	Provider, ProviderName string
}

// signIn shows the form, and takes a token that /v0 takes. /v0 counts the ones that it
// does not take, by address, as it counts its own.
func (s *site) signIn(w http.ResponseWriter, r *http.Request) {
	in := s.in(r)
	page := s.signInPage(localPath(r.URL.Query().Get("next")), "")
	if r.Method != http.MethodPost {
		s.write(w, r, http.StatusOK, "sign-in", view{Title: in.Text("Sign in"), Page: page})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	if err := r.ParseForm(); err != nil {
		page.Problem = own(in.Text("The form could not be read. Paste the access token alone."))
		s.write(w, r, http.StatusBadRequest, "sign-in", view{Title: in.Text("Sign in"), Page: page})
		return
	}
	page = s.signInPage(localPath(r.PostForm.Get("next")), "")
	token := strings.TrimSpace(r.PostForm.Get("token"))
	_, err := s.request(r, session{Token: token}).api.Me(r.Context())
	if p := refusalIn(err); p != nil {
		page.Problem = tokenInWords(in, p)
		s.write(w, r, p.Status, "sign-in", view{Title: in.Text("Sign in"), Page: page})
		return
	}
	if err == nil {
		err = s.keep(w, session{Token: token, Until: s.Now().Add(SessionTime)})
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	http.Redirect(w, r, s.base+page.Next, http.StatusSeeOther)
}

// makeToken says where a token comes from.
var makeToken = say("To make a new one, use the command: platen token create --user <e-mail address> --name browser. Or ask the operator for one.")

// tokenInWords says to a person why a token lets nobody in.
func tokenInWords(in catalog.Printer, p *client.Error) saying {
	what := ""
	switch p.Code {
	case "credentials_missing":
		what = say("Paste an access token.")
	case "credentials_malformed":
		what = say("This is no access token. One begins with plt_ and is 37 characters long. Copy it whole.")
	case "token_unknown":
		what = say("This token is not valid. Copy it whole, as it was shown when it was made.")
	case "token_revoked":
		what = say("This token was revoked.")
	case "token_expired":
		what = say("This token has expired.")
	}
	if what == "" {
		return theirs(in, p.Code, p.Detail)
	}
	return own(in.Text(what) + " " + in.Text(makeToken))
}

// keep has the browser keep a session.
func (s *site) keep(w http.ResponseWriter, in session) error {
	sealed, err := s.seal(s.cookieName(), in)
	if err == nil {
		http.SetCookie(w, s.cookie(sealed, int(SessionTime.Seconds())))
	}
	return err
}

// seal makes the value of the cookie of this name.
func (s *site) seal(name string, of any) (string, error) {
	plain, err := json.Marshal(of)
	if err != nil {
		return "", err
	}
	sealed, err := s.Sealer.Seal(plain, []byte(name))
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// unseal reads the cookie of this name.
func (s *site) unseal(r *http.Request, name string, into any) error {
	cookie, err := r.Cookie(name)
	if err != nil {
		return err
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return err
	}
	plain, err := s.Sealer.Open(sealed, []byte(name))
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, s.cookie("", -1))
	http.Redirect(w, r, s.base+signInPath, http.StatusSeeOther)
}

// askToSignIn leads to the form, and from there back to a page that was asked for.
func (s *site) askToSignIn(w http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie(s.cookieName()); err == nil {
		http.SetCookie(w, s.cookie("", -1))
	}
	to := s.base + signInPath
	if r.Method == http.MethodGet && r.URL.Path != "/" && r.URL.Path != livePath {
		to += "?" + query("next", r.URL.RequestURI())
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// localPath keeps a redirect on pages of the console: "/" for anything else.
func localPath(next string) string {
	if !strings.HasPrefix(next, consolePath) || strings.ContainsAny(next, "\\\r\n") || strings.Contains(next, "//") {
		return "/"
	}
	return next
}
