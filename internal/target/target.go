// Package target stores files of outputs at other places, by S3, Azure Blob Storage, WebDAV
// and SFTP, and in another folder of their drive. It knows these protocols, and how to tell that a
// place has a file already. No file is overwritten: another one under the same path is an error.
//
// When an output is stored, and when again, is decided in package activities; what is known
// of it is kept in package postgres.
package target

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
)

// DefaultTimeout is for one request, such as the storing of a file of platen.MaxTargetFile.
const DefaultTimeout = 3 * time.Minute

// A Stores stores files at targets, through a client that connects to allowed addresses
// alone. It is safe for concurrent use.
type Stores struct {
	client *outgoing.Client
	drives Drives
	now    func() time.Time
}

// NewStores returns Stores that connect through a client, and open drives by drives.
func NewStores(client *outgoing.Client, drives Drives) *Stores {
	return &Stores{client: client, drives: drives, now: time.Now}
}

var (
	// errExists: there is a file under the key, and none was stored.
	errExists = errors.New("there is a file under this key")
	// errUnseen: the credentials may not look, or there is nothing.
	errUnseen = errors.New("the credentials may not look under this key")
)

// A server speaks the protocol of a target. Its errors are platen.Errors, or those above.
type server interface {
	// find looks for what stands under the key of f; nil: nothing does. errUnseen: nobody knows.
	find(ctx context.Context, f platen.StoredFile) (*object, error)
	// put stores f; errExists where the server says that there is a file under the key. It
	// never replaces one; seen says that find told of none.
	put(ctx context.Context, f platen.StoredFile, seen bool) (version string, err error)
	remove(ctx context.Context, key, version string) error
	// close ends a connection that it holds.
	close()
}

// An object is what stands under a key.
type object struct {
	sha256  string // hex
	bytes   int64
	version string // empty: none
}

func (s *Stores) open(ctx context.Context, t platen.Target) (server, error) {
	if t.Kind == platen.TargetDrive {
		drive, err := s.drives(ctx, t.OwnerID)
		return inDrive{drive}, err
	}
	base, err := url.Parse(t.URL)
	if err != nil {
		return nil, platen.Errorf(platen.KindInvalid, platen.CodeTargetRefused, "The target's url cannot be read.")
	}
	caller := web{client: s.client, base: base}
	switch t.Kind {
	case platen.TargetS3:
		caller.sign = signS3(t, s.now)
		return s3{web: caller, target: t}, nil
	case platen.TargetAzure:
		return openAzure(caller, t)
	case platen.TargetWebDAV:
		return webdav{web: caller, target: t}, nil
	case platen.TargetSFTP:
		return &files{client: s.client, target: t, host: base.Hostname(), port: cmp.Or(base.Port(), "22"), folder: cmp.Or(base.Path, "/")}, nil
	}
	return nil, platen.Errorf(platen.KindInvalid, platen.CodeTargetRefused, "This release does not know targets of kind %s.", t.Kind)
}

// Put stores a file at a target, or finds that the target has it: its receipt is the same
// then, but for the time. known are the hex SHA-256 of contents that earlier attempts may
// have stored in its place. It answers KindInvalid with platen.CodeTargetTaken where another
// file stands under the key, and KindUnavailable where another time may do, also where
// somebody has to correct the target.
func (s *Stores) Put(ctx context.Context, t platen.Target, f platen.StoredFile, known []string) (platen.Receipt, error) {
	to, err := s.open(ctx, t)
	if err != nil {
		return platen.Receipt{}, err
	}
	defer to.close()
	r := platen.Receipt{Kind: f.Kind, Key: f.Key, SHA256: hex.EncodeToString(f.SHA256[:]), Bytes: f.Bytes()}
	there, err := to.find(ctx, f)
	if unseen := errors.Is(err, errUnseen); unseen || err == nil && there == nil {
		if r.Version, err = to.put(ctx, f, !unseen); errors.Is(err, errExists) {
			there, err = to.find(ctx, f)
			switch {
			case errors.Is(err, errUnseen):
				there, err = &object{}, nil // another file, for all that we know
			case err == nil && there == nil:
				err = unavailable(platen.CodeTargetRefused, "The target says that a file stands under the path, and that none does. It is tried again.")
			}
		}
	}
	switch {
	case err != nil:
		return r, err
	case there != nil && there.sha256 != r.SHA256 && !slices.Contains(known, there.sha256):
		return r, platen.Errorf(platen.KindInvalid, platen.CodeTargetTaken, "The target %q has another file under the path of this one, and none is overwritten. Set path, or the output's name, so that each output has its own, and store this one again.", t.Name)
	case there != nil:
		r.Version, r.SHA256, r.Bytes = there.version, there.sha256, there.bytes
	}
	r.StoredAt = s.now().UTC()
	return r, nil
}

// Test stores a small file at a target, finds it there and removes it. It asks for no lock.
// Credentials that may not look are an error: where an answer is lost, the next attempt
// takes its own file for another.
func (s *Stores) Test(ctx context.Context, t platen.Target) platen.TargetTest {
	content := []byte("Platen stores outputs here. This file was a test, and may be removed.\n")
	f := platen.StoredFile{Kind: "test", Key: "platen-test-" + rand.Text() + ".txt", Type: "text/plain; charset=utf-8", Content: content, SHA256: sha256.Sum256(content)}
	if t.Kind == platen.TargetDrive {
		f.Drive.FolderID = t.URL
	}
	result := platen.TargetTest{Key: f.Key}
	r, err := s.Put(ctx, t, f, nil)
	if err == nil {
		result.Stored = true
		var to server
		if to, err = s.open(ctx, t); err == nil {
			defer to.close()
			_, unseen := to.find(ctx, f)
			err = to.remove(ctx, f.Key, r.Version)
			if result.Removed = err == nil; errors.Is(unseen, errUnseen) {
				err = unavailable(platen.CodeTargetSignInRefused, "The credentials may store files, and not look at them: let them read (s3:GetObject, of a SAS token r).")
			}
		}
	}
	if err != nil {
		var ok bool
		if result.Err, ok = errors.AsType[*platen.Error](err); !ok {
			result.Err = platen.Errorf(platen.KindInternal, platen.CodeInternal, "The test failed for a reason on our side.")
		}
	}
	return result
}

