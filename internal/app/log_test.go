package app

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

func TestNothingThatIsLoggedWholeShowsASecretOrABody(t *testing.T) {
	t.Parallel()
	const canary = "canary-7f3a"
	connection := platen.DriveConnection{Kind: platen.ConnectionToken, Secret: canary}
	for name, value := range map[string]any{
		"secret":        platen.Secret(canary),
		"connection":    connection,
		"pointer":       &connection,
		"connections":   []platen.DriveConnection{connection},
		"map":           map[string]platen.DriveConnection{"ada": connection},
		"event":         platen.SourceEvent{SourceKey: canary, Body: []byte(canary)},
		"body":          []byte(canary),
		"raw":           json.RawMessage(`{"a":"` + canary + `"}`),
		"document":      platen.Document{PDFPassword: canary},
		"webhook":       platen.OutgoingWebhook{Secret: canary, PreviousSecret: canary},
		"configuration": config.Secrets{SecretKeys: canary},
	} {
		for _, form := range []config.LogFormat{config.LogJSON, config.LogText} {
			var to bytes.Buffer
			log := LoggerTo(&to, config.Log{LogFormat: form})
			log.With("with", value).WithGroup("group").Info("message", "value", value)
			if to.Len() == 0 || strings.Contains(to.String(), canary) {
				t.Errorf("%s as %s: got %q", name, form, to.String())
			}
		}
	}
}

func TestEveryEndingIsOneLineAndAFailedOneAWarning(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for state, level := range map[platen.AutomationState]string{
		platen.AutomationCompleted: "INFO", platen.AutomationCancelled: "INFO", platen.AutomationFailed: "WARN",
	} {
		var to bytes.Buffer
		ending := platen.Ending{
			AutomationID: "aut_1", WorkflowID: "wkf_1", OwnerID: "usr_1", Attempt: 2, State: state, Code: "why",
			AcceptedAt: at, StartedAt: at.Add(250 * time.Millisecond), FinishedAt: at.Add(1500 * time.Millisecond),
		}
		logEnding(LoggerTo(&to, config.Log{}))(t.Context(), ending)
		var line map[string]any
		if err := json.Unmarshal(to.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v in %q", state, err, to.String())
		}
		delete(line, "time")
		want := map[string]any{
			"level": level, "msg": "automation ended", "automation": "aut_1", "workflow": "wkf_1", "owner": "usr_1",
			"state": string(state), "attempt": 2.0, "code": "why", "ms": 1500.0, "waited_ms": 250.0,
		}
		for key, value := range want {
			if line[key] != value {
				t.Errorf("%s: got %s %v, want %v", state, key, line[key], value)
			}
		}
		if len(line) != len(want) {
			t.Errorf("%s: got %v", state, line)
		}
	}
}
