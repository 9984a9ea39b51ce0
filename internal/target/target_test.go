package target_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/webdav"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/target"
)

func stores() *target.Stores {
	return target.NewStores(outgoing.NewClient(outgoing.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: 10 * time.Second}), nil)
}

func file(key, content string) platen.StoredFile {
	return platen.StoredFile{Kind: "pdf", Key: key, Type: platen.MIMEPDF, Content: []byte(content), SHA256: sha256.Sum256([]byte(content)), OutputID: "out_1"}
}

// codeOf is the code of an error of ours.
func codeOf(err error) string {
	e, _ := errors.AsType[*platen.Error](err)
	if e == nil {
		return ""
	}
	return e.Code
}

func hexOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// A place is a server of a protocol, and what it has.
type place struct {
	handler http.Handler
	target  platen.Target
	// files are the contents by path, each version of one; names of parts are left out.
	files func() map[string][]string
	// parts are files that were left on their way.
	parts func() int
}

// bucket is a server of S3 with versions. It checks what a client must send.
type bucket struct {
	t  *testing.T
	mu sync.Mutex
	// versions of objects, the last one last.
	objects map[string][]object
	heads   []http.Header
	rude    bool // does not know conditions
	blind   bool // the credentials may not look
}

type object struct {
	content []byte
	meta    http.Header
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !strings.Contains(r.Header.Get("Authorization"), "Credential=key/") {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	key := strings.TrimPrefix(r.URL.Path, "/bucket/")
	versions := b.objects[key]
	switch r.Method {
	case http.MethodPut:
		content, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != r.Header.Get("x-amz-content-sha256") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if b.rude && r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		if r.Header.Get("If-None-Match") == "*" && len(versions) > 0 {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		b.heads = append(b.heads, r.Header)
		b.objects[key] = append(versions, object{content, r.Header})
		w.Header().Set("x-amz-version-id", fmt.Sprintf("v%d", len(versions)+1))
	case http.MethodHead, http.MethodGet:
		if b.blind {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if len(versions) == 0 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		last := versions[len(versions)-1]
		w.Header().Set("Content-Length", fmt.Sprint(len(last.content)))
		w.Header().Set("x-amz-version-id", fmt.Sprintf("v%d", len(versions)))
		if sum := last.meta.Get("x-amz-meta-platen-sha256"); sum != "" {
			w.Header().Set("x-amz-meta-platen-sha256", sum)
		}
		if r.Method == http.MethodGet {
			_, _ = w.Write(last.content)
		}
	case http.MethodDelete:
		delete(b.objects, key)
		w.WriteHeader(http.StatusNoContent)
	}
}

func ofS3(t *testing.T) place {
	b := &bucket{t: t, objects: map[string][]object{}}
	return place{
		handler: b, target: platen.Target{Name: "Archive", Kind: platen.TargetS3, URL: "/bucket", User: "key", Secret: "secret"},
		files: func() map[string][]string {
			b.mu.Lock()
			defer b.mu.Unlock()
			all := map[string][]string{}
			for key, versions := range b.objects {
				for _, v := range versions {
					all[key] = append(all[key], string(v.content))
				}
			}
			return all
		},
		parts: func() int { return 0 },
	}
}

// ofWebDAV is golang.org/x/net/webdav, a server of other people.
func ofWebDAV(*testing.T) place {
	system := webdav.NewMemFS()
	h := &webdav.Handler{FileSystem: system, LockSystem: webdav.NewMemLS()}
	var walk func(dir string, all map[string][]string) int
	walk = func(dir string, all map[string][]string) (parts int) {
		f, err := system.OpenFile(context.Background(), dir, 0, 0)
		if err != nil {
			return 0
		}
		entries, _ := f.Readdir(-1)
		for _, e := range entries {
			at := strings.TrimSuffix(dir, "/") + "/" + e.Name()
			switch {
			case e.IsDir():
				parts += walk(at, all)
			case strings.HasPrefix(e.Name(), ".platen-"):
				parts++
			default:
				f, _ := system.OpenFile(context.Background(), at, 0, 0)
				content, _ := io.ReadAll(f)
				all[strings.TrimPrefix(at, "/")] = []string{string(content)}
			}
		}
		return parts
	}
	return place{
		handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user != "ada" || password != "secret" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			h.ServeHTTP(w, r)
		}),
		target: platen.Target{Name: "Cloud", Kind: platen.TargetWebDAV, User: "ada", Secret: "secret"},
		files:  func() map[string][]string { all := map[string][]string{}; walk("/", all); return all },
		parts:  func() int { return walk("/", map[string][]string{}) },
	}
}

var places = map[string]func(*testing.T) place{"s3": ofS3, "azure": ofAzure, "azure by a SAS token": ofAzureBySAS, "webdav": ofWebDAV}

// start has a place answer through a handler around it.
func start(t *testing.T, p *place, around func(http.Handler) http.Handler) {
	t.Helper()
	h := p.handler
	if around != nil {
		h = around(h)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	p.target.URL = server.URL + p.target.URL
}

func TestAFileIsStoredOnceWithItsReceipt(t *testing.T) {
	t.Parallel()
	for name, of := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := of(t)
			start(t, &p, nil)
			s, key := stores(), "2026/Müller & Söhne (1) + 50%/Invoice 7.pdf"
			first, err := s.Put(t.Context(), p.target, file(key, "one"), nil)
			if err != nil {
				t.Fatal(err)
			}
			again, err := s.Put(t.Context(), p.target, file(key, "one"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if first.StoredAt = again.StoredAt; first != again || first.Key != key || first.SHA256 != hexOf("one") || first.Bytes != 3 || (first.Version == "v1") != (name != "webdav") {
				t.Errorf("receipts %+v and %+v", first, again)
			}
			if got := p.files(); len(got) != 1 || len(got[key]) != 1 || got[key][0] != "one" || p.parts() != 0 {
				t.Errorf("the place has %q, and %d parts", got, p.parts())
			}
		})
	}
}

func TestNoFileIsOverwritten(t *testing.T) {
	t.Parallel()
	for name, of := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := of(t)
			start(t, &p, nil)
			s := stores()
			if _, err := s.Put(t.Context(), p.target, file("Invoice.pdf", "one"), nil); err != nil {
				t.Fatal(err)
			}
			_, err := s.Put(t.Context(), p.target, file("Invoice.pdf", "two"), nil)
			if codeOf(err) != platen.CodeTargetTaken || platen.KindOf(err) != platen.KindInvalid {
				t.Errorf("got %v, want %s", err, platen.CodeTargetTaken)
			}
			r, err := s.Put(t.Context(), p.target, file("Invoice.pdf", "two"), []string{hexOf("one")})
			if err != nil || r.SHA256 != hexOf("one") || r.Bytes != 3 {
				t.Errorf("what an earlier attempt stored: got %+v, %v", r, err)
			}
			if got := p.files(); len(got) != 1 || got["Invoice.pdf"][0] != "one" {
				t.Errorf("the place has %q", got)
			}
		})
	}
}

