package journey

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/oauth2"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// preamble stands for what the page takes for granted: the program on the PATH,
// terminals for what runs on, an administrator of Postgres, and a Temporal that
// has the namespace already. Running programs end with the shell.
const preamble = `set -euo pipefail
trap 'kill $(jobs -p) || true; wait' EXIT
trap exit TERM
platen() {
	case "$*" in
	serve | worker | drive) "$PLATEN" "$@" & ;;
	*) "$PLATEN" "$@" ;;
	esac
}
sudo() { shift 2; "$@"; }
temporal() { test "$1 $2 $3" = "operator namespace create"; }
`

const allRan = "every command ran"

// The page is read by somebody who has nothing yet and types what it says.
func TestTheProductionPageWorksAsPrinted(t *testing.T) {
	t.Parallel()
	stack := testkit.Running(t)
	server, err := url.Parse(stack.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	free, err := ports.Free("0.0.0.0", 3)
	if err != nil {
		t.Fatal(err)
	}
	name := "page_" + strings.ToLower(rand.Text())
	t.Cleanup(func() { dropPage(t, stack.DatabaseURL, name) })
	page := pages.Typed(t, "docs/production.md", "1. Database", "A login for each program", "2. Keys", "3. Temporal", "4. Users and tokens", "5. The cloud drive", "6. Programs") +
		pages.Typed(t, "docs/operators.md")
	for _, printed := range []struct{ text, here string }{
		{"ROLE platen ", "ROLE " + name + " "},
		{"ALTER DATABASE platen ", "ALTER DATABASE " + name + " "},
		{"createdb platen --owner platen", "createdb " + name + " --owner " + name},
		{"postgres://platen:$PASSWORD@127.0.0.1:5432/platen", "postgres://" + name + ":$PASSWORD@" + server.Host + "/" + name},
		{"@127.0.0.1:5432/platen", "@" + server.Host + "/" + name},
		{"postgres://platen_", "postgres://" + name + "_"}, // the server's logins are those of the stack that it is shared with
		{"psql --quiet platen", "psql --quiet --set=ON_ERROR_STOP=1 " + name},
		{"temporal.internal:7233", stack.TemporalAddress},
		{"TEMPORAL_NAMESPACE=platen", "TEMPORAL_NAMESPACE=" + stack.TemporalNamespace},
		{"http://drive.internal:8082", "http://127.0.0.1:" + strconv.Itoa(free[2])},
		{"0.0.0.0:8080", "0.0.0.0:" + strconv.Itoa(free[0])},
		{"0.0.0.0:8081", "0.0.0.0:" + strconv.Itoa(free[1])},
		{"0.0.0.0:8082", "0.0.0.0:" + strconv.Itoa(free[2])},
	} {
		if !strings.Contains(page, printed.text) {
			t.Fatalf("the page does not print %q any more: change this test with it", printed.text)
		}
		page = strings.ReplaceAll(page, printed.text, printed.here)
	}
	password, _ := server.User.Password()
	said := typed(t, preamble+page+"\nplaten drive token --email ada@example.com\necho "+allRan+"\nwait\n",
		"PLATEN="+program.Built(t, "platen"), "PLATEN_QUEUE=page-"+strings.ToLower(rand.Text()),
		"PLATEN_ALLOW_PRIVATE=127.0.0.1/32", // its section 7: our receiver is on this machine
		"PGHOST="+server.Hostname(), "PGPORT="+server.Port(), "PGUSER="+server.User.Username(), "PGPASSWORD="+password)

	at := func(port int) string { return "http://127.0.0.1:" + strconv.Itoa(port) }
	h := &harness{
		api: at(free[0]) + "/v0", hooks: at(free[1]), drive: at(free[2]),
		token: regexp.MustCompile(`(?m)^plt_\S+$`).FindString(said), driveToken: regexp.MustCompile(`(?m)^drv_\S+$`).FindString(said),
	}
	for _, address := range []string{at(free[0]) + "/readyz", h.hooks + "/healthz", h.drive + "/readyz"} {
		eventually(t, "a program", func() error { return answers(address) })
	}
	h.getsItsFirstEvent(t)
}

func answers(address string) error {
	answer, err := http.Get(address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if content, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s, %v", address, answer.Status, content, err)
	}
	return nil
}

// typed has a shell run a script until it says allRan, and returns what it and
// its programs said until then. They end with the test.
func typed(t *testing.T, script string, settings ...string) string {
	t.Helper()
	c := exec.Command("bash", "-c", script)
	c.Env = program.Environment(settings...)
	life, err := program.Start(c, filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the commands of the page said:\n%s", life.Said())
		}
		_ = life.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-life.Ended:
		case <-time.After(patience):
			t.Error("the programs of the page did not end")
		}
	})
	eventually(t, "every command of the page", func() error {
		select {
		case <-life.Ended:
			t.Fatalf("a command of the page failed: %v", life.State)
		default:
		}
		if !strings.Contains(life.Said(), allRan) {
			return errors.New("not yet")
		}
		return nil
	})
	return life.Said()
}

func dropPage(t *testing.T, server, name string) {
	ctx := context.Background() // the test's own is over
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(ctx)
	drop := func(statement string) {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Error(err)
		}
	}
	drop("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
	rows, err := conn.Query(ctx, "SELECT rolname FROM pg_roles WHERE rolname ~ ('^' || $1 || '(_|$)')", name)
	if err != nil {
		t.Error(err)
		return
	}
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Error(err)
	}
	for _, role := range roles {
		drop("DROP ROLE " + role)
	}
}

// getsItsFirstEvent goes from a template to an event that is received.
func (h *harness) getsItsFirstEvent(t *testing.T) {
	t.Helper()
	authorized := option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: h.driveToken}))
	files, err := driveapi.NewService(t.Context(), authorized, option.WithEndpoint(h.drive+"/drive/v3/"))
	if err != nil {
		t.Fatal(err)
	}
	template, err := files.Files.Create(&driveapi.File{Name: "Template", MimeType: platen.MIMEDocs}).Fields("id").Do()
	if err != nil {
		t.Fatal(err)
	}
	r := newReceiver(t)
	w := h.createWorkflow(t, object{"name": "First", "document": object{"fileId": template.Id}})
	h.register(t, w, r)
	key, ok := strings.CutPrefix(w.Source.WebhookURL, "https://hooks.example.com")
	if !ok {
		t.Fatalf("the source's address is %s, want one on the page's host", w.Source.WebhookURL)
	}
	event, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.hooks+key, strings.NewReader(`{"Name": "Ada"}`))
	if err != nil {
		t.Fatal(err)
	}
	do(t, event, http.StatusOK)
	if got := r.next(t); got.event.Type != platen.EventDocumentsCreated || got.event.Data.WorkflowID != w.ID {
		t.Errorf("the first event: got %s", got.body)
	}
}
