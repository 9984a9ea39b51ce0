package journey

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/embedded/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// terminals stands for what the page takes for granted: programs that are built, and a
// terminal for each that runs on. Whatever runs ends with the shell.
const terminals = `set -euo pipefail
trap 'kill $(jobs -p) || true; wait' EXIT
trap exit TERM
cd ../..
until_it_is() { until "$@" >"$OUT/probe" 2>&1; do sleep 0.1; done; }
make() {
	test "$1" = run || return 0
	"$PLATEN_DEV" $INSTANCE & until_it_is test -s "$READY"
}
go() {
	(exec "$GO" "$@" 127.0.0.1:$RECEIVER) >"$OUT/received" 2>&1 & until_it_is grep Waiting "$OUT/received"
}
platen() {
	case "$*" in
	*--print-secret) "$PLATEN" "$@" ;;
	listen*) "$PLATEN" "$@" >"$OUT/listened" 2>&1 & until_it_is grep ^Listening "$OUT/listened" ;;
	*) "$PLATEN" "$@" ;;
	esac
}
`

// toFirstEvent is what the page may take, from 'make run' to the event that is received.
const toFirstEvent = 2 * time.Minute

// The page is read by somebody who has built the programs and has never seen Platen.
func TestTheDevelopPageWorksAsPrinted(t *testing.T) {
	t.Parallel()
	free, err := ports.Free("127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(free[0])
	dir := program.Dir(t, "develop")
	instance := program.NewInstance(t, dir)
	started, err := instance.Command(program.Built(t, "platen-dev"))
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Join(started.Args[1:], " ")
	api := regexp.MustCompile(`--api (\S+)`).FindStringSubmatch(args)[1]
	page := commandsOf(t, "../../docs/develop.md", "\n## 1. Start Platen", "\n## What `platen listen` forwards")
	for _, printed := range []struct{ text, here string }{
		{"${XDG_STATE_HOME:-~/.local/state}/platen-dev; [ \"$(id -u)\" != 0 ] || DATA=/var/lib/platen-dev", instance.DataDir},
		{"127.0.0.1:8080", api},
		{"127.0.0.1:9000", "127.0.0.1:" + port},
		// What runs on in a subshell is no job of the shell, which ends it.
		{"(cd examples/receiver && go run . ../../", "go -C examples/receiver run . ../../"},
		{"listen-secret.txt)", "listen-secret.txt"},
	} {
		if !strings.Contains(page, printed.text) {
			t.Fatalf("the page does not print %q any more: change this test with it", printed.text)
		}
		page = strings.ReplaceAll(page, printed.text, printed.here)
	}
	began := time.Now()
	said := typed(t, terminals+page+"\necho "+allRan+"\nwait\n", "PLATEN_DEV="+program.Built(t, "platen-dev"), "PLATEN="+program.Built(t, "platen"),
		"GO=go", "INSTANCE="+args, "READY="+instance.ReadyFile, "RECEIVER="+port, "OUT="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
	eventually(t, "the first event", func() error {
		listened, errListened := os.ReadFile(filepath.Join(dir, "listened"))
		received, errReceived := os.ReadFile(filepath.Join(dir, "received"))
		if err := errors.Join(errListened, errReceived); err != nil {
			return err
		}
		if !regexp.MustCompile(`evt_\w+  DOCUMENTS_CREATED  aut_\w+  204 No Content  \d+ ms\n`).Match(listened) {
			return errors.New("platen listen said " + string(listened))
		}
		if !strings.Contains(string(received), "DOCUMENTS_CREATED [{Example invoice") {
			return errors.New("the receiver said " + string(received))
		}
		return nil
	})
	took := time.Since(began)
	t.Logf("from make run to the first event: %v", took)
	if took > toFirstEvent {
		t.Errorf("it took %v, want at most %v", took, toFirstEvent)
	}
	for _, want := range []string{"Logged in to http://" + api + "/v0 as Demo User", "COMPLETED, 1 of 1 document made", `"type":"DOCUMENTS_CREATED","state":"PENDING"`} {
		if !strings.Contains(said, want) {
			t.Errorf("the commands said %s, want %q in it", said, want)
		}
	}
}
