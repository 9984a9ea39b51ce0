package abuse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/examples"
)

// An attacker makes requests that its credentials allow, and others.
type attacker struct {
	name  string
	shoot func(*dice) shot
	wires []aimed
	own   *pool // ids of what it has made; nil: it makes nothing
}

// aimed is a wire with the address that it goes to.
type aimed struct {
	wire
	address string
}

func aim(address string, all []wire) []aimed {
	var out []aimed
	for _, w := range all {
		out = append(out, aimed{w, address})
	}
	return out
}

// A pool is what an attacker knows of ids, by their names in paths.
type pool struct {
	mu  sync.Mutex
	ids map[string][]string
}

// known are the ids of now, and all of them together.
func (p *pool) known() (byName map[string][]string, all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	byName = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(p.ids)) {
		byName[name] = slices.Clone(p.ids[name])
		all = append(all, p.ids[name]...)
	}
	return byName, all
}

const mostIDs = 60

var idInAnswer = regexp.MustCompile(`"(id|documentId|presentationId|nextPageToken|newStartPageToken)":\s*"([\w~=-]{4,200})"`)

// names say by which names of paths an id goes.
var names = map[string][]string{
	"wkf": {"workflowId"}, "doc": {"documentId"}, "aut": {"automationId"}, "evt": {"eventId"},
	"": {"fileId", "documentId", "presentationId"},
}

// learn takes ids out of an answer. Of many it forgets the oldest, but not the first,
// which are of other people.
func (p *pool) learn(answer []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, found := range idInAnswer.FindAllSubmatch(answer[:min(len(answer), 64<<10)], 20) {
		id := string(found[2])
		prefix, _, _ := strings.Cut(id, "_")
		called, ok := names[prefix]
		if !ok {
			called = names[""]
		}
		for _, name := range called {
			if known := p.ids[name]; len(known) > mostIDs {
				p.ids[name] = append(known[:4:4], append(known[len(known)-mostIDs/2:], id)...)
			} else if !slices.Contains(known, id) {
				p.ids[name] = append(known, id)
			}
		}
	}
}

