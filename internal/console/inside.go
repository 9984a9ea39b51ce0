package console

import (
	"bytes"
	"hash"
	"io"
	"net/http"
	"net/url"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// An inside carries requests of package client to a handler of this process, on behalf of
// one caller. They meet the same credentials, tenants, scopes, limits and audit as requests
// from outside.
type inside struct {
	api   http.Handler
	from  *http.Request // request of the browser
	token string
	user  string // usr_… of a user who signed in without a token
	// seen takes every answer, byte for byte; nil: nothing does.
	seen hash.Hash
}

// insideOrigin is in front of paths that an inside takes: no request leaves the process.
const insideOrigin = "http://localhost"

// client is one that asks each time once.
func (t inside) client() *client.Client {
	c, err := client.New(client.Options{Address: insideOrigin + "/v0", Token: "set-inside", Tries: 1, HTTP: &http.Client{Transport: t}})
	if err != nil {
		panic(err) // address and token are constants
	}
	return c
}

// passed are the headers by which a proxy says whom a request comes from: /v0
// decides whether it trusts it.
var passed = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip", "User-Agent"}

// request is what was asked, as the caller's.
func (t inside) request(asked *http.Request) *http.Request {
	ctx := asked.Context()
	if t.user != "" {
		ctx = platen.WithSignedIn(ctx, t.user)
	}
	r := asked.WithContext(ctx)
	r.URL = &url.URL{Path: asked.URL.Path, RawPath: asked.URL.RawPath, RawQuery: asked.URL.RawQuery}
	r.RemoteAddr, r.Host, r.RequestURI = t.from.RemoteAddr, t.from.Host, r.URL.RequestURI()
	r.Header = asked.Header.Clone()
	for _, name := range passed {
		if values := t.from.Header.Values(name); len(values) > 0 {
			r.Header[name] = values
		}
	}
	r.Header.Del("Authorization")
	if t.token != "" {
		r.Header.Set("Authorization", t.token)
	}
	return r
}

// RoundTrip never fails: the handler answers.
func (t inside) RoundTrip(asked *http.Request) (*http.Response, error) {
	w := &answer{header: http.Header{}}
	t.api.ServeHTTP(w, t.request(asked))
	w.WriteHeader(http.StatusOK)
	if t.seen != nil {
		_, _ = t.seen.Write(w.body.Bytes()) // never fails
	}
	return &http.Response{Status: http.StatusText(w.status), StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: asked}, nil
}

// An answer is what a handler writes.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
