package google

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/platen"
)

// Budgets shares Google's quotas among all who call. Its refusals are KindRateLimited
// with code platen.CodeQuotaUsedUp.
type Budgets interface {
	// Take has a ticket of a run count as used until it is settled; one that is
	// refused waits in line. Who has the ticket's id already keeps what he has.
	Take(ctx context.Context, t platen.QuotaTicket) error
	// TakeNow is Take for calls that do not wait in line, and TakePreview for those of
	// a preview: all previews that use an account have one owner.
	TakeNow(ctx context.Context, t platen.QuotaTicket) error
	TakePreview(ctx context.Context, t platen.QuotaTicket) error
	// Settle counts for a minute what was used of a ticket. What is kept is for who
	// takes the id next, soon.
	Settle(ctx context.Context, t platen.QuotaTicket, used, kept platen.Usage) error
	// Refused says that Google has refused a call for this quota.
	Refused(ctx context.Context, a platen.QuotaAccount, kind platen.QuotaKind, project bool) error
}

// settleTimeout bounds what is written about calls that are over.
const settleTimeout = 3 * time.Second

// Reserve takes what a part of a step will use of the owner's quotas before its
// first call: calls with the context that it returns use that, and take what goes
// beyond it one by one. later is for the next part, which has the same id. done gives
// back what was not used, and where the next part cannot follow, that too. Where calls
// are not counted it does nothing.
func (c *Connector) Reserve(ctx context.Context, ownerID, workflowID, id string, asks, later platen.Usage) (_ context.Context, done func(ok bool), _ error) {
	return c.reserve(ctx, ownerID, platen.QuotaTicket{ID: id, OwnerID: ownerID, WorkflowID: workflowID, Asks: asks.Plus(later), Later: later}, Budgets.Take)
}

// ownerPreviews stands for all owners whose previews use an account: they have a
// share together.
const ownerPreviews = "previews"

// ReservePreview is Reserve for a preview; nothing is kept.
func (c *Connector) ReservePreview(ctx context.Context, ownerID string, asks platen.Usage) (_ context.Context, done func(), _ error) {
	ctx, settle, err := c.reserve(ctx, ownerID, platen.QuotaTicket{ID: "preview " + platen.NewKey(), OwnerID: ownerPreviews, Asks: asks}, Budgets.TakePreview)
	return ctx, func() { settle(false) }, err
}

func (c *Connector) reserve(ctx context.Context, ownerID string, t platen.QuotaTicket, take func(Budgets, context.Context, platen.QuotaTicket) error) (context.Context, func(ok bool), error) {
	nothing := func(bool) {}
	if c.options.Budgets == nil {
		return ctx, nothing, nil
	}
	client, err := c.Drive(ctx, ownerID)
	if err != nil {
		return ctx, nothing, err
	}
	t.QuotaAccount = client.account
	if err := take(c.options.Budgets, ctx, t); err != nil {
		return ctx, nothing, err
	}
	a := &allowance{left: t.Asks.Minus(t.Later)}
	return context.WithValue(ctx, allowanceKey{}, a), func(ok bool) {
		var keep platen.Usage
		if ok {
			keep = t.Later
		}
		settle(ctx, c.options.Budgets, t, a.end(), keep)
	}, nil
}

// settle does not fail: what it cannot say counts as if all were used.
func settle(ctx context.Context, budgets Budgets, t platen.QuotaTicket, used, keep platen.Usage) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	_ = budgets.Settle(ctx, t, used, keep)
}

type allowanceKey struct{}

// An allowance is what calls with a context may use.
type allowance struct {
	mu         sync.Mutex
	left, used platen.Usage
}

func (a *allowance) take(cost platen.Usage) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.left.Covers(cost) {
		return false
	}
	a.left, a.used = a.left.Minus(cost), a.used.Plus(cost)
	return true
}

// end is what was used; nothing more is.
func (a *allowance) end() platen.Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = platen.Usage{}
	return a.used
}

// counted is a transport that asks for the quota of each request before it is sent.
type counted struct {
	base    http.RoundTripper
	budgets Budgets
	account platen.QuotaAccount
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	kind, n := costOf(r)
	var cost platen.Usage
	cost[kind] = n
	if a, ok := r.Context().Value(allowanceKey{}).(*allowance); !ok || !a.take(cost) {
		t := platen.QuotaTicket{ID: "call " + platen.NewKey(), QuotaAccount: c.account, Asks: cost}
		if err := c.budgets.TakeNow(r.Context(), t); err != nil {
			closeBody(r)
			return nil, err
		}
		defer settle(r.Context(), c.budgets, t, cost, platen.Usage{})
	}
	response, err := c.base.RoundTrip(r)
	if err == nil {
		c.noteRefusal(r.Context(), kind, response)
	}
	return response, err
}

