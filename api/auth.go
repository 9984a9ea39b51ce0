package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// maxToken is the longest Authorization value that is looked at, in bytes.
const maxToken = 512

type tokenKey struct{}

// tokenIn is the token that the request carries.
func tokenIn(ctx context.Context) platen.AccessToken {
	t, _ := ctx.Value(tokenKey{}).(platen.AccessToken)
	return t
}

// caller is the user whose token the request carries.
func caller(ctx context.Context) platen.User { return tokenIn(ctx).User }

// expiryHeader says in the answers to a token that ends within two weeks when
// that is.
const expiryHeader = "Platen-Token-Expires"

// authenticate asks for credentials before anything else is said about the
// resource at pattern, its methods included. OPTIONS is answered without: browsers
// send none with it, and it tells nothing that is not documented.
func (s *server) authenticate(pattern string, routes []route) resource {
	known, out := resource{}, resource{}
	for _, one := range routes {
		if one.method == http.MethodPost && !one.isUnkept {
			one.do = s.once(one.do)
		}
		known[one.method] = one.do
		out[one.method] = s.withUser(s.permit(pattern, one))
	}
	out[anyOtherMethod] = s.withUser(known.refuse)
	return out
}

func (s *server) withUser(next edge.HandlerFunc) edge.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		find, hash, err := s.credentials(r)
		if err != nil {
			return err
		}
		client := s.proxies.Client(r)
		edge.Note(r.Context(), slog.String("client", client.String()))
		found, err := find()
		if platen.KindOf(err) == platen.KindForbidden {
			return cmp.Or(s.refusals.Take(w.Header(), addressKey(client)), err)
		}
		if err != nil {
			return err
		}
		edge.Note(r.Context(), slog.String("user", found.User.ID), slog.String("token", found.ID))
		edge.Authenticated(r.Context(), found.User.ID)
		if err := s.limiter.Take(w.Header(), hash); err != nil {
			return err
		}
		if found.EndsSoon(s.clock()) {
			w.Header().Set(expiryHeader, platen.Timestamp(found.ExpiresAt))
		}
		ctx := platen.WithCaller(context.WithValue(r.Context(), tokenKey{}, found), found.User)
		return next(w, r.WithContext(ctx))
	}
}

// credentials are what finds the token of a request, and the key by which it is limited:
// the token, or the user on whose behalf the service itself asks.
func (s *server) credentials(r *http.Request) (find func() (platen.AccessToken, error), key [32]byte, err error) {
	if userID, ok := platen.SignedIn(r.Context()); ok {
		return func() (platen.AccessToken, error) { return s.Tokens.SignedInUser(r.Context(), userID) }, sha256.Sum256([]byte(userID)), nil
	}
	token, err := tokenOf(r.Header)
	key = sha256.Sum256([]byte(token))
	return func() (platen.AccessToken, error) { return s.Tokens.TokenByHash(r.Context(), key) }, key, err
}

// addressKey is the key of a client's address. Behind a proxy that is not trusted
// it is the proxy's, which is why only refusals are counted by it: nobody's good
// token is held up by the bad ones of others.
func addressKey(client netip.Addr) [32]byte { return sha256.Sum256([]byte(client.String())) }

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
