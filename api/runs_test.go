package api

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// withRun makes a workflow with the run of memory.AddRun.
func (x *harness) withRun(t testing.TB, state platen.AutomationState) string {
	t.Helper()
	wf := x.newWorkflow(t, `{"name":"W","document":{"fileId":"docs-file"},"outgoingWebhook":{"webhookUrl":"https://example.com/events"}}`)
	x.store.AddRun(wf[strings.LastIndexByte(wf, '/')+1:], state)
	return wf
}

func TestAnAutomationShowsWhatBecameOfEachDocument(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationFailed)
	var a struct {
		ID, State, AcceptedAt, TemporalURL string
		Attempt                            int
		MissingFields                      []string
		SourceData                         json.RawMessage
		Outputs                            []struct {
			State    string
			Progress map[string]bool
			Files    []map[string]string
			Findings []struct{ Code, Message string }
			Error    *struct{ Code, Message string }
		}
		Findings []struct{ Code, Pointer, Message, OutputID string }
		Error    *struct{ Code, Message string }
	}
	body := x.do(t, "GET", wf+"/automations/"+memory.AutomationID+"/", "").is(200).body
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if a.ID != memory.AutomationID || a.State != "FAILED" || a.Attempt != 1 || a.AcceptedAt != "2026-01-02T03:04:05.000000+00:00" {
		t.Errorf("got %s", body)
	}
	if a.TemporalURL != "https://temporal.test/namespaces/default/workflows/"+memory.AutomationID {
		t.Errorf("temporalUrl: got %q", a.TemporalURL)
	}
	if !slices.Equal(a.MissingFields, []string{"City", "Zip"}) {
		t.Errorf("missingFields: got %q", a.MissingFields)
	}
	if want := `{"Name":"A` + "\ufffd" + `da","N":12345678901234567890}`; string(a.SourceData) != want {
		t.Errorf("sourceData: got %s, want %s", a.SourceData, want)
	}
	done, failed := a.Outputs[0], a.Outputs[1]
	if a.Error == nil || failed.Error == nil || *a.Error != *failed.Error {
		t.Errorf("the automation's error is %+v, want that of its output, %+v", a.Error, failed.Error)
	}
	if last := len(a.Findings) - 1; last < 0 || a.Findings[last].Code != "missing_glyph" || a.Findings[last].OutputID != memory.DoneID || len(done.Findings) != 1 || len(failed.Findings) != 0 {
		t.Errorf("findings: got %+v, and %+v of the output", a.Findings, done.Findings)
	}
	if len(done.Files) != 1 || done.Files[0]["mimeType"] != platen.MIMEPDF || done.Error != nil || !done.Progress["originalRemoved"] {
		t.Errorf("the output that is done: got %+v", done)
	}
	if len(failed.Files) != 0 || failed.Error == nil || failed.Error.Message != "The drive is full." || failed.Progress["filled"] {
		t.Errorf("the output that failed: got %+v", failed)
	}
}

func TestAutomationsAreCountedByHourAndDay(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	x.withRun(t, platen.AutomationFailed)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) // of the harness
	x.store.Runs.Automations[0].AcceptedAt = now
	for each, want := range map[string]int{"": 48, "?each=hour": 48, "?each=day": 30} {
		var counted []struct {
			From             time.Time
			Accepted, Failed int
		}
		if err := json.Unmarshal([]byte(x.do(t, "GET", "/v0/automations/counts/"+each, "").is(200).body), &counted); err != nil {
			t.Fatal(err)
		}
		if len(counted) != want {
			t.Fatalf("%q: got %d entries, want %d", each, len(counted), want)
		}
		for i, n := range counted {
			if is := i == want-1; (n.Accepted == 1) != is || (n.Failed == 1) != is || n.From.After(now) {
				t.Errorf("%q: entry %d is %+v, want the one automation in the last", each, i, n)
			}
		}
	}
	x.do(t, "GET", "/v0/automations/counts/?each=week", "").is(400)
}

func TestAutomationsAreListedWithoutSourceDataAndByState(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationSkipped)
	for query, n := range map[string]int{"": 1, "?state=SKIPPED": 1, "?state=FAILED": 0, "?state=FAILED&state=SKIPPED": 1, "?limit=1": 1} {
		a := x.do(t, "GET", wf+"/automations"+query, "").is(200)
		var list []map[string]any
		if err := json.Unmarshal([]byte(a.body), &list); err != nil || len(list) != n {
			t.Fatalf("%q: got %s, want %d", query, a.body, n)
		}
		if n == 1 && (list[0]["sourceData"] != nil || list[0]["temporalUrl"] != nil) {
			t.Errorf("%q: a skipped one in the list has source data or a link: %s", query, a.body)
		}
	}
	x.do(t, "GET", wf+"/automations/?state=done", "").problem(400, "invalid_parameter")
}

