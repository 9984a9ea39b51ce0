package api

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestASourceGetsAnotherAddressAndTheOneBeforeHasItsTime(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A"}`)
	before := x.do(t, "GET", path+"/source/", "").is(200).object()
	for body, until := range map[string]any{
		"":                     "2026-01-03T03:04:05.678901+00:00",
		"{}":                   "2026-01-03T03:04:05.678901+00:00",
		`{"overlapHours":168}`: "2026-01-09T03:04:05.678901+00:00",
		`{"overlapHours":0}`:   nil,
	} {
		after := x.do(t, "POST", path+"/source/rotate/", body).is(200).object()
		if after["webhookUrl"] == before["webhookUrl"] || after["id"] != before["id"] || after["previousWebhookUrlUntil"] != until {
			t.Errorf("%q: got %v, want another address of the same source, and the one before until %v", body, after, until)
		}
		before = after
	}
	for _, body := range []string{`{"overlapHours":169}`, `{"overlapHours":1.5}`, `{"overlapHours":"1"}`, `{"overlap":1}`} {
		x.do(t, "POST", path+"/source/rotate/", body).problem(400, "invalid_body")
	}
	x.do(t, "DELETE", path+"/", "").is(204)
	x.do(t, "POST", path+"/source/rotate/", "").problem(400, "workflow_archived")
}

func TestASourceAsksOfSendersWhatItIsToldTo(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A"}`)
	id := strings.TrimPrefix(path, "/v0/workflows/")
	at := path + "/source/verification/"
	if got := x.do(t, "GET", at, "").is(200).object(); got["scheme"] != nil || got["secretCount"] != 0.0 {
		t.Errorf("at first: got %v, want nothing", got)
	}
	set := x.do(t, "POST", at, `{"scheme":"HMAC","secrets":["canary-one","canary-two"],"header":"X-Sum","prefix":"sha256=","networks":["203.0.113.9","2001:db8::/32"]}`).is(200)
	read := x.do(t, "GET", at, "").is(200)
	if set.body != read.body || strings.Contains(read.body, "canary") || strings.Contains(x.log.String(), "canary") {
		t.Errorf("got %s and %s, want the same without secrets", set.body, read.body)
	}
	want := platen.Verification{Scheme: platen.SchemeHMAC, Header: "X-Sum", Encoding: "hex", Prefix: "sha256="}
	got := x.store.Verified[id]
	if len(got.Secrets) != 2 || string(got.Secrets[1]) != "canary-two" || len(got.Networks) != 2 || got.Networks[0] != netip.MustParsePrefix("203.0.113.9/32") ||
		got.Scheme != want.Scheme || got.Header != want.Header || got.Encoding != want.Encoding || got.Prefix != want.Prefix || got.Tolerance != want.Tolerance {
		t.Errorf("stored: got %+v, want %+v with both secrets and networks", got, want)
	}
	x.do(t, "POST", at, `{"scheme":"STRIPE","secrets":["whsec_abcdef"]}`).is(200)
	x.do(t, "POST", at, `{"networks":["203.0.113.0/24"]}`).is(200)
	for body, pointer := range map[string]string{
		`{}`: "/scheme", `{"networks":[]}`: "/scheme",
		`{"scheme":"STRIPE"}`: "/secrets",
		`{"scheme":"STRIPE","secrets":["12345678","123456789","1234567890"]}`: "/secrets",
		`{"scheme":"STRIPE","secrets":["short"]}`:                             "/secrets/0",
		`{"scheme":"PAYPAL","secrets":["12345678"]}`:                          "/scheme",
		`{"secrets":["12345678"]}`:                                            "/scheme",
		`{"scheme":"HMAC","secrets":["12345678"]}`:                            "/header",
		`{"scheme":"HMAC","secrets":["12345678"],"header":"X Sum"}`:           "/header",
		`{"scheme":"GITHUB","secrets":["12345678"],"header":"X-Sum"}`:         "/scheme",
		`{"scheme":"STANDARD_WEBHOOKS","secrets":["whsec_not base64"]}`:       "/secrets/0",
		`{"networks":["203.0.113.0/33"]}`:                                     "/networks/0",
		`{"networks":["example.com"]}`:                                        "/networks/0",
		`{"networks":["203.0.113.9"],"toleranceSeconds":0}`:                   "/toleranceSeconds",
		`{"networks":["203.0.113.9"],"toleranceSeconds":60}`:                  "/toleranceSeconds",
		`{"scheme":"GITHUB","secrets":["12345678"],"toleranceSeconds":60}`:    "/toleranceSeconds",
	} {
		p := x.do(t, "POST", at, body).problem(400, "invalid_body")
		if len(p.Errors) != 1 || p.Errors[0].Pointer != pointer {
			t.Errorf("%s: got %+v, want a fault at %q", body, p.Errors, pointer)
		}
	}
	x.do(t, "DELETE", at, "").is(204)
	if x.store.Verified[id].Asks() {
		t.Error("after DELETE something is asked for")
	}
}

func TestWhatASourceAsksCanBeSentBackAsItWasRead(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at := x.newWorkflow(t, `{"name":"A"}`) + "/source/verification/"
	for set, tolerance := range map[string]any{
		`{"scheme":"STANDARD_WEBHOOKS","secrets":["whsec_c2VjcmV0LXNlY3JldA=="]}`:  300.0,
		`{"scheme":"STRIPE","secrets":["12345678"],"toleranceSeconds":60}`:         60.0,
		`{"scheme":"GITHUB","secrets":["12345678"],"networks":["203.0.113.0/24"]}`: nil,
		`{"scheme":"HMAC","secrets":["12345678"],"header":"X-Sum"}`:                nil,
		`{"networks":["203.0.113.0/24"]}`:                                          nil,
	} {
		read := x.do(t, "POST", at, set).is(200).object()
		if read["toleranceSeconds"] != tolerance {
			t.Errorf("%s: toleranceSeconds is %v, want %v", set, read["toleranceSeconds"], tolerance)
		}
		if read["scheme"] != nil {
			read["secrets"] = []string{"c2VjcmV0LXNlY3JldA=="} // the one thing that is not shown
		}
		back, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		delete(read, "secrets")
		if again := x.do(t, "POST", at, string(back)).is(200).object(); !reflect.DeepEqual(again, read) {
			t.Errorf("%s: sent back it is %v, want %v", set, again, read)
		}
	}
}
