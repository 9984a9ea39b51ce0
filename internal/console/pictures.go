package console

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Pictures finds a picture that is kept for a drive to read; KindNotFound for
// any other.
type Pictures interface {
	Picture(ctx context.Context, id string) (mediaType string, content []byte, err error)
}

// PictureAddress is where NewPictures shows a picture until a time. Base is the
// public address of its path, such as https://api.example.com/pictures.
func PictureAddress(base string, key []byte, id string, until time.Time) string {
	expires := strconv.FormatInt(until.Unix(), 10)
	query := url.Values{"expires": {expires}, "sig": {pictureSignature(key, id, expires)}}
	return strings.TrimRight(base, "/") + "/" + id + "?" + query.Encode()
}

func pictureSignature(key []byte, id, expires string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "\n" + expires))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// isSame tells in constant time whether a signature is what one of the keys makes.
func isSame(keys [][]byte, given string, sign func(key []byte) string) bool {
	return slices.ContainsFunc(keys, func(key []byte) bool { return hmac.Equal([]byte(given), []byte(sign(key))) })
}

// NewPictures returns the handler of /pictures/{id}, whose addresses PictureAddress
// signs with any of the keys. An address with a wrong signature or past its expiry is
// not found.
func NewPictures(kept Pictures, keys [][]byte, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		h.Set("Cache-Control", "private, no-store")
		h.Set("X-Robots-Tag", "noindex")
		id, query := strings.TrimPrefix(r.URL.Path, "/pictures/"), r.URL.Query()
		expires := query.Get("expires")
		until, err := strconv.ParseInt(expires, 10, 64)
		if err != nil || !isSame(keys, query.Get("sig"), func(key []byte) string { return pictureSignature(key, id, expires) }) || time.Now().Unix() >= until {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
			return
		}
		mediaType, content, err := kept.Picture(r.Context(), id)
		switch {
		case platen.KindOf(err) == platen.KindNotFound:
			http.NotFound(w, r)
		case err != nil:
			if r.Context().Err() == nil {
				log.Error("a picture could not be read", "error", err)
			}
			http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
		default:
			h.Set("Content-Type", mediaType)
			h.Set("Content-Length", strconv.Itoa(len(content)))
			_, _ = w.Write(content) // a client that left needs no answer
		}
	})
}
