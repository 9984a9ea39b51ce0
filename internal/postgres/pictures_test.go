package postgres_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestPicturesAreKeptForTheirTimeAndSweptAfterIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	content := []byte("\x89PNG")
	id, err := f.Pictures.KeepPicture(t.Context(), "image/png", content, time.Hour)
	f.Must(err)
	again, err := f.Pictures.KeepPicture(t.Context(), "image/png", content, time.Minute)
	f.Must(err)
	if again != id {
		t.Errorf("the same picture got the ids %s and %s", id, again)
	}
	mediaType, got, err := f.Pictures.Picture(t.Context(), id)
	if err != nil || mediaType != "image/png" || !bytes.Equal(got, content) {
		t.Errorf("got %s, %q, %v", mediaType, got, err)
	}
	over, err := f.Pictures.KeepPicture(t.Context(), "image/png", []byte("other"), -time.Second)
	f.Must(err)
	if _, _, err := f.Pictures.Picture(t.Context(), over); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("a picture whose time is over: got %v", err)
	}
	f.Must(f.Idempotency.SweepExpired(t.Context()))
	var left int
	f.Must(f.Owner.QueryRow(t.Context(), "SELECT count(*) FROM pictures").Scan(&left))
	if left != 1 {
		t.Errorf("got %d pictures after the sweep, want 1", left)
	}
}
