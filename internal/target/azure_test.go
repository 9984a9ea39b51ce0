package target_test

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

const (
	accountKey = "cGxhdGVuIGlzIG9uZSBvZiB0aGVzZSBhY2NvdW50cw=="
	sasToken   = "sv=2026-06-06&sr=c&sp=rcd&sig=c2VjcmV0JTJG"
)

// A container is one of Azure Blob Storage that keeps versions. It checks what Microsoft's
// reference says of Put Blob and of Shared Key.
type container struct {
	mu sync.Mutex
	// blobs are versions by name, the last one last.
	blobs map[string][]object
	// rights are those of the SAS token: r, c (create), w (write) and d.
	rights string
}

func (c *container) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	refuse := func(status int, code string) {
		w.Header().Set("x-ms-error-code", code)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>%s</Code><Message>It is not so.</Message></Error>", code)
	}
	rights := "rcwd"
	if signature := r.URL.Query().Get("sig"); signature != "" {
		if rights = c.rights; r.URL.RawQuery != "sig=c2VjcmV0JTJG&sp=rcd&sr=c&sv=2026-06-06" {
			refuse(http.StatusForbidden, "AuthenticationFailed")
			return
		}
	} else if !isSigned(r) {
		refuse(http.StatusForbidden, "AuthenticationFailed")
		return
	}
	name, in := strings.CutPrefix(r.URL.Path, "/container/")
	if !in {
		refuse(http.StatusNotFound, "ContainerNotFound")
		return
	}
	versions := c.blobs[name]
	needs := map[string]string{http.MethodPut: "cw", http.MethodGet: "r", http.MethodHead: "r", http.MethodDelete: "d"}[r.Method]
	if !strings.ContainsAny(rights, needs) {
		refuse(http.StatusForbidden, "AuthorizationPermissionMismatch")
		return
	}
	switch r.Method {
	case http.MethodPut:
		content, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		sum := md5.Sum(content)
		switch {
		case r.Header.Get("x-ms-blob-type") != "BlockBlob" || r.Header.Get("x-ms-version") < "2020-06-12":
			refuse(http.StatusBadRequest, "InvalidHeaderValue")
		case r.Header.Get("Content-Md5") != base64.StdEncoding.EncodeToString(sum[:]):
			refuse(http.StatusBadRequest, "Md5Mismatch")
		case !hasIdentifiers(r.Header):
			refuse(http.StatusBadRequest, "InvalidMetadata")
		case len(versions) > 0 && !strings.Contains(rights, "w"):
			refuse(http.StatusForbidden, "UnauthorizedBlobOverwrite")
		case len(versions) > 0 && r.Header.Get("If-None-Match") == "*":
			refuse(http.StatusConflict, "BlobAlreadyExists")
		default:
			c.blobs[name] = append(versions, object{content, r.Header})
			w.Header().Set("x-ms-version-id", fmt.Sprintf("v%d", len(versions)+1))
			w.WriteHeader(http.StatusCreated)
		}
	case http.MethodHead, http.MethodGet:
		if len(versions) == 0 {
			refuse(http.StatusNotFound, "BlobNotFound")
			return
		}
		last := versions[len(versions)-1]
		w.Header().Set("Content-Length", strconv.Itoa(len(last.content)))
		w.Header().Set("x-ms-version-id", fmt.Sprintf("v%d", len(versions)))
		for name, values := range last.meta {
			if strings.HasPrefix(name, "X-Ms-Meta-") {
				w.Header()[name] = values
			}
		}
		if r.Method == http.MethodGet {
			_, _ = w.Write(last.content)
		}
	case http.MethodDelete: // the versions stay, and are no blobs
		delete(c.blobs, name)
		w.WriteHeader(http.StatusAccepted)
	}
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func hasIdentifiers(h http.Header) bool {
	for name := range h {
		if name, is := strings.CutPrefix(name, "X-Ms-Meta-"); is && !identifier.MatchString(name) {
			return false
		}
	}
	return true
}

// isSigned tells whether a request is signed by the key of the account.
// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
func isSigned(r *http.Request) bool {
	at, err := http.ParseTime(r.Header.Get("x-ms-date"))
	if err != nil || time.Since(at).Abs() > 15*time.Minute {
		return false
	}
	var ours []string
	for name, values := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-ms-") {
			ours = append(ours, name+":"+strings.Join(values, ","))
		}
	}
	slices.Sort(ours)
	length := ""
	if r.ContentLength > 0 {
		length = strconv.FormatInt(r.ContentLength, 10)
	}
	h := r.Header.Get
	text := strings.Join([]string{
		r.Method, h("Content-Encoding"), h("Content-Language"), length, h("Content-Md5"), h("Content-Type"), "", h("If-Modified-Since"), h("If-Match"), h("If-None-Match"),
		h("If-Unmodified-Since"), h("Range"), strings.Join(ours, "\n"), "/account" + r.URL.EscapedPath(),
	}, "\n")
	key, _ := base64.StdEncoding.DecodeString(accountKey)
	code := hmac.New(sha256.New, key)
	_, _ = code.Write([]byte(text))
	return h("Authorization") == "SharedKey account:"+base64.StdEncoding.EncodeToString(code.Sum(nil))
}

