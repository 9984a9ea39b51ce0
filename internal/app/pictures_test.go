package app

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/template/lang"
)

// A network that is open to integrators' events is not open to whoever has the
// address of a preview: what stands at an address there is a picture of it.
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
	s.AllowPrivate = config.Of([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
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
