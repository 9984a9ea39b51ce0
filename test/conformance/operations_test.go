package conformance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// Sections 4, 4.1 and 4.2.

func bodiesAreJSON(t *testing.T, s *harness) {
	a := s.ada.do(t, "POST", "/workflows/", object{"name": "A"}).is(http.StatusCreated)
	if got := a.header.Get("Content-Type"); got != "application/json" || !json.Valid(a.body) {
		t.Errorf("got Content-Type %q: %s", got, a.body)
	}
	for _, body := range []string{"", "name=A", "<name>A</name>", `{"name": "A"`, `{'name': 'A'}`, `{"name": "A"} {}`} {
		s.ada.do(t, "POST", "/workflows/", body).refused(http.StatusBadRequest)
	}
}

func pathsWithoutSlash(t *testing.T, s *harness) {
	w := s.ada.do(t, "POST", "/workflows", object{"name": "A"}).is(http.StatusCreated).object()
	p := strings.TrimSuffix(path(t, w), "/")
	d := s.ada.do(t, "POST", p+"/documents", object{}).is(http.StatusCreated).object()
	s.ada.do(t, "POST", p+"/outgoing-webhook", object{"webhookUrl": somewhere}).is(http.StatusCreated)
	document := p + "/documents/" + text(t, d, "id")
	for _, get := range []string{"/workflows", p, p + "/source", p + "/documents", document, p + "/outgoing-webhook", p + "/outgoing-webhooks"} {
		s.ada.do(t, "GET", get, nil).is(http.StatusOK)
	}
	s.ada.do(t, "PATCH", p, object{"name": "B"}).is(http.StatusOK)
	s.ada.do(t, "PATCH", document, object{"outputName": "B"}).is(http.StatusOK)
	s.ada.do(t, "PATCH", p+"/outgoing-webhooks", object{"webhookUrl": somewhere}).is(http.StatusOK)
	s.ada.do(t, "DELETE", p, nil).is(http.StatusNoContent)
}

func (c client) sees(t *testing.T, w object) bool {
	t.Helper()
	return slices.ContainsFunc(c.do(t, "GET", "/workflows/", nil).is(http.StatusOK).list(), func(o object) bool { return o["id"] == w["id"] })
}

func listWorkflows(t *testing.T, s *harness) {
	own, teams, others := s.ada.workflow(t, object{"name": "A"}), s.bea.workflow(t, object{"name": "B"}), s.cyd.workflow(t, object{"name": "C"})
	alone := s.dan.workflow(t, object{"name": "D"})
	for _, c := range []struct {
		who  client
		what string
		w    object
		want bool
	}{
		{s.ada, "her own", own, true}, {s.ada, "the team's", teams, true}, {s.bea, "the team's", own, true},
		{s.ada, "another team's", others, false}, {s.ada, "that of somebody without a team", alone, false},
		{s.dan, "his own", alone, true}, {s.dan, "a team's", own, false},
	} {
		if got := c.who.sees(t, c.w); got != c.want {
			t.Errorf("%s sees %s workflow: got %v, want %v", c.who.name, c.what, got, c.want)
		}
	}
	for _, listed := range s.ada.do(t, "GET", "/workflows/", nil).list() {
		if listed["id"] == own["id"] {
			field(t, object{"workflow": listed}, "workflow", own)
		}
	}
	client{stack: s}.do(t, "GET", "/workflows/", nil).refused(http.StatusForbidden)
}

func createWorkflow(t *testing.T, s *harness) {
	w := s.ada.do(t, "POST", "/workflows/", object{"name": "A"}).is(http.StatusCreated).object()
	field(t, object{"workflow": s.ada.again(t, w)}, "workflow", w)
	s.ada.do(t, "POST", "/workflows/", object{}).refused(http.StatusBadRequest)
	client{stack: s}.do(t, "POST", "/workflows/", object{"name": "A"}).refused(http.StatusForbidden)
}

// refuses checks that creating a workflow with the field is a 400 for each value.
func (c client) refuses(t *testing.T, name string, values ...any) {
	t.Helper()
	for _, v := range values {
		body := object{"name": "A"}
		body[name] = v
		a := c.do(t, "POST", "/workflows/", body)
		if a.status != http.StatusBadRequest {
			t.Errorf("%s %v: got %d, want 400: %s", name, v, a.status, a.body)
		}
	}
}

