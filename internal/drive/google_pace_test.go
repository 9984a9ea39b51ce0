package drive

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
)

// waits has the drive note how long it would have waited, and returns what it noted
// since it was last asked.
func (h *harness) waits() func() []time.Duration {
	var mu sync.Mutex
	var noted []time.Duration
	h.server.google.sleep = func(_ context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		noted = append(noted, d)
		return nil
	}
	return func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		taken := noted
		noted = nil
		return taken
	}
}

func TestCallsTakeAsLongAsAtGoogle(t *testing.T) {
	h := newHarness(t)
	h.likeGoogle(1)
	waits := h.waits()
	a := h.account("Ada")
	d := a.document("letter", "hi")
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		call func() error
		want []time.Duration
	}{
		"copy":   {func() error { _, err := a.files.Copy(d.Id, &driveapi.File{}).Do(); return err }, []time.Duration{900 * ms, 900 * ms}},
		"get":    {func() error { _, err := a.files.Get(d.Id).Do(); return err }, []time.Duration{200 * ms}},
		"list":   {func() error { _, err := a.files.List().Do(); return err }, []time.Duration{400 * ms}},
		"export": {func() error { _, err := a.files.Export(d.Id, store.PDFType).Download(); return err }, []time.Duration{2200 * ms}},
		"read":   {func() error { _, err := a.docs.Get(d.Id).Do(); return err }, []time.Duration{600 * ms}},
		"edit":   {func() error { _, err := a.docs.BatchUpdate(d.Id, batchOf("", replaceAll("x", "y"))).Do(); return err }, []time.Duration{600 * ms, 600 * ms}},
		"upload": {func() error {
			_, err := a.files.Create(&driveapi.File{}).Media(strings.NewReader("x")).Do()
			return err
		}, []time.Duration{345 * ms, 345 * ms}},
		"rename":      {func() error { _, err := a.files.Update(d.Id, &driveapi.File{Name: "x"}).Do(); return err }, []time.Duration{270 * ms, 270 * ms}},
		"delete":      {func() error { return a.files.Delete(a.document("gone", "x").Id).Do() }, []time.Duration{345 * ms, 345 * ms, 270 * ms, 270 * ms}},
		"a refusal":   {func() error { _, _ = a.files.Copy("nothing-of-that-name", &driveapi.File{}).Do(); return nil }, []time.Duration{900 * ms}},
		"new ids":     {func() error { _, err := a.files.GenerateIds().Do(); return err }, []time.Duration{200 * ms}},
		"a blank one": {func() error { _, err := a.docs.Create(&docsapi.Document{}).Do(); return err }, []time.Duration{345 * ms, 345 * ms}},
	} {
		waits()
		if err := c.call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := waits(); !slices.Equal(got, c.want) {
			t.Errorf("%s: waited %v, want %v", name, got, c.want)
		}
	}
}

func TestOneCallInFiftyTakesTenTimesAsLongAndAFasterClockLessOfAll(t *testing.T) {
	h := newHarness(t)
	h.likeGoogle(100)
	waits := h.waits()
	h.server.google.oneIn = func(n int) bool { return n == 50 }
	a := h.account("Ada")
	if _, err := a.files.GenerateIds().Do(); err != nil {
		t.Fatal(err)
	}
	if got, want := waits(), []time.Duration{20 * time.Millisecond}; !slices.Equal(got, want) {
		t.Errorf("waited %v, want %v", got, want)
	}
}

