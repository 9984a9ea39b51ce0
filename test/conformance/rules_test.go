package conformance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// Sections 3, 5, 7 and 9.

func stateIncomplete(t *testing.T, s *harness) {
	r := newReceiver(t, s)
	w := s.ada.workflow(t, object{"name": "A", "outgoingWebhook": object{"webhookUrl": r.url}})
	field(t, w, "status", "INCOMPLETE")
	s.post(t, source(t, w), object{"Name": "early"}).is(http.StatusOK)
	// An event after the first document is the first to make an output.
	s.ada.complete(t, r, w, "Dear {{Name}}")
	s.post(t, source(t, w), object{"Name": "late"}).is(http.StatusOK)
	if got := s.text(t, r.file(t)); got != "Dear late" {
		t.Errorf("the first output says %q, want that of the event after COMPLETE", got)
	}
	r.quiet(t)
}

func stateComplete(t *testing.T, s *harness) {
	r := newReceiver(t, s)
	w := s.ada.runnable(t, r, "Dear {{Name}}")
	field(t, w, "status", "COMPLETE")
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	field(t, r.next(t), "event_type", "DOCUMENTS_CREATED")
}

func stateArchived(t *testing.T, s *harness) {
	w, _, document := s.ada.withDocument(t, object{})
	s.ada.outgoing(t, w)
	s.ada.do(t, "DELETE", path(t, w), nil).is(http.StatusNoContent)
	s.ada.do(t, "PATCH", path(t, w), object{"name": "B"}).refused(http.StatusBadRequest)
	s.ada.do(t, "POST", path(t, w, "documents"), object{}).refused(http.StatusBadRequest)
	s.ada.do(t, "PATCH", document, object{"outputName": "B"}).refused(http.StatusBadRequest)
	s.ada.do(t, "PATCH", path(t, w, "outgoing-webhooks"), object{"webhookUrl": somewhere}).refused(http.StatusBadRequest)
	s.post(t, source(t, w), object{"A": 1}).is(http.StatusGone)
	for _, p := range []string{path(t, w), path(t, w, "source"), path(t, w, "documents"), document, path(t, w, "outgoing-webhooks")} {
		s.ada.do(t, "GET", p, nil).is(http.StatusOK)
	}
}

func transitionCreated(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	field(t, w, "status", "INCOMPLETE")
	field(t, inner(t, w, "source"), "sourceType", "WEBHOOK")
	field(t, inner(t, w, "source"), "sourceFields", []any{})
	field(t, w, "documents", []any{})
}

func transitionComplete(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	s.ada.outgoing(t, w)
	field(t, s.ada.again(t, w), "status", "INCOMPLETE") // an outgoing webhook is not what is missing
	s.ada.document(t, w, object{"file_id": s.file(t, platen.MIMEDocs)})
	field(t, s.ada.again(t, w), "status", "COMPLETE")
	s.ada.document(t, w, object{})
	field(t, s.ada.again(t, w), "status", "COMPLETE")
}

func transitionArchived(t *testing.T, s *harness) {
	incomplete := s.ada.workflow(t, object{"name": "A"})
	complete, _, _ := s.ada.withDocument(t, object{})
	for _, w := range []object{incomplete, complete} {
		for range 2 { // from ARCHIVED as well
			s.ada.do(t, "DELETE", path(t, w), nil).is(http.StatusNoContent)
			field(t, s.ada.again(t, w), "status", "ARCHIVED")
		}
		if !s.ada.sees(t, w) {
			t.Error("an archived workflow is gone from the list")
		}
	}
}

func tokenAlone(t *testing.T, s *harness) {
	a := client{stack: s}.do(t, "GET", "/workflows/", nil, "Authorization", s.ada.token)
	a.is(http.StatusOK)
}

// operations are requests for every endpoint of section 4 that carries
// credentials, on the parts of one workflow.
func operations(t *testing.T, w, d object) []struct{ method, path string } {
	t.Helper()
	document := path(t, w, "documents", text(t, d, "id"))
	return []struct{ method, path string }{
		{"GET", "/workflows/"}, {"POST", "/workflows/"}, {"GET", path(t, w)}, {"PATCH", path(t, w)}, {"DELETE", path(t, w)},
		{"GET", path(t, w, "documents")}, {"POST", path(t, w, "documents")}, {"GET", document}, {"PATCH", document},
		{"GET", path(t, w, "outgoing-webhooks")}, {"POST", path(t, w, "outgoing-webhooks")}, {"PATCH", path(t, w, "outgoing-webhooks")},
		{"GET", path(t, w, "outgoing-webhook")}, {"POST", path(t, w, "outgoing-webhook")}, {"PATCH", path(t, w, "outgoing-webhook")},
		{"GET", path(t, w, "source")},
	}
}

func refusedEverywhere(t *testing.T, s *harness, tokens map[string]string) {
	t.Helper()
	w, d, _ := s.ada.withDocument(t, object{})
	for what, token := range tokens {
		for _, op := range operations(t, w, d) {
			a := client{stack: s, token: token}.do(t, op.method, op.path, bodyFor(op.method))
			if a.status != http.StatusForbidden {
				t.Errorf("%s, %s: got %d, want 403", what, a.call, a.status)
				continue
			}
			a.refused(http.StatusForbidden)
		}
	}
	field(t, s.ada.again(t, w), "name", w["name"])
	field(t, s.ada.again(t, w), "status", "COMPLETE")
}

func bodyFor(method string) any {
	if method == http.MethodPost || method == http.MethodPatch {
		return object{"name": "Taken"}
	}
	return nil
}

