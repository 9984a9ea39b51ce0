package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// A client asks /v0 on behalf of one caller, inside the process: it meets the same
// credentials, tenants, scopes, limits and audit as a request from outside, because
// it is one.
type client struct {
	api   http.Handler
	from  *http.Request // request that the call is made for
	token string
	user  string // usr_… of a user who signed in without a token
	once  string // Idempotency-Key of the request; empty: none
	// requestID is the X-Request-Id of the request; empty: one is generated.
	requestID string
	match     string // If-Match of a change; empty: none
}

// A problem is an error that /v0 answered with (RFC 9457).
type problem struct {
	Status    int            `json:"status"`
	Title     string         `json:"title"`
	Detail    string         `json:"detail"`
	Code      string         `json:"code"`
	RequestID string         `json:"requestId"`
	Errors    []fieldProblem `json:"errors"`
}

// A fieldProblem is what is wrong with one member of a body.
type fieldProblem struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

// said is what /v0 found, all of it.
func (p *problem) said() string {
	if len(p.Errors) < 2 {
		return p.Detail
	}
	var all []string
	for _, one := range p.Errors {
		all = append(all, strings.TrimSpace(strings.TrimPrefix(one.Pointer, "/")+" "+one.Detail))
	}
	return strings.Join(all, "; ") + "."
}

func (p *problem) Error() string {
	return fmt.Sprintf("/v0 answered %d %s: %s", p.Status, p.Code, p.Detail)
}

// endsSession tells whether the token is no good any more.
func (p *problem) endsSession() bool {
	switch p.Code {
	case "credentials_missing", "credentials_malformed", "token_unknown", "token_expired", "token_revoked", "user_disabled":
		return true
	}
	return false
}

// passed are the headers by which a proxy says whom a request comes from: /v0
// decides whether it trusts it.
var passed = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip", "User-Agent"}

// get reads what is at path, below /v0, into a value. It returns the query of the
// next page, empty without one.
func (c client) get(ctx context.Context, path string, into any) (next string, err error) {
	header, err := c.send(ctx, http.MethodGet, path, "", nil, into)
	return nextQuery(header), err
}

// getTagged is get of one thing, with the tag of what it is now.
func (c client) getTagged(ctx context.Context, path string, into any) (tag string, err error) {
	header, err := c.send(ctx, http.MethodGet, path, "", nil, into)
	return header.Get("ETag"), err
}

// post asks for a change, or for a look that costs something.
func (c client) post(ctx context.Context, path string, into any) error {
	return c.ask(ctx, http.MethodPost, path, nil, into)
}

// ask sends a value as JSON, nothing when it is nil.
func (c client) ask(ctx context.Context, method, path string, value, into any) error {
	var body []byte
	if value != nil {
		var err error
		if body, err = json.Marshal(value); err != nil {
			return fmt.Errorf("ask /v0: %w", err)
		}
	}
	_, err := c.send(ctx, method, path, "application/json", body, into)
	return err
}

// upload sends a file as it is.
func (c client) upload(ctx context.Context, path string, content []byte, into any) error {
	_, err := c.send(ctx, http.MethodPost, path, "application/octet-stream", content, into)
	return err
}

func (c client) send(ctx context.Context, method, path, contentType string, body []byte, into any) (http.Header, error) {
	return c.sendTo(ctx, method, "/v0"+path, contentType, body, into)
}

// request is one on behalf of the caller.
func (c client) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	if c.user != "" {
		ctx = platen.WithSignedIn(ctx, c.user)
	}
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask /v0: %w", err)
	}
	r.RemoteAddr, r.Host, r.RequestURI = c.from.RemoteAddr, c.from.Host, path
	for _, name := range passed {
		if values := c.from.Header.Values(name); len(values) > 0 {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	if c.requestID != "" {
		r.Header.Set("X-Request-Id", c.requestID)
	}
	if c.token != "" {
		r.Header.Set("Authorization", c.token)
	}
	return r, nil
}

// sendTo is send to a path that is not below /v0.
func (c client) sendTo(ctx context.Context, method, path, contentType string, body []byte, into any) (http.Header, error) {
	r, err := c.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", contentType)
	}
	if c.once != "" && method == http.MethodPost {
		r.Header.Set("Idempotency-Key", c.once)
	}
	if c.match != "" && (method == http.MethodPatch || method == http.MethodDelete) {
		r.Header.Set("If-Match", c.match)
	}
	w := &answer{header: http.Header{}}
	c.api.ServeHTTP(w, r)
	if w.status >= 400 {
		p := &problem{Status: w.status}
		if json.Unmarshal(w.body.Bytes(), p) != nil || p.Detail == "" {
			p.Status, p.Detail = w.status, "The page's data could not be read."
		}
		return nil, p
	}
	if into != nil {
		if err := json.Unmarshal(w.body.Bytes(), into); err != nil {
			return nil, fmt.Errorf("read the answer of /v0: %w", err)
		}
	}
	return w.header, nil
}