// A step that gives up on a copy after five seconds looks for it; the copy comes
// all the same.
func TestAChangeIsMadeAlthoughItsClientLeft(t *testing.T) {
	h := newHarness(t)
	h.likeGoogle(1)
	a := h.account("Ada")
	d := a.document("letter", "hi")
	waiting, goOn := make(chan struct{}), make(chan struct{})
	h.server.google.sleep = func(ctx context.Context, _ time.Duration) error {
		waiting <- struct{}{}
		<-goOn
		return ctx.Err()
	}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := a.files.Copy(d.Id, &driveapi.File{Name: "copy"}).Context(ctx).Do()
		left <- err
	}()
	<-waiting
	leave()
	if err := <-left; err == nil {
		t.Fatal("got an answer, want none for a client that left")
	}
	goOn <- struct{}{}
	<-waiting // the copy is made, and its answer withheld
	goOn <- struct{}{}
	h.google = nil
	plain := h.signIn(a.user, a.token, h.serve())
	list := must[*driveapi.FileList](t)(plain.files.List().Q("name = 'copy'").Do())
	if len(list.Files) != 1 {
		t.Errorf("got %d copies, want the one whose client left", len(list.Files))
	}
}

func TestAReadEndsWithItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		g := newGoogleLike(GoogleLike{})
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
		r.Pattern = "GET /drive/v3/files/{id}/export"
		began := time.Now()
		err := g.atPace(httptest.NewRecorder(), r, func(http.ResponseWriter, *http.Request) error { return nil })
		if took := time.Since(began); err == nil || took != time.Second {
			t.Errorf("got %v after %v, want the end of the client after a second", err, took)
		}
	})
}

func TestABodyThatBreaksOffIsRefusedAndALargeOneNeedsItsClient(t *testing.T) {
	t.Parallel()
	broken := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("ab"))
	broken.Body = http.MaxBytesReader(nil, broken.Body, 1)
	if _, err := readAhead(broken); err == nil {
		t.Error("a body that breaks off: got no error")
	}
	for _, size := range []int{0, maxReadAhead, maxReadAhead + 1, 3 * maxReadAhead} {
		ctx, leave := context.WithCancel(t.Context())
		want := bytes.Repeat([]byte("ab"), size/2+1)[:size]
		// Without a length, as Google's client uploads.
		r, err := readAhead(httptest.NewRequestWithContext(ctx, http.MethodPost, "/", io.MultiReader(bytes.NewReader(want))))
		if err != nil {
			t.Fatal(err)
		}
		leave()
		if got := r.Context().Err() == nil; got != (size <= maxReadAhead) {
			t.Errorf("%d bytes: goes on without its client: %t", size, got)
		}
		if got, err := io.ReadAll(r.Body); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
}

func TestANewFileIsReadByItsIdAndMissingFromLists(t *testing.T) {
	h := newHarness(t)
	h.likeGoogle(1)
	a := h.account("Ada")
	// One file that lags long, and one as usual.
	var ids [2]string
	err := h.pool.QueryRow(t.Context(), `
		SELECT min(id) FILTER (WHERE hashtext(id) % 50 = 0), min(id) FILTER (WHERE hashtext(id) % 50 <> 0)
		FROM (SELECT 'file-number-' || n AS id FROM generate_series(1, 1000) n) all_ids`).Scan(&ids[0], &ids[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		a.text(&driveapi.File{Id: id, Name: id}, "x")
	}
	listed := func(ago time.Duration) []string {
		t.Helper()
		if _, err := h.pool.Exec(t.Context(), `UPDATE drive.files SET created_at = now() - $1::interval WHERE parent_id IS NOT NULL`, ago); err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, f := range must[*driveapi.FileList](t)(a.files.List().OrderBy("name").Do()).Files {
			found = append(found, f.Id)
		}
		slices.Sort(found)
		return found
	}
	for ago, want := range map[time.Duration][]string{0: nil, 4 * time.Second: nil, 6 * time.Second: {ids[1]}, 4 * time.Minute: {ids[1]}, 6 * time.Minute: {min(ids[0], ids[1]), max(ids[0], ids[1])}} {
		if got := listed(ago); !slices.Equal(got, want) {
			t.Errorf("after %v: lists %q, want %q", ago, got, want)
		}
	}
	listed(0)
	for _, id := range ids {
		if _, err := a.files.Get(id).Do(); err != nil {
			t.Errorf("by its id: %v", err)
		}
	}
}
