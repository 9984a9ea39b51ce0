package flood

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// canary is in names of the honest client: nobody else is answered with it.
	canary = "Canary-7f3a"
	// hands are the requests that each kind of attacker has under way at once.
	hands = 4
	// slower is how much longer the honest client may wait, as a ratio of 99th percentiles.
	slower = 2
)

// howMany is how many requests the attackers make together: what
// PLATEN_FLOOD_REQUESTS says, or a short form.
func howMany(t *testing.T) int64 {
	t.Helper()
	text := os.Getenv("PLATEN_FLOOD_REQUESTS")
	if text == "" {
		return 2_000
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		t.Fatalf("PLATEN_FLOOD_REQUESTS: %q is no number of requests; give one such as 100000", text)
	}
	return n
}

// An insider makes requests that its credentials allow, and others.
type insider struct {
	name string
	next func(*rand.Rand) *http.Request
}

// An operation is a method and path of the contract, such as
// /workflows/{workflowId}/.
type operation struct{ method, path string }

// operations are those of the contract that the API serves.
func operations(t *testing.T, s *service) []operation {
	t.Helper()
	response, err := http.Get("http://" + s.api + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var contract struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.NewDecoder(response.Body).Decode(&contract); err != nil {
		t.Fatal(err)
	}
	var all []operation
	for _, path := range slices.Sorted(maps.Keys(contract.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(contract.Paths[path])) {
			if method != "servers" && method != "parameters" && !strings.HasPrefix(method, "x-") && path != "/{sourceKey}" {
				all = append(all, operation{strings.ToUpper(method), path})
			}
		}
	}
	if len(all) < 30 {
		t.Fatalf("the contract has %d operations, want 30 at least", len(all))
	}
	return all
}

// bodies are JSON of the right kind, JSON of other kinds, and none.
var bodies = []string{
	``, `{}`, `[]`, `null`, `"a"`, `{"name":"` + strings.Repeat("n", 300) + `"}`, `{"name":null}`, `{"name":"x","name":"y"}`,
	`{"name":"Mine","document":{"fileId":"%[1]s"},"outgoingWebhook":{"webhookUrl":"http://169.254.169.254/latest"}}`,
	`{"name":"Mine","outgoingWebhook":{"webhookUrl":"https://receiver.example/events"}}`,
	`{"fileId":"%[1]s","createPdfCopy":true,"enablePdfPassword":true,"pdfPassword":"{{%[1]s}}"}`,
	`{"webhookUrl":"http://127.0.0.1:1/"}`, `{"outputName":"{{#each}}"}`, `{"data":` + strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat(`}`, 201),
	`{"a":"\ud800"}`, "{\"a\":\"\x00\xff\"}", `{"n":1e999999}`, strings.Repeat("[", 20_000), `{"a":"` + strings.Repeat("€", 100_000) + `"}`,
}

var queries = []string{"", "", "?limit=1", "?limit=1000000", "?limit=-1", "?cursor=%s", "?state=NONE", "?pageSize=1000&pageSize=1", "?q=%%27%%20or%%201%%3D1", "?fields=*", "?" + strings.Repeat("a&", 300)}

// fill replaces what a path names by ids of the honest client, own ids and what is none.
func fill(r *rand.Rand, path string, ids map[string][]string) string {
	return regexp.MustCompile(`\{\w+\}`).ReplaceAllStringFunc(path, func(name string) string {
		known := ids[strings.Trim(name, "{}")]
		if len(known) == 0 || r.IntN(4) == 0 {
			known = []string{"wkf_0000000000000000", "..", "%2e%2e", "%00", strings.Repeat("a", 5_000), "aut_%27", "1"}
		}
		return known[r.IntN(len(known))]
	})
}

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// request is one of the contract's, with what chance gives it.
func request(r *rand.Rand, base string, o operation, ids map[string][]string, token string) *http.Request {
	id := pick(r, append(ids["fileId"], "x")...)
	body, query := pick(r, bodies...), pick(r, queries...)
	if strings.Contains(body, "%[1]s") {
		body = fmt.Sprintf(body, id)
	}
	if strings.Contains(query, "%") {
		query = fmt.Sprintf(query, append([]any{id}, nil)[:strings.Count(query, "%s")]...)
	}
	if r.IntN(20) == 0 {
		o.method = pick(r, "PUT", "TRACE", "PROPFIND", "HEAD", "OPTIONS")
	}
	request, err := http.NewRequest(o.method, base+fill(r, o.path, ids)+query, strings.NewReader(body))
	if err != nil {
		// An id that is no part of an address: ask for the start.
		request, _ = http.NewRequest(http.MethodGet, base, nil)
	}
	request.Header.Set("Content-Type", pick(r, "application/json", "application/json", "application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"))
	if r.IntN(8) == 0 {
		request.Header.Set("Idempotency-Key", strings.Repeat("k", r.IntN(300)))
	}
	if token != "" {
		request.Header.Set("Authorization", token)
	}
	return request
}

// driveOperations are requests to the drive; {fileId} is a file.
var driveOperations = []operation{
	{"GET", "/drive/v3/files/{fileId}"}, {"GET", "/drive/v3/files/{fileId}?alt=media"}, {"GET", "/drive/v3/files"}, {"DELETE", "/drive/v3/files/{fileId}"},
	{"PATCH", "/drive/v3/files/{fileId}"}, {"POST", "/drive/v3/files/{fileId}/copy"}, {"GET", "/drive/v3/files/{fileId}/export?mimeType=application/pdf"},
	{"GET", "/drive/v3/files/{fileId}/permissions"}, {"POST", "/drive/v3/files/{fileId}/permissions"}, {"GET", "/drive/v3/changes/startPageToken"},
	{"GET", "/v1/documents/{fileId}"}, {"POST", "/v1/documents/{fileId}:batchUpdate"}, {"GET", "/v1/presentations/{fileId}"}, {"POST", "/v1/presentations/{fileId}:batchUpdate"},
	{"POST", "/v1/documents"}, {"POST", "/drive/v3/files"}, {"GET", "/drive/v3/about"}, {"POST", "/token"}, {"PATCH", "/upload/drive/v3/files/{fileId}?uploadType=media"},
}

// insiders are a client without credentials, a member of another team, an account of
// the drive, and a sender.
func insiders(t *testing.T, s *service, h *honest, ids map[string][]string) []insider {
	t.Helper()
	const eve = "eve@flood.example"
	s.operate(t, "team", "create", "--name", "Others")
	s.operate(t, "user", "create", "--name", "Eve", "--email", eve, "--team", "Others")
	token, driveToken := s.operate(t, "token", "create", "--user", eve), "Bearer "+s.operate(t, "drive", "token", "--email", eve)
	own := &honest{service: &service{api: s.api, hooks: s.hooks, place: s.place, token: token}, took: map[string][]time.Duration{}}
	// The workflow whose source the sender has is another than the one that its team plays with.
	var workflow, sent struct {
		ID     string
		Source struct{ WebhookURL string }
	}
	for _, made := range []any{&workflow, &sent} {
		if err := own.ask("a workflow", "POST", "http://"+s.api+"/v0/workflows/", token, `{"name":"Mine"}`, made); err != nil {
			t.Fatal(err)
		}
	}
	api, drive := "http://"+s.api+"/v0", "http://"+s.place
	all := operations(t, s)
	ids = maps.Clone(ids)
	ids["workflowId"] = append(slices.Clone(ids["workflowId"]), workflow.ID)
	return []insider{
		{"no credentials", func(r *rand.Rand) *http.Request {
			if r.IntN(2) == 0 {
				return request(r, drive, pick(r, driveOperations...), ids, pick(r, "", "Bearer x"))
			}
			return request(r, api, pick(r, all...), ids, pick(r, "", "plt_x"))
		}},
		{"another team", func(r *rand.Rand) *http.Request {
			return request(r, api, pick(r, all...), ids, token)
		}},
		{"an account of the drive", func(r *rand.Rand) *http.Request {
			return request(r, drive, pick(r, driveOperations...), ids, driveToken)
		}},
		{"a sender", func(r *rand.Rand) *http.Request {
			return request(r, sent.Source.WebhookURL, operation{"POST", ""}, ids, "")
		}},
	}
}

// A siege is what became of the requests of insiders.
type siege struct {
	left atomic.Int64

	mu     sync.Mutex
	count  map[string]map[int]int
	faults []string
}

func (g *siege) saw(who string, r *http.Request, response *http.Response, body []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.count[who] == nil {
		g.count[who] = map[int]int{}
	}
	g.count[who][response.StatusCode]++
	fault := ""
	switch {
	case bytes.Contains(body, []byte(canary)):
		fault = "was answered with what is the honest client's"
	case response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") == "":
		fault = "was answered 503 without Retry-After"
	case response.StatusCode >= 500 && response.StatusCode != http.StatusServiceUnavailable && response.StatusCode != http.StatusNotImplemented:
		fault = fmt.Sprintf("was answered %d %.300s", response.StatusCode, body)
	}
	if fault != "" && len(g.faults) < 20 {
		g.faults = append(g.faults, fmt.Sprintf("%s: %s %.200s %s", who, r.Method, r.URL, fault))
	}
}

// lay has all insiders make requests until so many were made, or ctx ends.
func (g *siege) lay(ctx context.Context, all []insider) (wait func()) {
	var done sync.WaitGroup
	client := &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{MaxIdleConnsPerHost: hands * len(all)}}
	for i, who := range all {
		for hand := range hands {
			r := rand.New(rand.NewPCG(uint64(i), uint64(hand)))
			done.Go(func() {
				for ctx.Err() == nil && g.left.Add(-1) >= 0 {
					sent := who.next(r)
					response, err := client.Do(sent.WithContext(ctx))
					if err != nil {
						continue // a connection that was closed on a body that is too large
					}
					body, err := io.ReadAll(response.Body)
					response.Body.Close()
					if err == nil {
						g.saw(who.name, sent, response, body)
					}
				}
			})
		}
	}
	return func() { done.Wait(); client.CloseIdleConnections() }
}

