package app

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/template/lang"
)

// A private network that is allowed for pictures in documents stays closed to preview
// forms: anybody with the address of a preview could see its pictures.
func TestFormsReachNoPrivateNetworkWhateverIsAllowed(t *testing.T) {
	t.Parallel()
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	asked := 0
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write(drawn.Bytes())
	}))
	t.Cleanup(inside.Close)
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	s := served{db: postgres.New(nil, box), box: box}
	s.PicturesPrivate = config.Of([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	s.DriveEndpoint = "http://drive.example"
	p, wanted := s.previewer(), lang.Picture{Source: inside.URL}
	if got, err := p.Pictures.Obtain(t.Context(), wanted, nil); err != nil || got.Width != 2 {
		t.Errorf("with an account: got %+v, %v", got, err)
	}
	// A name that does not exist says the same, so that nobody asks for ours.
	var said []string
	for _, address := range []string{inside.URL, "http://nobody.invalid/"} {
		_, err := p.FormPictures.Obtain(t.Context(), lang.Picture{Source: address}, nil)
		if platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("a form: got %v, want it refused", err)
		}
		said = append(said, fmt.Sprint(err))
	}
	if said[0] != said[1] {
		t.Errorf("what is said tells one from the other: %q", said)
	}
	if asked != 1 {
		t.Errorf("the server inside was asked %d times, want once", asked)
	}
}

func TestPicturesHaveTheirLinesInTheAccessLogWithoutTheSignature(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := served{log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	s.TrustedProxies = config.Of([]netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")})
	pictures := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("picture")) })
	h := s.loggedPictures(pictures)
	get := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-Forwarded-For", "203.0.113.7")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	if w := get("/pictures/pic_1?expires=1&sig=canary"); w.Code != 200 || w.Body.String() != "picture" {
		t.Errorf("got %d %s, want the picture", w.Code, w.Body)
	}
	for _, want := range []string{`"route":"/pictures/{id}"`, `"picture":"pic_1"`, `"client":"203.0.113.7"`, `"status":200`} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("log: got %s, want %s once", log.String(), want)
		}
	}
	if strings.Contains(log.String(), "canary") {
		t.Errorf("the signature is in the log: %s", log.String())
	}
}
