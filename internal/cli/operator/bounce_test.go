package operator

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/cli"
)

func TestAMailServerHandsOverWhatCameBack(t *testing.T) {
	t.Parallel()
	answer := http.StatusOK
	var got struct {
		path, authorization, body string
		to                        []string
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got.path, got.authorization, got.body, got.to = r.URL.Path, r.Header.Get("Authorization"), string(body), r.URL.Query()["to"]
		w.WriteHeader(answer)
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
	for status, want := range map[int]int{400: cli.ExitFailed, 413: cli.ExitFailed, 403: cli.ExitTemporary, 404: cli.ExitTemporary, 429: cli.ExitTemporary, 500: cli.ExitTemporary, 503: cli.ExitTemporary} {
		if answer = status; run(c, "x") != want {
			t.Errorf("%d: got %d, want %d", status, run(c, "x"), want)
		}
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
