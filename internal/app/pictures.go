package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/peer"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/template/picture"
)

const (
	// picturesFor is how long Google may take to read a picture: it does so
	// while it carries the batch out.
	picturesFor = 10 * time.Minute
	// picturePurpose derives the key that signs their addresses.
	picturePurpose = "pictures"
	// pictureTimeout bounds the reading of one address; a step that waits
	// longer than its first attempt is retried with more time.
	pictureTimeout = 8 * time.Second
	// formPictureBytes is how large a picture from an address may be that
	// somebody without an account types into a form.
	formPictureBytes = 2 << 20
)

// pictures says where the pictures of tags come from, and how the drive gets
// them: ours, which is direct, takes them as they are, Google at addresses
// below publicURL, which serve answers; empty: it gets none.
func pictures(direct bool, publicURL string, allowPrivate []netip.Prefix, kept *postgres.Pictures, key []byte) picture.Source {
	s := picture.Source{
		Fetch:  outgoing.NewFetcher(outgoing.NewClient(outgoing.Options{AllowPrivate: allowPrivate, Timeout: pictureTimeout})).Fetch,
		Direct: direct,
		// A photo of 25 million pixels takes 250 MB while it is turned, and most a tenth.
		Redrawing: make(chan struct{}, 1),
	}
	if publicURL != "" {
		s.Publish = func(ctx context.Context, data []byte, mediaType string) (string, error) {
			id, err := kept.KeepPicture(ctx, mediaType, data, picturesFor)
			if err != nil {
				return "", err
			}
			return console.PictureAddress(publicURL, key, id, time.Now().Add(picturesFor)), nil
		}
	}
	return s
}

// formPictures is pictures for forms, which unauthenticated callers type
// addresses into: networks that are open to the events of integrators are none
// of theirs, and which names and hosts there are inside is not told by what is
// said of them.
func formPictures(direct bool, publicURL string, kept *postgres.Pictures, key []byte) picture.Source {
	s := pictures(direct, publicURL, nil, kept, key)
	fetch := s.Fetch
	s.Fetch = func(ctx context.Context, address string, limit int64) ([]byte, error) {
		data, err := fetch(ctx, address, min(limit, formPictureBytes))
		if err != nil && ctx.Err() == nil {
			return nil, platen.Errorf(platen.KindInvalid, "address_unusable",
				"No picture can be read from this address here: it may be mistyped, not be public, answer something else, or have more than %d MiB.", formPictureBytes>>20)
		}
		return data, err
	}
	return s
}

// loggedPictures gives pictures their lines in the access log: the picture's id, and never
// the signature of its address.
func (s served) loggedPictures(pictures http.Handler) http.Handler {
	return edge.Handler(s.log, nil, func(w http.ResponseWriter, r *http.Request) error {
		edge.Note(r.Context(), slog.String("route", picturesPath+"{id}"), slog.String("client", s.proxies().Client(r).String()))
		if id := strings.TrimPrefix(r.URL.Path, picturesPath); len(id) <= 64 {
			edge.Note(r.Context(), slog.String("picture", id))
		}
		pictures.ServeHTTP(w, r)
		return nil
	})
}

// proxies are those that are trusted to say whom a request comes from.
func (s served) proxies() peer.Proxies { return s.TrustedProxies.Value() }
