package chaos

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/testkit"
)

// latest is how long after the answer the program is killed at most.
const latest = 400 * time.Millisecond

// TestEventsSurviveKillingTheProgram kills the program after it answered a
// source event with 200 and before the event arrives, every time at another
// moment. PLATEN_KILLS says how often (2), PLATEN_KILL_SEED chooses the moments (1).
func TestEventsSurviveKillingTheProgram(t *testing.T) {
	t.Parallel()
	kills := int(testkit.Number(t, "PLATEN_KILLS", 2))
	seed := testkit.Number(t, "PLATEN_KILL_SEED", 1)
	t.Logf("%d kills; PLATEN_KILL_SEED=%d repeats their moments", kills, seed)
	random := rand.New(rand.NewPCG(seed, 0))

	place := newPlace(t)
	p := place.start(t)
	i := newSender(t, p)
	customers := []string{"unharmed-1", "unharmed-2", "unharmed-3"}
	span := latest
	for _, customer := range customers {
		answered := i.post(t, customer)
		span = min(span, i.receiver.await(t, customer).at.Sub(answered))
	}
	t.Logf("the event arrives %d ms after the answer when nobody kills", span.Milliseconds())

	early := 0
	for n := range kills {
		customer := fmt.Sprintf("killed-%d", n+1)
		customers = append(customers, customer)
		// One moment from each part of the span.
		moment := time.Duration((float64(n) + random.Float64()) / float64(kills) * float64(span))
		answered := i.post(t, customer)
		time.Sleep(time.Until(answered.Add(moment))) // what the test is about
		p.signal(t, syscall.SIGKILL)
		if before, _ := i.receiver.about(customer); len(before) == 0 {
			early++
		}
		p.awaitEnd(t, stopLimit)
		p.awaitNothingLeft(t, afterlife)
		before := p.Stack
		p = place.start(t)
		if p.AccessToken != before.AccessToken || p.DriveToken != before.DriveToken || p.APIURL != before.APIURL || p.HooksURL != before.HooksURL {
			t.Errorf("after a restart: got tokens or addresses that differ from before")
		}
		restarted := time.Now()
		first := i.receiver.await(t, customer)
		t.Logf("kill %d at %d ms: event %d ms after the restart", n+1, moment.Milliseconds(), first.at.Sub(restarted).Milliseconds())
		p.awaitFinished(t, first.automation)
		i.check(t, p, customers)
	}
	if early == 0 {
		t.Errorf("no kill came before its event: the test says nothing")
	}
}

// awaitFinished waits until the automation has ended, its clearing up included.
func (p *running) awaitFinished(t *testing.T, automationID string) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), p.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	deadline := time.After(lifePatience)
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		var state string
		if err := db.QueryRow(t.Context(), `SELECT state FROM automations WHERE id = $1`, automationID).Scan(&state); err != nil {
			t.Fatal(err)
		}
		if state == "COMPLETED" {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("automation %s: got %s after %v, want COMPLETED", automationID, state, lifePatience)
		}
	}
}

