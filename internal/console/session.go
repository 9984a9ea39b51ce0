package console

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
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
	Token string    `json:"token"`
	Until time.Time `json:"until"`
}

// key names a session in memory, without its token.
func (s session) key() [32]byte { return sha256.Sum256([]byte(s.Token)) }

// cookieName has a prefix by which browsers take the cookie from this host alone, over
// https (RFC 6265bis, section 4.1.3.2).
func (s *site) cookieName() string {
	if s.secure {
		return "__Host-platen_session"
	}
	return "platen_session"
}

func (s *site) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: s.cookieName(), Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode}
}

// session is that of a request; ok is false without a good one.
func (s *site) session(r *http.Request) (found session, ok bool) {
	cookie, err := r.Cookie(s.cookieName())
	if err != nil {
		return found, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return found, false
	}
	plain, err := s.Sealer.Open(sealed, []byte(s.cookieName()))
	if err != nil {
		return found, false
	}
	return found, json.Unmarshal(plain, &found) == nil && s.Now().Before(found.Until)
}

type signInPage struct {
	Next    string
	Problem string
}

// signIn shows the form, and takes a token that /v0 takes. /v0 counts the ones that it
// does not take, by address, as it counts its own.
func (s *site) signIn(w http.ResponseWriter, r *http.Request) {
	page := signInPage{Next: localPath(r.URL.Query().Get("next"))}
	if r.Method != http.MethodPost {
		s.write(w, r, http.StatusOK, "sign-in", view{Title: "Sign in", Page: page})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	if err := r.ParseForm(); err != nil {
		page.Problem = "The form could not be read. Paste the access token alone."
		s.write(w, r, http.StatusBadRequest, "sign-in", view{Title: "Sign in", Page: page})
		return
	}
	page.Next = localPath(r.PostForm.Get("next"))
	token := strings.TrimSpace(r.PostForm.Get("token"))
	_, err := s.client(r, token).get(r.Context(), "/me/", nil)
	if p, ok := errors.AsType[*problem](err); ok {
		page.Problem = p.Detail
		s.write(w, r, p.Status, "sign-in", view{Title: "Sign in", Page: page})
		return
	}
	var sealed []byte
	if err == nil {
		sealed, err = s.seal(session{Token: token, Until: s.Now().Add(SessionTime)})
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	http.SetCookie(w, s.cookie(base64.RawURLEncoding.EncodeToString(sealed), int(SessionTime.Seconds())))
	http.Redirect(w, r, s.base+page.Next, http.StatusSeeOther)
}

func (s *site) seal(to session) ([]byte, error) {
	plain, err := json.Marshal(to)
	if err != nil {
		return nil, err
	}
	return s.Sealer.Seal(plain, []byte(s.cookieName()))
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

// who asks /v0 whose token it is; its error ends the request.
func (s *site) who(ctx context.Context, c client) (found me, err error) {
	_, err = c.get(ctx, "/me/", &found)
	return found, err
}
