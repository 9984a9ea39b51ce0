package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestCreateWorkflowWithOnlyANameGivesTheDefaults(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	got := x.do(t, "POST", "/v0/workflows/", `{"name":"Invoices"}`).is(http.StatusCreated).object()

	id, source := got["id"].(string), got["source"].(map[string]any)
	if !platen.IsID(platen.PrefixWorkflow, id) {
		t.Errorf("id: got %q, want wkf_…", id)
	}
	if !platen.IsID(platen.PrefixSource, source["id"].(string)) {
		t.Errorf("source.id: got %q, want src_…", source["id"])
	}
	if address := source["webhookUrl"].(string); !regexp.MustCompile(`^https://hooks\.test/[0-9A-Za-z]{22,}$`).MatchString(address) {
		t.Errorf("source.webhookUrl: got %q, want the hooks host and at least 128 bits", address)
	}
	if got := source["testWebhookUrl"]; got != source["webhookUrl"].(string)+"/test" {
		t.Errorf("source.testWebhookUrl: got %v, want the source's address and /test", got)
	}
	delete(got, "id")
	delete(source, "id")
	delete(source, "webhookUrl")
	delete(source, "testWebhookUrl")
	want := map[string]any{
		"name": "Invoices", "color": "#cccccc", "icon": "DocumentText", "status": "INCOMPLETE", "autoCreate": true,
		"owner":     map[string]any{"id": x.ada.ID, "name": "Ada", "email": "ada@example.com"},
		"team":      nil,
		"source":    map[string]any{"sourceType": "WEBHOOK", "sourceFields": []any{}},
		"documents": []any{}, "outgoingWebhook": nil, "createdByApi": true,
		"createdAt": "2026-01-02T03:04:05.678901+00:00", "updatedAt": "2026-01-02T03:04:05.678901+00:00",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("workflow (-want +got):\n%s", diff)
	}
}

func TestCreateWorkflowWithEverythingIsComplete(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	got := x.do(t, "POST", "/v0/workflows/", `{"name":"Offers","color":"#0af","icon":"Star",
		"source":{"sourceFields":["Name","Address.City"]},
		"document":{"fileId":"slides-file"},
		"outgoingWebhook":{"webhookUrl":"https://example.com/events"}}`).is(http.StatusCreated).object()

	if got["status"] != "COMPLETE" || got["color"] != "#0af" || got["icon"] != "Star" {
		t.Errorf("got status %v, color %v, icon %v", got["status"], got["color"], got["icon"])
	}
	if diff := cmp.Diff([]any{"Name", "Address.City"}, got["source"].(map[string]any)["sourceFields"]); diff != "" {
		t.Errorf("sourceFields (-want +got):\n%s", diff)
	}
	d := got["documents"].([]any)[0].(map[string]any)
	if d["documentType"] != "CLOUD_SLIDES" || d["file"].(map[string]any)["name"] != "Offers - [Template]" {
		t.Errorf("document: got %v", d)
	}
	if o := got["outgoingWebhook"].(map[string]any); o["webhookUrl"] != "https://example.com/events" || !platen.IsID(platen.PrefixOutgoingWebhook, o["id"].(string)) {
		t.Errorf("outgoingWebhook: got %v", o)
	}
	stored := x.store.ByID[got["id"].(string)]
	if !stored.Source.FieldsGiven {
		t.Error("source fields that were given are not marked as given")
	}
	read := x.do(t, "GET", "/v0/workflows/"+stored.ID+"/", "").is(http.StatusOK).object()
	if diff := cmp.Diff(got, read); diff != "" {
		t.Errorf("a later read differs (-created +read):\n%s", diff)
	}
}

func TestAnEmptyListOfSourceFieldsCountsAsNotGiven(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A","source":{"sourceFields":[]}}`)
	if x.store.ByID[strings.TrimPrefix(path, "/v0/workflows/")].Source.FieldsGiven {
		t.Error("an empty list is marked as given")
	}
}

func TestCreateWorkflowWithABadFileLeavesNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	p := x.do(t, "POST", "/v0/workflows/", `{"name":"A","document":{"file_id":"nowhere"}}`).problem(400, "drive_file_not_found")
	if got := p.pointers(); !slices.Equal(got, []string{"/document/file_id"}) {
		t.Errorf("pointers: got %v", got)
	}
	if len(x.store.ByID) != 0 {
		t.Error("a workflow was stored")
	}
}

