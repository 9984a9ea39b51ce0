package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestPathsWorkWithAndWithoutTheSlashAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, slash := range []string{"", "/"} {
		x := newHarness(t)
		id := x.do(t, "POST", "/v0/workflows"+slash, `{"name":"A"}`).is(201).object()["id"].(string)
		path := "/v0/workflows/" + id
		doc := x.do(t, "POST", path+"/documents"+slash, "").is(201).object()["id"].(string)
		x.do(t, "POST", path+"/outgoing-webhooks"+slash, `{"webhookUrl":"https://example.com"}`).is(201)
		for _, p := range []string{"/v0/workflows", path, path + "/source", path + "/documents", path + "/documents/" + doc,
			path + "/outgoing-webhook", path + "/outgoing-webhook/secret"} {
			x.do(t, "GET", p+slash, "").is(200)
		}
		x.do(t, "PATCH", path+slash, `{"name":"B"}`).is(200)
		x.do(t, "PATCH", path+"/documents/"+doc+slash, `{"outputName":"B"}`).is(200)
		x.do(t, "PATCH", path+"/outgoing-webhooks"+slash, `{"webhookUrl":"https://example.com"}`).is(200)
		x.do(t, "DELETE", path+slash, "").is(204)
	}
}

func TestTheTokenIsTakenAloneOrBehindBearer(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	for _, value := range []string{memory.AdaToken, " " + memory.AdaToken + " ", "Bearer " + memory.AdaToken, "bearer   " + memory.AdaToken} {
		if a := x.do(t, "GET", "/v0/workflows/", "", "Authorization", value); a.status != 200 {
			t.Errorf("%q: got %d: %s", value, a.status, a.body)
		}
	}
}

func TestUnacceptableCredentialsAre403Unauthorised(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	for value, code := range map[string]string{
		"":                                      "credentials_missing",
		"   ":                                   "credentials_missing",
		"Bearer ":                               "credentials_malformed", // without a token the word stands alone
		"Basic " + memory.AdaToken:              "credentials_malformed",
		"nobody":                                "credentials_malformed",
		strings.Repeat("a", 513):                "credentials_malformed",
		memory.AdaToken + "," + memory.AdaToken: "credentials_malformed",
		"Bearer Bearer " + memory.AdaToken:      "credentials_malformed",
		memory.AdaToken + "0":                   "credentials_malformed",
		memory.NobodyToken:                      "token_unknown",
	} {
		p := x.do(t, "GET", "/v0/workflows/", "", "Authorization", value).problem(403, code)
		if p.Title != "Unauthorised" {
			t.Errorf("title: got %q, want Unauthorised", p.Title)
		}
	}
}

func TestWithoutCredentialsEveryPathAndMethodUnderV0Is403(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	for _, path := range []string{"/v0", "/v0/", "/v0/nothing", "/v0/%0A", "/v0/workflows/", "/v0/workflows/wkf_0000000000000001/"} {
		for _, method := range []string{"GET", "PUT", "POST", "TRACE"} {
			x.do(t, method, path, "", "Authorization", "").problem(403, "credentials_missing")
		}
	}
}

func TestUnknownPathsAre404(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	for _, path := range []string{"/", "/v1/workflows/", "/v0", "/v0/", "/v0/nothing/", "/v0/workflows//", "/v0//workflows/",
		"/v0/workflows/wkf_0000000000000001/nothing/", "/preview/doc_0000000000000001", "/v0x"} {
		x.do(t, "GET", path, "").problem(404, "path_not_found")
	}
	x.do(t, "GET", "/", "", "Authorization", "").problem(404, "path_not_found")
}

func TestAMethodThatIsNotThereIs405WithAllow(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := "/v0/workflows/wkf_0000000000000001"
	for path, allow := range map[string]string{
		"/v0/workflows/":                  "GET, HEAD, POST, OPTIONS",
		wf + "/":                          "GET, HEAD, PATCH, DELETE, OPTIONS",
		wf + "/source/":                   "GET, HEAD, OPTIONS",
		wf + "/documents/":                "GET, HEAD, POST, OPTIONS",
		wf + "/documents/doc_1/":          "GET, HEAD, PATCH, DELETE, OPTIONS",
		wf + "/outgoing-webhooks/":        "GET, HEAD, POST, PATCH, DELETE, OPTIONS",
		wf + "/outgoing-webhooks/secret/": "GET, HEAD, OPTIONS",
		"/healthz":                        "GET, HEAD, OPTIONS",
	} {
		a := x.do(t, "PUT", path, "{}")
		a.problem(405, "method_not_allowed")
		if got := a.header.Get("Allow"); got != allow {
			t.Errorf("%s: Allow: got %q, want %q", path, got, allow)
		}
		a = x.do(t, "OPTIONS", path, "", "Authorization", "").is(204)
		if got := a.header.Get("Allow"); got != allow {
			t.Errorf("OPTIONS %s: Allow: got %q, want %q", path, got, allow)
		}
		x.do(t, "*", path, "").problem(405, "method_not_allowed")
	}
}

func TestHeadIsAnsweredLikeGet(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A"}`)
	got, want := x.do(t, "HEAD", path+"/", "").is(200), x.do(t, "GET", path+"/", "").is(200)
	if got.header.Get("Content-Length") != want.header.Get("Content-Length") {
		t.Errorf("Content-Length: got %s, want %s", got.header.Get("Content-Length"), want.header.Get("Content-Length"))
	}
}

