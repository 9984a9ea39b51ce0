package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/target"
)

const (
	// outputsVariable names the environment variable that says how many outputs are stored at
	// each server.
	outputsVariable = "PLATEN_TARGETS_OUTPUTS"
	// seedVariable has one run deal the faults of another.
	seedVariable = "PLATEN_TARGETS_SEED"
	// storers is how many outputs are stored side by side.
	storers = 6
	// patience is what one request may take while a server is behind faults.
	patience = 4 * time.Second
)

// number is that of an environment variable.
func number(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// Whatever happens between us and a server of other people, and to the server: it has each
// file once, whole, as its receipt says, and nothing besides.
func TestFaultsBeforeServersLeaveEachFileOnce(t *testing.T) {
	t.Parallel()
	seed, outputs := number(t, seedVariable, 1), number(t, outputsVariable, 24)
	for name, start := range depots {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t)
			scheme, _, _ := strings.Cut(d.target.URL, ":")
			every := 3
			if scheme == "sftp" {
				every = 20
			}
			deck := deckOf(scheme)
			deck = slices.DeleteFunc(deck, func(kind string) bool { return slices.Contains(d.not, kind) })
			w := newWire(t, d.address, seed, deck, max(1, int(outputs)/24), every, d.restart)
			d.target.URL = strings.Replace(d.target.URL, d.address, w.listener.Addr().String(), 1)
			t.Logf("seed %d, %d outputs, faults %q", seed, outputs, deck)
			d.check(t, d.storeAll(t, w, seed, outputs), w)
		})
	}
}

// A depot is a server of other people that has a target.
type depot struct {
	*serving
	target platen.Target
	// not are faults that the server itself makes files of, which no client can help.
	not []string
	// unconditional: the server stores without regard to If-None-Match, so that an attempt whose
	// worker ended may replace what the next one stored. That is the same content here.
	unconditional bool
	// files are the contents that the server has, by key.
	files func(t *testing.T) map[string][]byte
}

// A copyOf is a file of an output. An export is not the same in each attempt.
type copyOf struct {
	key      string
	variants [][]byte
	receipt  platen.Receipt
	attempts int
}

// storeAll stores outputs as workers do: each attempt may end with its worker, and the next
// one is another worker's.
func (d *depot) storeAll(t *testing.T, w *wire, seed, outputs uint64) []*copyOf {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	var all []*copyOf
	next := make(chan uint64)
	var side sync.WaitGroup
	var mu sync.Mutex
	for range storers {
		workers := []*target.Stores{impatient(), impatient()}
		side.Go(func() {
			for n := range next {
				one := copyAt(seed, n)
				d.store(ctx, t, w, workers, one, rand.New(rand.NewPCG(seed, 100+n)), n)
				mu.Lock()
				all = append(all, one)
				mu.Unlock()
			}
		})
	}
	// Faults need somebody to meet: there are outputs until none is left.
	for n := uint64(0); (n < outputs || !w.isQuiet()) && n < 20*outputs && ctx.Err() == nil; n++ {
		next <- n
	}
	close(next)
	side.Wait()
	return all
}

// impatient is a worker's own.
func impatient() *target.Stores {
	return target.NewStores(outgoing.NewClient(outgoing.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: patience}), nil)
}

func copyAt(seed, n uint64) *copyOf {
	random := rand.New(rand.NewPCG(seed, 1000+n))
	one := &copyOf{key: fmt.Sprintf("Köln %d/Letter %d (1).pdf", n%3, n)}
	for v := range 1 + random.IntN(2) {
		content := make([]byte, 1+random.IntN(60<<10))
		for i := range content {
			content[i] = byte(random.Uint32())
		}
		one.variants = append(one.variants, fmt.Appendf(content, "variant %d", v))
	}
	return one
}

// store makes attempts until one ends with a receipt.
func (d *depot) store(ctx context.Context, t *testing.T, w *wire, workers []*target.Stores, one *copyOf, random *rand.Rand, n uint64) {
	var known []string
	var last error
	for one.attempts < 500 && ctx.Err() == nil {
		content := one.variants[0]
		if !d.unconditional {
			content = one.variants[one.attempts%len(one.variants)]
		}
		f := platen.StoredFile{Kind: "pdf", Key: one.key, Type: platen.MIMEPDF, Content: content, SHA256: sha256.Sum256(content), OutputID: fmt.Sprintf("out_%d", n)}
		one.attempts++
		attempt, end := context.WithCancel(ctx)
		if !w.isQuiet() && !slices.Contains(d.not, cutWithin) && random.IntN(8) == 0 { // the worker ends
			time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, end)
		}
		r, err := workers[one.attempts%len(workers)].Put(attempt, d.target, f, known)
		end()
		known = append(known, hex.EncodeToString(f.SHA256[:]))
		switch {
		case err == nil:
			one.receipt = r
			return
		case platen.KindOf(err) != platen.KindUnavailable:
			t.Errorf("%s: attempt %d ended for good: %v", one.key, one.attempts, err)
			return
		}
		last = err
		w.awaits()
	}
	t.Errorf("%s: not stored by %d attempts: %v", one.key, one.attempts, last)
}

