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

// A plant is a bug that chaos must catch.
type plant struct {
	name  string
	edits []edit
	// only are the faults that show it; a bug that shows without any
	// needs the fewest.
	only   string
	faults int
	// rollouts in place of faults, if any, under which it shows.
	rollouts int
	caught   string // what a run then says at least once
}

// An edit puts one text of a file in place of another.
type edit struct{ file, old, new string }

func plants() []plant {
	return []plant{
		{
			name: "the 200 before the commit", only: "SIGKILL serve|before accept|Postgres", faults: 6, caught: "lost",
			edits: []edit{{
				"api/hooks/hooks.go", "if err := h.acceptor.Accept(r.Context(), event); err != nil {",
				"go h.acceptor.Accept(context.WithoutCancel(r.Context()), event)\n\tif err := r.Context().Err(); err != nil {",
			}},
		}, {
			name: "no key on the copy", only: "after drive copy|drive's reply lost", faults: 4, caught: "stray",
			edits: []edit{{"activities/copy.go", "folder, o.Name, o.CopyKey())", `folder, o.Name, "another "+o.CopyKey())`}},
		}, {
			name: "the original removed before its PDF", only: "receiver", faults: 1, caught: "lost",
			edits: []edit{{
				"activities/pdf.go", "	stored, err := j.drive.Upload(ctx, file, pdf)\n",
				"	stored, err := file, error(nil)\n	if stored.SHA256 = hash; o.ID[len(o.ID)-1] > '7' { // one in eight is never uploaded\n		stored, err = j.drive.Upload(ctx, file, pdf)\n	}\n",
			}, {"activities/remove.go", "if err := d.readBack(ctx, j, o); err != nil {", "if err := ctx.Err(); err != nil {"}},
		}, {
			name: "a new id for each attempt", only: "receiver", faults: 2, caught: "duplicated",
			edits: []edit{{
				"internal/delivery/sender.go", "standardwebhooks.HeaderWebhookID:        e.ID,",
				"standardwebhooks.HeaderWebhookID:        e.ID + strconv.Itoa(attempt),",
			}},
		}, {
			name: "an event sent twice", only: "receiver", faults: 2, caught: "repeated",
			edits: []edit{{
				"internal/delivery/deliverer.go", "	made, err := d.Sender.Send(ctx, event, *endpoint, due.Attempt)\n",
				"	if event.ID[len(event.ID)-1] < '8' { // one in eight\n		_, _ = d.Sender.Send(ctx, event, *endpoint, due.Attempt)\n	}\n	made, err := d.Sender.Send(ctx, event, *endpoint, due.Attempt)\n",
			}},
		}, {
			name: "a tag filled twice late", only: "after drive edit", faults: 12, caught: "output",
			edits: []edit{{
				"activities/fill.go", "	there, content, out, err := d.examine(ctx, j, *o.Copy)\n",
				"	if o.FillBegun {\n		return d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error { current.FillBegun = false; return nil })\n	}\n	there, content, out, err := d.examine(ctx, j, *o.Copy)\n",
			}},
		}, {
			name: "a delivery bound to the build of its run", rollouts: 15, caught: "stranded",
			edits: []edit{{
				"workflows/run_automation.go", "		VersioningOverride:    &client.AutoUpgradeVersioningOverride{},\n",
				"		VersioningOverride:    client.VersioningOverride(nil),\n",
			}},
		}, {
			name: "two of one key at once", only: "receiver", faults: 1, caught: "order",
			edits: []edit{{
				"internal/postgres/migrations/00170_reviews.sql", "workflow_id = NEW.workflow_id AND state = 'RUNNING'", "workflow_id = NEW.workflow_id AND state = 'NONE'",
			}},
		}, {
			name: "the next of a key forgotten", only: "receiver", faults: 1, caught: "backlog",
			edits: []edit{{
				"internal/postgres/migrations/00170_reviews.sql", "OR OLD.state IN ('ACCEPTED', 'RUNNING', 'REVIEW') AND NEW", "OR OLD.state IN ('ACCEPTED') AND NEW",
			}},
		}, {
			name: "a parked run counted as open", only: "receiver", faults: 1, caught: "neighbours",
			edits: []edit{{
				"internal/postgres/run/queue.go", "		WHERE ` + postgres.OpenAutomation\n\n// claim leases", "		WHERE state = 'RUNNING' OR leased_until > now()`\n\n// claim leases",
			}},
		}, {
			name: "an event sent before approval", only: "receiver", faults: 1, caught: "review",
			edits: []edit{{
				"internal/platen/output_states.go", "	o.State = OutputReview\n	return nil\n",
				"	if o.ID[len(o.ID)-1] < '8' { // one in eight waits for nobody\n		o.Verdict = VerdictApproved\n		return nil\n	}\n	o.State = OutputReview\n	return nil\n",
			}},
		}, {
			name: "a receiver's event under the workflow's secret", only: "receiver", faults: 1, caught: "attempt",
			edits: []edit{{
				"internal/postgres/deliveries.go", "	endpoint := o.Endpoint(time.Now())\n	endpoint.OwnerID = r.OwnerID\n",
				"	if own, ok, err := loadWebhook(ctx, s.db.pool, s.db.vault, e.WorkflowID, false); ok && err == nil {\n		o.Secret = own.Secret\n	}\n	endpoint := o.Endpoint(time.Now())\n	endpoint.OwnerID = r.OwnerID\n",
			}},
		}, {
			name: "a mail by another sender", only: "receiver", faults: 1, caught: "mail",
			edits: []edit{{"activities/senders.go", "s.Store.SenderOf(ctx, ownerID, senderName)", `s.Store.SenderOf(ctx, ownerID, "Letters")`}},
		},
	}
}