var nextLink = regexp.MustCompile(`<([^>]*)>; rel="next"`)

// nextQuery is the query of the next page that a Link header names.
func nextQuery(h http.Header) string {
	found := nextLink.FindStringSubmatch(h.Get("Link"))
	if found == nil {
		return ""
	}
	u, err := url.Parse(found[1])
	if err != nil {
		return ""
	}
	return u.RawQuery
}

// An answer is what /v0 writes.
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

// What the pages show of the answers of /v0. Its contract says what each field means.

type me struct {
	User struct{ ID, Name, Email string }
	Team *struct{ Name string }
	// Token says what it lets do.
	Token struct {
		ID          string
		Write       bool
		WorkflowIDs []string
		ExpiresAt   *string
	}
}

type workflow struct {
	ID, Name, Status string
	Locale           string
	AutoCreate       bool
	Owner            struct{ Name, Email string }
	Team             *struct{ Name string }
	Source           struct {
		SourceFields               []string
		WebhookURL, TestWebhookURL string
	}
	Documents       []document
	OutgoingWebhook *outgoing
	CreatedAt       string
}

type outgoing struct {
	WebhookURL string
	Findings   []failure // of an answer to what made or changed it
}

func (o *outgoing) found() []failure {
	if o == nil {
		return nil
	}
	return o.Findings
}

type document struct {
	ID, OutputName, PreviewURL                string
	File                                      struct{ Name, URL string }
	CreatePDFCopy, RemoveOutput               bool
	EnablePDFPassword, PDFPasswordPreventCopy bool
	PDFPassword                               string
	OnMissing, OutputSharing                  string
	OutputFolder, OutputFolderID              string
	Numbers, Appendices                       []string
	Email                                     *outputMail
}

// An outputMail is the mail that brings an output.
type outputMail struct{ To, Subject, Text, Attach string }

type failure struct{ Code, Message string }

type wait struct {
	Code, Message, Step, Since string
	OutputID, EventID, Until   *string
	Tries                      int
}

type automation struct {
	ID, WorkflowID, State string
	Reason, KeyTakenBy    *string
	Attempt               int
	AcceptedAt            string
	StartedAt, FinishedAt *string
	CancelRequestedAt     *string
	MissingFields         []string
	Error, Held           *failure
	WaitingFor            []wait
	Outputs               []output
	RequestID             string
	Test                  bool
	TemporalURL           *string
	SourceData            json.RawMessage
	DataErasedAt          *string
	Erasure               *struct{ ErasedAt *string }
	Findings              []struct{ Code, Pointer, Message, OutputID string }
	UnknownFields         []unknownField
}

// An unknownField is the name of a tag that the data of a run has nowhere.
type unknownField struct {
	Name    string
	Nearest []string
}

// Meant is the name that the tag was probably to have; empty: none is like it.
func (f unknownField) Meant() string {
	if len(f.Nearest) == 0 {
		return ""
	}
	return f.Nearest[0]
}

// unknown finds a missing field among those that the data has nowhere; nil: it has it.
func (a automation) unknown(name string) *unknownField {
	i := slices.IndexFunc(a.UnknownFields, func(f unknownField) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &a.UnknownFields[i]
}

type output struct {
	ID, AutomationID, DocumentID, State string
	Test                                bool
	Progress                            struct{ Copied, Filled, PDFMade, OriginalRemoved bool }
	Files                               []file
	MissingFields                       []string
	Findings                            []failure
	Error                               *failure
	Mail                                *mail
	CreatedAt, UpdatedAt                string
}

type mail struct {
	Number               int
	State                string
	Recipients, Attempts int
	TriedAt, SentAt      *string
	Error                *failure
}

type file struct {
	Name, URL, Kind string
	Protection      *string
}

type event struct {
	ID, Type, State, AutomationID, OutputID, CreatedAt string
	Held                                               *failure
	Deliveries                                         []delivery
	Test                                               bool
	// Wait is why it was not delivered yet; nil: it has ended, or was just sent.
	Wait *eventWait `json:"-"`
}

type delivery struct {
	Attempt    int
	At         string
	Delivered  bool
	Status     *int
	DurationMS int64
	Failure    *string
	Answer     string
}

type endpoint struct {
	State, RestsUntil        string
	Reason                   *failure
	Failures, HeldEvents     int
	FailingSince, DisabledAt *string
}

type check struct {
	Tags []struct {
		Name    string
		In      []string
		Filled  bool
		Nearest []string
	}
	Unfilled []string
	Faults   []struct{ In, Message string }
	Findings []templateFinding
	Schema   json.RawMessage
}

type templateFinding struct {
	Code, Message, Where, Around, Tag string
	Offset                            int
	Nearest                           []string
	Severity                          string
}

// Note tells of a finding that is no mistake.
func (f templateFinding) Note() bool { return f.Severity == platen.SeverityNote }
