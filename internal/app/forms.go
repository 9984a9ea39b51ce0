package app

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/console"
)

const (
	// formAddressPurpose is what the key of the hashes of client addresses is derived for.
	formAddressPurpose = "public form addresses"
	// What a form takes in memory, in bytes: a few times its length, of 4 MiB at most.
	formRoom, formMostRoom = 2 << 20, 16 << 20
)

// forms is where everybody who has the link of a public form makes documents.
func (s served) forms(api http.Handler, accepting acceptance) http.Handler {
	proxies := s.proxies()
	pages := console.NewPublicForms(console.PublicFormOptions{
		Forms: s.db.Forms, Templates: s.previews, Seen: s.db.Sources, API: api,
		Accepting: accepting.acceptor, Find: accepting.find, Wait: s.ends.Wait,
		Sealer: s.box, AddressKey: s.box.Derive(formAddressPurpose), Client: proxies.Client,
		PublicURL:  strings.TrimSuffix(s.publicURL, "/v0"),
		EventLimit: s.HooksBodyLimit.Value(),
		// Of each form: many people open it at once, and few send it in the same second.
		Limit:     edge.NewLimiter(edge.Rate{PerSecond: 20, Burst: 100}, nil).Take,
		SendLimit: edge.NewLimiter(edge.Rate{PerSecond: 2, Burst: 20}, nil).Take,
		FileLimit: edge.NewLimiter(edge.Rate{PerSecond: 2, Burst: 20}, nil).Take,
		Log:       s.log,
	})
	return edge.Handler(s.log, s.bodies, func(w http.ResponseWriter, r *http.Request) error {
		edge.Note(r.Context(), slog.String("route", console.FormsPath), slog.String("client", proxies.Client(r).String()))
		if r.Method == http.MethodPost {
			room := int64(formMostRoom)
			if r.ContentLength >= 0 {
				room = min(formRoom+4*r.ContentLength, formMostRoom)
			}
			if err := edge.Reserve(r.Context(), room); err != nil {
				return err
			}
		}
		pages.ServeHTTP(w, r)
		return nil
	})
}