func TestListsBeginWithTheNewestOnRequest(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationFailed)
	second := x.store.Runs.Automations[0]
	second.ID, second.AcceptedAt = "aut_0000000000000002", second.AcceptedAt.Add(time.Minute)
	x.store.Runs.Automations = append(x.store.Runs.Automations, second)
	for _, path := range []string{wf + "/automations/", "/v0/automations/"} {
		first := x.do(t, "GET", path+"?order=newest&limit=1&state=FAILED", "").is(200)
		next := nextLink.FindStringSubmatch(first.header.Get("Link"))
		if got := ids(t, first); !slices.Equal(got, []string{second.ID}) || next == nil {
			t.Fatalf("%s: got %v, Link %q", path, got, first.header.Get("Link"))
		}
		if got := ids(t, x.do(t, "GET", next[1], "").is(200)); !slices.Equal(got, []string{memory.AutomationID}) {
			t.Errorf("%s: the next page has %v, want %s", path, got, memory.AutomationID)
		}
		x.do(t, "GET", path+"?order=last", "").problem(400, "invalid_parameter")
		for _, parameter := range []string{"since", "until"} {
			x.do(t, "GET", path+"?"+parameter+"=yesterday", "").problem(400, "invalid_parameter")
		}
		between := "?since=" + url.QueryEscape(platen.Timestamp(second.AcceptedAt.Add(-time.Minute))) + "&until=" + url.QueryEscape(platen.Timestamp(second.AcceptedAt))
		if got := ids(t, x.do(t, "GET", path+between, "").is(200)); !slices.Equal(got, []string{memory.AutomationID}) {
			t.Errorf("%s: from the first until the second: got %v, want %s", path, got, memory.AutomationID)
		}
	}
	x.do(t, "GET", wf+"/outputs/?id=1", "").problem(400, "invalid_parameter")
	x.do(t, "GET", wf+"/events/?outputId=evt_0000000000000001", "").problem(400, "invalid_parameter")
	if got := ids(t, x.as(t, memory.BobToken, "GET", "/v0/automations/", "").is(200)); len(got) != 0 {
		t.Errorf("another's list has %v", got)
	}
}

func TestRetryAndCancelAnswerWithTheAutomationAsItStands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state  platen.AutomationState
		action string
		status int
		code   string
		want   string // part of the answer
	}{
		{platen.AutomationFailed, "retry", 202, "", `"state":"ACCEPTED","reason":null,"attempt":2`},
		{platen.AutomationRunning, "retry", 400, "automation_not_failed", ""},
		{platen.AutomationRunning, "cancel", 202, "", `"cancelRequestedAt":"2026-01-02T03:04:06.000000+00:00"`},
		{platen.AutomationCompleted, "cancel", 400, "automation_ended", ""},
	} {
		x := newHarness(t)
		path := x.withRun(t, c.state) + "/automations/" + memory.AutomationID + "/" + c.action
		x.do(t, "POST", path, `{"force":true}`).problem(400, "invalid_body")
		x.as(t, memory.BobToken, "POST", path, `{"force":true}`).problem(403, "workflow_not_found")
		a := x.do(t, "POST", path+"/", "").is(c.status)
		if c.code != "" {
			a.problem(c.status, c.code)
		} else if !strings.Contains(a.body, c.want) {
			t.Errorf("%s of %s: got %s, want %s", c.action, c.state, a.body, c.want)
		}
	}
}

func TestAnErasedAutomationShowsWhoAskedAndNoData(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.withRun(t, platen.AutomationCompleted) + "/automations/" + memory.AutomationID
	if a := x.do(t, "GET", path, "").is(200); !strings.Contains(a.body, `"erasure":null`) || strings.Contains(a.body, `"sourceData":null`) {
		t.Errorf("before: got %s, want data and no erasure", a.body)
	}
	x.as(t, memory.BobToken, "DELETE", path, "").problem(403, "workflow_not_found")
	x.do(t, "DELETE", path, `{"force":true}`).problem(400, "invalid_body")
	for range 2 {
		a := x.do(t, "DELETE", path+"/", "").is(202)
		if want := `"erasure":{"requestedAt":"2026-01-02T03:04:07.000000+00:00","requestedBy":"usr_`; !strings.Contains(a.body, want) {
			t.Errorf("got %s, want %s", a.body, want)
		}
	}
	if a := x.do(t, "GET", path, "").is(200); !strings.Contains(a.body, `"sourceData":null`) {
		t.Errorf("after: got %s, want no data", a.body)
	}
}