// attackers are a client without credentials, a member of another team, an account of
// the drive, and a sender.
func attackers(t *testing.T, s *service, of plan) []attacker {
	t.Helper()
	contract, google := s.operations(t), driveOperations(t)
	token, driveToken := s.tenant(t, "Eve", "Others")
	receiver := hostileReceiver(t)
	w := s.workflow(t, token, driveToken, "Mine", receiver+"/hang")
	// The sender's workflow is of a third team: the member archives all that it sees.
	graceToken, graceDriveToken := s.tenant(t, "Grace", "Senders")
	sent := s.workflow(t, graceToken, graceDriveToken, "Sent", receiver+"/error")
	files := []string{of.File, w.file, w.file}
	ofAPI := &pool{ids: map[string][]string{"workflowId": {of.Workflow, w.id, w.id}, "documentId": {of.Document, w.document, w.document}, "automationId": {of.Automation}, "fileId": files}}
	ofDrive := &pool{ids: map[string][]string{"fileId": files, "documentId": files, "presentationId": files, "pageObjectId": {"p"}, "permissionId": {"anyoneWithLink"}}}
	api, drive, bearer := "http://"+s.api+"/v0", "http://"+s.drive, "Bearer "+driveToken
	authorization := "Authorization: " + token + "\r\n"
	key := strings.TrimPrefix(sent.source, "http://"+s.hooks)
	office := officeFiles(t)
	return []attacker{
		{name: "no credentials", wires: slices.Concat(aim(s.api, wires("/v0/workflows/", "")), aim(s.drive, wires("/v1/documents", "")), aim(s.hooks, wires("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ""))),
			shoot: func(r *dice) shot {
				ids, all := ofAPI.known()
				r.ids = all
				switch r.IntN(4) {
				case 0:
					return r.shoot(pick(r, google...), drive, pick(r, "", "Bearer x", "Bearer "+strings.Repeat("x", 9000), "Basic eA=="), ids)
				case 1:
					return r.page(s, "")
				}
				return r.shoot(pick(r, contract...), api, pick(r, "", "plt_x", "plt_Eve0000000000000000000000000ePsdR"), ids)
			}},
		{name: "a member of another team", own: ofAPI, wires: aim(s.api, wires("/v0/workflows/"+w.id+"/documents/", authorization)),
			shoot: func(r *dice) shot {
				ids, all := ofAPI.known()
				r.ids = all
				if r.in(10) {
					return r.page(s, token)
				}
				shot := r.shoot(pick(r, contract...), api, token, ids)
				if strings.Contains(shot.url, "/upload/") || strings.Contains(shot.url, "/template/") {
					r.load(&shot, office)
				}
				shot.body = bytes.ReplaceAll(shot.body, []byte("https://receiver.example/a"), []byte(receiver+pick(r, "/hang", "/endless", "/loop", "/error")))
				return shot
			}},
		{name: "an account of the drive", own: ofDrive, wires: aim(s.drive, wires("/upload/drive/v3/files?uploadType=media", "Authorization: "+bearer+"\r\n")),
			shoot: func(r *dice) shot {
				ids, all := ofDrive.known()
				r.ids = all
				if r.in(5) {
					return r.upload(drive, bearer, ids, office)
				}
				return r.shoot(pick(r, google...), drive, bearer, ids)
			}},
		{name: "a sender", wires: aim(s.hooks, wires(key, "")),
			shoot: func(r *dice) shot { return r.event(sent.source) }},
	}
}

// automation is the id of the honest tenant's newest run.
func (h *honest) automation(t *testing.T) string {
	t.Helper()
	var all []struct{ ID string }
	h.must(t, "GET", "http://"+h.api+"/v0/workflows/"+h.workflow+"/automations/?limit=1", h.token, "", "", &all)
	if len(all) == 0 {
		t.Fatal("the honest tenant has no automation")
	}
	return all[0].ID
}

// hostileReceiver takes events as nobody should.
func hostileReceiver(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "hang"):
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		case strings.Contains(r.URL.Path, "endless"):
			_, _ = io.Copy(w, endless('a')) // until the client has enough
		case strings.Contains(r.URL.Path, "loop"):
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections) // first: what hangs would hang on
	return server.URL
}

// page asks for what is made for browsers, and for what stands beside the contract.
func (r *dice) page(s *service, token string) shot {
	path := pick(r, "/", "/console/", "/console/workflows/", "/console/sign-in", "/preview/a", "/pictures/a/b", "/connect", "/docs", "/openapi.json", "/healthz", "/readyz", "/v0", "/v0/", "/static/../../x", "/.env", "/favicon.ico")
	shot := shot{method: pick(r, "GET", "GET", "POST", "HEAD", "DELETE"), url: "http://" + s.api + path + pick(r, "", "", "?a=%00", "?next=//evil.example", "?q="+strings.Repeat("a", 5000)), header: http.Header{}}
	shot.header.Set("Content-Type", pick(r, "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"))
	shot.header.Set("Cookie", pick(r, "session=x", "__Host-session="+strings.Repeat("A", 3000), "a=\u202e"))
	shot.body = []byte(pick(r, "", "token="+token, "a=b&"+strings.Repeat("f.a=b&", 20_000), "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--", "%zz"))
	if token != "" && r.in(2) {
		shot.header.Set("Authorization", token)
	}
	return shot
}

// event is one for a source address: now and then a good one.
func (r *dice) event(address string) shot {
	s := shot{method: http.MethodPost, url: address + pick(r, "", "", "", "/", "?a=b", "/x"), header: http.Header{}}
	fields := map[string]any{}
	for range r.IntN(12) {
		fields[pick(r, texts...)] = r.value(schema{Type: []any{"object", "array", "string", "number", "boolean", "integer"}}, "", nil, 0)
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		raw = nil // no number that JSON has
	}
	text := string(raw)
	switch r.IntN(10) {
	case 0: // as good as any
	case 1:
		text = strings.Repeat("a", pick(r, 1<<20+1, 3<<20))
	case 2:
		text = `{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "}"
	case 3:
		text = `{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, 100_000), ",") + `}`
	case 4:
		text = "a=b&c=" + strings.Repeat("%25", 1000)
	default:
		text = r.damaged(text)
	}
	s.body = []byte(text)
	r.dress(&s, operation{parameters: []parameter{{Name: "Idempotency-Key", In: "header"}, {Name: "Webhook-Id", In: "header"}, {Name: "Platen-Signature", In: "header"}}}, "")
	if r.in(30) {
		s.method = pick(r, "GET", "PUT", "DELETE", "OPTIONS")
	}
	return s
}

