package cli

import (
	"net/http"
	"strings"
	"testing"
)

func TestASecondWebhookNamesTheCommandThatChangesIt(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["POST /workflows/wkf_1/outgoing-webhooks/"] = problem{http.StatusBadRequest, object{"code": "outgoing_webhook_exists", "detail": "Change it with PATCH."}}
	err := d.run(t.Context(), d.loggedIn("webhooks", "create", "wkf_1", "https://r.example")...)
	if err == nil || !strings.Contains(err.Error(), "'platen webhooks update wkf_1 https://r.example'") || strings.Contains(err.Error(), "PATCH") {
		t.Errorf("got %v, want the command that changes the address", err)
	}
}
