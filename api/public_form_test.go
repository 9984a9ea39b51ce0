package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestThePublicFormIsMadeChangedRenewedAndRemoved(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A"}`) + "/public-form"
	if code := x.do(t, "GET", path, "").is(http.StatusForbidden).object()["code"]; code != "public_form_not_found" {
		t.Errorf("before it is made: got %v", code)
	}
	made := x.do(t, "PUT", path, `{"title":"Order"}`).is(http.StatusCreated).object()
	if !platen.IsID(platen.PrefixForm, made["id"].(string)) || !strings.HasPrefix(made["url"].(string), "https://api.test/forms/") || made["enabled"] != true || made["showDocument"] != true || made["perDay"] != float64(platen.DefaultFormPerDay) {
		t.Errorf("got %v, want a form with its link and the defaults", made)
	}
	changed := x.do(t, "PUT", path, `{"text":"Two\nlines","perAddress":3,"enabled":false}`).is(http.StatusOK).object()
	if changed["url"] != made["url"] || changed["title"] != "Order" || changed["text"] != "Two\nlines" || changed["perAddress"] != 3.0 || changed["enabled"] != false {
		t.Errorf("got %v, want what was left out to stay", changed)
	}
	if again := x.do(t, "PUT", path, "").is(http.StatusOK).object(); again["text"] != "Two\nlines" {
		t.Errorf("without a body: got %v", again)
	}
	renewed := x.do(t, "POST", path+"/rotate", "").is(http.StatusOK).object()
	if renewed["url"] == made["url"] || renewed["id"] != made["id"] || renewed["title"] != "Order" {
		t.Errorf("got %v, want another link", renewed)
	}
	x.do(t, "PUT", path, `{"title":"Other"}`, "If-Match", `"another"`).is(http.StatusPreconditionFailed)
	x.do(t, "DELETE", path, "", "If-Match", `"another"`).is(http.StatusPreconditionFailed)
	x.do(t, "DELETE", path, "").is(http.StatusNoContent)
	x.do(t, "DELETE", path, "").is(http.StatusForbidden)
	x.do(t, "POST", path+"/rotate", "").is(http.StatusForbidden)
}

func TestAPublicFormHasBounds(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A"}`) + "/public-form"
	for _, body := range []string{
		`{"perDay":0}`, `{"perDay":10001}`, `{"perAddress":1001}`, `{"perDay":1.5}`, `{"enabled":"yes"}`, `{"title":"a\nb"}`, `{"text":"\u0000"}`, `{"other":1}`, `[]`,
		`{"title":"` + strings.Repeat("x", platen.MaxWorkflowName+1) + `"}`, `{"text":"` + strings.Repeat("x", platen.MaxFormText+1) + `"}`,
	} {
		x.do(t, "PUT", path, body).problem(http.StatusBadRequest, "invalid_body")
	}
	x.do(t, "GET", path, "").is(http.StatusForbidden)
}