// Two outputs store at one path at the same time. The one with a receipt has its own file
// there.
func TestTwoOutputsOfOnePathNeverStoreEachOthersFile(t *testing.T) {
	t.Parallel()
	p := ofWebDAV(t)
	s, uploaded, moved := stores(), make(chan struct{}), make(chan struct{})
	second := make(chan error, 1)
	var moves atomic.Int32
	start(t, &p, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == "MOVE" && moves.Add(1) == 1: // the other one comes between
				go func() {
					other := file("Invoice.pdf", "two")
					other.OutputID = "out_2"
					_, err := s.Put(context.WithoutCancel(r.Context()), p.target, other, nil)
					second <- err
				}()
				<-uploaded
				next.ServeHTTP(w, r)
				close(moved)
				return
			case r.Method == "MOVE":
				close(uploaded)
				<-moved
			}
			next.ServeHTTP(w, r)
		})
	})
	first, err := s.Put(t.Context(), p.target, file("Invoice.pdf", "one"), nil)
	if err != nil || first.SHA256 != hexOf("one") {
		t.Fatalf("got %+v, %v", first, err)
	}
	if err := <-second; codeOf(err) != platen.CodeTargetTaken {
		t.Errorf("the second: got %v, want %s", err, platen.CodeTargetTaken)
	}
	if got := p.files(); len(got) != 1 || got["Invoice.pdf"][0] != "one" || p.parts() != 0 {
		t.Errorf("the place has %q and %d parts, want the file that the receipt is of", got, p.parts())
	}
}

