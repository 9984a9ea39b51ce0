package journey

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// reader is a shell in the folder of the repository that ends what it began.
const reader = `set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
make() { :; }
platen() { "$PLATEN" "$@"; }
`

// slowly is for pages that look at what was made: a person is slower than a run.
const slowly = `curl() {
	case "$*" in
	*/automations/aut_*) until command curl "$@" | grep -qE '"state":"(COMPLETED|FAILED)"'; do sleep 0.1; done ;;
	esac
	command curl "$@"
}
`

// Each guide is typed from its beginning to its end, in a shell of its own. All of them
// are typed at the same time, on one instance. They print what they show.
func TestTheGuidesWorkAsPrinted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("the guides read JSON with node, which is not on this machine")
	}
	guides, err := filepath.Glob("../../docs/guides/*.md")
	if err != nil || len(guides) < 10 {
		t.Fatalf("found %d guides: %v", len(guides), err)
	}
	v := visit(t)
	// The instance seals with the certificate that one of the guides makes.
	sealing := strings.NewReplacer(`$PWD/demo-out`, v.dir, "demo-out", v.dir).Replace(pages.Typed(t, "docs/guides/seal-documents.md", "Set it up"))
	started := typed(t, terminals+sealing+"echo "+allRan+"\nwait\n", v.settings...)
	v.metrics = regexp.MustCompile(`Metrics +http://(\S+)/metrics`).FindStringSubmatch(started)[1]
	for _, guide := range guides {
		name := filepath.Base(guide)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v.follow(t, "docs/guides/"+name)
		})
	}
	for file, heading := range map[string]string{"docs/api.md": "The API", "docs/drive.md": "With curl"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			v.follow(t, file, heading)
		})
	}
	t.Run("CI", func(t *testing.T) {
		t.Parallel()
		v.build(t)
	})
	t.Run("operators", func(t *testing.T) {
		t.Parallel()
		v.operate(t)
	})
}

// follow types what a guide prints below headings, without headings all, and wants it to
// say what the guide shows.
func (v visitor) follow(t *testing.T, file string, headings ...string) {
	t.Helper()
	here, out := v.ours(t)
	said := shell(t, reader+slowly+here.Replace(pages.Typed(t, file, headings...)), append(v.settings, "OUT="+out)...)
	for _, line := range pages.Shown(t, file) {
		want := strings.ReplaceAll(regexp.QuoteMeta(here.Replace(line)), "…", ".*")
		if !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("%s shows %q, and its commands said %s", file, line, said)
		}
	}
}

// workflowsInGit is a folder as a repository of workflows has it.
const workflowsInGit = `
export PLATEN_API_URL=http://127.0.0.1:8080/v0 PLATEN_TOKEN=plt_… RECEIVER=https://receiver.invalid
mkdir -p demo-out/flows
cp examples/letter.docx demo-out/flows/
cd demo-out
printf '%s\n' 'version: 1' 'workflows:' '  Letters in CI:' '    outgoingWebhook: {webhookUrl: "${RECEIVER}/ci"}' '    documents: [{template: letter.docx}]' >flows/platen.yaml
`