func TestHealthNeedsNoCredentials(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	x.do(t, "GET", "/healthz", "", "Authorization", "").is(200)
	x.do(t, "GET", "/readyz", "", "Authorization", "").is(200)

	x = newHarness(t)
	x.store.Fail = errors.New("connection refused")
	x.do(t, "GET", "/healthz", "", "Authorization", "").is(200)
	a := x.do(t, "GET", "/readyz", "", "Authorization", "")
	a.problem(503, "not_ready")
	if strings.Contains(a.body, "refused") {
		t.Errorf("the cause is shown: %s", a.body)
	}
}

func TestReadinessIsNotLookedAtForEachWhoAsks(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	const times = 20
	for range times {
		x.do(t, "GET", "/readyz", "", "Authorization", "").is(200)
	}
	if got := x.store.Probed.Load(); got >= times {
		t.Errorf("the store was asked %d times by %d requests, want one look every two seconds", got, times)
	}
}

func TestReadinessSaysWhyItIsNotThere(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	x.store.Fail = fmt.Errorf("open: %w", platen.Errorf(platen.KindInvalid, "schema_outdated", "run 'platen migrate'"))
	a := x.do(t, "GET", "/readyz", "", "Authorization", "")
	a.problem(503, "schema_outdated")
	if !strings.Contains(a.body, "'platen migrate'") {
		t.Errorf("got %s, want the cure", a.body)
	}
}

func TestTheStoresTroubleIsNotTheClients(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"unknown":  {errors.New("pq: secret detail"), 500, "internal_error"},
		"away":     {platen.Errorf(platen.KindUnavailable, "database_unavailable", "away"), 503, "database_unavailable"},
		"too slow": {context.DeadlineExceeded, 503, "timed_out"},
	} {
		x := newHarness(t)
		x.store.Fail = c.err
		for _, path := range []string{"/v0/workflows/", "/v0/workflows/wkf_0000000000000001/source/"} {
			a := x.do(t, "GET", path, "")
			a.problem(c.status, c.code)
			if strings.Contains(a.body, "secret detail") {
				t.Errorf("%s: the cause is shown: %s", name, a.body)
			}
		}
	}
}

func TestThePreviewIsServedOutsideV0WithoutCredentials(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.Preview = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) })
	})
	if got := x.do(t, "GET", "/preview/doc_1", "", "Authorization", "").is(200).body; got != "/preview/doc_1" {
		t.Errorf("got %q", got)
	}
}

func TestTheAccessLogHoldsIdsAndNoSecrets(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.Preview = http.NotFoundHandler() })
	path := x.newWorkflow(t, `{"name":"Confidential","document":{},"outgoingWebhook":{"webhookUrl":"https://receiver.example"}}`)
	x.do(t, "GET", path+"/?token=query-secret", "", "X-Request-Id", "trace-1")
	x.do(t, "GET", "/preview/doc_1?sig=signature-secret", "")
	x.do(t, "PATCH", path+"/", `{"colour":"body-secret"}`)
	got := x.log.String()
	id := strings.TrimPrefix(path, "/v0/workflows/")
	for _, want := range []string{`"request_id":"trace-1"`, `"route":"/v0/workflows/{workflow}"`, `"workflow":"` + id, `"user":"` + x.ada.ID, `"token":"tok_of_` + x.ada.ID, `"client":"192.0.2.1"`, `"status":400`, `"code":"invalid_body"`} {
		if !strings.Contains(got, want) {
			t.Errorf("log: want %s in:\n%s", want, got)
		}
	}
	secrets := []string{memory.AdaToken, "Confidential", "query-secret", "signature-secret", "body-secret", "receiver.example", x.store.ByID[id].Source.Key, "whsec_"}
	for _, secret := range secrets {
		if strings.Contains(got, secret) {
			t.Errorf("log: %q is in it:\n%s", secret, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 4 {
		t.Errorf("log: got %d lines for 4 requests", n)
	}
}

func TestAnswersAreNotToBeCachedOrSniffed(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	for _, a := range []answer{x.do(t, "GET", "/v0/workflows/", ""), x.do(t, "GET", "/v0/workflows/x/", "")} {
		if a.header.Get("Cache-Control") != "no-store" || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("headers: got %v", a.header)
		}
	}
}

func TestTheTokenIsLookedUpByItsHashOnce(t *testing.T) {
	t.Parallel()
	calls := 0
	counting := &countingTokens{Store: newHarness(t).store, seen: func(hash [32]byte) {
		calls++
		if hash != sha256.Sum256([]byte(memory.AdaToken)) {
			t.Errorf("hash: got %x", hash)
		}
	}}
	x := newHarness(t, func(o *Options) { o.Stores.Tokens = counting })
	x.do(t, "GET", "/v0/workflows/", "").is(200)
	if calls != 1 {
		t.Errorf("look-ups: got %d, want 1", calls)
	}
}

type countingTokens struct {
	*memory.Store
	seen func([32]byte)
}

func (c *countingTokens) TokenByHash(ctx context.Context, hash [32]byte) (platen.AccessToken, error) {
	c.seen(hash)
	return c.Store.TokenByHash(ctx, hash)
}
