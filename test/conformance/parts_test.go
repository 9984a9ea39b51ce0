package conformance

import (
	"net/http"
	"testing"
)

// Sections 2.2, 2.4, 4.3, 4.4 and 4.5.

func sourceID(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	id := form(t, inner(t, w, "source"), "id", `^src_[0-9A-Za-z]+$`)
	field(t, inner(t, s.ada.again(t, w), "source"), "id", id)
}

func sourceType(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A", "source": object{"sourceFields": []string{"X"}}})
	field(t, inner(t, w, "source"), "sourceType", "WEBHOOK")
}

func sourceFields(t *testing.T, s *harness) {
	given := s.ada.workflow(t, object{"name": "A", "source": object{"sourceFields": []string{"Customer Number", "Customer.Name"}}})
	field(t, inner(t, given, "source"), "sourceFields", []string{"Customer Number", "Customer.Name"})
	w := s.ada.workflow(t, object{"name": "A"})
	s.post(t, source(t, w), `{"Number": 1, "Customer": {"Name": "Ada", "Address": {"City": "London"}}, "Tags": ["a"]}`).is(http.StatusOK)
	field(t, inner(t, s.ada.again(t, w), "source"), "sourceFields", []string{"Number", "Customer.Name", "Customer.Address.City", "Tags"})
}

func sourceWebhookURL(t *testing.T, s *harness) {
	first, second := s.ada.workflow(t, object{"name": "A"}), s.ada.workflow(t, object{"name": "A"})
	form(t, inner(t, first, "source"), "webhookUrl", `^https?://[^/]+/[0-9A-Za-z]{16,}$`)
	if source(t, first) == source(t, second) {
		t.Error("two workflows have one address")
	}
	s.post(t, source(t, first), `{"A": 1}`).is(http.StatusOK)
}

const somewhere = "https://example.com/events?a=b"

func (c client) outgoing(t *testing.T, w object) object {
	t.Helper()
	return c.do(t, "POST", path(t, w, "outgoing-webhooks"), object{"webhookUrl": somewhere}).is(http.StatusCreated).object()
}

func outgoingID(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	id := form(t, s.ada.outgoing(t, w), "id", `^owc_[0-9A-Za-z]+$`)
	field(t, s.ada.patch(t, path(t, w, "outgoing-webhooks"), object{"webhookUrl": "https://example.com/other"}), "id", id)
}

func outgoingWebhookURL(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	field(t, s.ada.outgoing(t, w), "webhookUrl", somewhere)
}

func outgoingBothForms(t *testing.T, s *harness) {
	for _, form := range []string{"outgoing-webhook", "outgoing-webhooks"} {
		w := s.ada.workflow(t, object{"name": "A"})
		p := path(t, w, form)
		o := s.ada.do(t, "POST", p, object{"webhookUrl": somewhere}).is(http.StatusCreated).object()
		field(t, o, "webhookUrl", somewhere)
		s.ada.edited(t, p, "webhookUrl", "http://example.com:8080/")
		for _, other := range []string{"outgoing-webhook", "outgoing-webhooks"} {
			field(t, s.ada.do(t, "GET", path(t, w, other), nil).is(http.StatusOK).object(), "id", o["id"])
		}
	}
}

func getOutgoing(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A", "outgoingWebhook": object{"webhookUrl": somewhere}})
	o := s.ada.do(t, "GET", path(t, w, "outgoing-webhooks"), nil).is(http.StatusOK).object()
	field(t, w, "outgoingWebhook", o)
	s.cyd.do(t, "GET", path(t, w, "outgoing-webhooks"), nil).refused(http.StatusForbidden)
	without := s.ada.workflow(t, object{"name": "A"})
	s.ada.do(t, "GET", path(t, without, "outgoing-webhooks"), nil).refused(http.StatusForbidden)
}

// badAddresses are bodies that do not have exactly one field with a URL.
func badAddresses() []any {
	return []any{
		object{}, object{"webhookUrl": somewhere, "name": "x"}, object{"webhookUrl": somewhere, "id": "owc_00000000000000"},
		object{"webhookUrl": nil}, object{"webhookUrl": 1}, object{"webhookUrl": "example.com"}, object{"webhookUrl": "ftp://example.com"},
		object{"webhookUrl": ""}, object{"url": somewhere}, "", "[]", `{"webhookUrl": "https://example.com"`,
	}
}

func createOutgoing(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	p := path(t, w, "outgoing-webhooks")
	for _, body := range badAddresses() {
		s.ada.do(t, "POST", p, body).refused(http.StatusBadRequest)
	}
	s.cyd.do(t, "POST", p, object{"webhookUrl": somewhere}).refused(http.StatusForbidden)
	o := s.ada.outgoing(t, w)
	field(t, s.ada.again(t, w), "outgoingWebhook", o)
}

func updateOutgoing(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	p := path(t, w, "outgoing-webhooks")
	s.ada.outgoing(t, w)
	for _, body := range badAddresses() {
		s.ada.do(t, "PATCH", p, body).refused(http.StatusBadRequest)
	}
	s.cyd.do(t, "PATCH", p, object{"webhookUrl": somewhere}).refused(http.StatusForbidden)
	s.ada.edited(t, p, "webhookUrl", "https://example.com/other")
}

func getSource(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	field(t, w, "source", s.ada.do(t, "GET", path(t, w, "source"), nil).is(http.StatusOK).object())
	s.cyd.do(t, "GET", path(t, w, "source"), nil).refused(http.StatusForbidden)
}

func postSource(t *testing.T, s *harness) {
	r := newReceiver(t, s)
	w := s.ada.runnable(t, r, "Dear {{Name}}")
	a := s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	if len(a.object()) != 0 {
		t.Errorf("got %s, want an empty object", a.body)
	}
	field(t, r.next(t), "event_type", "DOCUMENTS_CREATED") // the automation
	for _, body := range []string{"[]", `"x"`, "1", "null", "", "{", "a=b"} {
		s.post(t, source(t, w), body).refused(http.StatusBadRequest)
	}
}

func postSetsFields(t *testing.T, s *harness) {
	fields := func(w object) any { return inner(t, s.ada.again(t, w), "source")["sourceFields"] }
	w := s.ada.workflow(t, object{"name": "A"})
	for body, want := range map[string][]any{`{"B": 1, "A": 2}`: {"B", "A"}, `{"C": {"D": 1}}`: {"C.D"}} {
		s.post(t, source(t, w), body).is(http.StatusOK)
		field(t, object{"sourceFields": fields(w)}, "sourceFields", want)
	}
	given := s.ada.workflow(t, object{"name": "A", "source": object{"sourceFields": []string{"Mine"}}})
	s.post(t, source(t, given), `{"Theirs": 1}`).is(http.StatusOK)
	field(t, object{"sourceFields": fields(given)}, "sourceFields", []any{"Mine"})
}
