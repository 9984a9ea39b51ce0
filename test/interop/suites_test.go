package interop

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// suitesVariable names the environment variable with the folder of rclone's
// source, in which suites/ has its integration tests as programs.
const suitesVariable = "PLATEN_RCLONE_SUITES"

// suites are rclone's integration tests by their packages, with the least number
// of leaves that pass.
var suites = map[string]int{"backend/drive": 130, "fs/operations": 180, "fs/sync": 130, "vfs": 290}

// ended is a line of go test -v that says how a test ended.
var ended = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (\S+)`)

// leaves are the tests without tests below them, by how they ended.
func leaves(output []byte) map[string][]string {
	results := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := ended.FindStringSubmatch(lines.Text()); m != nil {
			results[m[2]] = m[1]
		}
	}
	byEnd := map[string][]string{}
	for name, end := range results {
		isParent := false
		for other := range results {
			isParent = isParent || strings.HasPrefix(other, name+"/")
		}
		if !isParent {
			byEnd[end] = append(byEnd[end], name)
		}
	}
	for _, names := range byEnd {
		slices.Sort(names)
	}
	return byEnd
}

// excused are the leaves that docs/drive.md says do not pass, in the lines of its
// table that begin with the name of a suite and that of a leaf.
func excused(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("../../docs/drive.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| `(Test[^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		names[m[1]+" "+m[2]] = true
	}
	return names
}

// unsteady are tests that fail now and then, at Google as well. This one compares the
// text of a time without its last zeros with Google's, which has three digits: one
// millisecond in ten ends with a zero.
var unsteady = map[string]bool{"vfs TestDirMetadataExtension": true}

func TestRclonesOwnIntegrationTestsPassButForThoseThatThePageNames(t *testing.T) {
	source := os.Getenv(suitesVariable)
	if source == "" {
		t.Skipf("%s does not name rclone's source with its tests; make rclone builds them and runs this", suitesVariable)
	}
	excuses := excused(t)
	if n := len(excuses) + len(unsteady); n > 5 {
		t.Errorf("docs/drive.md names %d tests that do not pass always, want at most 5", n)
	}
	for suite, least := range suites {
		t.Run(suite, func(t *testing.T) {
			b := newHarness(t)
			config := b.write(filepath.Join(b.dir, "suite.conf"), fmt.Sprintf("[TestDrive]\ntype = drive\nscope = drive\nservice_account_file = %s\npacer_min_sleep = 1ms\n", b.google.ServiceAccount))
			ctx, stop := context.WithTimeout(t.Context(), 25*time.Minute)
			defer stop()
			c := exec.CommandContext(ctx, filepath.Join(source, "suites", strings.ReplaceAll(suite, "/", "_")),
				"-test.v", "-test.timeout", "24m", "-remote", "TestDrive:", "-list-retries", "3")
			c.Dir = filepath.Join(source, filepath.FromSlash(suite))
			// An option of the remote in the environment would change its name.
			c.Env = append(slices.DeleteFunc(b.env, func(v string) bool { return strings.HasPrefix(v, "RCLONE_DRIVE_") }), "RCLONE_CONFIG="+config)
			output, _ := c.CombinedOutput() // the leaves say what failed
			got := leaves(output)
			t.Logf("%d pass, %d fail, %d are skipped", len(got["PASS"]), len(got["FAIL"]), len(got["SKIP"]))
			if len(got["PASS"]) < least {
				t.Errorf("got %d that pass, want at least %d; the output ends with\n%s", len(got["PASS"]), least, output[max(0, len(output)-2000):])
			}
			for _, name := range got["FAIL"] {
				if !excuses[suite+" "+name] && !unsteady[suite+" "+name] {
					t.Errorf("%s fails, and docs/drive.md does not say why:\n%s", name, saidOf(output, name))
				}
			}
			for name := range excuses {
				if leaf, ok := strings.CutPrefix(name, suite+" "); ok && !slices.Contains(got["FAIL"], leaf) {
					t.Errorf("docs/drive.md says that %s does not pass, but it does", leaf)
				}
			}
		})
	}
}

// saidOf is what a test wrote before it ended.
func saidOf(output []byte, name string) []byte {
	_, from, _ := bytes.Cut(output, []byte("=== RUN   "+name+"\n"))
	said, _, _ := bytes.Cut(from, []byte("\n=== RUN   "))
	return said[:min(len(said), 4000)]
}