// maxRefusal is far more than Google's refusals have.
const maxRefusal = 64 << 10

// noteRefusal tells of an answer that says that a quota is used up.
func (c counted) noteRefusal(ctx context.Context, kind platen.QuotaKind, response *http.Response) {
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode != http.StatusForbidden {
		return
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	response.Body = rest{io.MultiReader(bytes.NewReader(body), response.Body), response.Body}
	if err != nil {
		return
	}
	var wire struct {
		Error googleapi.Error `json:"error"`
	}
	_ = json.Unmarshal(body, &wire) // one of another kind has no reasons
	if response.StatusCode == http.StatusForbidden && !isQuota(reasons(&wire.Error)) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	_ = c.budgets.Refused(ctx, c.account, kind, strings.HasSuffix(limitName(&wire.Error), "PerProject")) // the next refusal says it again
}

type rest struct {
	io.Reader
	io.Closer
}

// isQuota tells of reasons that are about calls by the minute.
func isQuota(reasons []string) bool {
	for _, reason := range reasons {
		switch strings.ToLower(strings.ReplaceAll(reason, "_", "")) {
		case "ratelimitexceeded", "userratelimitexceeded":
			return true
		}
	}
	return false
}

// limitName is what Google calls the limit, such as WriteRequestsPerMinutePerUser
// (google.rpc.ErrorInfo, metadata quota_limit); empty where it does not say.
func limitName(answer *googleapi.Error) string {
	for _, detail := range answer.Details {
		fields, _ := detail.(map[string]any)
		metadata, _ := fields["metadata"].(map[string]any)
		if name, ok := metadata["quota_limit"].(string); ok {
			return name
		}
	}
	return ""
}

// What calls of the Drive API cost in quota units
// (https://developers.google.com/workspace/drive/api/guides/limits).
const (
	unitsRead     = 5
	unitsList     = 100
	unitsDownload = 200
	unitsModify   = 50
	unitsOther    = 5
)

// costOf is what a request counts as.
func costOf(r *http.Request) (platen.QuotaKind, int) {
	path, reads := r.URL.Path, r.Method == http.MethodGet
	switch {
	case strings.Contains(path, "/v1/documents"):
		if reads {
			return platen.DocsReads, 1
		}
		return platen.DocsWrites, 1
	case strings.Contains(path, "/v1/presentations"):
		if reads {
			return platen.SlidesReads, 1
		}
		return platen.SlidesWrites, 1
	case !reads:
		return platen.DriveUnits, unitsModify
	case strings.HasSuffix(path, "/files/generateIds"):
		return platen.DriveUnits, unitsOther
	case strings.HasSuffix(path, "/files"), strings.HasSuffix(path, "/permissions"):
		return platen.DriveUnits, unitsList
	case r.URL.Query().Get("alt") == "media", !strings.Contains(path, "/drive/v3/"): // an export's link
		return platen.DriveUnits, unitsDownload
	}
	return platen.DriveUnits, unitsRead
}

// operatorsProject is the project of the operator's OAuth client and service account.
const operatorsProject = "operator"

// quotaAccount is whom Google counts the calls of a connection for.
func (c *Connector) quotaAccount(connection platen.DriveConnection) platen.QuotaAccount {
	a := platen.QuotaAccount{Project: operatorsProject}
	if connection.Kind != platen.ConnectionServiceAccount {
		a.Account = digest(string(connection.Kind), connection.Subject, string(connection.Secret))
		return a
	}
	own, operators := readKey([]byte(connection.Secret)), readKey(c.serviceKey)
	if connection.Secret == "" {
		own = operators
	}
	if connection.Subject == "" {
		a.Account, a.Shared = digest(string(connection.Kind), own.ClientEmail), true
	} else { // whichever account acts as a user, Google counts the user
		a.Account = digest(string(connection.Kind), own.ProjectID, connection.Subject)
	}
	if own.ProjectID != operators.ProjectID {
		a.Project = digest(own.ProjectID)
	}
	return a
}

// A serviceKey is what a service account's key says of it.
type serviceKey struct {
	ClientEmail string `json:"client_email"`
	ProjectID   string `json:"project_id"`
}

func readKey(key []byte) (k serviceKey) {
	_ = json.Unmarshal(key, &k) // a key that cannot be read opens nothing
	return k
}

func digest(parts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h[:16])
}
