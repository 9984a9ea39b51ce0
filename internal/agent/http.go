package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/admission"
)

// Path is where tools are served over HTTP.
const Path = "/mcp"

// bodyLimit is for a call of a tool: source events have 1 MiB.
const bodyLimit = 2 << 20

// places are for calls under way. Each holds its body, and start_run waits for documents.
var places = admission.Places{Total: 64, PerKey: 16, Patience: 5 * time.Second}

// Options are what a handler of tools needs.
type Options struct {
	Version string // of the program
	// API makes a client that asks on behalf of a request's caller.
	API func(*http.Request) *client.Client
	// PublicURL is the address of the API's host. Pages of other hosts are refused, but for
	// those of this machine.
	PublicURL string
	Log       *slog.Logger // takes what cannot be answered
}

// A handler serves tools over HTTP, without sessions: each request is one call, by the
// owner of its access token. It keeps nothing between requests.
type handler struct {
	Options
	calls  http.Handler
	places *admission.Keyed
}

type serverKey struct{}

// NewHandler serves tools at Path to callers with an access token.
func NewHandler(o Options) http.Handler {
	of := func(r *http.Request) *mcp.Server {
		m, _ := r.Context().Value(serverKey{}).(*mcp.Server)
		return m
	}
	return handler{Options: o, places: admission.NewKeyed(places), calls: mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: bodyLimit, Logger: o.Log, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // a proxy on this machine passes the public name on; isOurs looks at pages
	})}
}

// isOurs tells whether a request that a page sent is of a page of this host. MCP asks
// servers to look (2025-11-25, Transports, Security Warning).
func (h handler) isOurs(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true // no page
	}
	from, err := url.Parse(origin)
	if err != nil {
		return false
	}
	public, err := url.Parse(h.PublicURL)
	address, _ := netip.ParseAddr(from.Hostname())
	return err == nil && from.Host == public.Host || from.Hostname() == "localhost" || address.IsLoopback()
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.isOurs(r) {
		refuse(w, &client.Error{Status: http.StatusForbidden, Code: "origin_forbidden", Detail: "Pages of other hosts may not use these tools."})
		return
	}
	api := h.API(r)
	me, err := api.Me(r.Context())
	if err != nil {
		refuse(w, unauthenticated(err))
		return
	}
	leave, err := h.places.Take(r.Context(), me.User.ID)
	if err != nil {
		refuse(w, &client.Error{Status: http.StatusTooManyRequests, Code: "rate_limited", Detail: "Too many calls of tools are under way. Wait for some to end.", RetryAfter: 5 * time.Second})
		return
	}
	defer leave()
	m := New(api, me.Token, h.Version)
	r = r.WithContext(context.WithValue(r.Context(), serverKey{}, m))
	r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
	if isBatch(r) {
		refuse(w, &client.Error{Status: http.StatusBadRequest, Code: "invalid_body", Detail: "The body has several calls in a list. Send each call as a request of its own."})
		return
	}
	h.calls.ServeHTTP(w, r)
}

// isBatch tells whether a body begins as a list. MCP had lists of calls until 2025-06-18;
// each call in one would take what a request may.
func isBatch(r *http.Request) bool {
	body := bufio.NewReader(r.Body)
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	for {
		c, err := body.ReadByte()
		switch {
		case err != nil:
			return false
		case strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		}
		_ = body.UnreadByte() // it was just read
		return c == '['
	}
}

// unauthenticated is what MCP wants to read where /v0 answers 403: 401.
func unauthenticated(err error) error {
	e, ok := errors.AsType[*client.Error](err)
	if !ok || e.Status != http.StatusForbidden {
		return err
	}
	as := *e
	as.Status = http.StatusUnauthorized
	return &as
}

// refuse answers with an error of JSON-RPC without an id, and 401 with a challenge
// (RFC 6750, section 3).
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusServiceUnavailable
	if e, ok := errors.AsType[*client.Error](err); ok {
		status = e.Status
		if seconds := int(e.RetryAfter.Seconds()); seconds > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(seconds))
		}
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": refused, "message": err.Error()}})
}

// refused is a code that JSON-RPC leaves to servers (https://www.jsonrpc.org/specification, 5.1).
const refused = -32001
