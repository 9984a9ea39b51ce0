package console_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
)

type keptPictures map[string]string

func (k keptPictures) Picture(_ context.Context, id string) (string, []byte, error) {
	content, ok := k[id]
	if !ok {
		return "", nil, platen.Errorf(platen.KindNotFound, "picture_not_found", "There is no such picture.")
	}
	return "image/png", []byte(content), nil
}

func TestPicturesAreShownAtSignedAddressesUntilTheirTime(t *testing.T) {
	t.Parallel()
	key := []byte("a key of the service, 32 bytes .")
	h := console.NewPictures(keptPictures{"abc": "PNG"}, [][]byte{[]byte("new"), key}, slog.New(slog.DiscardHandler))
	get := func(method, address string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, strings.TrimPrefix(address, "https://api.example.com"), nil))
		body, err := io.ReadAll(w.Result().Body)
		if err != nil {
			t.Fatal(err)
		}
		return w.Code, string(body)
	}
	base, soon := "https://api.example.com/pictures", time.Now().Add(10*time.Minute)
	good := console.PictureAddress(base, key, "abc", soon)
	if code, body := get(http.MethodGet, good); code != http.StatusOK || body != "PNG" {
		t.Errorf("got %d %q", code, body)
	}
	if len(good) > 2000 {
		t.Errorf("the address is %d characters long: Google takes 2000", len(good))
	}
	for name, address := range map[string]string{
		"another key":  console.PictureAddress(base, []byte("another"), "abc", soon),
		"over":         console.PictureAddress(base, key, "abc", time.Now().Add(-time.Second)),
		"another id":   strings.Replace(good, "abc", "abd", 1),
		"more time":    strings.Replace(good, "expires=", "expires=9", 1),
		"no signature": base + "/abc",
		"not kept":     console.PictureAddress(base, key, "xyz", soon),
	} {
		if code, body := get(http.MethodGet, address); code != http.StatusNotFound || strings.Contains(body, "PNG") {
			t.Errorf("%s: got %d %q, want 404", name, code, body)
		}
	}
	if code, _ := get(http.MethodPost, good); code != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %d", code)
	}
}