// build runs the steps that the guide to workflows in Git prints for CI, for a change, after
// its merge and on a schedule.
func (v visitor) build(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile("../../docs/guides/keep-workflows-in-git.md")
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(string(page), "```yaml\non:")
	recipe, _, _ = strings.Cut(recipe, "```")
	var job struct {
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal([]byte("on:"+recipe), &job); err != nil {
		t.Fatal(err)
	}
	commands := workflowsInGit
	for _, step := range job.Jobs["workflows"].Steps {
		commands += step.Run + "\n"
	}
	here, out := v.ours(t)
	said := shell(t, reader+here.Replace(commands), append(v.settings, "OUT="+out)...)
	if !regexp.MustCompile(`(?s)to be made.*is made.*1 as the files say`).MatchString(said) {
		t.Errorf("got %s", said)
	}
}

// ours puts what guides print as it is for this visitor. What they write is in out.
func (v visitor) ours(t *testing.T) (here *strings.Replacer, out string) {
	t.Helper()
	free, err := ports.Free("127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	receiver, out := "127.0.0.1:"+strconv.Itoa(free[0]), t.TempDir()
	return strings.NewReplacer(
		"127.0.0.1:8080", v.api, "127.0.0.1:8082", v.drive, "127.0.0.1:9000", receiver, "127.0.0.1:9464", v.metrics,
		"bin/platen ", "platen ", "plt_…", v.kept(t, "demo-token"), "drv_…", v.kept(t, "demo-drive-token"),
		"demo-out/secret.txt &", out+"/secret.txt "+receiver+" &", "demo-out", out), out
}

// kept is what the instance keeps in a file of its data directory.
func (v visitor) kept(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(v.instance.DataDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

// operated is what operators find: a user, a series that no guide draws from, and an
// automation that failed in a workflow to whose receiver nothing can be delivered. The
// workflow is paused, so that a retry waits.
const operated = `
API=http://127.0.0.1:8080/v0
export PLATEN_API_URL=$API PLATEN_TOKEN=plt_…
TOKEN=$PLATEN_TOKEN
platen team create --name Print
platen user create --name Ada --email ada@example.com
WORKFLOW=$(curl -s -H "Authorization: $TOKEN" $API/workflows/ -d '{"name": "Operated", "outgoingWebhook": {"webhookUrl": "http://127.0.0.1:9000/"}}' | grep -o 'wkf_[0-9A-Za-z]*' | head -1)
DOCUMENT=$(curl -s -H "Authorization: $TOKEN" --data-binary @examples/letter.docx $API/workflows/$WORKFLOW/documents/upload/ | grep -o 'doc_[0-9A-Za-z]*' | head -1)
curl -s -o "$OUT/document" -X PATCH -H "Authorization: $TOKEN" $API/workflows/$WORKFLOW/documents/$DOCUMENT/ -d '{"onMissing": "fail"}'
curl -s -d '{"Nothing": 1}' $(curl -s -H "Authorization: $TOKEN" $API/workflows/$WORKFLOW/source/ | grep -o '"webhookUrl":"[^"]*' | cut -d'"' -f4)
until EVENT=$(curl -s -H "Authorization: $TOKEN" $API/workflows/$WORKFLOW/events/ | grep -o 'evt_[0-9A-Za-z]*' | head -1); do sleep 0.1; done
until AUTOMATION=$(curl -s -H "Authorization: $TOKEN" "$API/workflows/$WORKFLOW/automations/?state=FAILED" | grep -o 'aut_[0-9A-Za-z]*' | head -1); do sleep 0.1; done
platen pause workflow $WORKFLOW
platen series next restored 1 --new
`

// operate types what pages tell operators, in one shell.
func (v visitor) operate(t *testing.T) {
	t.Helper()
	here, out := v.ours(t)
	ready, err := os.ReadFile(v.instance.ReadyFile)
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) string {
		return regexp.MustCompile(`"` + name + `": *"([^"]*)"`).FindStringSubmatch(string(ready))[1]
	}
	names := strings.NewReplacer(
		"wkf_4fGk2LmQx8Rt0ZbC", "$WORKFLOW", "aut_4fGk2LmQx8Rt0ZbC", "$AUTOMATION", "evt_4fGk2LmQx8Rt0ZbC", "$EVENT",
		"--user ada@example.com --folder 1AbC…", "--user demo@platen.example --folder root",
		"--user ada@example.com --name", "--user demo@platen.example --name")
	commands := operated +
		names.Replace(pages.Typed(t, "docs/production.md", "Tokens with scopes", "Who did what", "Looking at an installation", "What failed today")) +
		names.Replace(pages.Typed(t, "docs/production.md", "Pause and resume")) +
		strings.NewReplacer("user disable ", "user disable --yes ", "user delete ", "user delete --yes ").Replace(pages.Typed(t, "docs/production.md", "When somebody leaves")) + // nobody is there to be asked
		pages.Typed(t, "docs/upgrade.md", "Upgrade") + strings.ReplaceAll(pages.Typed(t, "docs/restore.md", "Numbers after a restore"), "invoices", "restored") +
		pages.Typed(t, "docs/metrics.md", "Metrics, probes and traces") + pages.Typed(t, "docs/data.md", "Erase one automation") +
		"cd $OUT\n" + pages.Typed(t, "docs/production.md", "A file for those who help")
	said := shell(t, reader+here.Replace(commands), append(v.settings, "OUT="+out,
		"PLATEN_DATABASE_URL="+of("databaseUrl"), "PLATEN_SECRET_KEYS="+v.kept(t, "secret-keys"), "PLATEN_DRIVE_ENDPOINT=http://"+v.drive,
		"PLATEN_TEMPORAL_ADDRESS="+v.temporal)...)
	for _, want := range []string{"FAILED", `"requestedAt":"`, "platen_automations_ended_total", "platen-support-", "1043"} {
		if !strings.Contains(said, want) {
			t.Errorf("want %q in what the commands of operators said: %s", want, said)
		}
	}
}

// shell runs a script in the folder of the repository, and returns what it said.
func shell(t *testing.T, script string, settings ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience/2)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", script)
	c.Dir, c.Env = pages.Root(t), program.Environment(settings...)
	c.WaitDelay = 5 * time.Second // for what a script leaves behind
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: the commands said\n%s", err, said)
	}
	return string(said)
}
