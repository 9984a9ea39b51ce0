package google_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

const email = "ada@smoke.example"

// patience bounds every wait: Google's exports take seconds, and a step that fails at
// first is made again.
const patience = 5 * time.Minute

// A service is an installation with one user, who is connected with an account.
type service struct {
	api, token string
	events     chan smokeEvent
	receiver   string
	env        []string // of its programs
}

type smokeEvent struct {
	Type string `json:"event_type"`
	Data struct {
		Documents []struct {
			ID   string `json:"id"`
			Kind string `json:"kind"`
			MIME string `json:"mimetype"`
		} `json:"documents"`
		AutomationID string `json:"automationId"`
		WorkflowID   string `json:"workflowId"`
		Error        any    `json:"error"`
	} `json:"data"`
}

func newService(t *testing.T, a *account) *service {
	t.Helper()
	stack := testkit.Running(t)
	database := testkit.Database(t, "smoke", func(ctx context.Context, pool *pgxpool.Pool) error {
		return app.MigrateBehindWalls(ctx, pool.Config().ConnString())
	}).Config().ConnString()
	keys := app.NewSecretKey()
	free, err := ports.Free("127.0.0.1", 2)
	if err != nil {
		t.Fatal(err)
	}
	api, hooks := net.JoinHostPort("127.0.0.1", strconv.Itoa(free[0])), net.JoinHostPort("127.0.0.1", strconv.Itoa(free[1]))
	s := &service{api: "http://" + api + "/v0", token: moveIn(t, a, database, keys), events: make(chan smokeEvent, 16)}
	receiver := httptest.NewServer(http.HandlerFunc(s.receive))
	t.Cleanup(receiver.Close)
	s.receiver = receiver.URL
	s.env = program.Environment(append([]string{
		"PLATEN_DATABASE_URL=" + database, "PLATEN_SECRET_KEYS=" + keys, "PLATEN_DRIVE_KIND=google", "PLATEN_ALLOW_PRIVATE=127.0.0.0/8",
		"PLATEN_API=" + api, "PLATEN_HOOKS=" + hooks, "PLATEN_API_URL=" + s.api, "PLATEN_HOOKS_URL=http://" + hooks,
		"PLATEN_TEMPORAL_ADDRESS=" + stack.TemporalAddress, "PLATEN_TEMPORAL_NAMESPACE=" + stack.TemporalNamespace,
		"PLATEN_QUEUE=smoke-" + strings.ToLower(rand.Text()), "PLATEN_BUILD_ID=",
	}, a.settings...)...)
	return s
}

// start runs serve and worker until the test ends.
func (s *service) start(t *testing.T) {
	t.Helper()
	dir := program.Dir(t, "smoke")
	for name, ready := range map[string]string{"serve": `"msg":"serving"`, "worker": `"msg":"working"`} {
		start(t, dir, name, ready, s.env)
	}
}

// platen is a command of the installation.
func (s *service) platen(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), program.Built(t, "platen"), args...)
	c.Env = s.env
	return c
}

// examine has platen doctor look at the account, and says what it found.
func (s *service) examine(t *testing.T, a *account) {
	t.Helper()
	said, err := s.platen(t, "doctor", "--user", email, "--folder", a.folder).CombinedOutput()
	if err != nil {
		t.Errorf("platen doctor: %v\n%s", err, said)
		return
	}
	t.Logf("platen doctor:\n%s", said)
}

// moveIn makes the user, the connection and a token, as an operator does.
func moveIn(t *testing.T, a *account, database, keys string) (token string) {
	t.Helper()
	admin, err := app.OpenAdmin(t.Context(), config.Database{DatabaseURL: database}, config.Secrets{SecretKeys: platen.Secret(keys)})
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.CreateUser(t.Context(), "Ada", email, ""); err != nil {
		t.Fatal(err)
	}
	if err := admin.ConnectUser(t.Context(), email, a.connection); err != nil {
		t.Fatal(err)
	}
	if token, err = admin.CreateToken(t.Context(), email, "smoke", 0); err != nil {
		t.Fatal(err)
	}
	return token
}

// start runs a program until the test ends.
func start(t *testing.T, dir, name, ready string, env []string) {
	t.Helper()
	c := exec.Command(program.Built(t, "platen"), name)
	c.Env = env
	life, err := program.Start(c, filepath.Join(dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = life.Signal(syscall.SIGTERM)
		select {
		case <-life.Ended:
		case <-time.After(time.Minute):
			t.Errorf("%s did not end", name)
			_ = life.Signal(syscall.SIGKILL)
		}
		if t.Failed() {
			t.Logf("log of %s:\n%s", name, life.Said())
		}
	})
	err = program.Within(patience, func() error {
		if !strings.Contains(life.Said(), ready) {
			return fmt.Errorf("%s is not ready: %s", name, life.Said())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *service) receive(w http.ResponseWriter, r *http.Request) {
	var e smokeEvent
	if json.NewDecoder(r.Body).Decode(&e) == nil {
		s.events <- e
	}
	w.WriteHeader(http.StatusOK)
}

// call makes a request of /v0 and reads its answer.
func (s *service) call(t *testing.T, method, path string, body, into any) {
	t.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.api+path, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: got %d, %v: %s", method, path, response.StatusCode, err, said)
	}
	if into != nil {
		if err := json.Unmarshal(said, into); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, said)
		}
	}
}