// A server that knows no conditions is asked to store only where we saw that nothing stands.
func TestNothingIsStoredBlindlyWithoutACondition(t *testing.T) {
	t.Parallel()
	p := ofS3(t)
	b := p.handler.(*bucket)
	start(t, &p, nil)
	if _, err := stores().Put(t.Context(), p.target, file("a.pdf", "one"), nil); err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	b.rude, b.blind = true, true
	b.mu.Unlock()
	_, err := stores().Put(t.Context(), p.target, file("a.pdf", "two"), nil)
	if codeOf(err) != platen.CodeTargetSignInRefused || !strings.Contains(err.Error(), "s3:GetObject") {
		t.Errorf("got %v, want %s", err, platen.CodeTargetSignInRefused)
	}
	if got := p.files()["a.pdf"]; len(got) != 1 || got[0] != "one" {
		t.Errorf("the place has %q", got)
	}
}

func TestCredentialsThatMayNotLookAreFoundByATest(t *testing.T) {
	t.Parallel()
	p := ofS3(t)
	p.handler.(*bucket).blind = true
	start(t, &p, nil)
	if got := stores().Test(t.Context(), p.target); !got.Stored || !got.Removed || got.Err == nil || got.Err.Code != platen.CodeTargetSignInRefused {
		t.Errorf("got %+v, %v", got, got.Err)
	}
}

// Errors go to the log, and a path may name a customer.
func TestErrorsHaveNoPathOfAFile(t *testing.T) {
	t.Parallel()
	for name, of := range places {
		p := of(t)
		start(t, &p, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { cut(w) })
		})
		_, err := stores().Put(t.Context(), p.target, file("Globex/Letter.pdf", "one"), nil)
		if err == nil || strings.Contains(err.Error(), "Globex") {
			t.Errorf("%s: got %v, want an error without the path", name, err)
		}
	}
}

// Multi-Status is how WebDAV says that a part of a request failed.
func TestAMoveThatFailedInPartIsNoSuccess(t *testing.T) {
	t.Parallel()
	p := ofWebDAV(t)
	start(t, &p, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "MOVE" {
				w.WriteHeader(http.StatusMultiStatus)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	if r, err := stores().Put(t.Context(), p.target, file("a.pdf", "one"), nil); platen.KindOf(err) != platen.KindUnavailable {
		t.Errorf("got %+v, %v, want that it is tried again", r, err)
	}
}

// A fault is what becomes of one request; it is passed on or not.
type fault func(next http.Handler, w http.ResponseWriter, r *http.Request)

func answers(status int) fault {
	return func(_ http.Handler, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

func cut(w http.ResponseWriter) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}

var faults = map[string]fault{
	"503":               answers(http.StatusServiceUnavailable),
	"429":               answers(http.StatusTooManyRequests),
	"full":              answers(http.StatusInsufficientStorage),
	"wrong credentials": answers(http.StatusForbidden),
	"cut before":        func(_ http.Handler, w http.ResponseWriter, _ *http.Request) { cut(w) },
	"500 after success": func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusInternalServerError)
	},
	"cut after success": func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(httptest.NewRecorder(), r)
		cut(w)
	},
	"cut in the content": func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		half := r.Clone(r.Context())
		half.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, 2), failing{}))
		next.ServeHTTP(httptest.NewRecorder(), half)
		cut(w)
	},
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Each fault meets each request that changes something, one at a time. The attempts
// after it end with one file and a true receipt.
func TestFaultsLeaveOneFileAndATrueReceipt(t *testing.T) {
	t.Parallel()
	for name, of := range places {
		for faultName, f := range faults {
			for nth := range 5 {
				t.Run(fmt.Sprintf("%s/%s/%d", name, faultName, nth), func(t *testing.T) {
					t.Parallel()
					p := of(t)
					var mu sync.Mutex
					seen, met := 0, false
					start(t, &p, func(next http.Handler) http.Handler {
						return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							mu.Lock()
							hit := false
							if r.Method != http.MethodGet && r.Method != http.MethodHead {
								hit, seen = seen == nth, seen+1
								met = met || hit
							}
							mu.Unlock()
							if hit {
								f(next, w, r)
								return
							}
							next.ServeHTTP(w, r)
						})
					})
					s, content := stores(), strings.Repeat("content ", 1000)
					var r platen.Receipt
					var err error
					for range 3 {
						if r, err = s.Put(t.Context(), p.target, file("in/Invoice.pdf", content), nil); err == nil {
							break
						}
						if platen.KindOf(err) != platen.KindUnavailable {
							t.Fatalf("an attempt ended for good: %v", err)
						}
					}
					if err != nil || r.SHA256 != hexOf(content) || r.Bytes != int64(len(content)) {
						t.Fatalf("got %+v, %v (fault met: %v)", r, err, met)
					}
					if got := p.files(); len(got) != 1 || len(got["in/Invoice.pdf"]) != 1 || got["in/Invoice.pdf"][0] != content || p.parts() != 0 {
						t.Errorf("the place has %d files, %d versions, %d parts", len(got), len(got["in/Invoice.pdf"]), p.parts())
					}
				})
			}
		}
	}
}

