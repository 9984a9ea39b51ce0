package operator

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/cli"
)

func TestAMailServerHandsOverWhatCameBack(t *testing.T) {
	t.Parallel()
	answer, problem := http.StatusOK, ""
	var got struct {
		path, authorization, body string
		to                        []string
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got.path, got.authorization, got.body, got.to = r.URL.Path, r.Header.Get("Authorization"), string(body), r.URL.Query()["to"]
		w.WriteHeader(answer)
		_, _ = io.WriteString(w, problem)
	}))
	t.Cleanup(s.Close)
	c := bounceCommand{To: []string{"bounces+token@example.com"}, APIURL: s.URL + "/v0", SMTPBounceKey: "a key of twenty characters"}
	run := func(c bounceCommand, message string) int {
		t.Helper()
		return cli.ExitCode(c.run(t.Context(), strings.NewReader(message)))
	}
	if code := run(c, "To: x\n\n"+strings.Repeat("y", 2<<20)); code != 0 || got.path != "/bounces" || got.authorization != "Bearer a key of twenty characters" || len(got.body) != 1<<20 || len(got.to) != 1 || got.to[0] != c.To[0] {
		t.Errorf("got %d after %s, %s, %d bytes, %q", code, got.path, got.authorization, len(got.body), got.to)
	}
	for status, want := range map[int]int{400: cli.ExitTemporary, 413: cli.ExitTemporary, 403: cli.ExitTemporary, 404: cli.ExitTemporary, 429: cli.ExitTemporary, 500: cli.ExitTemporary, 503: cli.ExitTemporary} {
		if answer = status; run(c, "x") != want {
			t.Errorf("%d: got %d, want %d", status, run(c, "x"), want)
		}
	}
	answer, problem = http.StatusBadRequest, `{"code": "body_unreadable"}`
	if code := run(c, "x"); code != cli.ExitTemporary {
		t.Errorf("cut off on its way: got %d, want %d", code, cli.ExitTemporary)
	}
	problem = `{"code": "message_malformed"}`
	if code := run(c, "x"); code != 0 {
		t.Errorf("no message: got %d, want 0: another message would go to a stranger", code)
	}
	if unset := (bounceCommand{}); run(unset, "x") != cli.ExitTemporary {
		t.Error("without settings the mail server does not keep the message")
	}
	gone, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	c.APIURL = gone.String() + "/v0"
	if code := run(c, "x"); code != cli.ExitTemporary {
		t.Errorf("nobody there: got %d, want %d", code, cli.ExitTemporary)
	}
}

// The script of the mail server names a file that is not there, or one that nobody may read, or
// a flag that does not exist.
func TestAMailServerKeepsAMessageWhereASettingIsWrong(t *testing.T) {
	t.Setenv("PLATEN_SMTP_BOUNCE_KEY", "")
	t.Setenv("PLATEN_SMTP_BOUNCE_KEY_FILE", filepath.Join(t.TempDir(), "nowhere"))
	for _, line := range [][]string{{"bounce"}, {"bounce", "bounces+token@example.com"}, {"bounce", "--no-such-flag"}} {
		if err := Run(t.Context(), line); cli.ExitCode(err) != cli.ExitTemporary {
			t.Errorf("platen %s: got %d, %v, want %d", strings.Join(line, " "), cli.ExitCode(err), err, cli.ExitTemporary)
		}
	}
}