// unavailable is an error after which another time may do.
func unavailable(code, format string, args ...any) *platen.Error {
	return platen.Errorf(platen.KindUnavailable, code, format, args...)
}

// web makes requests below an address.
type web struct {
	client *outgoing.Client
	base   *url.URL
	sign   func(*http.Request) error // signs a request as it is sent; nil: nothing does
}

// at is the address of a key; empty: the base. Its path is escaped as signatures ask for it.
func (w web) at(key string) *url.URL {
	u := *w.base
	u.Path = strings.TrimSuffix(u.Path, "/") + "/" + key
	u.RawPath = escapePath(u.Path)
	return &u
}

// escapePath escapes all but unreserved characters (RFC 3986, section 2.3) and slashes.
func escapePath(path string) string {
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

const userAgent = "Platen-Targets/1"

// maxAnswer is how much is read of an answer that is no file.
const maxAnswer = 8 << 10

// An answer of a server, with the beginning of its body.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request, and reads the answer. takes, where it is given, reads the body of a
// 200. An error is KindUnavailable.
func (w web) do(ctx context.Context, method string, u *url.URL, header http.Header, content []byte, takes func(io.Reader) error) (answer, error) {
	ctx, cancel := w.client.WithTimeout(ctx)
	defer cancel()
	var body io.Reader = http.NoBody
	if len(content) > 0 {
		body = bytes.NewReader(content)
	}
	request, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return answer{}, unavailable(platen.CodeTargetRefused, "No request can be sent to the target: check its url.")
	}
	request.Header = header
	request.Header.Set("User-Agent", userAgent)
	request.ContentLength = int64(len(content))
	if w.sign != nil {
		if err := w.sign(request); err != nil {
			return answer{}, fmt.Errorf("sign a request to a target: %w", err)
		}
	}
	got, err := w.client.Do(request)
	if err != nil {
		return answer{}, w.noAnswer(err)
	}
	defer func() { _ = got.Body.Close() }()
	a := answer{status: got.StatusCode, header: got.Header}
	if takes != nil && got.StatusCode == http.StatusOK {
		err = takes(got.Body)
	} else {
		a.body, err = io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	}
	if err != nil {
		return answer{}, w.noAnswer(err)
	}
	return a, nil
}

func (w web) noAnswer(err error) error { return noAnswer(w.client, err) }

// close: the client keeps connections for all targets.
func (w web) close() {}

// noAnswer is without the address: that of a file may name people, and logs have errors.
func noAnswer(client *outgoing.Client, err error) error {
	e := unavailable(platen.CodeTargetUnavailable, "The target cannot be reached: %s.", client.Explain("the target", err))
	e.Err = err
	if of, ok := errors.AsType[*url.Error](err); ok {
		e.Err = of.Err
	}
	return e
}

// isSuccess tells that a request did what it asked for. Multi-Status says of some part that
// it failed (RFC 4918, section 9.9.4), and each of ours has one part.
func (a answer) isSuccess() bool { return a.status/100 == 2 && a.status != http.StatusMultiStatus }

// refusal says what a status means that is no success. detail is the server's own code;
// empty: it gave none.
func (a answer) refusal(detail string) error {
	said := strconv.Itoa(a.status)
	if detail != "" {
		said += " " + detail
	}
	e := unavailable(platen.CodeTargetUnavailable, "The target answers %s. It is tried again.", said)
	switch s := a.status; {
	case s == http.StatusInsufficientStorage, strings.Contains(detail, "Quota"), strings.Contains(detail, "StorageFull"):
		e.Code, e.Message = platen.CodeTargetFull, "The target has no room left ("+said+"): make some. It is tried again."
	case s == http.StatusRequestEntityTooLarge, detail == "EntityTooLarge":
		return platen.Errorf(platen.KindInvalid, platen.CodeTargetTooLarge, "The file is larger than the target takes (%s).", said)
	case s == http.StatusTooManyRequests, s == http.StatusRequestTimeout, s >= 500, s == http.StatusConflict, s == http.StatusLocked:
		if after, err := strconv.Atoi(a.header.Get("Retry-After")); err == nil && after > 0 {
			e.RetryAfter = min(time.Duration(after)*time.Second, 15*time.Minute)
		}
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		e.Code, e.Message = platen.CodeTargetSignInRefused, "The target refuses the credentials, or they may not do this there ("+said+"): correct user and secret, or their rights. It is tried again."
	case s == http.StatusNotFound:
		e.Code, e.Message = platen.CodeTargetNotFound, "The target answers that its bucket, container or folder is not there ("+said+"): create it, or correct url. It is tried again."
	case s >= 300 && s < 400:
		e.Code, e.Message = platen.CodeTargetRefused, "The target answers with a redirect ("+said+"), which is not followed: correct url, or region. It is tried again."
	default:
		e.Code, e.Message = platen.CodeTargetRefused, "The target refuses the request ("+said+"): correct its settings. It is tried again."
	}
	return e
}

// objectOf reads a file to its end, or until it is longer than any that is stored.
func objectOf(r io.Reader) (*object, error) {
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(r, platen.MaxTargetFile+1))
	return &object{sha256: hex.EncodeToString(hash.Sum(nil)), bytes: n}, err
}
