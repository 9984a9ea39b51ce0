package drive

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/intake"
)

const (
	jwtGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	// tokenLifetime is how long a token of /token is good, as on Google's.
	tokenLifetime = time.Hour
	// clockSkew is by how much a client's clock may be wrong.
	clockSkew = 5 * time.Minute
	maxGrant  = 64 << 10
	// readGrant is what a form takes for each of its bytes when it is read.
	readGrant = 32
)

// googleTokenURLs are audiences of assertions beside our own address:
// Google's client for Node always signs for the first and ignores its
// credentials.
var googleTokenURLs = []string{
	"https://oauth2.googleapis.com/token",
	"https://www.googleapis.com/oauth2/v4/token",
	"https://accounts.google.com/o/oauth2/token",
}

// oauthFault is an error of RFC 6749, section 5.2.
type oauthFault struct{ code, description string }

func (f *oauthFault) Error() string { return f.code + ": " + f.description }

func invalidGrant(description string) error { return &oauthFault{"invalid_grant", description} }

// token is the endpoint of OAuth: it gives a bearer token for a refresh token
// (RFC 6749, section 6) or for an assertion that a service account's key has
// signed (RFC 7523). Clients are not registered here, so what they say of
// themselves counts for nothing.
func (s *Server) token(w http.ResponseWriter, r *http.Request) error {
	user, err := s.grantee(r)
	if err != nil {
		return refuseGrant(w, err)
	}
	token, err := s.store.CreateTokenUntil(r.Context(), user.ID, time.Now().Add(tokenLifetime))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{
		"access_token": token, "expires_in": int(tokenLifetime.Seconds()), "token_type": "Bearer",
		"scope": "https://www.googleapis.com/auth/drive",
	})
}

// grantee says whom the request for a token is for.
func (s *Server) grantee(r *http.Request) (store.User, error) {
	form, err := grantForm(r)
	if err != nil {
		return store.User{}, err
	}
	switch grant := form.Get("grant_type"); grant {
	case "refresh_token":
		if form.Get("refresh_token") == "" {
			return store.User{}, &oauthFault{"invalid_request", "Missing required parameter: refresh_token"}
		}
		user, err := s.store.UserByRefreshToken(r.Context(), form.Get("refresh_token"))
		if errors.Is(err, store.ErrNotFound) {
			return store.User{}, invalidGrant("Token has been expired or revoked.")
		}
		return user, err
	case jwtGrant:
		a, err := readAssertion(form.Get("assertion"))
		if err != nil {
			return store.User{}, err
		}
		if err := a.check(time.Now(), append([]string{s.publicURL + "/token"}, googleTokenURLs...)); err != nil {
			return store.User{}, err
		}
		keys, err := s.store.ServiceKeys(r.Context(), a.Issuer)
		if err != nil {
			return store.User{}, err
		}
		for _, k := range keys {
			if a.isSignedBy(k.Public) {
				return k.User, nil
			}
		}
		return store.User{}, invalidGrant("Invalid JWT Signature.")
	case "":
		return store.User{}, &oauthFault{"invalid_request", "Missing required parameter: grant_type"}
	default:
		return store.User{}, &oauthFault{"unsupported_grant_type", "Invalid grant_type: it is refresh_token or " + jwtGrant}
	}
}

// refuseGrant writes what is an error of OAuth, and returns every other.
func refuseGrant(w http.ResponseWriter, err error) error {
	var refused *oauthFault
	if !errors.As(err, &refused) {
		return err
	}
	return writeJSON(w, http.StatusBadRequest, map[string]any{"error": refused.code, "error_description": refused.description})
}

func malformedGrant() error {
	return &oauthFault{"invalid_request", "The body must be a form of at most 64 KiB."}
}

