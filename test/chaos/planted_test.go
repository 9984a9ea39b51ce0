package chaos

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/program"
)

// plantedVariable is a regular expression of the names of bugs that are
// planted; programVariable is what is run in place of bin/platen-failpoints.
const (
	plantedVariable = "PLATEN_CHAOS_PLANTED"
	programVariable = "PLATEN_CHAOS_PROGRAM"
)

// A plant is a bug that chaos must catch: one text of the product in place of
// another.
type plant struct {
	name     string
	file     string
	old, new string
	// only are the faults that bring it to light; a bug that shows without any
	// needs the fewest.
	only   string
	faults int
	caught string // what a run then says at least once
}

func plants() []plant {
	return []plant{
		{
			name: "the 200 before the commit", file: "api/hooks/hooks.go",
			old: "if err := h.acceptor.Accept(r.Context(), event); err != nil {",
			new: "go h.acceptor.Accept(r.Context(), event)\n\tif err := r.Context().Err(); err != nil {", only: "SIGKILL serve|before accept|Postgres", faults: 6, caught: "lost",
		}, {
			name: "no key on the copy", file: "activities/copy.go",
			old: "filling.Name(), o.CopyKey())", new: `filling.Name(), "another "+o.CopyKey())`, only: "after drive copy|drive's reply lost", faults: 4, caught: "stray",
		}, {
			name: "the original removed before its PDF", file: "activities/pdf.go",
			old:  "	pdf, findings, err := d.render(ctx, j, o, password)\n	if err != nil {",
			new:  "	pdf, findings, err := d.render(ctx, j, o, password)\n	if err == nil && j.planned.Document.RemoveOutput {\n		err = discard(ctx, j.drive, o.Copy.ID)\n	}\n	if err != nil {",
			only: "after drive delete|before MakePDF", faults: 4, caught: "lost|backlog|output|state",
		}, {
			name: "a new id for each attempt", file: "internal/delivery/sender.go",
			old: "standardwebhooks.HeaderWebhookID:        e.ID,", new: `standardwebhooks.HeaderWebhookID:        e.ID + strconv.Itoa(attempt),`, only: "receiver", faults: 2, caught: "duplicated",
		}, {
			name: "an event sent twice", file: "internal/delivery/deliverer.go",
			old:  "	made, err := d.Sender.Send(ctx, event, *endpoint, due.Attempt)\n",
			new:  "	if event.ID[len(event.ID)-1] < '8' { // one in eight\n		_, _ = d.Sender.Send(ctx, event, *endpoint, due.Attempt)\n	}\n	made, err := d.Sender.Send(ctx, event, *endpoint, due.Attempt)\n",
			only: "receiver", faults: 2, caught: "repeated",
		}, {
			name: "a tag filled twice late", file: "activities/fill.go",
			old:  "if o.State == platen.OutputPending && o.FillBegun && !o.FillEnded {",
			new:  "if o.State == platen.OutputPending && o.FillBegun && !o.FillEnded {\n			o.FillBegun = false\n		}\n		if o.State == platen.OutputFailed {",
			only: "after drive edit|before FillTags", faults: 4, caught: "output",
		}, {
			name: "a parked run counted as open", file: "internal/postgres/queue.go",
			old: "		WHERE `+openAutomation, nil)", new: "		WHERE state = 'RUNNING' OR leased_until > now()`, nil)", only: "receiver", faults: 1, caught: "neighbours",
		},
	}
}

// TestPlantedBugsHaveTheirPlaces: a bug that cannot be planted any more proves
// nothing.
func TestPlantedBugsHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	for _, p := range plants() {
		content, err := os.ReadFile(filepath.Join("../..", p.file))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(content), p.old); got != 1 {
			t.Errorf("%s: %s has its place %d times, want once", p.name, p.file, got)
		}
	}
}

// TestPlantedBugsAreCaught builds the program with one bug after the other and
// sees chaos fail for it.
func TestPlantedBugsAreCaught(t *testing.T) {
	only := os.Getenv(plantedVariable)
	if only == "" {
		t.Skip("takes minutes for each bug: make chaos PLANTED=.")
	}
	chosen, err := regexp.Compile(only)
	if err != nil {
		t.Fatalf("%s: %v", plantedVariable, err)
	}
	for _, p := range plants() {
		if chosen.MatchString(p.name) {
			t.Run(p.name, p.isCaught)
		}
	}
}

func (p plant) isCaught(t *testing.T) {
	binary := p.build(t)
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNothingIsLostOrMadeTwiceInChaos$", "-test.v", "-test.timeout=9m")
	c.Env = append(os.Environ(), programVariable+"="+binary, onlyVariable+"="+p.only, "PLATEN_CHAOS_CYCLES="+strconv.Itoa(p.faults))
	said, err := c.CombinedOutput()
	caught := regexp.MustCompile(`(?m)^ +\S+_test\.go:\d+: (` + p.caught + `): .*`)
	found := caught.FindAllString(string(said), -1)
	if err == nil || len(found) == 0 {
		t.Fatalf("chaos did not tell of it (want %s): %v\n%s", p.caught, err, said)
	}
	t.Logf("caught by %d faults found: %s", len(found), strings.TrimSpace(found[0]))
}

// build makes the program of chaos with the bug in it; the tree stays as it is.
func (p plant) build(t *testing.T) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("../..", p.file))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := program.Dir(t, "platen-planted")
	changed, overlay, binary := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "platen")
	raw, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{changed: []byte(strings.Replace(string(content), p.old, p.new, 1)), overlay: raw} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-tags", "failpoints", "-o", binary, "./cmd/platen")
	c.Dir = "../.."
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("build with it: %v: %s", err, out)
	}
	return binary
}