// percentile99 is how long one of a hundred requests takes at least.
func percentile99(all map[string][]time.Duration) time.Duration {
	var took []time.Duration
	for _, some := range all {
		took = append(took, some...)
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

func TestAttackersWithCredentialsGetNothingOfOthersAndNoInternalError(t *testing.T) {
	s := newService(t)
	h := newHonest(t, s)
	ids := h.treasures(t)
	g := &siege{count: map[string]map[int]int{}}
	g.left.Store(howMany(t))
	all := insiders(t, s, h, ids)

	clear(h.took)
	for range 50 {
		if err := h.works(); err != nil {
			t.Fatal(err)
		}
	}
	undisturbed := percentile99(h.took)

	clear(h.took)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		g.lay(ctx, all)()
	}()
	h.during(ctx, t)
	if t.Failed() {
		cancel()
	}
	<-ctx.Done()

	t.Logf("the honest client's 99th percentile: %v undisturbed, %v besieged", undisturbed, percentile99(h.took))
	for who, counts := range g.count {
		t.Logf("%s: %v", who, counts)
		if who == "no credentials" && counts[http.StatusOK] > 0 && counts[http.StatusForbidden]+counts[http.StatusUnauthorized] == 0 {
			t.Errorf("%s: nothing was refused", who)
		}
	}
	if len(g.count) != len(all) {
		t.Errorf("got answers for %d of %d kinds of attackers", len(g.count), len(all))
	}
	for _, fault := range g.faults {
		t.Error(fault)
	}
	if took := percentile99(h.took); os.Getenv("PLATEN_FLOOD_REQUESTS") != "" && took > slower*undisturbed {
		t.Errorf("the honest client waits %v, %v undisturbed: more than %d times as long", took, undisturbed, slower)
	}
	h.stillHas(t, ids)
	s.staySmall(t)
}

// treasures makes what others must not see or change, and returns the ids by the names
// that paths of the contract have for them.
func (h *honest) treasures(t *testing.T) map[string][]string {
	t.Helper()
	s := h.service
	s.settings = append(s.settings, "PLATEN_DRIVE_CREDENTIAL="+h.driveToken)
	s.operate(t, "user", "connect", "--email", email, "--kind", "token")
	var file struct{ ID string }
	var workflow struct {
		ID        string
		Documents []struct{ ID string }
		Source    struct{ WebhookURL string }
	}
	var automations []struct{ ID string }
	for _, step := range []func() error{
		func() error {
			return h.ask("a file", "POST", "http://"+h.place+"/drive/v3/files", "Bearer "+h.driveToken, `{"name":"`+canary+`","mimeType":"application/vnd.google-apps.document"}`, &file)
		},
		func() error {
			return h.ask("a workflow", "POST", "http://"+h.api+"/v0/workflows/", h.token,
				`{"name":"`+canary+`","document":{"fileId":"`+file.ID+`"},"outgoingWebhook":{"webhookUrl":"https://receiver.example/`+canary+`"}}`, &workflow)
		},
		func() error {
			return h.ask("an event", "POST", workflow.Source.WebhookURL, "", `{"Name":"`+canary+`"}`, nil)
		},
		func() error {
			return h.ask("automations", "GET", "http://"+h.api+"/v0/workflows/"+workflow.ID+"/automations/", h.token, "", &automations)
		},
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if len(workflow.Documents) != 1 || len(automations) != 1 {
		t.Fatalf("got %d documents and %d automations, want one of each", len(workflow.Documents), len(automations))
	}
	return map[string][]string{
		"workflowId": {workflow.ID}, "documentId": {workflow.Documents[0].ID}, "automationId": {automations[0].ID},
		"fileId": {file.ID, h.document},
	}
}

// stillHas holds that what is the honest client's is there as it was.
func (h *honest) stillHas(t *testing.T, ids map[string][]string) {
	t.Helper()
	var workflow struct {
		Name            string
		OutgoingWebhook struct{ WebhookURL string }
	}
	if err := h.ask("the workflow", "GET", "http://"+h.api+"/v0/workflows/"+ids["workflowId"][0]+"/", h.token, "", &workflow); err != nil {
		t.Error(err)
	} else if workflow.Name != canary || !strings.HasSuffix(workflow.OutgoingWebhook.WebhookURL, canary) {
		t.Errorf("the workflow became %+v", workflow)
	}
	var file struct {
		Name    string
		Trashed bool
	}
	if err := h.ask("the file", "GET", "http://"+h.place+"/drive/v3/files/"+ids["fileId"][0]+"?fields=name,trashed", "Bearer "+h.driveToken, "", &file); err != nil {
		t.Error(err)
	} else if file.Name != canary || file.Trashed {
		t.Errorf("the file became %+v", file)
	}
}
