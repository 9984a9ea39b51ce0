package conformance

import (
	"net/http"
	"regexp"
	"testing"
	"time"
)

// Section 2.1, and section 3's defaults.

// form checks a string field against a pattern and returns it.
func form(t *testing.T, o object, name, pattern string) string {
	t.Helper()
	s := text(t, o, name)
	if !regexp.MustCompile(pattern).MatchString(s) {
		t.Errorf("%s: got %q, want the form %s", name, s, pattern)
	}
	return s
}

// fixed checks that a PATCH with another value is taken and changes nothing.
func (c client) fixed(t *testing.T, p string, o object, name string, other any) {
	t.Helper()
	field(t, c.patch(t, p, object{name: other}), name, o[name])
}

// edited checks that a PATCH changes the field, and that a later GET shows it.
func (c client) edited(t *testing.T, p, name string, value any) {
	t.Helper()
	field(t, c.patch(t, p, object{name: value}), name, value)
	field(t, c.do(t, "GET", p, nil).is(http.StatusOK).object(), name, value)
}

func workflowID(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	id := form(t, w, "id", `^wkf_[0-9A-Za-z]+$`)
	field(t, s.ada.again(t, w), "id", id)
	if other := s.ada.workflow(t, object{"name": "A"}); other["id"] == w["id"] {
		t.Errorf("two workflows have the id %s", id)
	}
	s.ada.fixed(t, path(t, w), w, "id", "wkf_00000000000000")
}

func workflowName(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "Ängström & Co. <1>"})
	field(t, w, "name", "Ängström & Co. <1>")
	s.ada.edited(t, path(t, w), "name", "Another “name” 名")
}

func workflowColor(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A", "color": "#12ab9F"})
	field(t, w, "color", "#12ab9F")
	s.ada.edited(t, path(t, w), "color", "#fff")
}

func workflowIcon(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A", "icon": "Receipt"})
	field(t, w, "icon", "Receipt")
	s.ada.edited(t, path(t, w), "icon", "DocumentText")
}

func workflowStatus(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	field(t, w, "status", "INCOMPLETE")
	s.ada.fixed(t, path(t, w), w, "status", "COMPLETE")
	s.ada.document(t, w, object{})
	field(t, s.ada.again(t, w), "status", "COMPLETE")
	s.ada.do(t, "DELETE", path(t, w), nil).is(http.StatusNoContent)
	field(t, s.ada.again(t, w), "status", "ARCHIVED")
}

func workflowAutoCreate(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	field(t, w, "autoCreate", true)
	s.ada.fixed(t, path(t, w), w, "autoCreate", false)
	// That an event makes an automation: stateComplete and eventOfOutput.
}

func workflowOwner(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	owner := inner(t, w, "owner")
	form(t, owner, "id", `^usr_[0-9A-Za-z]+$`)
	field(t, owner, "id", s.ada.id)
	field(t, owner, "name", s.ada.name)
	field(t, owner, "email", s.ada.email)
	s.ada.fixed(t, path(t, w), w, "owner", object{"id": s.bea.id, "name": s.bea.name, "email": s.bea.email})
}

func workflowTeam(t *testing.T, s *harness) {
	field(t, s.dan.workflow(t, object{"name": "A"}), "team", nil)
	w := s.ada.workflow(t, object{"name": "A"})
	team := inner(t, w, "team")
	form(t, team, "id", `^team_[0-9A-Za-z]+$`)
	field(t, team, "name", "Print room")
	s.ada.fixed(t, path(t, w), w, "team", nil)
}

func workflowSource(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	inner(t, w, "source")
	field(t, s.ada.do(t, "GET", path(t, w, "source"), nil).object(), "id", inner(t, w, "source")["id"])
	s.ada.fixed(t, path(t, w), w, "source", object{"sourceFields": []string{"X"}})
}

func workflowDocuments(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	field(t, w, "documents", []any{})
	first, second := s.ada.document(t, w, object{}), s.ada.document(t, w, object{})
	w = s.ada.again(t, w)
	field(t, w, "documents", []any{first, second})
	s.ada.fixed(t, path(t, w), w, "documents", []any{})
}

func workflowOutgoingWebhook(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	field(t, w, "outgoingWebhook", nil)
	o := s.ada.do(t, "POST", path(t, w, "outgoing-webhooks"), object{"webhookUrl": "https://example.com/events"}).is(http.StatusCreated).object()
	w = s.ada.again(t, w)
	field(t, w, "outgoingWebhook", o)
	s.ada.fixed(t, path(t, w), w, "outgoingWebhook", nil)
}

func workflowCreatedByAPI(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A", "createdByApi": false})
	field(t, w, "createdByApi", true)
	s.ada.fixed(t, path(t, w), w, "createdByApi", false)
}

// timeForm is ISO 8601 with fractional seconds and a UTC offset.
const timeForm = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d\d:\d\d$`

func instant(t *testing.T, o object, name string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, form(t, o, name, timeForm))
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return at
}

func workflowCreatedAt(t *testing.T, s *harness) {
	before := time.Now().Add(-time.Second)
	w := s.ada.workflow(t, object{"name": "A"})
	if at := instant(t, w, "createdAt"); at.Before(before) || at.After(time.Now().Add(time.Second)) {
		t.Errorf("createdAt: got %v, want now", at)
	}
	s.ada.fixed(t, path(t, w), w, "createdAt", "2020-01-01T00:00:00.000000+00:00")
	field(t, s.ada.patch(t, path(t, w), object{"name": "B"}), "createdAt", w["createdAt"])
}

func workflowUpdatedAt(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	field(t, w, "updatedAt", w["createdAt"])
	last := instant(t, w, "updatedAt")
	later := func(what string) {
		t.Helper()
		at := instant(t, s.ada.again(t, w), "updatedAt")
		if !at.After(last) {
			t.Errorf("updatedAt after %s: got %v, want later than %v", what, at, last)
		}
		last = at
	}
	s.ada.patch(t, path(t, w), object{"name": "B"})
	later("a new name")
	d := s.ada.document(t, w, object{})
	later("a new document")
	s.ada.patch(t, path(t, w, "documents", text(t, d, "id")), object{"outputName": "X"})
	later("a change of a document")
	s.ada.do(t, "POST", path(t, w, "outgoing-webhooks"), object{"webhookUrl": "https://example.com/events"}).is(http.StatusCreated)
	later("an outgoing webhook")
	s.ada.fixed(t, path(t, w), s.ada.again(t, w), "updatedAt", "2020-01-01T00:00:00.000000+00:00")
}

func workflowDefaults(t *testing.T, s *harness) {
	w := s.dan.workflow(t, object{"name": "A"})
	if text(t, w, "icon") == "" {
		t.Error("icon: got none, want a default")
	}
	grey := form(t, w, "color", `^#[0-9a-f]{6}$`)
	if grey[1:3] != grey[3:5] || grey[3:5] != grey[5:7] {
		t.Errorf("color: got %s, want a grey", grey)
	}
	for name, want := range map[string]any{
		"status": "INCOMPLETE", "autoCreate": true, "team": nil, "documents": []any{}, "outgoingWebhook": nil, "createdByApi": true,
	} {
		field(t, w, name, want)
	}
	source := inner(t, w, "source")
	field(t, source, "sourceType", "WEBHOOK")
	field(t, source, "sourceFields", []any{})
	form(t, source, "webhookUrl", `^https?://`)
}
