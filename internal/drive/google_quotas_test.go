package drive

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/fault"
)

// clock is one that a test moves on.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// likeGoogle has the harness serve a drive like Google's, by a clock of its own and
// without waiting.
func (h *harness) likeGoogle(speed int) *clock {
	h.google = &GoogleLike{Speed: speed}
	h.url = h.serve()
	c, g := newClock(), h.server.google
	g.now = c.now
	g.sleep = func(context.Context, time.Duration) error { return nil }
	g.oneIn = func(int) bool { return false }
	return c
}

// The body is of the form that real answers have which repositories quote.
func TestWritesOfDocsBeyondSixtyAMinuteAreRefusedWithGooglesBody(t *testing.T) {
	h := newHarness(t)
	c := h.likeGoogle(1)
	ada, bob := h.account("Ada"), h.account("Bob")
	d := ada.document("letter", "hi")
	write := func(a *account, id string) error {
		_, err := a.docs.BatchUpdate(id, batchOf("", replaceAll("x", "y"))).Do()
		return err
	}
	for i := range 60 {
		if err := write(ada, d.Id); err != nil {
			t.Fatalf("write %d: %v", i+1, err)
		}
	}
	response, answer := ada.do("POST", "/v1/documents/"+d.Id+":batchUpdate", "application/json", `{"requests":[{"insertText":{"text":"x","location":{"index":1}}}]}`)
	want := map[string]any{"error": map[string]any{
		"code": 429.0, "status": "RESOURCE_EXHAUSTED",
		"message": "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user' of service 'docs.googleapis.com' for consumer 'project_number:1'.",
		"details": []any{
			map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com", "metadata": map[string]any{
				"service": "docs.googleapis.com", "consumer": "projects/1", "quota_metric": "docs.googleapis.com/write_requests", "quota_limit": "WriteRequestsPerMinutePerUser",
				"quota_limit_value": "60", "quota_location": "global", "quota_unit": "1/min/{project}/{user}",
			}},
			map[string]any{"@type": "type.googleapis.com/google.rpc.Help", "links": []any{map[string]any{
				"description": "Request a higher quota limit.", "url": "https://cloud.google.com/docs/quotas/help/request_increase",
			}}},
		},
	}}
	if diff := cmp.Diff(want, answer); diff != "" || response.Header.Get("Retry-After") != "" {
		t.Errorf("Retry-After %q, (-want +got):\n%s", response.Header.Get("Retry-After"), diff)
	}
	if got := ada.words(d.Id); got != "hi" {
		t.Errorf("after a refusal: got %q, want nothing written; reads have a budget of their own", got)
	}
	if _, err := ada.slides.Create(&slidesapi.Presentation{}).Do(); err != nil {
		t.Errorf("a write of Slides, which has a budget of its own: %v", err)
	}
	if _, err := bob.docs.Create(&docsapi.Document{}).Do(); err != nil {
		t.Errorf("a write of another user: %v", err)
	}
	c.pass(time.Minute)
	if err := write(ada, d.Id); err != nil {
		t.Errorf("in the next minute: %v", err)
	}
}

func TestUnitsOfDriveAreRefusedWithGooglesReason(t *testing.T) {
	h := newHarness(t)
	h.likeGoogle(1)
	a := h.account("Ada")
	for range 325_000 / 100 {
		if err := h.server.google.take(a.user.ID, call{service: driveService, units: 100}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := a.files.List().Do()
	wantFault(t, err, 403, "userRateLimitExceeded")
	_, answer := a.do("GET", "/drive/v3/about?fields=user", "", "")
	problem := answer["error"].(map[string]any)["errors"].([]any)[0].(map[string]any)
	if problem["domain"] != "usageLimits" {
		t.Errorf("got %v, want the domain usageLimits", problem)
	}
}

// usedUp is how many calls of a kind a minute has room for, with calls of so many
// users, and how the next one is refused.
func usedUp(t *testing.T, g *googleLike, c call, users int) (int, *fault.Error) {
	t.Helper()
	for n := range 20_000 {
		if err := g.take(fmt.Sprint("usr_", n%users), c); err != nil {
			return n, err.(*fault.Error)
		}
	}
	t.Fatalf("%+v: no end", c)
	return 0, nil
}

func TestEachBudgetIsGooglesForAUserAndForAProject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call   call
		users  int
		want   int
		reason string
		limit  string
	}{
		"writes of Docs, a user":      {call{docsService, true, 0}, 1, 60, "", "WriteRequestsPerMinutePerUser"},
		"writes of Docs, all":         {call{docsService, true, 0}, 20, 600, "", "WriteRequestsPerMinutePerProject"},
		"reads of Docs, a user":       {call{docsService, false, 0}, 1, 300, "", "ReadRequestsPerMinutePerUser"},
		"reads of Docs, all":          {call{docsService, false, 0}, 20, 3000, "", "ReadRequestsPerMinutePerProject"},
		"writes of Slides, a user":    {call{slidesService, true, 0}, 1, 60, "", "WriteRequestsPerMinutePerUser"},
		"writes of Slides, all":       {call{slidesService, true, 0}, 20, 600, "", "WriteRequestsPerMinutePerProject"},
		"reads of Slides, a user":     {call{slidesService, false, 0}, 1, 600, "", "ReadRequestsPerMinutePerUser"},
		"exports of Drive, a user":    {call{driveService, false, 200}, 1, 1625, "userRateLimitExceeded", ""},
		"writes of Drive, a user":     {call{driveService, true, 50}, 1, 6500, "userRateLimitExceeded", ""},
		"exports of Drive, all users": {call{driveService, false, 200}, 20, 5000, "rateLimitExceeded", ""},
	} {
		g := newGoogleLike(GoogleLike{})
		g.now = newClock().now
		n, refusal := usedUp(t, g, c.call, c.users)
		limit := ""
		if len(refusal.Details) > 0 {
			limit = refusal.Details[0].(map[string]any)["metadata"].(map[string]any)["quota_limit"].(string)
		}
		if n != c.want || refusal.Reason != c.reason || limit != c.limit {
			t.Errorf("%s: got %d, then %q %q; want %d, %q %q", name, n, refusal.Reason, limit, c.want, c.reason, c.limit)
		}
	}
}

