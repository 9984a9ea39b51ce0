package journey

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// terminals stands for what the page takes for granted: programs that are built, and a
// terminal for each that runs on. Running programs end with the shell.
const terminals = `set -euo pipefail
trap 'kill $(jobs -p) || true; wait' EXIT
trap exit TERM
cd ../..
until_it_is() { until "$@" >"$OUT/probe" 2>&1; do sleep 0.1; done; }
make() {
	test "$1" = run && ! test -s "$READY" || return 0
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
const toFirstEvent = 5 * time.Minute

// A visitor is somebody who has built the programs and types what a page says.
type visitor struct {
	dir, opened          string // opened is a file that has what a browser was to show
	api, drive, temporal string // host:port
	metrics              string // the same, once it runs
	instance             *program.Instance
	settings             []string
}

func visit(t *testing.T) visitor {
	t.Helper()
	v := visitor{dir: program.Dir(t, "visitor")}
	v.instance, v.opened = program.NewInstance(t, v.dir), filepath.Join(v.dir, "opened")
	started, err := v.instance.Command(program.Built(t, "platen-dev"))
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Join(started.Args[1:], " ")
	at := func(flag string) string { return regexp.MustCompile(flag + ` (\S+)`).FindStringSubmatch(args)[1] }
	v.api, v.drive, v.temporal = at("--api"), at("--drive"), at("--temporal")
	for _, browser := range []string{"xdg-open", "open"} {
		script := fmt.Sprintf("#!/bin/sh\necho \"$1\" >'%s'\n", v.opened)
		if err := os.WriteFile(filepath.Join(v.dir, browser), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	v.settings = []string{
		"PLATEN_DEV=" + program.Built(t, "platen-dev"), "PLATEN=" + program.Built(t, "platen"), "GO=go", "INSTANCE=" + args, "READY=" + v.instance.ReadyFile,
		"OUT=" + v.dir, "XDG_CONFIG_HOME=" + filepath.Join(v.dir, "config"), "PATH=" + v.dir + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	return v
}

// here puts what is printed on a page as it is for this visitor.
func (v visitor) here(t *testing.T, page string, more ...string) string {
	t.Helper()
	pairs := append([]string{
		`${XDG_STATE_HOME:-~/.local/state}/platen-dev; [ "$(id -u)" != 0 ] || DATA=/var/lib/platen-dev`, v.instance.DataDir,
		"127.0.0.1:8080", v.api,
	}, more...)
	return put(t, page, pairs...)
}

// put replaces what is printed on a page, which has to be there.
func put(t *testing.T, page string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(page, pairs[i]) {
			t.Fatalf("the page does not print %q any more: change this test with it", pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(page)
}

// The page is read by somebody who has never seen Platen.
func TestTheDevelopPageWorksAsPrinted(t *testing.T) {
	t.Parallel()
	free, err := ports.Free("127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	port, v := strconv.Itoa(free[0]), visit(t)
	page := v.here(t, pages.Typed(t, "docs/develop.md"),
		"127.0.0.1:9000", "127.0.0.1:"+port,
		// What runs on in a subshell is no job of the shell, which ends it.
		"(cd examples/receiver && go run . ../../demo-out/listen-secret.txt)", "go -C examples/receiver run . ../../demo-out/listen-secret.txt")
	began := time.Now()
	said := typed(t, terminals+page+"\necho "+allRan+"\nwait\n", append(v.settings, "RECEIVER="+port)...)
	eventually(t, "the first event", func() error {
		listened, errListened := os.ReadFile(filepath.Join(v.dir, "listened"))
		received, errReceived := os.ReadFile(filepath.Join(v.dir, "received"))
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
	for _, want := range []string{"Logged in to http://" + v.api + "/v0 as Demo User", "COMPLETED, 1 of 1 document made", `"type":"DOCUMENTS_CREATED","state":"PENDING"`, "demo-out/invoice.preview.pdf\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("the commands said %s, want %q in it", said, want)
		}
	}
}

// README's path ends with a PDF that one opens.
func TestTheReadmeEndsWithAPDF(t *testing.T) {
	t.Parallel()
	v := visit(t)
	page := v.here(t, pages.Typed(t, "README.md", "Try it", "Send a first event"), "bin/platen ", "platen ")
	if said := typed(t, terminals+page+"\necho "+allRan+"\nwait\n", v.settings...); !regexp.MustCompile(`(?m)^Example invoice.*\.pdf\thttp://`).MatchString(said) {
		t.Errorf("got %s, want the address of a PDF", said)
	}
	eventually(t, "a PDF is opened", func() error {
		address, err := os.ReadFile(v.opened)
		if err != nil {
			return err
		}
		answer, err := http.Get(strings.TrimSpace(string(address)))
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if content, err := io.ReadAll(answer.Body); err != nil || !bytes.HasPrefix(content, []byte("%PDF-")) {
			t.Fatalf("%s: got %s and %.80q, %v; want a PDF", address, answer.Status, content, err)
		}
		return nil
	})
}

// The five commands, those of operators on what they made, and another key for it.
func TestTheStartPageWorksAsPrinted(t *testing.T) {
	t.Parallel()
	v := visit(t)
	page := v.here(t, pages.Typed(t, "docs/start.md"),
		"demo-out/", v.dir+"/", "ready.json", v.instance.ReadyFile, "bin/platen ", "platen ")
	// Temporal is elsewhere than at its usual port.
	rotated := "OLD=$PLATEN_SECRET_KEYS NEW=$(platen key)\n" + pages.Typed(t, "docs/production.md", "Rotate the key")
	said := typed(t, terminals+page+rotated+"\necho "+allRan+"\nwait\n", append(v.settings, "PLATEN_TEMPORAL_ADDRESS="+v.temporal)...)
	for _, want := range []string{`"pdfPasswordPreventCopy":true`, `"secret":"whsec_`, "\n{}", "The drive accepts the connection"} {
		if !strings.Contains(said, want) {
			t.Errorf("the commands said %s, want %q in it", said, want)
		}
	}
}