// TestPlantedBugsHaveTheirPlaces: a bug that cannot be planted any more proves
// nothing.
func TestPlantedBugsHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	for _, p := range plants() {
		for _, e := range p.edits {
			content, err := os.ReadFile(filepath.Join("../..", e.file))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(content), e.old); got != 1 {
				t.Errorf("%s: %s has its place %d times, want once", p.name, e.file, got)
			}
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
	suite := "^TestNothingIsLostOrMadeTwiceInChaos$"
	if p.rollouts > 0 {
		suite = "^TestNoEventIsStuckAfterRollouts$"
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+suite, "-test.v", "-test.timeout=15m")
	c.Env = append(os.Environ(), programVariable+"="+binary, onlyVariable+"="+p.only, "PLATEN_CHAOS_CYCLES="+strconv.Itoa(p.faults), rolloutsVariable+"="+strconv.Itoa(p.rollouts))
	said, err := c.CombinedOutput()
	caught := regexp.MustCompile(`(?m)^ +\S+_test\.go:\d+: (` + p.caught + `): .*`)
	found := caught.FindAllString(string(said), -1)
	if err == nil || len(found) == 0 {
		t.Fatalf("chaos did not tell of it (want %s): %v\n%s", p.caught, err, said)
	}
	t.Logf("caught, reported %d times: %s", len(found), strings.TrimSpace(found[0]))
}

// build makes the program of chaos with the bug in it; the tree stays as it is.
func (p plant) build(t *testing.T) string {
	t.Helper()
	dir := program.Dir(t, "platen-planted")
	changed := map[string]string{}
	for _, e := range p.edits {
		file, err := filepath.Abs(filepath.Join("../..", e.file))
		if err != nil {
			t.Fatal(err)
		}
		from, known := changed[file]
		if !known {
			from = file
			changed[file] = filepath.Join(dir, strings.ReplaceAll(e.file, "/", "-"))
		}
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(changed[file], []byte(strings.Replace(string(content), e.old, e.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": changed})
	if err != nil {
		t.Fatal(err)
	}
	overlay, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "platen")
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-tags", "failpoints", "-o", binary, "./cmd/platen")
	c.Dir = "../.."
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("build with it: %v: %s", err, out)
	}
	return binary
}
