package model

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit"
)

const stores = "../../internal/postgres"

// conditions are how SQL asks for the rows of a caller, or of a workflow that was
// found to be the caller's, and what is left without them.
var conditions = []struct {
	text    *regexp.Regexp
	without string
}{
	{regexp.MustCompile(`\(w\.owner_id = @caller OR w\.team_id = @caller_team\)`), `true`},
	{regexp.MustCompile(`\bteam_id = @caller_team AND owner_id <> @caller\b`), `true`},
	{regexp.MustCompile(`\bowner_id = @caller( AND|` + "`" + `)`), `true$1`},
	{regexp.MustCompile(`\b(?:\w\.)?workflow_id = @workflow_id\b`), `true`},
}

// A place is where a condition stands.
type place struct {
	file       string
	line       int
	begin, end int
	without    string
	text       string
	locks      bool // the row that another statement was asked for before
}

func (p place) String() string {
	return fmt.Sprintf("%s:%d: %s", filepath.Base(p.file), p.line, p.text)
}

// places returns where conditions stand, those of callers first.
func places(t *testing.T) []place {
	t.Helper()
	files, err := filepath.Glob(stores + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []place
	for _, condition := range conditions {
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range condition.text.FindAllStringSubmatchIndex(string(raw), -1) {
				before := string(raw[:at[0]])
				if line := before[strings.LastIndex(before, "\n")+1:]; strings.Contains(line, "//") {
					continue
				}
				found = append(found, place{
					file: file, line: 1 + strings.Count(before, "\n"), begin: at[0], end: at[1], text: string(raw[at[0]:at[1]]),
					locks:   strings.HasPrefix(strings.TrimSpace(string(raw[at[1]:])), "FOR NO KEY UPDATE"),
					without: string(condition.text.ExpandString(nil, condition.without, string(raw), at)),
				})
			}
		}
	}
	return found
}

// build returns a test binary of the model whose store lacks the condition.
func (p place) build(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	return build(t, map[string]string{p.file: string(raw[:p.begin]) + p.without + string(raw[p.end:])})
}

// build returns a test binary of the model with other content of some files.
func build(t *testing.T, contents map[string]string) string {
	t.Helper()
	temp, changed := t.TempDir(), map[string]string{}
	for file, content := range contents {
		original, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		changed[original] = filepath.Join(temp, filepath.Base(file))
		if err := os.WriteFile(changed[original], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": changed})
	if err != nil {
		t.Fatal(err)
	}
	overlayFile, binary := filepath.Join(temp, "overlay.json"), filepath.Join(temp, "model.test")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := command(t.Context(), "../..", "go", "test", "-c", "-o", binary, "-overlay", overlayFile, "./test/model").CombinedOutput()
	if err != nil {
		t.Fatalf("build the model with a change: %v\n%s", err, out)
	}
	return binary
}

func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	return c
}

// play runs the model for half of its short form; the answer is what it says, and whether it
// fails.
func play(t *testing.T, binary, walls string) (said string, failed bool) {
	t.Helper()
	c := command(t.Context(), ".", binary, "-test.run", "TestTheServiceBehavesAsItsModel", "-test.timeout", "10m", "-rapid.seed", "7")
	c.Env = append(os.Environ(), "PLATEN_MODEL_STEPS=1000", "PLATEN_MODEL_SHRINK=0s", "PLATEN_MODEL_WALLS="+walls)
	out, err := c.CombinedOutput()
	return string(out), err != nil
}

// tells is what the model says of an answer with an id of another tenant.
const tells = "may not see"

// The conditions that keep tenants apart are taken out of the store's SQL, one after the
// other, and the model of the API is played with each: with row-level security no answer
// tells of another tenant, and without it the model notices. What row-level security shows
// is tested in internal/postgres.
//
// The short form takes out the two conditions that most queries have; make walls takes
// out each.
func TestNoQueryThatForgetsItsConditionShowsAnotherTenant(t *testing.T) {
	testkit.Running(t)
	all := places(t)
	if len(all) < 15 {
		t.Fatalf("found %d conditions in the store's SQL, want 15 at least: %v", len(all), all)
	}
	if os.Getenv("PLATEN_WALLS_ALL") == "" {
		all = all[:2]
	}
	for _, p := range all {
		t.Run(p.String(), func(t *testing.T) {
			binary := p.build(t)
			if said, _ := play(t, binary, "on"); strings.Contains(said, tells) {
				t.Errorf("with row-level security an answer tells of another tenant:\n%.4000s", said)
			}
			// Handlers read a workflow before they change it: the condition of the
			// statement that locks it is a second one.
			if said, failed := play(t, binary, "off"); !failed && !p.locks {
				t.Errorf("without row-level security nothing notices that the condition is gone:\n%.4000s", said)
			}
		})
	}
}