func ofAzure(*testing.T) place {
	c := &container{blobs: map[string][]object{}, rights: "rcd"}
	return place{
		handler: c, target: platen.Target{Name: "Archive", Kind: platen.TargetAzure, URL: "/container", User: "account", Secret: accountKey},
		files: func() map[string][]string {
			c.mu.Lock()
			defer c.mu.Unlock()
			all := map[string][]string{}
			for key, versions := range c.blobs {
				for _, v := range versions {
					all[key] = append(all[key], string(v.content))
				}
			}
			return all
		},
		parts: func() int { return 0 },
	}
}

func ofAzureBySAS(t *testing.T) place {
	p := ofAzure(t)
	p.target.User, p.target.Secret = "", "?"+sasToken
	return p
}

func TestBlobsAreLockedAndNamedAsTheTargetSays(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{platen.LockCompliance: "Locked", platen.LockGovernance: "Unlocked"} {
		p := ofAzure(t)
		c := p.handler.(*container)
		start(t, &p, nil)
		p.target.LockMode, p.target.LockDays = mode, 3650
		f := file("a.pdf", "one")
		f.LockUntil = p.target.LockedUntil(time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC))
		if _, err := stores().Put(t.Context(), p.target, f, nil); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"x-ms-immutability-policy-mode": want, "x-ms-immutability-policy-until-date": "Fri, 01 Feb 2036 04:05:06 GMT", "x-ms-blob-content-type": platen.MIMEPDF,
			"x-ms-meta-platen_output": "out_1", "x-ms-meta-platen_sha256": hexOf("one"), "User-Agent": "Platen-Targets/1",
		} {
			if got := c.blobs["a.pdf"][0].meta.Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

// Somebody may have put our file there by hand.
func TestABlobWithoutOurMetadataIsComparedByItsContent(t *testing.T) {
	t.Parallel()
	p := ofAzure(t)
	p.handler.(*container).blobs["a.pdf"] = []object{{content: []byte("one")}}
	start(t, &p, nil)
	if r, err := stores().Put(t.Context(), p.target, file("a.pdf", "one"), nil); err != nil || r.SHA256 != hexOf("one") || r.Bytes != 3 {
		t.Errorf("our file: got %+v, %v", r, err)
	}
	if _, err := stores().Put(t.Context(), p.target, file("a.pdf", "two"), nil); codeOf(err) != platen.CodeTargetTaken {
		t.Errorf("another file: got %v, want %s", err, platen.CodeTargetTaken)
	}
}

func TestATokenThatMayOnlyCreateBlobsReplacesNone(t *testing.T) {
	t.Parallel()
	p := ofAzureBySAS(t)
	p.handler.(*container).rights = "cd"
	start(t, &p, nil)
	if got := stores().Test(t.Context(), p.target); !got.Stored || !got.Removed || got.Err == nil || got.Err.Code != platen.CodeTargetSignInRefused {
		t.Errorf("a test: got %+v, %v", got, got.Err)
	}
	if _, err := stores().Put(t.Context(), p.target, file("a.pdf", "one"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := stores().Put(t.Context(), p.target, file("a.pdf", "two"), nil); codeOf(err) != platen.CodeTargetTaken {
		t.Errorf("got %v, want %s", err, platen.CodeTargetTaken)
	}
}

// Each refusal is one request, has a cure, and says nothing of the token. An answer without
// an end is not read to it.
func TestFailuresOfAzureSayWhatCuresThem(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		status int
		code   string
		want   string
	}{
		{403, "AuthenticationFailed", platen.CodeTargetSignInRefused},
		{403, "AuthorizationFailure", platen.CodeTargetSignInRefused},
		{404, "ContainerNotFound", platen.CodeTargetNotFound},
		{409, "ContainerBeingDeleted", platen.CodeTargetUnavailable},
		{413, "RequestBodyTooLarge", platen.CodeTargetTooLarge},
		{400, "Md5Mismatch", platen.CodeTargetRefused},
		{301, "", platen.CodeTargetRefused},
		{503, "ServerBusy", platen.CodeTargetUnavailable},
		{500, "OperationTimedOut", platen.CodeTargetUnavailable},
	} {
		t.Run(fmt.Sprint(one.status, one.code), func(t *testing.T) {
			t.Parallel()
			p := ofAzureBySAS(t)
			var puts atomic.Int32
			start(t, &p, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPut {
						next.ServeHTTP(w, r)
						return
					}
					puts.Add(1)
					if one.code != "" {
						w.Header().Set("x-ms-error-code", one.code)
					}
					w.Header().Set("Retry-After", "7")
					w.WriteHeader(one.status)
					for r.Context().Err() == nil {
						if _, err := io.WriteString(w, strings.Repeat(" ", 1<<10)); err != nil {
							return
						}
					}
				})
			})
			_, err := stores().Put(t.Context(), p.target, file("Globex.pdf", "one"), nil)
			if codeOf(err) != one.want || strings.Contains(fmt.Sprint(err), "sig=") || strings.Contains(fmt.Sprint(err), "Globex") || !strings.Contains(fmt.Sprint(err), one.code) {
				t.Errorf("got %v, want %s", err, one.want)
			}
			if puts.Load() != 1 {
				t.Errorf("it was asked %d times", puts.Load())
			}
		})
	}
}
