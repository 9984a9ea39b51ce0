package examples_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	secret  = "whsec_cGxhdGVuLWV4YW1wbGUtcmVjZWl2ZXIta2V5"
	another = "whsec_YW5vdGhlci1rZXktb2YtYW5vdGhlci1yZWNlaXZlcg=="
)

// receivers build each receiver and return its command.
var receivers = map[string]func(t *testing.T) []string{
	"Go": func(t *testing.T) []string {
		program := filepath.Join(t.TempDir(), "receiver")
		c := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
		c.Dir = "receiver"
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return []string{program}
	},
	"Node": func(t *testing.T) []string {
		node, err := exec.LookPath("node")
		if err != nil {
			t.Skip("there is no node here")
		}
		return []string{node, "receiver/receiver.mjs"}
	},
	"Python": func(t *testing.T) []string {
		python, err := exec.LookPath("python3")
		if err != nil {
			t.Skip("there is no python3 here")
		}
		return []string{python, "receiver/receiver.py"}
	},
}

func TestTheGuidePrintsWhatTheReceiverInPythonDoes(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/guides/verify-a-signature.md")
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := os.ReadFile("receiver/receiver.py")
	if err != nil {
		t.Fatal(err)
	}
	_, printed, found := strings.Cut(string(guide), "```python\n")
	printed, _, _ = strings.Cut(printed, "```")
	_, function, defined := strings.Cut(printed, "\n\n\n")
	if !found || !defined || !strings.Contains(string(receiver), "\n"+function) {
		t.Errorf("the guide prints %q, which is not in receiver.py", printed)
	}
}

func TestReceiversTakeSignedEventsAloneAndEachOnce(t *testing.T) {
	t.Parallel()
	for name, build := range receivers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "secret.txt")
			if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			address, said := start(t, append(build(t), file, "127.0.0.1:0"))
			const first, second = `{"event_id":"evt_1","event_type":"DOCUMENTS_CREATED","data":{"documents":[{"name":"a.pdf"}]}}`,
				`{"event_id":"evt_2","event_type":"WORKFLOW_TEST","data":{"documents":[]}}`
			harass(t, address)
			if answer, err := http.Get(address); err != nil || answer.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("a browser: got %v, %v, want 405", answer, err)
			} else {
				answer.Body.Close()
			}
			now := time.Now()
			for _, c := range []struct {
				what, secret, body string
				at                 time.Time
				want               int
				says               string
			}{
				{"signed with another secret", another, first, now, 401, ""},
				{"signed an hour ago", secret, first, now.Add(-time.Hour), 401, ""},
				{"signed", secret, first, now, 204, "DOCUMENTS_CREATED"},
				{"the same again", secret, first, now, 204, ""}, // would stand before the next
				{"a test", secret, second, now, 204, "WORKFLOW_TEST"},
			} {
				if got := deliver(t, address, c.secret, c.body, c.at); got != c.want {
					t.Errorf("an event that is %s: got %d, want %d", c.what, got, c.want)
				}
				if c.says != "" && (!said.Scan() || !strings.HasPrefix(said.Text(), c.says)) {
					t.Errorf("it said %q, %v; want %s", said.Text(), said.Err(), c.says)
				}
			}
		})
	}
}

// With an empty key, anybody could sign an event.
func TestReceiversDoNotStartWithoutASecret(t *testing.T) {
	t.Parallel()
	for name, build := range receivers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := build(t)
			file := filepath.Join(t.TempDir(), "secret.txt")
			for _, holds := range []string{"", "\n", "x", "whsec_", "whsec_?", "whsec_c2hvcnQ=", strings.TrimPrefix(secret, "whsec_")} {
				if err := os.WriteFile(file, []byte(holds), 0o600); err != nil {
					t.Fatal(err)
				}
				wantRefusal(t, append(command, file, "127.0.0.1:0"), "holds no signing secret")
			}
			wantRefusal(t, append(command, file+".none", "127.0.0.1:0"), "no such file")
			wantRefusal(t, command, "name the file with the signing secret")
		})
	}
}

func wantRefusal(t *testing.T, command []string, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	out, err := c.CombinedOutput()
	if err == nil || ctx.Err() != nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "    at ") {
		t.Errorf("got %v, %q; want that it ends and says %q, without a stack", err, out, want)
	}
}

// start runs a receiver until the test ends. It returns where events go and
// what it says from then on.
func start(t *testing.T, command []string) (address string, said *bufio.Scanner) {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() }) // the test's context has killed it by then
	said = bufio.NewScanner(out)
	if !said.Scan() {
		t.Fatalf("the receiver ended: %v", said.Err())
	}
	_, address, ok := strings.Cut(said.Text(), "Waiting for events at ")
	if !ok {
		t.Fatalf("got %q, want where it waits", said.Text())
	}
	return address, said
}

// harass sends half a body, and one that is too large.
func harass(t *testing.T, address string) {
	t.Helper()
	receiver, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"{", strings.Repeat(" ", 2<<20)} {
		c, err := net.Dial("tcp", receiver.Host)
		if err != nil {
			t.Fatal(err)
		}
		// It may close the connection before all is sent.
		_, _ = fmt.Fprintf(c, "POST /events HTTP/1.1\r\nHost: receiver\r\nContent-Length: %d\r\n\r\n%s", 2<<20, body)
		_ = c.Close()
	}
}

func deliver(t *testing.T, address, secret, body string, at time.Time) int {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	const id = "evt_1"
	signature, err := signer.Sign(id, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Webhook-Id", id)
	request.Header.Set("Webhook-Timestamp", fmt.Sprint(at.Unix()))
	request.Header.Set("Webhook-Signature", signature)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}
