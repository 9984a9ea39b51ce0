package drive

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/drive/store"
)

func TestARevokedTokenIsRefusedWithinTwoSeconds(t *testing.T) {
	t.Parallel()
	at, asked, revoked := time.Now(), 0, false
	c := newCallers()
	c.now = func() time.Time { return at }
	found := func(_ context.Context, token string) (store.User, error) {
		asked++
		if revoked || token != "good" {
			return store.User{}, store.ErrNotFound
		}
		return store.User{ID: "usr_1"}, nil
	}
	for range 3 {
		if u, err := c.user(t.Context(), "good", found); err != nil || u.ID != "usr_1" {
			t.Fatalf("got %v, %v, want usr_1", u, err)
		}
	}
	if asked != 1 {
		t.Errorf("a good token was looked up %d times, want once", asked)
	}
	for range 2 {
		if _, err := c.user(t.Context(), "bad", found); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a token that nobody has: got %v", err)
		}
	}
	if asked != 3 {
		t.Errorf("a token that nobody has was looked up %d times, want each time", asked-1)
	}
	revoked, at = true, at.Add(2*time.Second)
	if _, err := c.user(t.Context(), "good", found); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("two seconds after it was revoked: got %v, want ErrNotFound", err)
	}
}