// officeFiles are good ones, and some that were made to take time and memory.
func officeFiles(t *testing.T) [][]byte {
	t.Helper()
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	var files [][]byte
	for _, e := range all {
		files = append(files, e.Template)
	}
	return append(files, zipBomb(t, all[0].Template), []byte("PK\x03\x04"), nil)
}

// load replaces the body by an office file, sometimes a damaged one.
func (r *dice) load(s *shot, office [][]byte) {
	s.body = bytes.Clone(pick(r, office...))
	if len(s.body) > 0 && r.in(2) {
		for range 1 + r.IntN(20) {
			s.body[r.IntN(len(s.body))] ^= 1 << r.IntN(8)
		}
	}
	s.header.Set("Content-Type", pick(r, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.openxmlformats-officedocument.presentationml.presentation", "application/octet-stream"))
}

// upload sends content to the drive in one of its ways.
func (r *dice) upload(drive, bearer string, ids map[string][]string, office [][]byte) shot {
	s := shot{method: "POST", url: drive + pick(r, "/upload/drive/v3/files", "/resumable/upload/drive/v3/files"), header: http.Header{"Authorization": {bearer}}}
	if r.in(3) {
		s.method, s.url = "PATCH", s.url+"/"+pick(r, ids["fileId"]...)
	}
	r.load(&s, office)
	switch r.IntN(5) {
	case 0:
		s.url += "?uploadType=media"
	case 1:
		s.url += "?uploadType=resumable"
		s.body = []byte(pick(r, `{"name":"a"}`, `{`, ""))
		s.header.Set("X-Upload-Content-Length", pick(r, "10", "-1", "99999999999999999999", "a"))
		s.header.Set("Content-Type", "application/json")
	case 2:
		s.method, s.url = "PUT", s.url+"?uploadType=resumable&upload_id="+pick(r, "x", "%00", strings.Repeat("a", 3000))
		s.header.Set("Content-Range", pick(r, "bytes 0-9/10", "bytes */*", "bytes 5-1/2", "a", "bytes 0-99999999999999999999/1"))
	default:
		metadata := pick(r, `{"name":"a"}`, `{"mimeType":"application/vnd.google-apps.document"}`, `{"mimeType":"application/vnd.google-apps.presentation"}`, `{"mimeType":"application/vnd.google-apps.folder"}`, `{`, `{"parents":["root","root"]}`, strings.Repeat("[", 100_000))
		s.url += "?uploadType=multipart"
		s.header.Set("Content-Type", pick(r, "multipart/related; boundary=part", "multipart/related", "multipart/related; boundary="+strings.Repeat("b", 100)))
		s.body = fmt.Appendf(nil, "--part\r\nContent-Type: application/json\r\n\r\n%s\r\n--part\r\nContent-Type: application/octet-stream\r\n%s\r\n%s\r\n--part--\r\n", metadata, pick(r, "", "Content-Transfer-Encoding: base64\r\n"), s.body)
	}
	return s
}