func createName(t *testing.T, s *harness) {
	field(t, s.ada.workflow(t, object{"name": "x"}), "name", "x")
	s.ada.do(t, "POST", "/workflows/", object{"color": "#ffffff"}).refused(http.StatusBadRequest)
	s.ada.refuses(t, "name", nil, 1, true, object{}, []any{}, "", " ", "a\nb", strings.Repeat("x", 201))
}

func createColor(t *testing.T, s *harness) {
	field(t, s.ada.workflow(t, object{"name": "A", "color": "#0a0B0c"}), "color", "#0a0B0c")
	s.ada.refuses(t, "color", nil, 1, "", "0a0b0c", "#12345", "#gggggg", "red")
}

func createIcon(t *testing.T, s *harness) {
	field(t, s.ada.workflow(t, object{"name": "A", "icon": "Mail"}), "icon", "Mail")
	s.ada.refuses(t, "icon", nil, 1, "", "<svg>")
}

func createSource(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A", "source": object{"sourceFields": []string{"One", "Two.Three"}}})
	field(t, inner(t, w, "source"), "sourceFields", []string{"One", "Two.Three"})
	field(t, inner(t, s.ada.again(t, w), "source"), "sourceFields", []string{"One", "Two.Three"})
	s.ada.refuses(t, "source", nil, []any{}, object{"sourceFields": "One"}, object{"sourceFields": []any{1}}, object{"sourceFields": nil}, object{"fields": []any{}})
}

func createWithDocument(t *testing.T, s *harness) {
	for _, spelling := range []string{"fileId", "file_id"} {
		w := s.ada.workflow(t, object{"name": "A", "document": object{spelling: s.file(t, platen.MIMESlides)}})
		documents, _ := w["documents"].([]any)
		if len(documents) != 1 {
			t.Fatalf("documents: got %v, want one", w["documents"])
		}
		field(t, documents[0].(object), "documentType", "CLOUD_SLIDES")
		field(t, w, "status", "COMPLETE")
	}
	s.ada.refuses(t, "document", nil, []any{}, object{"fileId": 1}, object{"fileId": nil}, object{"fileId": "no-such-file"}, object{"fileId": ""})
}

func createWithOutgoingWebhook(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A", "outgoingWebhook": object{"webhookUrl": somewhere}})
	field(t, inner(t, w, "outgoingWebhook"), "webhookUrl", somewhere)
	s.ada.refuses(t, "outgoingWebhook", []any{}, object{}, object{"webhookUrl": nil}, object{"webhookUrl": "nowhere"})
}

func createComplete(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{
		"name": "All", "color": "#123456", "icon": "Mail", "source": object{"sourceFields": []string{"X"}},
		"document": object{"fileId": s.file(t, platen.MIMEDocs)}, "outgoingWebhook": object{"webhookUrl": somewhere},
	})
	for name, want := range map[string]any{"name": "All", "color": "#123456", "icon": "Mail", "status": "COMPLETE"} {
		field(t, w, name, want)
	}
	field(t, inner(t, w, "source"), "sourceFields", []string{"X"})
	field(t, inner(t, w, "outgoingWebhook"), "webhookUrl", somewhere)
	field(t, object{"workflow": s.ada.again(t, w)}, "workflow", w)
}

// unknown is an id of the right form that nothing has.
const unknown = "wkf_0000000000000000"

func retrieveWorkflow(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	field(t, object{"workflow": s.ada.again(t, w)}, "workflow", w)
	field(t, object{"workflow": s.bea.again(t, w)}, "workflow", w)
	s.ada.do(t, "GET", "/workflows/"+unknown+"/", nil).refused(http.StatusNotFound)
	client{stack: s}.do(t, "GET", path(t, w), nil).refused(http.StatusForbidden)
}