func tokenRefused(t *testing.T, s *harness) {
	refusedEverywhere(t, s, map[string]string{
		"no token": "", "an unknown token": "plt_000000000000000000000000000000000", "no token at all": "x",
		"an expired token": s.expired.token, "a revoked token": s.revoked.token, "a token in a scheme": "Basic " + s.ada.token,
	})
}

func errorUnauthorised(t *testing.T, s *harness) {
	refusedEverywhere(t, s, map[string]string{"no token": ""})
}

func resourceOfOthers(t *testing.T, s *harness) {
	w, d, _ := s.ada.withDocument(t, object{})
	s.ada.outgoing(t, w)
	for _, stranger := range []client{s.cyd, s.dan} {
		for _, op := range operations(t, w, d) {
			if op.path == "/workflows/" {
				continue
			}
			a := stranger.do(t, op.method, op.path, bodyFor(op.method))
			// The workflow itself answers as one that cannot be found.
			if want := map[bool]int{true: 404, false: 403}[op.path == path(t, w)]; a.status != want {
				t.Errorf("%s, %s: got %d, want %d", stranger.name, a.call, a.status, want)
			}
		}
	}
	field(t, s.ada.again(t, w), "status", "COMPLETE")
	// A document of another workflow is not there, even one's own.
	other := s.ada.workflow(t, object{"name": "B"})
	s.ada.do(t, "GET", path(t, other, "documents", text(t, d, "id")), nil).refused(http.StatusForbidden)
}

func driveAccess(t *testing.T, s *harness) {
	adas := s.file(t, platen.MIMEDocs)
	s.cyd.do(t, "POST", "/workflows/", object{"name": "A", "document": object{"fileId": adas}}).refused(http.StatusBadRequest)
	w := s.cyd.workflow(t, object{"name": "A"})
	s.cyd.do(t, "POST", path(t, w, "documents"), object{"file_id": adas}).refused(http.StatusBadRequest)
	field(t, s.cyd.again(t, w), "status", "INCOMPLETE")
	// Dan's account is not authorised with the drive.
	s.dan.do(t, "POST", "/workflows/", object{"name": "A", "document": object{"fileId": adas}}).refused(http.StatusForbidden)
	s.ada.workflow(t, object{"name": "A", "document": object{"fileId": adas}})
}

func sourceNeedsNoToken(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "A"})
	s.post(t, source(t, w), object{"A": 1}).is(http.StatusOK)
	s.post(t, source(t, w), object{"A": 1}, "Authorization", "anything").is(http.StatusOK)
	s.post(t, strings.Repeat(s.hooks+"/", 1)+"0000000000000000000000000aa", object{"A": 1}).is(http.StatusNotFound)
}

func errorBadRequest(t *testing.T, s *harness) {
	w, _, document := s.ada.withDocument(t, object{})
	for _, op := range []struct{ method, path string }{
		{"POST", "/workflows/"}, {"PATCH", path(t, w)}, {"POST", path(t, w, "documents")}, {"PATCH", document}, {"POST", path(t, w, "outgoing-webhooks")},
	} {
		for _, body := range []string{"{", "[]", `{"nonsense": 1}`, "\xff\xfe", `{"name": "a", "name": "b"}`} {
			s.ada.do(t, op.method, op.path, body).refused(http.StatusBadRequest)
		}
	}
	sheet := s.file(t, "application/vnd.google-apps.folder")
	for _, reference := range []string{"no-such-file", sheet, "not a file id"} {
		s.ada.do(t, "POST", "/workflows/", object{"name": "A", "document": object{"fileId": reference}}).refused(http.StatusBadRequest)
		s.ada.do(t, "POST", path(t, w, "documents"), object{"file_id": reference}).refused(http.StatusBadRequest)
	}
}

func errorNotFound(t *testing.T, s *harness) {
	for _, id := range []string{unknown, "wkf_", "nonsense", "doc_0000000000000000"} {
		s.ada.do(t, "GET", "/workflows/"+id+"/", nil).refused(http.StatusNotFound)
		s.ada.do(t, "PATCH", "/workflows/"+id+"/", object{"name": "A"}).refused(http.StatusNotFound)
		s.ada.do(t, "DELETE", "/workflows/"+id+"/", nil).refused(http.StatusNotFound)
		for _, part := range []string{"documents", "documents/doc_0000000000000000", "source", "outgoing-webhooks", "outgoing-webhook"} {
			s.ada.do(t, "GET", "/workflows/"+id+"/"+part+"/", nil).refused(http.StatusForbidden)
		}
	}
	w := s.ada.workflow(t, object{"name": "A"})
	s.ada.do(t, "GET", path(t, w, "documents", "doc_0000000000000000"), nil).refused(http.StatusForbidden)
	s.ada.do(t, "PATCH", path(t, w, "documents", "doc_0000000000000000"), object{"outputName": "A"}).refused(http.StatusForbidden)
}

func versionInPath(t *testing.T, s *harness) {
	if !strings.HasSuffix(s.api, "/v0") {
		t.Fatalf("base address: got %s, want it to end in /v0", s.api)
	}
	for version, want := range map[string]int{"/v0": http.StatusOK, "": http.StatusNotFound, "/v1": http.StatusNotFound} {
		request := newRequest(t, http.MethodGet, strings.TrimSuffix(s.api, "/v0")+version+"/workflows/", nil)
		request.Header.Set("Authorization", s.ada.token)
		s.send(t, request, nil).is(want)
	}
}
