package api

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestTheOutgoingWebhookIsMadeReadAndChangedUnderBothPaths(t *testing.T) {
	t.Parallel()
	for _, spelling := range []string{"/outgoing-webhooks", "/outgoing-webhook"} {
		x := newHarness(t)
		path := x.newWorkflow(t, `{"name":"A"}`)
		made := x.do(t, "POST", path+spelling+"/", `{"webhookUrl":"https://example.com/a"}`).is(201).object()
		if len(made) != 2 || !platen.IsID(platen.PrefixOutgoingWebhook, made["id"].(string)) || made["webhookUrl"] != "https://example.com/a" {
			t.Errorf("POST: got %v", made)
		}
		changed := x.do(t, "PATCH", path+spelling+"/", `{"webhookUrl":"https://example.com/b"}`).is(200).object()
		read := x.do(t, "GET", path+spelling+"/", "").is(200).object()
		inside := x.do(t, "GET", path+"/", "").object()["outgoingWebhook"].(map[string]any)
		for _, o := range []map[string]any{changed, read, inside} {
			if o["id"] != made["id"] || o["webhookUrl"] != "https://example.com/b" {
				t.Errorf("after PATCH: got %v", o)
			}
		}
	}
}

func TestASecondOutgoingWebhookPointsToPatch(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://example.com"}}`)
	p := x.do(t, "POST", path+"/outgoing-webhooks/", `{"webhookUrl":"https://example.com"}`).problem(400, "outgoing_webhook_exists")
	if !strings.Contains(p.Detail, "PATCH") {
		t.Errorf("detail: got %q", p.Detail)
	}
}

func TestTheSigningSecretIsReadable(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://example.com"}}`)
	secret := x.do(t, "GET", path+"/outgoing-webhooks/secret/", "").is(200).object()["secret"].(string)
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(raw) != 32 || !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("secret: got %q, want whsec_ and 32 bytes in base64", secret)
	}
	if strings.Contains(x.do(t, "GET", path+"/", "").body, secret) {
		t.Error("the workflow shows the secret")
	}
}

func TestAnOutgoingWebhookBodyHasExactlyOneField(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A"}`) + "/outgoing-webhooks/"
	for body, want := range map[string][]string{
		`{}`: {"/webhookUrl"},
		`{"webhookUrl":"https://example.com","id":"owc_0000000000000001"}`: {"/id"},
		`{"webhook_url":"https://example.com"}`:                            {"/webhook_url", "/webhookUrl"},
		`{"webhookUrl":null}`:                                              {"/webhookUrl"},
	} {
		p := x.do(t, "POST", path, body).problem(400, "invalid_body")
		if got := p.pointers(); !slices.Equal(got, want) {
			t.Errorf("%s: pointers: got %v, want %v", body, got, want)
		}
	}
	p := x.do(t, "POST", path, `{"webhook_url":"x"}`).problem(400, "invalid_body")
	if !strings.Contains(p.Errors[0].Detail, "did you mean webhookUrl") {
		t.Errorf("a near miss: got %q", p.Errors[0].Detail)
	}
}

func TestWhichWebhookAddressesAreTaken(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"https://example.com", "http://localhost:9000/x?y=z", "https://[::1]:8443/", "HTTPS://Example.com/a/b",
		"https://10.0.0.1/", "https://bücher.example/",
	} {
		if wrong := webhookURL(good); wrong != "" {
			t.Errorf("%q: got %q, want it taken", good, wrong)
		}
	}
	for _, bad := range []string{
		"", "example.com", "/x", "//example.com", "ftp://example.com", "mailto:a@b.c", "https://", "https://:443/",
		"https:example.com", "https://user:pw@example.com", "https://user@example.com", "https://example.com:0/",
		"https://example.com:99999/", "https://example.com:x/", "https://exa mple.com", "https://example.com/a b",
		"https://example.com/\n", "javascript:alert(1)", "https://example.com/" + strings.Repeat("a", 2048),
	} {
		if wrong := webhookURL(bad); wrong == "" {
			t.Errorf("%.60q: was taken, want it refused", bad)
		}
	}
}

func TestAWebhookThatIsNotThereIs403WhateverStateItsWorkflowIsIn(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	for _, c := range []struct{ body, code string }{
		{`{"name":"A"}`, "outgoing_webhook_not_found"},
		{`{"name":"A","outgoingWebhook":{"webhookUrl":"https://example.com"}}`, "workflow_archived"},
	} {
		wf := x.newWorkflow(t, c.body)
		x.do(t, "DELETE", wf, "").is(204)
		status := map[string]int{"outgoing_webhook_not_found": 403, "workflow_archived": 400}[c.code]
		for _, r := range [][3]string{{"PATCH", "/", `{"webhookUrl":"https://example.com"}`}, {"DELETE", "/", ""}, {"POST", "/secret/rotate/", ""}, {"POST", "/test/", ""}} {
			x.do(t, r[0], wf+"/outgoing-webhooks"+r[1], r[2]).problem(status, c.code)
		}
	}
}

// The harness's installation is at https://api.test/v0 and https://hooks.test.
func TestAnAddressOfTheInstallationIsNoReceiver(t *testing.T) {
	t.Parallel()
	own := []string{
		"https://hooks.test/3kTq9fZ0vXbN7mLcR2sWdY8hGpJ", "https://HOOKS.Test./x", "https://hooks.test:443/x", "http://hooks.test/x",
		"https://api.test/v0/workflows/", "https://API.TEST.:443", "https://ｈooks.test/x", "https://hooks。test/x",
	}
	for _, address := range own {
		x := newHarness(t)
		body := `{"webhookUrl":"` + address + `"}`
		p := x.do(t, "POST", "/v0/workflows/", `{"name":"A","outgoingWebhook":`+body+`}`).problem(400, "webhook_to_itself")
		if got := p.pointers(); !slices.Equal(got, []string{"/outgoingWebhook/webhookUrl"}) {
			t.Errorf("%s, a new workflow: got %q", address, got)
		}
		wf := x.newWorkflow(t, `{"name":"A"}`)
		p = x.do(t, "POST", wf+"/outgoing-webhooks/", body).problem(400, "webhook_to_itself")
		if got := p.pointers(); !slices.Equal(got, []string{"/webhookUrl"}) || !strings.HasPrefix(p.Detail, "webhookUrl ") {
			t.Errorf("%s, a new webhook: got %q at %q", address, p.Detail, got)
		}
		x.do(t, "POST", wf+"/outgoing-webhooks/", `{"webhookUrl":"https://hooks.test:8443/x"}`).is(201) // another service of the host
		x.do(t, "PATCH", wf+"/outgoing-webhooks/", body).problem(400, "webhook_to_itself")
		x.do(t, "PATCH", wf+"/outgoing-webhooks/", `{"webhookUrl":"https://hooks.test.example/x"}`).is(200)
	}
}

// An address may have been stored when it was another's.
func TestNoTestEventGoesToAnAddressOfTheInstallation(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://receiver.test/x"}}`)
	x.store.ByID[wf[len("/v0/workflows/"):]].OutgoingWebhook.URL = "https://hooks.test/x"
	x.do(t, "POST", wf+"/outgoing-webhooks/test/", "").problem(400, "webhook_to_itself")
	if x.sender.Event.ID != "" {
		t.Errorf("sent %s, want nothing", x.sender.Event.ID)
	}
}
