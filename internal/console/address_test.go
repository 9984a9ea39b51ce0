package console

import (
	"net/http"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// Integrators have embedded addresses of this form: they work as long as the key
// does.
func TestPreviewAddressesStayWhatTheyAre(t *testing.T) {
	t.Parallel()
	for version, want := range []string{
		"https://api.test/preview/doc_0123456789abcdef?sig=Mm3dy0XKLo-zKDUs2s9ptL1DAObtZGgQlZwjkBmqpIg",
		"https://api.test/preview/doc_0123456789abcdef?sig=CXkPNL5-W5ykkjOGtI1UDCy62E5bkj8zfa0Qd8KW44I&v=1",
	} {
		if got := PreviewAddress("https://api.test", []byte("preview-key"), platen.Document{ID: "doc_0123456789abcdef", PreviewVersion: version}); got != want {
			t.Errorf("version %d: got %s, want %s", version, got, want)
		}
	}
}

func TestAPreviewIsShownAtTheAddressOfItsVersionOnly(t *testing.T) {
	t.Parallel()
	for _, stored := range []int{0, 1, 12} {
		for _, signed := range []int{0, 1, 12} {
			f := newFake()
			f.doc.PreviewVersion = stored
			d := f.doc
			d.PreviewVersion = signed
			want := http.StatusGone
			if signed == stored {
				want = http.StatusOK
			}
			if got := f.get("GET", PreviewAddress("", []byte("preview-key"), d), nil).Code; got != want {
				t.Errorf("version %d at the address of %d: got %d, want %d", stored, signed, got, want)
			}
		}
	}
}