func TestAnEventShowsItsDeliveries(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted)
	e := x.do(t, "GET", wf+"/events/"+memory.EventID, "").is(200)
	for _, want := range []string{`"payload":{"a":1}`, `"status":500,"durationMs":1500,"failure":"the receiver answered 500","answer":"oops"`, `"delivered":true,"status":200`} {
		if !strings.Contains(e.body, want) {
			t.Errorf("got %s, want %s in it", e.body, want)
		}
	}
	if list := x.do(t, "GET", wf+"/events/", "").is(200); strings.Contains(list.body, "payload") || !strings.Contains(list.body, memory.EventID) {
		t.Errorf("list: got %s", list.body)
	}
	x.do(t, "GET", wf+"/events/evt_0000000000000009", "").problem(403, "event_not_found")
	x.do(t, "GET", wf+"/events/recover", "").problem(405, "method_not_allowed")
}

func TestEventsAreDeliveredAgainOneByOneAndSinceATime(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted)
	x.do(t, "POST", wf+"/events/"+memory.EventID+"/redeliver", "{}").is(202)
	if !slices.Equal(x.store.Runs.Redelivered, []string{memory.EventID}) {
		t.Errorf("delivered again: got %v", x.store.Runs.Redelivered)
	}
	for body, pointer := range map[string]string{`{}`: "/since", `{"since":"yesterday"}`: "/since", `{"since":"2026-01-04T00:00:00Z","state":"FAILED"}`: "/state"} {
		p := x.do(t, "POST", wf+"/events/recover", body).problem(400, "invalid_body")
		if !slices.Equal(p.pointers(), []string{pointer}) {
			t.Errorf("%s: pointers %v, want %s", body, p.pointers(), pointer)
		}
	}
	a := x.do(t, "POST", wf+"/events/recover/", `{"since":"2026-01-04T01:00:00+01:00"}`).is(202)
	if strings.TrimSpace(a.body) != `{"recovered":10000,"held":2,"more":true}` {
		t.Errorf("got %s", a.body)
	}
	if want := time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC); !x.store.Runs.Since.Equal(want) {
		t.Errorf("since: got %v, want %v", x.store.Runs.Since, want)
	}
}

func TestARotatedSecretLeavesTheOldOneForADay(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted) + "/outgoing-webhooks"
	old := x.do(t, "GET", wf+"/secret/", "").is(200).object()
	if old["previousSecretUntil"] != nil {
		t.Errorf("before: got %v", old)
	}
	rotated := x.do(t, "POST", wf+"/secret/rotate/", "").is(200).object()
	if rotated["secret"] == old["secret"] || rotated["previousSecretUntil"] != "2026-01-03T03:04:05.678901+00:00" {
		t.Errorf("rotated: got %v, old %v", rotated, old)
	}
	x.do(t, "POST", wf+"/test/", "").is(200)
	if want := []platen.Secret{platen.Secret(rotated["secret"].(string)), platen.Secret(old["secret"].(string))}; !slices.Equal(x.sender.To.Secrets, want) {
		t.Errorf("secrets that sign: got %v, want %v", x.sender.To.Secrets, want)
	}
}

func TestATestEventAnswersWithItsDelivery(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted)
	a := x.do(t, "POST", wf+"/outgoing-webhook/test", "").is(200).object()
	if a["eventType"] != "WORKFLOW_TEST" || a["delivered"] != false || a["status"] != nil || a["failure"] != "the receiver refuses connections" || a["durationMs"] != 87.0 {
		t.Errorf("got %v", a)
	}
	if x.sender.To.URL != "https://example.com/events" || !strings.Contains(string(x.sender.Event.Payload), `"event_id":"`+a["eventId"].(string)+`","event_type":"WORKFLOW_TEST","data":{"documents":[]`) {
		t.Errorf("sent %s to %s", x.sender.Event.Payload, x.sender.To.URL)
	}
}

func TestADeletedOutgoingWebhookIsGone(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted)
	x.do(t, "DELETE", wf+"/outgoing-webhooks/", "", "If-Match", `"another"`).problem(412, "precondition_failed")
	if a := x.do(t, "DELETE", wf+"/outgoing-webhook", "").is(204); a.body != "" {
		t.Errorf("body: got %q", a.body)
	}
	for _, r := range [][2]string{{"DELETE", ""}, {"GET", "secret/"}, {"POST", "secret/rotate"}, {"POST", "test"}} {
		x.do(t, r[0], wf+"/outgoing-webhooks/"+r[1], "").problem(403, "outgoing_webhook_not_found")
	}
	if w := x.do(t, "GET", wf, "").is(200).object(); w["outgoingWebhook"] != nil {
		t.Errorf("workflow: got %v", w["outgoingWebhook"])
	}
	x.do(t, "POST", wf+"/outgoing-webhooks", `{"webhookUrl":"https://example.com/new"}`).is(201)
}