// holdGrant reads the body of a request for a token within what callers without
// credentials may hold.
func holdGrant(r *http.Request) error {
	body, err := readBody(r, "The form", maxGrant)
	var f *fault.Error
	switch {
	case errors.As(err, &f) && f.Code != http.StatusServiceUnavailable:
		return malformedGrant()
	case err != nil:
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	err = intake.Of(r.Context()).Take(r.Context(), readGrant*int64(len(body)))
	if errors.Is(err, admission.ErrFull) {
		return noRoom()
	}
	return err
}

// grantForm reads a form, or the JSON that some of Google's clients send.
func grantForm(r *http.Request) (url.Values, error) {
	if err := holdGrant(r); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		if r.ParseForm() != nil {
			return nil, malformedGrant()
		}
		return r.PostForm, nil
	}
	var fields map[string]string
	if json.NewDecoder(r.Body).Decode(&fields) != nil {
		return nil, malformedGrant()
	}
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	return form, nil
}

// assertion is a JSON Web Token of a service account (RFC 7519 and 7523).
type assertion struct {
	Issuer   string          `json:"iss"` // the account's e-mail address
	Subject  string          `json:"sub"`
	Audience json.RawMessage `json:"aud"` // a string, or a list of them
	Expires  float64         `json:"exp"`
	Issued   float64         `json:"iat"`

	signed    string // what the signature is over
	signature []byte
}

func readAssertion(text string) (assertion, error) {
	var a assertion
	var header struct {
		Algorithm string `json:"alg"`
	}
	malformed := invalidGrant("The assertion is not a JSON Web Token.")
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return a, malformed
	}
	var decoded [3][]byte
	for i, part := range parts {
		var err error
		if decoded[i], err = base64.RawURLEncoding.DecodeString(part); err != nil {
			return a, malformed
		}
	}
	if json.Unmarshal(decoded[0], &header) != nil || json.Unmarshal(decoded[1], &a) != nil {
		return a, malformed
	}
	if header.Algorithm != "RS256" {
		return a, invalidGrant("The assertion must be signed with RS256.")
	}
	a.signed, a.signature = parts[0]+"."+parts[1], decoded[2]
	return a, nil
}

func (a assertion) check(now time.Time, audiences []string) error {
	seconds := float64(now.Unix())
	switch {
	case a.Expires <= 0 || a.Issued <= 0:
		return invalidGrant("Invalid JWT: iat and exp are required.")
	case a.Expires+clockSkew.Seconds() < seconds || a.Issued-clockSkew.Seconds() > seconds || a.Expires-a.Issued > tokenLifetime.Seconds():
		return invalidGrant("Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.")
	case a.Issued+clockSkew.Seconds() < seconds:
		// Clients sign when they ask. What somebody finds later is worth nothing.
		return invalidGrant("Invalid JWT: iat must be no longer ago than five minutes. Sign a new one for each request.")
	case a.Subject != "" && !strings.EqualFold(a.Subject, a.Issuer):
		return &oauthFault{"unauthorized_client", "Accounts of this drive cannot act for others: leave out sub."}
	case !a.isMeantFor(audiences):
		return invalidGrant(fmt.Sprintf("Invalid JWT: aud must be %s.", audiences[0]))
	}
	return nil
}

func (a assertion) isMeantFor(audiences []string) bool {
	var all []string
	var one string
	if json.Unmarshal(a.Audience, &one) == nil {
		all = []string{one}
	} else if json.Unmarshal(a.Audience, &all) != nil {
		return false
	}
	for _, given := range all {
		for _, ours := range audiences {
			if given == ours {
				return true
			}
		}
	}
	return false
}

func (a assertion) isSignedBy(key *rsa.PublicKey) bool {
	digest := sha256.Sum256([]byte(a.signed))
	return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], a.signature) == nil
}

// revoke ends a bearer or refresh token (RFC 7009). An unknown one is
// answered as Google does.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) error {
	if err := holdGrant(r); err != nil {
		return refuseGrant(w, err)
	}
	token := ""
	if r.ParseForm() == nil {
		token = r.Form.Get("token")
	}
	err := s.store.RevokeToken(r.Context(), token)
	if errors.Is(err, store.ErrNotFound) {
		return writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_token", "error_description": "Token expired or revoked"})
	}
	if err != nil {
		return err
	}
	s.callers.forget(token)
	return writeJSON(w, http.StatusOK, map[string]any{})
}