func TestFailuresOfTargetsSayWhatCuresThem(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		401: platen.CodeTargetSignInRefused, 403: platen.CodeTargetSignInRefused, 507: platen.CodeTargetFull, 404: platen.CodeTargetNotFound,
		301: platen.CodeTargetRefused, 400: platen.CodeTargetRefused, 500: platen.CodeTargetUnavailable, 413: platen.CodeTargetTooLarge,
	} {
		p := ofS3(t)
		start(t, &p, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					w.Header().Set("Retry-After", "7")
					w.WriteHeader(status)
					return
				}
				next.ServeHTTP(w, r)
			})
		})
		_, err := stores().Put(t.Context(), p.target, file("a.pdf", "one"), nil)
		if codeOf(err) != want || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "Signature") {
			t.Errorf("%d: got %v, want %s", status, err, want)
		}
	}
	_, err := target.NewStores(outgoing.NewClient(outgoing.Options{}), nil).Put(t.Context(), platen.Target{Kind: platen.TargetWebDAV, URL: "http://127.0.0.1:1/"}, file("a", "b"), nil)
	if codeOf(err) != platen.CodeTargetUnavailable || !strings.Contains(err.Error(), "private network") {
		t.Errorf("a private network that is not allowed: got %v", err)
	}
}

func TestObjectsAreEncryptedLockedAndNamedAsTheTargetSays(t *testing.T) {
	t.Parallel()
	p := ofS3(t)
	b := p.handler.(*bucket)
	b.rude = true
	start(t, &p, nil)
	p.target.Encryption, p.target.KMSKey, p.target.LockMode, p.target.LockDays = platen.EncryptKMS, "arn:aws:kms:key/1", platen.LockCompliance, 3650
	f := file("a.pdf", "one")
	f.LockUntil = p.target.LockedUntil(time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC))
	if _, err := stores().Put(t.Context(), p.target, f, nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"x-amz-server-side-encryption": "aws:kms", "x-amz-server-side-encryption-aws-kms-key-id": "arn:aws:kms:key/1", "x-amz-object-lock-mode": "COMPLIANCE",
		"x-amz-object-lock-retain-until-date": "2036-02-01T04:05:06Z", "Content-Type": platen.MIMEPDF, "x-amz-meta-platen-output": "out_1",
		"x-amz-meta-platen-sha256": hexOf("one"), "Content-Md5": "+XyoUC7KisPr0ZB71FvdyQ==",
	} {
		if got := b.heads[0].Get(name); got != want && name != "Content-Md5" || got == "" {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestATestStoresASmallFileAndRemovesIt(t *testing.T) {
	t.Parallel()
	for name, of := range places {
		p := of(t)
		start(t, &p, nil)
		if got := stores().Test(t.Context(), p.target); !got.Stored || !got.Removed || got.Err != nil || len(p.files()) != 0 {
			t.Errorf("%s: got %+v, and %q is left", name, got, p.files())
		}
		p.target.User = "eve"
		if got := stores().Test(t.Context(), p.target); got.Stored || got.Err == nil || got.Err.Code != platen.CodeTargetSignInRefused {
			t.Errorf("%s: wrong credentials: got %+v", name, got)
		}
	}
}
