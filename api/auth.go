package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/api/edge"
)

// maxToken is the longest Authorization value that is looked at, in bytes.
const maxToken = 512

type userKey struct{}

// caller is the user whose token the request carries.
func caller(ctx context.Context) platen.User {
	u, _ := ctx.Value(userKey{}).(platen.User)
	return u
}

// authenticate asks for credentials before anything else is said about a
// resource, its methods included. OPTIONS is answered without: browsers send
// none with it, and it tells nothing that is not documented.
func (s *server) authenticate(res resource) resource {
	kept := make(resource, len(res))
	for method, h := range res {
		if method == http.MethodPost {
			h = s.once(h)
		}
		kept[method] = h
	}
	return s.authenticateUnkept(kept)
}

// authenticateUnkept is authenticate without regard to an Idempotency-Key.
func (s *server) authenticateUnkept(res resource) resource {
	out := res.each(s.withUser)
	out[anyOtherMethod] = s.withUser(res.refuse)
	return out
}

func (s *server) withUser(next edge.HandlerFunc) edge.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		token, err := tokenOf(r.Header)
		if err != nil {
			return err
		}
		hash := sha256.Sum256([]byte(token))
		user, err := s.Tokens.UserByToken(r.Context(), hash)
		if platen.KindOf(err) == platen.KindForbidden {
			return cmp.Or(s.refusals.Take(w.Header(), addressOf(r)), err)
		}
		if err != nil {
			return err
		}
		edge.Note(r.Context(), slog.String("user", user.ID))
		edge.Authenticated(r.Context(), user.ID)
		if err := s.limiter.Take(w.Header(), hash); err != nil {
			return err
		}
		return next(w, r.WithContext(context.WithValue(r.Context(), userKey{}, user)))
	}
}

// addressOf is the key of the address that a request comes from. Behind a proxy
// that is the proxy's, which is why only refusals are counted by it: nobody's
// good token is held up by the bad ones of others.
func addressOf(r *http.Request) [32]byte {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return sha256.Sum256([]byte(host))
}

// tokenOf reads the token as the specification has it, alone in the header
// (section 5), or behind "Bearer". A checksum that does not hold is a typing
// error or a guess, and no reason to ask the database.
func tokenOf(h http.Header) (string, error) {
	values := h.Values("Authorization")
	if len(values) == 0 || strings.TrimSpace(values[0]) == "" {
		return "", platen.Errorf(platen.KindForbidden, "credentials_missing", "The request has no credentials. Send your access token in the Authorization header.")
	}
	token := strings.TrimSpace(values[0])
	if scheme, rest, ok := strings.Cut(token, " "); ok && strings.EqualFold(scheme, "Bearer") {
		token = strings.TrimSpace(rest)
	}
	if len(values) > 1 || token == "" || len(token) > maxToken {
		return "", platen.Errorf(platen.KindForbidden, "credentials_malformed", "The Authorization header does not hold one access token. Send the token as it was given to you.")
	}
	if !platen.IsToken(token) {
		return "", platen.Errorf(platen.KindForbidden, "credentials_malformed", "The Authorization header does not hold an access token of this service: one begins with %s, and its last characters are a checksum, which does not hold. Copy the token again.", platen.TokenPrefix)
	}
	return token, nil
}
