package platen_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestATokenIsRecognisedByPrefixAndChecksum(t *testing.T) {
	t.Parallel()
	text := platen.NewToken()
	if !strings.HasPrefix(text, "plt_") || !platen.IsToken(text) {
		t.Errorf("%q is not recognised", text)
	}
	wrong := []byte(text)
	wrong[7] ^= 1
	for _, bad := range []string{"", "plt_", "plt_abcdef", text[4:], text + "0", string(wrong)} {
		if platen.IsToken(bad) {
			t.Errorf("%q passes for a token", bad)
		}
	}
}