func TestTheLastDocumentGoneMakesTheWorkflowIncomplete(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	first, second := x.newDocument(t, wf, `{"file_id":"docs-file"}`), x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	x.do(t, "DELETE", first+"/", "", "If-Match", `"another"`).problem(412, "precondition_failed")
	x.do(t, "DELETE", first+"/", "").is(204)
	if got := x.do(t, "GET", wf, "").object()["status"]; got != "COMPLETE" {
		t.Errorf("status with one left: got %v", got)
	}
	x.store.Runs.Needed = true
	x.do(t, "DELETE", second, "").is(204)
	if got := x.do(t, "GET", wf, "").object()["status"]; got != "INCOMPLETE" {
		t.Errorf("status with none left: got %v", got)
	}
	x.do(t, "DELETE", first, "").problem(403, "document_not_found")
	id := first[strings.LastIndexByte(first, '/')+1:]
	if !slices.Equal(x.cloud.Trashed, []string{"copy-of-" + id}) || !slices.Equal(x.store.Runs.Trashed, []string{id}) {
		t.Errorf("trashed: %v, noted %v; want the first template alone", x.cloud.Trashed, x.store.Runs.Trashed)
	}
}

func TestATemplateThatIsNotTrashedIsLeftToTheSweep(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	x.cloud.Fails["open"] = platen.Errorf(platen.KindUnavailable, "", "away")
	x.do(t, "DELETE", d, "").is(204)
	if len(x.store.Runs.Trashed) != 0 || !strings.Contains(x.log.String(), `"orphan"`) {
		t.Errorf("noted as trashed: %v; log: %s", x.store.Runs.Trashed, x.log)
	}
}

func TestACheckNamesTheTagsThatNothingFills(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Checked: platen.TemplateCheck{Texts: []string{"Dear {{Nmae}}"}, Schema: []byte(`{}`),
		Findings: []platen.TemplateFinding{{Where: "paragraph 1", Around: "Dear {{Nmae}}", Tag: "{{Nmae}}", Code: "unknown_field", Message: "No.", Nearest: []string{"Name"}}}}}
	x := newHarness(t, func(o *Options) {
		o.Tags = func(texts, fields []string) []TagFinding {
			if !slices.Equal(fields, []string{"Name"}) {
				t.Errorf("fields: got %q", fields)
			}
			if texts[0] == "Dear {{Nmae}}" {
				return []TagFinding{{Name: "Nmae", Nearest: []string{"Name"}}, {Name: "Timestamp", Filled: true}}
			}
			return []TagFinding{{Name: "Timestamp", Filled: true}}
		}
		o.Templates = looked
	})
	wf := x.newWorkflow(t, `{"name":"W","source":{"sourceFields":["Name"]}}`)
	d := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	a := x.do(t, "POST", d+"/check/", "").is(200)
	want := `"tags":[{"name":"Nmae","in":["template"],"filled":false,"nearest":["Name"]},{"name":"Timestamp","in":["template","outputName"],"filled":true,"nearest":[]}],"unfilled":["Nmae"],"faults":[],"sourceFields":["Name"],"findings":[{"where":"paragraph 1","around":"Dear {{Nmae}}","offset":0,"tag":"{{Nmae}}","code":"unknown_field","message":"No.","nearest":["Name"],"severity":"mistake"}],"schema":{},"conditions":[]}`
	if !strings.HasSuffix(strings.TrimSpace(a.body), want) {
		t.Errorf("got %s, want %s", a.body, want)
	}
	x.do(t, "PATCH", d+"/", `{"outputName":"{{Name}} {{unclosed","enablePdfPassword":true,"pdfPassword":"","createPdfCopy":true}`).is(200)
	var checked struct {
		Faults []struct{ In, Message string }
	}
	body := x.do(t, "POST", d+"/check/", "").is(200).body
	if err := json.Unmarshal([]byte(body), &checked); err != nil || len(checked.Faults) != 2 || checked.Faults[0].In != "outputName" || checked.Faults[1].In != "pdfPassword" {
		t.Errorf("got %s (%v), want faults of the name's tag and of the empty password", body, err)
	}
	looked.Err = platen.Errorf(platen.KindNotFound, "drive_file_not_found", "gone")
	x.do(t, "POST", d+"/check/", "{}").problem(400, "drive_file_not_found")
}