func TestReadsAndWritesOfDriveShareABudgetAndADayHasOneToo(t *testing.T) {
	t.Parallel()
	g, c := newGoogleLike(GoogleLike{}), newClock()
	g.now = c.now
	if _, refusal := usedUp(t, g, call{driveService, true, 50}, 1); refusal.Code != 403 {
		t.Fatalf("got %v", refusal)
	}
	if err := g.take("usr_0", call{driveService, false, 5}); err == nil {
		t.Error("a read after all was used by writes: got no error")
	}
	for minute := range 401 {
		c.pass(time.Minute)
		for user := range 4 {
			if err := g.take(fmt.Sprint(user), call{driveService, false, 249_999}); err != nil {
				f := err.(*fault.Error)
				if minute < 399 || f.Reason != "dailyLimitExceeded" {
					t.Fatalf("in minute %d: %v", minute, err)
				}
				return
			}
		}
	}
	t.Error("got no end of the day's units, want one after 400 million")
}

func TestAFasterClockHasTheSameBudgetForAShorterMinute(t *testing.T) {
	t.Parallel()
	g, c := newGoogleLike(GoogleLike{Speed: 60}), newClock()
	g.now = c.now
	write := call{docsService, true, 0}
	for second := range 3 {
		if n, _ := usedUp(t, g, write, 1); n != 60 {
			t.Errorf("in second %d: got %d writes, want 60", second, n)
		}
		c.pass(time.Second)
	}
}

func TestACallCostsWhatItDoesAtGoogle(t *testing.T) {
	h := newHarness(t)
	for request, want := range map[string]call{
		"POST /v1/documents/x:batchUpdate":                  {docsService, true, 0},
		"POST /v1/documents":                                {docsService, true, 0},
		"GET /v1/documents/x":                               {docsService, false, 0},
		"POST /v1/presentations/x:batchUpdate":              {slidesService, true, 0},
		"GET /v1/presentations/x/pages/p":                   {slidesService, false, 0},
		"GET /drive/v3/files/x":                             {driveService, false, 5},
		"GET /drive/v3/files/x?alt=media":                   {driveService, false, 200},
		"GET /drive/v3/files/x/export?mimeType=a":           {driveService, false, 200},
		"GET /drive/v3/files?q=x":                           {driveService, false, 100},
		"GET /drive/v3/files/generateIds":                   {driveService, false, 5},
		"GET /drive/v3/about":                               {driveService, false, 5},
		"POST /drive/v3/files/x/copy":                       {driveService, true, 50},
		"POST /drive/v3/files":                              {driveService, true, 50},
		"PATCH /drive/v3/files/x":                           {driveService, true, 50},
		"DELETE /drive/v3/files/x":                          {driveService, true, 50},
		"POST /upload/drive/v3/files?uploadType=multipart":  {driveService, true, 50},
		"POST /drive/v3/files/x/permissions":                {driveService, true, 50},
		"PATCH /resumable/upload/drive/v3/files/x":          {driveService, true, 50},
		"GET /drive/v3/files/x/permissions/anyoneWithLink":  {driveService, false, 5},
		"GET /drive/v3/files/x/permissions?fields=*":        {driveService, false, 100},
		"POST /drive/v3/files/x/download?mimeType=text/csv": {driveService, false, 200},
	} {
		var method, target string
		if _, err := fmt.Sscan(request, &method, &target); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(method, target, http.NoBody)
		_, r.Pattern = h.server.mux.Handler(r)
		if got := callOf(r); got != want {
			t.Errorf("%s: got %+v, want %+v", request, got, want)
		}
	}
}