func updateWorkflow(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A", "color": "#111111", "icon": "One"})
	field(t, s.ada.patch(t, path(t, w), object{"name": "B"}), "color", "#111111") // the rest stays
	got := s.bea.patch(t, path(t, w), object{"name": "C", "color": "#222222", "icon": "Two"})
	for name, want := range map[string]string{"name": "C", "color": "#222222", "icon": "Two"} {
		field(t, got, name, want)
	}
	field(t, object{"workflow": s.ada.patch(t, path(t, w), s.ada.again(t, w))["name"]}, "workflow", "C") // what was read can be sent back
	for _, body := range []any{object{"name": ""}, object{"name": nil}, object{"color": "red"}, object{"icon": 1}, object{"nonsense": 1}, "", "[]"} {
		s.ada.do(t, "PATCH", path(t, w), body).refused(http.StatusBadRequest)
	}
	s.ada.do(t, "PATCH", "/workflows/"+unknown+"/", object{"name": "B"}).refused(http.StatusNotFound)
	client{stack: s}.do(t, "PATCH", path(t, w), object{"name": "B"}).refused(http.StatusForbidden)
}

func deleteWorkflow(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	client{stack: s}.do(t, "DELETE", path(t, w), nil).refused(http.StatusForbidden)
	if a := s.ada.do(t, "DELETE", path(t, w), nil).is(http.StatusNoContent); len(a.body) != 0 {
		t.Errorf("body: got %q, want none", a.body)
	}
	field(t, s.ada.again(t, w), "status", "ARCHIVED")
	s.ada.do(t, "DELETE", "/workflows/"+unknown+"/", nil).refused(http.StatusNotFound)
}

func listDocuments(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	p := path(t, w, "documents")
	if got := s.ada.do(t, "GET", p, nil).is(http.StatusOK).list(); len(got) != 0 {
		t.Errorf("got %v, want none", got)
	}
	first, second := s.ada.document(t, w, object{}), s.ada.document(t, w, object{})
	field(t, object{"documents": s.bea.do(t, "GET", p, nil).is(http.StatusOK).list()}, "documents", []object{first, second})
	s.cyd.do(t, "GET", p, nil).refused(http.StatusForbidden)
}

func createDocument(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	p := path(t, w, "documents")
	template := s.template(t, "Dear {{Name}}")
	for _, spelling := range []string{"file_id", "fileId"} {
		d := s.ada.document(t, w, object{spelling: template})
		copied := text(t, inner(t, d, "file"), "id")
		if got := s.text(t, copied); copied == template || got != "Dear {{Name}}" {
			t.Errorf("%s: got file %s that says %q, want a copy of %s", spelling, copied, got, template)
		}
	}
	for _, body := range []any{object{}, nil, ""} {
		d := s.ada.do(t, "POST", p, body).is(http.StatusCreated).object()
		if got := s.text(t, text(t, inner(t, d, "file"), "id")); got != "" {
			t.Errorf("a new document says %q", got)
		}
	}
	for _, body := range []any{object{"file_id": "no-such-file"}, object{"file_id": 1}, object{"file_id": nil}, object{"template": template}, "[]", "{"} {
		s.ada.do(t, "POST", p, body).refused(http.StatusBadRequest)
	}
	s.cyd.do(t, "POST", p, object{}).refused(http.StatusForbidden)
}

func getDocument(t *testing.T, s *harness) {
	_, d, p := s.ada.withDocument(t, object{})
	field(t, object{"document": s.ada.do(t, "GET", p, nil).is(http.StatusOK).object()}, "document", d)
	s.cyd.do(t, "GET", p, nil).refused(http.StatusForbidden)
}

func updateDocument(t *testing.T, s *harness) {
	_, d, p := s.ada.withDocument(t, object{})
	got := s.bea.patch(t, p, object{"outputName": "X", "pdfPassword": "secret", "enablePdfPassword": true, "enablePdfPreventCopy": true})
	for name, want := range map[string]any{"outputName": "X", "pdfPassword": "secret", "enablePdfPassword": true, "pdfPasswordPreventCopy": true} {
		field(t, got, name, want)
	}
	field(t, got, "file", d["file"])
	for _, body := range []any{
		object{"outputName": ""}, object{"outputName": nil}, object{"pdfPassword": 1}, object{"enablePdfPassword": "true"},
		object{"enablePdfPreventCopy": nil}, object{"enablePdfPreventCopy": true, "pdfPasswordPreventCopy": false}, object{"nonsense": 1}, "", "[]",
	} {
		s.ada.do(t, "PATCH", p, body).refused(http.StatusBadRequest)
	}
	s.cyd.do(t, "PATCH", p, object{"outputName": "X"}).refused(http.StatusForbidden)
}