func TestATemplateWhoseWorkflowWasRefusedIsTrashed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		trash  int
		status int
	}{
		"refused":             {platen.Errorf(platen.KindInvalid, "no", "no"), 1, 400},
		"perhaps it was done": {platen.Errorf(platen.KindUnavailable, "away", "away"), 0, 503},
		"unknown":             {errors.New("connection reset"), 0, 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newHarness(t)
			x.store.Fail = c.err
			x.do(t, "POST", "/v0/workflows/", `{"name":"A","document":{}}`).is(c.status)
			if len(x.cloud.Copies) != 1 || len(x.cloud.Trashed) != c.trash {
				t.Errorf("got %d copies and %d trashed, want 1 and %d", len(x.cloud.Copies), len(x.cloud.Trashed), c.trash)
			}
		})
	}
}

func TestACreationThatBeganIsEndedThoughItsClientLeft(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	ctx, leave := context.WithCancel(t.Context())
	x.cloud.During = leave
	r := httptest.NewRequestWithContext(ctx, "POST", "/v0/workflows/", strings.NewReader(`{"name":"A","document":{"fileId":"docs-file"}}`))
	r.Header.Set("Authorization", memory.AdaToken)
	x.handler.ServeHTTP(httptest.NewRecorder(), r)
	if len(x.cloud.Copies) != 1 || len(x.store.ByID) != 1 {
		t.Errorf("got %d copies and %d workflows, want one of each", len(x.cloud.Copies), len(x.store.ByID))
	}
}

func TestAWorkflowBelongsToItsCreatorsTeamAndIsSeenByItsMembersOnly(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	id := x.as(t, memory.BobToken, "POST", "/v0/workflows/", `{"name":"Team"}`).is(201).object()["id"].(string)
	got := x.as(t, memory.CydToken, "GET", "/v0/workflows/"+id+"/", "").is(200).object()
	if diff := cmp.Diff(map[string]any{"id": "team_00000000000001", "name": "Print"}, got["team"]); diff != "" {
		t.Errorf("team (-want +got):\n%s", diff)
	}
	if got := x.as(t, memory.CydToken, "GET", "/v0/workflows/", "").is(200).body; !strings.Contains(got, id) {
		t.Errorf("list of a member: got %s", got)
	}
	if got := x.do(t, "GET", "/v0/workflows/", "").is(200).body; strings.TrimSpace(got) != "[]" {
		t.Errorf("list of a stranger: got %s, want []", got)
	}
	x.do(t, "GET", "/v0/workflows/"+id+"/", "").problem(404, "workflow_not_found")
}

func TestOnlyTheWorkflowItselfAnswers404(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	theirs := "/v0/workflows/" + x.as(t, memory.BobToken, "POST", "/v0/workflows/", `{"name":"T"}`).is(201).object()["id"].(string)
	mine := x.newWorkflow(t, `{"name":"A"}`)
	doc := "/documents/doc_0000000000000001/"
	for _, c := range []struct {
		method, path, code string
		status             int
	}{
		{"GET", "/v0/workflows/wkf_0000000000000001/", "workflow_not_found", 404},
		{"GET", "/v0/workflows/nonsense/", "workflow_not_found", 404},
		{"PATCH", theirs + "/", "workflow_not_found", 404},
		{"DELETE", theirs + "/", "workflow_not_found", 404},
		{"DELETE", "/v0/workflows/%00/", "workflow_not_found", 404},
		{"GET", theirs + "/source/", "workflow_not_found", 403},
		{"GET", theirs + "/documents/", "workflow_not_found", 403},
		{"POST", theirs + "/documents/", "workflow_not_found", 403},
		{"GET", theirs + doc, "workflow_not_found", 403},
		{"PATCH", theirs + doc, "workflow_not_found", 403},
		{"GET", theirs + "/outgoing-webhooks/", "workflow_not_found", 403},
		{"POST", theirs + "/outgoing-webhooks/", "workflow_not_found", 403},
		{"PATCH", theirs + "/outgoing-webhook/", "workflow_not_found", 403},
		{"GET", theirs + "/outgoing-webhooks/secret/", "workflow_not_found", 403},
		{"GET", mine + doc, "document_not_found", 403},
		{"PATCH", mine + doc, "document_not_found", 403},
		{"GET", mine + "/documents/nonsense/", "document_not_found", 403},
		{"GET", mine + "/outgoing-webhooks/", "outgoing_webhook_not_found", 403},
		{"PATCH", mine + "/outgoing-webhooks/", "outgoing_webhook_not_found", 403},
		{"GET", mine + "/outgoing-webhooks/secret/", "outgoing_webhook_not_found", 403},
	} {
		p := x.do(t, c.method, c.path, `{}`).problem(c.status, c.code)
		if want := map[int]string{403: "Unauthorised", 404: "Not Found"}[c.status]; p.Title != want {
			t.Errorf("%s %s: title: got %q, want %q", c.method, c.path, p.Title, want)
		}
	}
}

