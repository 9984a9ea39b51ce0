// Package inside asks the API of the process that it is in. Requests of package client go
// to a handler, on behalf of the caller of a request from outside, and meet the same
// credentials, tenants, scopes, limits and audit. It must hold no rule of the service.
package inside

import (
	"bytes"
	"hash"
	"io"
	"net/http"
	"net/url"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// A Caller is who sent a request from outside. It is an http.RoundTripper that never fails.
type Caller struct {
	API     http.Handler
	From    *http.Request // from outside
	Token   string        // the header Authorization; empty: none
	User    string        // usr_… of a user who signed in without a token
	Program string        // of User-Agent; empty: that of From
	// Seen takes every answer, byte for byte; nil: nothing does.
	Seen hash.Hash
}

// Origin is in front of the paths that a Caller asks for: no request leaves the process.
const Origin = "http://localhost"

// Client is one that asks each time once.
func (c Caller) Client() *client.Client {
	asking, err := client.New(client.Options{Address: Origin + "/v0", Token: "set-inside", Tries: 1, HTTP: &http.Client{Transport: c}})
	if err != nil {
		panic(err) // address and token are constants
	}
	return asking
}

// passed are the headers by which a proxy says whom a request comes from: /v0
// decides whether it trusts it.
var passed = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip", "User-Agent"}

// Request is what was asked, as the caller's.
func (c Caller) Request(asked *http.Request) *http.Request {
	ctx := asked.Context()
	if c.User != "" {
		ctx = platen.WithSignedIn(ctx, c.User)
	}
	r := asked.WithContext(ctx)
	r.URL = &url.URL{Path: asked.URL.Path, RawPath: asked.URL.RawPath, RawQuery: asked.URL.RawQuery}
	r.RemoteAddr, r.Host, r.RequestURI = c.From.RemoteAddr, c.From.Host, r.URL.RequestURI()
	r.Header = asked.Header.Clone()
	for _, name := range passed {
		if values := c.From.Header.Values(name); len(values) > 0 {
			r.Header[name] = values
		}
	}
	if c.Program != "" {
		r.Header.Set("User-Agent", c.Program)
	}
	r.Header.Del("Authorization")
	if c.Token != "" {
		r.Header.Set("Authorization", c.Token)
	}
	return r
}

// RoundTrip never fails: the handler answers.
func (c Caller) RoundTrip(asked *http.Request) (*http.Response, error) {
	w := &Answer{Head: http.Header{}}
	c.API.ServeHTTP(w, c.Request(asked))
	w.WriteHeader(http.StatusOK)
	if c.Seen != nil {
		_, _ = c.Seen.Write(w.Body.Bytes()) // never fails
	}
	return &http.Response{Status: http.StatusText(w.Status), StatusCode: w.Status, Header: w.Head, Body: io.NopCloser(&w.Body), ContentLength: int64(w.Body.Len()), Request: asked}, nil
}

// An Answer is what a handler writes, for a caller who reads it whole.
type Answer struct {
	Status int // of HTTP; 0: nothing was written
	Head   http.Header
	Body   bytes.Buffer
}

func (a *Answer) Header() http.Header { return a.Head }

func (a *Answer) WriteHeader(status int) {
	if a.Status == 0 && status >= 200 {
		a.Status = status
	}
}

func (a *Answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.Body.Write(b)
}
