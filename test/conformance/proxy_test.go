package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/platenhq/platen/internal/testkit"
)

// prismVariable names Prism's program (npm @stoplight/prism-cli). When it is
// set, the requests whose paths are in the contract go through Prism's
// validating proxy, which judges each answer as well.
const prismVariable = "PLATEN_CONFORMANCE_PRISM"

// proxies are the addresses of Prism in front of the API and of the host of
// source addresses; empty without it.
type proxies struct {
	api, hooks string
	judged     *atomic.Int64 // answers that came through Prism
	violations *atomic.Int64
}

func startProxies(t *testing.T, s *harness) proxies {
	t.Helper()
	program := os.Getenv(prismVariable)
	if program == "" {
		return proxies{}
	}
	document := filepath.Join(t.TempDir(), contractName)
	if err := os.WriteFile(document, s.contract.served, 0o600); err != nil {
		t.Fatal(err)
	}
	p := proxies{
		api:        startProxy(t, program, document, s.api),
		hooks:      startProxy(t, program, document, s.hooks),
		judged:     &atomic.Int64{},
		violations: &atomic.Int64{},
	}
	t.Cleanup(func() {
		t.Logf("prism judged %d answers and found %d violations", p.judged.Load(), p.violations.Load())
		if p.judged.Load() == 0 {
			t.Error("no answer came through prism")
		}
	})
	return p
}

// startProxy starts Prism on a free port and waits until it answers.
func startProxy(t *testing.T, program, document, upstream string) string {
	t.Helper()
	l := testkit.Listen(t)
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil { // Prism opens it itself
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, program, "proxy", document, upstream, "--host", "127.0.0.1", "--port", port)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 5 * time.Second
	said := &testkit.Journal{}
	command.Stdout, command.Stderr = said, said
	if err := command.Start(); err != nil {
		stop()
		t.Fatal(err)
	}
	var ended sync.WaitGroup
	ended.Go(func() { _ = command.Wait() }) // it ends by our signal
	t.Cleanup(func() {
		stop()
		ended.Wait()
	})
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if bytes.Contains([]byte(said.String()), []byte("Prism is listening")) {
				return "http://127.0.0.1:" + port
			}
		case <-deadline.C:
			t.Fatalf("prism was not ready within %v:\n%s", patience, said.String())
		}
	}
}

// longNumber is one that a float does not hold.
var longNumber = regexp.MustCompile(`[0-9]{16}`)

// passesProxy tells whether Prism forwards a body as it is: it never answers
// one that is no JSON, and writes duplicate keys and long numbers anew.
func passesProxy(t testing.TB, body any) bool {
	t.Helper()
	text, raw := body.(string)
	return !raw || text == "" || jsontext.Value(text).IsValid() && !longNumber.MatchString(text)
}

// A violation is what Prism writes into the header sl-violations.
type violation struct {
	Location []string `json:"location"`
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
}

// check reads what Prism says of an answer. That a request breaks the contract
// is no violation here: the suite sends wrong ones to see them refused.
func (p proxies) check(t testing.TB, request *http.Request, response *http.Response) {
	t.Helper()
	if p.judged == nil || "http://"+request.URL.Host != p.api && "http://"+request.URL.Host != p.hooks {
		return
	}
	p.judged.Add(1)
	header := response.Header.Get("sl-violations")
	if header == "" {
		return
	}
	var found []violation
	if err := json.Unmarshal([]byte(header), &found); err != nil {
		t.Errorf("prism: %v: %s", err, header)
	}
	for _, v := range found {
		if len(v.Location) > 0 && v.Location[0] == "request" {
			continue
		}
		p.violations.Add(1)
		t.Errorf("prism: %s %s: %s at %v", request.Method, request.URL.Path, v.Message, v.Location)
	}
}
