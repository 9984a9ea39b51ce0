package api

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/platenhq/platen/api/edge"
)

// entityTag is the strong entity tag (RFC 9110, section 8.8.3) of a
// representation: it is made of its bytes, so that nothing a client can see
// changes without it.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
}

// writeTagged answers with v and its entity tag; a GET whose If-None-Match has
// that tag gets 304 and no body.
func writeTagged(w http.ResponseWriter, r *http.Request, status int, v any) error {
	return writeTold(w, r, status, v, nil)
}

// writeTold is writeTagged of a resource as told, with what there is to say of it beside.
// Its tag is that of the resource alone, as it is read.
func writeTold(w http.ResponseWriter, r *http.Request, status int, resource, told any) error {
	body, err := edge.Encode(resource)
	if err != nil {
		return err
	}
	tag := entityTag(body)
	if told != nil {
		if body, err = edge.Encode(told); err != nil {
			return err
		}
	}
	w.Header().Set("ETag", tag)
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	if reading && r.Header.Values("If-None-Match") != nil && hasEntityTag(r.Header.Values("If-None-Match"), tag, true) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	edge.Write(w, status, "application/json", body, []byte("\n"))
	return nil
}

// requireUnchanged returns the check of a request's If-Match against a resource
// as clients see it. A change makes it while it holds the row: what was
// compared is what is changed. Without the header everything passes.
func requireUnchanged(r *http.Request) func(v any) error {
	tags := r.Header.Values("If-Match")
	return func(v any) error {
		if tags == nil {
			return nil
		}
		body, err := edge.Encode(v)
		if err != nil {
			return err
		}
		tag := entityTag(body)
		if !hasEntityTag(tags, tag, false) && hasEntityTag(tags, tag, true) {
			return edge.PreconditionFailed("If-Match has the weak form of the resource's ETag, which never matches (RFC 9110). A proxy makes it weak when it compresses the answer: read the resource with Accept-Encoding: identity, and repeat the change with that ETag.")
		}
		if !hasEntityTag(tags, tag, false) {
			return edge.PreconditionFailed("The resource is not as If-Match says: it was changed meanwhile. Read it again and repeat the change with its new ETag.")
		}
		return nil
	}
}

// hasEntityTag tells whether a header of entity tags has tag, or is *. A weak tag
// counts where weak is set, else never (RFC 9110, section 8.8.3.2). What is no
// entity tag names nothing.
func hasEntityTag(header []string, tag string, weak bool) bool {
	rest := strings.Join(header, ",")
	if strings.TrimSpace(rest) == "*" {
		return true
	}
	for {
		rest = strings.TrimLeft(rest, ", \t")
		strong := rest
		if weak {
			strong = strings.TrimPrefix(rest, "W/")
		}
		if after, ok := strings.CutPrefix(strong, tag); ok && (after == "" || strings.ContainsAny(after[:1], ", \t")) {
			return true
		}
		// The next tag begins after the closing quote of this one.
		_, rest, _ = strings.Cut(rest, `"`)
		_, next, ok := strings.Cut(rest, `"`)
		if !ok {
			return false
		}
		rest = next
	}
}