// check holds what the server has against the receipts.
func (d *depot) check(t *testing.T, all []*copyOf, w *wire) {
	t.Helper()
	attempts := 0
	has := d.files(t)
	for _, one := range all {
		attempts += one.attempts
		content, is := has[one.key]
		delete(has, one.key)
		sum := sha256.Sum256(content)
		switch r := one.receipt; {
		case r.SHA256 == "": // said before
		case !is:
			t.Errorf("missing: %s, after %d attempts", one.key, one.attempts)
		case r.SHA256 != hex.EncodeToString(sum[:]) || r.Bytes != int64(len(content)) || r.Key != one.key:
			i := slices.IndexFunc(one.variants, func(v []byte) bool { return bytes.Equal(v, content) })
			t.Errorf("receipt: %s has %d bytes (variant %d), and its receipt says %+v after %d attempts", one.key, len(content), i, r, one.attempts)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	partial := 0
	for key := range has {
		// What comes when nobody waits for it any more is not removed. rclone's own files on
		// their way are not ours.
		if strings.Contains(key, "/.rclone_temp_put_") || strings.HasSuffix(key, ".partial") {
			continue
		}
		if partial++; !strings.Contains(key, ".platen-") || partial > w.met[late]+w.met[lateHalf]+w.met[doubled] {
			t.Errorf("besides: %s", key)
		}
	}
	t.Logf("%d files by %d attempts, %d besides; faults: %v", len(all), attempts, len(has), w.met)
	for _, kind := range w.deck {
		if w.met[kind] == 0 {
			t.Errorf("nothing was %s", kind)
		}
	}
}

// below are the files of a directory.
func below(dir string) func(t *testing.T) map[string][]byte {
	return func(t *testing.T) map[string][]byte {
		t.Helper()
		all := map[string][]byte{}
		if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			all[filepath.ToSlash(name)], err = os.ReadFile(path)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
}

// depots are the servers, by name.
var depots = map[string]func(t *testing.T) *depot{
	"rclone/s3":     func(t *testing.T) *depot { return ofRclone(t, platen.TargetS3) },
	"rclone/webdav": func(t *testing.T) *depot { return ofRclone(t, platen.TargetWebDAV) },
	"rclone/sftp":   func(t *testing.T) *depot { return ofRclone(t, platen.TargetSFTP) },
	"OpenSSH":       ofOpenSSH,
	"s3rver":        ofS3rver,
	"Azurite":       ofAzurite,
}

// s3rver keeps an object in three files beside each other.
func s3rverFiles(dir string) func(t *testing.T) map[string][]byte {
	return func(t *testing.T) map[string][]byte {
		t.Helper()
		all := map[string][]byte{}
		for name, content := range below(dir)(t) {
			if key, is := strings.CutSuffix(name, "._S3rver_object"); is {
				all[key] = content
			}
		}
		return all
	}
}

// azuriteFiles asks Azurite by another client than ours, the one of ask.
func azuriteFiles(in, token string) func(t *testing.T) map[string][]byte {
	return func(t *testing.T) map[string][]byte {
		t.Helper()
		status, body, _ := ask(t, http.MethodGet, in+"?restype=container&comp=list&"+token)
		var list struct {
			Names []string `xml:"Blobs>Blob>Name"`
		}
		if err := xml.Unmarshal(body, &list); err != nil || status != http.StatusOK {
			t.Fatalf("list the container: got %d, %v", status, err)
		}
		all := map[string][]byte{}
		for _, name := range list.Names {
			if _, twice := all[name]; twice {
				t.Errorf("twice: %s", name)
			}
			status, all[name], _ = ask(t, http.MethodGet, in+"/"+(&url.URL{Path: name}).EscapedPath()+"?"+token)
			if status != http.StatusOK {
				t.Errorf("read %s: got %d", name, status)
			}
		}
		return all
	}
}