func TestUpdateWorkflowChangesWhatWasSentAndIgnoresWhatCannotBeEdited(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A"}`)
	before := x.do(t, "GET", path+"/", "").is(200)
	roundTrip := strings.Replace(before.body, `"name":"A"`, `"name":"B"`, 1)
	want := before.object()
	want["name"] = "B"
	x.do(t, "PATCH", path+"/", roundTrip).is(200)
	got := x.do(t, "GET", path+"/", "").is(200).object()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after the round trip (-want +got):\n%s", diff)
	}
	if got := x.do(t, "PATCH", path+"/", `{"color":"#112233","icon":"Star"}`).is(200).object()["color"]; got != "#112233" {
		t.Errorf("answer to PATCH: color: got %v", got)
	}
	got = x.do(t, "PATCH", path+"/", `{}`).is(200).object()
	if got["name"] != "B" || got["color"] != "#112233" || got["icon"] != "Star" {
		t.Errorf("got %v, %v, %v", got["name"], got["color"], got["icon"])
	}
}

func TestAnArchivedWorkflowRefusesChangesAndAnswersReads(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A","document":{},"outgoingWebhook":{"webhookUrl":"https://example.com"}}`)
	doc := x.newDocument(t, path, "")
	if a := x.do(t, "DELETE", path+"/", "").is(204); a.body != "" {
		t.Errorf("DELETE: body: got %q, want none", a.body)
	}
	x.do(t, "DELETE", path+"/", "").is(204)
	for _, c := range [][2]string{
		{"PATCH", path}, {"POST", path + "/documents"}, {"PATCH", doc},
		{"POST", path + "/outgoing-webhooks"}, {"PATCH", path + "/outgoing-webhooks"},
	} {
		x.do(t, c[0], c[1]+"/", `{"name":"B"}`).problem(400, "workflow_archived")
	}
	for _, p := range []string{path, path + "/source", path + "/documents", doc, path + "/outgoing-webhooks"} {
		x.do(t, "GET", p+"/", "").is(200)
	}
	if got := x.do(t, "GET", path+"/", "").object()["status"]; got != "ARCHIVED" {
		t.Errorf("status: got %v, want ARCHIVED", got)
	}
}

func TestTheSourceIsReadable(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A","source":{"sourceFields":["N"]}}`)
	want := x.do(t, "GET", path+"/", "").object()["source"]
	got := x.do(t, "GET", path+"/source/", "").is(200).object()
	if diff := cmp.Diff(want, any(got)); diff != "" {
		t.Errorf("source (-want +got):\n%s", diff)
	}
}

// A blank template where a file was meant makes blank documents of all events.
func TestABlankTemplateIsNotMadeWhereAFileWasMeant(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A"}`)
	for body, want := range map[string][]string{
		`{"name":"x","document":{"file":"abc"}}`:                                                        {"/document/file"},
		`{"name":"x","document":{"file":{"id":"docs-file"}}}`:                                           {"/document/file"},
		`{"name":"x","document":{"documentType":"CLOUD_SLIDES","file":null}}`:                           {"/document/documentType"},
		`{"name":"x","document":{"file_ids":"abc"}}`:                                                    {"/document/file_ids"},
		`{"name":"x","document":{"email":{"to":"ada@example.com","subject":"b","text":"c","bcc":"d"}}}`: {"/document/email/bcc"},
		`{"name":"x","source":{"fields":["A"]}}`:                                                        {"/source/fields"},
		`{"name":"x","outgoingWebhook":{"webhookUrl":"https://example.com","secret":"x"}}`:              {"/outgoingWebhook/secret"},
	} {
		if got := x.do(t, "POST", "/v0/workflows/", body).problem(400, "invalid_body").pointers(); !slices.Equal(got, want) {
			t.Errorf("%s: got faults at %q, want %q", body, got, want)
		}
	}
	for _, body := range []string{`{"file":"abc"}`, `{"file":{"id":"docs-file","name":"a"}}`, `{"documentType":"CLOUD_SLIDES"}`} {
		if got := x.do(t, "POST", path+"/documents/", body).problem(400, "invalid_body").pointers(); len(got) != 1 {
			t.Errorf("%s: got faults at %q, want one", body, got)
		}
	}
	if len(x.cloud.Copies) != 0 {
		t.Errorf("got the templates %v, want none", x.cloud.Copies)
	}
	for _, body := range []string{``, `{}`, `{"id":"doc_1","previewUrl":null}`, `{"file":{"id":"old"},"documentType":"CLOUD_DOCS","fileId":"docs-file"}`, `{"fileId":"docs-file","file":1}`} {
		x.do(t, "POST", path+"/documents/", body).is(http.StatusCreated)
	}
}