// check looks at everything that came of all events so far: one automation and
// one output each, no second event, and no orphans.
func (i *sender) check(t *testing.T, p *running, customers []string) {
	t.Helper()
	var want []string
	for _, customer := range customers {
		want = append(want, "Killed "+customer+".pdf")
		all, _ := i.receiver.about(customer)
		for _, d := range all[1:] { // delivery is at least once: the same event may come again
			if d.id != all[0].id || d.body != all[0].body {
				t.Errorf("%s: got a second event %s, want the first one again: %s", customer, d.body, all[0].body)
			}
		}
	}
	slices.Sort(want)
	if got := p.outputs(t); !slices.Equal(got, want) {
		t.Errorf("outputs in the drive:\n got %q\nwant %q", got, want)
	}
	db, err := pgx.Connect(t.Context(), p.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	var automations, outputs int
	err = db.QueryRow(t.Context(), `
		SELECT count(DISTINCT a.id), count(o.id)
		FROM automations a
		LEFT JOIN outputs o ON o.automation_id = a.id
		WHERE a.workflow_id = $1`, i.workflowID).Scan(&automations, &outputs)
	if err != nil {
		t.Fatal(err)
	}
	if automations != len(customers) || outputs != len(customers) {
		t.Errorf("got %d automations with %d outputs, want %d of each", automations, outputs, len(customers))
	}
	customer := customers[len(customers)-1]
	all, _ := i.receiver.about(customer)
	checkPDF(t, all[0].link, "open-"+customer)
}

// checkPDF opens what is behind a link with somebody else's program.
func checkPDF(t *testing.T, link, password string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	name := filepath.Join(t.TempDir(), "output.pdf")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = file.ReadFrom(answer.Body); err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("qpdf", "--check", "--password="+password, name).CombinedOutput(); err != nil {
		t.Errorf("qpdf --check: %v: %s", err, out)
	}
}

func TestRunningProgram(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	p := place.start(t)

	t.Run("ready file is private JSON with every field", func(t *testing.T) {
		info, err := os.Stat(place.ReadyFile)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode: got %v, want %v", info.Mode().Perm(), fs.FileMode(0o600))
		}
		raw, err := os.ReadFile(place.ReadyFile)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]string
		if err := json.Unmarshal(raw, &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{
			"apiUrl", "hooksUrl", "driveUrl", "driveToken", "temporalAddress", "temporalNamespace", "temporalUiUrl", "databaseUrl", "accessToken",
		} {
			if fields[name] == "" {
				t.Errorf("%s is not there", name)
			}
		}
		if !strings.HasSuffix(fields["apiUrl"], "/v0") {
			t.Errorf("apiUrl: got %s, want one that ends in /v0", fields["apiUrl"])
		}
		if said := p.Said(); !strings.Contains(said, fields["accessToken"]) || !strings.Contains(said, fields["temporalUiUrl"]) {
			t.Errorf("the table does not show the token and the UI:\n%s", said)
		}
	})

	t.Run("the docs and the preview that it prints are there", func(t *testing.T) {
		said := p.Said()
		for _, name := range []string{"Console", "Docs", "Preview"} {
			found := regexp.MustCompile(`(?m)^  ` + name + `  +(http\S+)`).FindStringSubmatch(said)
			if found == nil {
				t.Errorf("the table has no %s:\n%s", name, said)
				continue
			}
			answer, err := http.Get(found[1])
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if got := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || !strings.HasPrefix(got, "text/html") {
				t.Errorf("%s at %s: got %d, %s, want a page", name, found[1], answer.StatusCode, got)
			}
		}
	})

	t.Run("second program on the same directory is refused", func(t *testing.T) {
		args := []string{"--data-dir", place.DataDir}
		for _, flag := range []string{"--api", "--hooks", "--drive", "--metrics", "--temporal", "--temporal-ui"} {
			args = append(args, flag, "127.0.0.1:0")
		}
		said, code := platenDev(t, args...)
		pid := strconv.Itoa(p.PID())
		for _, want := range []string{place.DataDir, "in use", pid, "--data-dir"} {
			if !strings.Contains(said, want) {
				t.Errorf("the refusal does not say %q: %s", want, said)
			}
		}
		if code == 0 {
			t.Errorf("exit code: got 0, want a failure")
		}
		var all []any
		p.call(t, http.MethodGet, "/workflows/", nil, &all) // the first one is none the worse
	})

	t.Run("SIGTERM stops in time, leaves no process and loses nothing", func(t *testing.T) {
		i := newSender(t, p)
		i.post(t, "stopped")
		began := time.Now()
		p.signal(t, syscall.SIGTERM)
		p.awaitEnd(t, stopLimit)
		t.Logf("stopped after %d ms", time.Since(began).Milliseconds())
		if code := p.State.ExitCode(); code != 0 {
			t.Errorf("exit code: got %d, want 0:\n%s", code, p.Said())
		}
		if left := processes(t, place.DataDir); len(left) > 0 {
			t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
		}
		token := p.AccessToken
		p = place.start(t)
		if p.AccessToken != token {
			t.Errorf("the access token changed over a restart")
		}
		first := i.receiver.await(t, "stopped")
		p.awaitFinished(t, first.automation)
		i.check(t, p, []string{"stopped"})
	})

	// The last one, because it makes an output beside those of the others.
	t.Run("the commands that it prints are short and work as they stand", func(t *testing.T) {
		p := place.start(t)
		var commands []string
		for line := range strings.Lines(p.Said()) {
			if strings.HasPrefix(line, "  curl ") {
				commands = append(commands, strings.TrimSpace(line))
			}
		}
		if len(commands) < 3 {
			t.Fatalf("got %d commands, want 3 of each start:\n%s", len(commands), p.Said())
		}
		for _, command := range commands[len(commands)-3:] {
			if len(command) > 160 {
				t.Errorf("got a command of %d characters, want 160 at most: %s", len(command), command)
			}
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", command+" -sS --fail-with-body").CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", command, err, out)
			}
		}
	})
}
