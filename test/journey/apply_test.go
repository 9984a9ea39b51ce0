package journey

import (
	"bytes"
	"compress/gzip"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/platen"
)

// An applier is a folder with a file of workflows, and somebody who applies it.
type applier struct {
	t      *testing.T
	dir    string
	api    string
	token  string
	answer func() string // at the terminal; nil: there is none
	env    map[string]string
	folder string // in the drive, which files of workflows may have watched
}

func newApplier(t *testing.T, h *harness) *applier {
	inbox, err := h.files.Files.Create(&driveapi.File{Name: "Inbox", MimeType: platen.MIMEFolder}).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	s := &applier{t: t, dir: t.TempDir(), api: h.api, token: h.token, env: map[string]string{"APPLY_PASSWORD": "secret of here"}, folder: inbox.Id}
	for _, name := range []string{"letter.docx", "offer.pptx"} {
		s.write("templates/"+name, string(content(t, "../../examples/"+name)))
	}
	return s
}

func (s *applier) write(name, content string) {
	s.t.Helper()
	to := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(strings.ReplaceAll(content, "1Zc4VbN7mQwE2rTy", s.folder)), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// run runs a command, and returns what it printed and its exit code.
func (s *applier) run(ctx context.Context, args ...string) (string, int) {
	s.t.Helper()
	var out bytes.Buffer
	e := &cli.Environment{In: strings.NewReader(""), Out: &out, Err: &out, Getenv: func(name string) (string, bool) {
		value, ok := s.env[name]
		return value, ok
	}}
	if s.answer != nil {
		e.Ask = func(context.Context, string, bool) (string, error) { return s.answer(), nil }
	}
	parser, err := kong.New(&cli.Commands{}, kong.Bind(e), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		s.t.Fatal(err)
	}
	parsed, err := parser.Parse(append(args, "--api-url", s.api, "--token", s.token))
	if err == nil {
		err = parsed.Run()
	}
	if err != nil {
		out.WriteString(cli.Message(err))
	}
	return out.String(), cli.ExitCode(err)
}

func (s *applier) apply(args ...string) (string, int) {
	s.t.Helper()
	return s.run(s.t.Context(), append([]string{"apply", "-f", s.dir}, args...)...)
}

const twoWorkflows = `version: 1
workflows:
  Invoices:
    locale: de-DE
    orderedBy: Customer.Number
    sourceFields: [Number, Customer.Name]
    outgoingWebhook:
      webhookUrl: https://receiver.example/invoices
    documents:
      - template: templates/letter.docx
        outputName: Invoice {{Number invoices}}
        createPdfCopy: true
        enablePdfPassword: true
        pdfPassword: ${APPLY_PASSWORD}
        numbers: [invoices]
        when: Total > 0
      - template: templates/offer.pptx
        outputName: 'Slides: {{Number invoices}}'
        outputFolder: Slides/{{Year}}
        onMissing: fail
        pdf: {profile: PDF/A-2b}
        createPdfCopy: true
    receivers:
      - {name: Accounts, webhookUrl: "https://accounts.example/in", when: Total > 1000}
      - {name: On call, webhookUrl: "https://alerts.example", events: [DOCUMENT_FAILED, BATCH_COMPLETED]}
    targets:
      - {name: Archive, kind: s3, url: "https://s3.example/invoices", user: ada, secret: "${APPLY_PASSWORD}", path: "{{Year}}", lockMode: GOVERNANCE, lockDays: 30}
      - {name: Accounting, kind: webdav, url: "https://files.example/in", when: Total > 0, sidecar: true}
    schedules:
      - name: Monthly
        cron: 0 6 1 * *
        timeZone: Europe/Berlin
        data: {Number: 1.50, Customer: {Name: "$${LIST}"}, Lines: [{Text: a}]}
        paused: true
      - {name: Due, cron: "@daily", timeZone: UTC, url: "https://shop.example/due", header: X-Api-Key, secret: "${APPLY_PASSWORD}", test: true}
      - {name: Inbox, folder: 1Zc4VbN7mQwE2rTy, takeExisting: true, paused: true}
  Price $${LIST}: {}
`

const asTheFilesSay = "0 to be made, 0 to be changed, 2 as the files say.\n"

func TestApplyingAFileTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	s := newApplier(t, h)
	s.env["APPLY_PASSWORD"] = "not to be seen"
	s.write("platen.yaml", twoWorkflows)
	if out, code := s.apply(); code != cli.ExitUsage || !strings.Contains(out, "give --yes") {
		t.Errorf("without a terminal: got %d, %s", code, out)
	}
	out, code := s.apply("--yes")
	if code != 0 || !strings.Contains(out, "+ Invoices: to be made") || !strings.Contains(out, "2 to be made") || strings.Contains(out, "not to be seen") {
		t.Fatalf("the first time: got %d, %s", code, out)
	}
	if out, code := s.apply("--yes"); code != 0 || out != asTheFilesSay {
		t.Fatalf("the second time: got %d, %s; want %s", code, out, asTheFilesSay)
	}
	if out, code := s.apply("--dry-run"); code != 0 || out != asTheFilesSay {
		t.Errorf("a dry run: got %d, %s; want %s", code, out, asTheFilesSay)
	}
	// What the service refuses has its place in the file, also of a workflow that is to be made.
	for _, changed := range []string{twoWorkflows, strings.Replace(twoWorkflows, "Invoices:", "Others:", 1)} {
		s.write("platen.yaml", strings.Replace(changed, "when: Total > 0", "when: Total >", 1))
		if out, code := s.apply("--yes"); code != 1 || !strings.Contains(out, "platen.yaml:16:15: documents[0].when cannot be read") {
			t.Errorf("a mistake: got %d, %s", code, out)
		}
	}
	c := h.client(t)
	w := named(t, c, "Invoices")
	if len(w) != 1 || len(w[0].Documents) != 2 || w[0].Documents[0].PDFPassword != "not to be seen" || w[0].OutgoingWebhook.URL != "https://receiver.example/invoices" {
		t.Errorf("got %+v", w)
	}
	if state, err := c.TemplateState(t.Context(), w[0].ID, w[0].Documents[0].ID); err != nil || state.UploadedSHA256 == nil {
		t.Errorf("what the template was made of: got %+v, %v", state, err)
	}
}

func TestDriftIsShownAndApplied(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	s := newApplier(t, h)
	s.env["APPLY_PASSWORD"] = "first"
	s.write("platen.yaml", twoWorkflows)
	if out, code := s.apply("--yes"); code != 0 {
		t.Fatal(out)
	}
	c, ctx := h.client(t), t.Context()
	w := named(t, c, "Invoices")[0]
	locale, when := "fr-FR", "Total > 17"
	_, err := c.UpdateWorkflow(ctx, w.ID, client.WorkflowChange{Locale: &locale})
	try(t, err)
	_, err = c.UpdateDocument(ctx, w.ID, w.Documents[0].ID, client.DocumentSettings{When: &when})
	try(t, err)
	_, err = c.UpdateOutgoingWebhook(ctx, w.ID, "https://elsewhere.example/")
	try(t, err)
	_, err = c.ReplaceTemplate(ctx, w.ID, w.Documents[0].ID, content(t, "../../examples/invoice.docx"))
	try(t, err)
	_, err = c.CreateDocument(ctx, w.ID, client.AddedDocument{})
	try(t, err)
	_, err = c.CreateWorkflow(ctx, client.NewWorkflow{Name: "By hand"})
	try(t, err)
	s.env["APPLY_PASSWORD"] = "second"
	out, code := s.apply("--dry-run")
	for _, want := range []string{
		`locale: "fr-FR" → "de-DE"`, `documents[0].when: "Total > 17" → "Total > 0"`, `documents[0].pdfPassword: (hidden) → (hidden)`,
		`outgoingWebhook.webhookUrl: "https://elsewhere.example/" → "https://receiver.example/invoices"`,
		`documents[0].template: sha256 `, ` of templates/letter.docx`, "stays without --prune", "0 to be made, 1 to be changed, 1 as the files say; 1 workflow of yours in no file.",
	} {
		if code != cli.ExitChanges || !strings.Contains(out, want) {
			t.Errorf("got %d, want %d, and %q in\n%s", code, cli.ExitChanges, want, out)
		}
	}
	if strings.Contains(out, "first") || strings.Contains(out, "second") {
		t.Errorf("the password is shown: %s", out)
	}
	if out, code := s.apply("--yes"); code != 0 {
		t.Fatal(out)
	}
	if out, code := s.apply("--dry-run"); code != 0 || !strings.Contains(out, "stays without --prune") {
		t.Errorf("applied without --prune: got %d, %s", code, out)
	}
	s.answer = func() string { return "no" }
	if out, code := s.apply("--prune"); code != 1 || !strings.Contains(out, "- By hand") || len(named(t, c, "By hand")) != 1 {
		t.Errorf("answered no: got %d, %s", code, out)
	}
	s.answer = func() string { return "yes" }
	if out, code := s.apply("--prune"); code != 0 || !strings.Contains(out, "is ARCHIVED") || len(named(t, c, "By hand")) != 0 {
		t.Errorf("pruned: got %d, %s", code, out)
	}
	if out, code := s.apply("--dry-run", "--prune"); code != 0 || out != asTheFilesSay {
		t.Errorf("afterwards: got %d, %s; want %s", code, out, asTheFilesSay)
	}
}

func TestTargetsAndSchedulesAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	s := newApplier(t, h)
	s.write("platen.yaml", twoWorkflows)
	out, code := s.apply("--yes")
	if code != 0 || strings.Contains(out, "secret of here") || !strings.Contains(out, "targets[0].secret: (hidden)") {
		t.Fatalf("got %d, %s", code, out)
	}
	c := h.client(t)
	id := named(t, c, "Invoices")[0].ID
	targets, err := c.Targets(t.Context(), id)
	try(t, err)
	schedules, err := c.Schedules(t.Context(), id)
	try(t, err)
	for i, name := range []string{"Archive", "Accounting"} {
		if targets[i].Name != name || targets[i].HasSecret != (i == 0) {
			t.Errorf("got the target %s, secret %v, want %s", targets[i].Name, targets[i].HasSecret, name)
		}
	}
	if got, want := string(schedules[0].Data), `{"Customer":{"Name":"${LIST}"},"Lines":[{"Text":"a"}],"Number":1.50}`; got != want || !schedules[0].Paused {
		t.Errorf("got the event %s, paused %v, want %s, paused", got, schedules[0].Paused, want)
	}

	// Drift, in another order of the file.
	drifted, zone := "{{Customer}}", "Europe/Paris"
	_, err = c.UpdateTarget(t.Context(), id, targets[0].ID, client.TargetChange{Path: &drifted})
	try(t, err)
	_, err = c.UpdateSchedule(t.Context(), id, schedules[0].ID, client.ScheduleChange{TimeZone: &zone})
	try(t, err)
	receivers, err := c.Receivers(t.Context(), id)
	try(t, err)
	if len(receivers) != 2 || receivers[1].Name != "On call" || len(receivers[0].Events) != 3 || len(receivers[1].Events) != 2 {
		t.Errorf("got the receivers %+v", receivers)
	}
	otherWhen := "Total > 5"
	_, err = c.UpdateReceiver(t.Context(), id, receivers[0].ID, client.ReceiverChange{When: &otherWhen})
	try(t, err)
	name, cron := "By hand", "0 0 * * *"
	_, err = c.CreateSchedule(t.Context(), id, client.ScheduleChange{Name: &name, Cron: &cron, TimeZone: &zone, Data: []byte(`{}`)})
	try(t, err)
	first, second, _ := strings.Cut(twoWorkflows[strings.Index(twoWorkflows, "      - {name: Archive"):strings.Index(twoWorkflows, "    schedules:")], "\n")
	s.write("platen.yaml", strings.Replace(twoWorkflows, first+"\n"+second, second+first+"\n", 1))
	out, code = s.apply("--dry-run")
	want := `    receivers[0].when: "Total > 5" → "Total > 1000"
    targets[1].path: "{{Customer}}" → "{{Year}}"
    schedules[0].timeZone: "Europe/Paris" → "Europe/Berlin"
    schedule By hand: in no file (stays without --prune)
`
	if code != cli.ExitChanges || !strings.Contains(out, want) {
		t.Errorf("got %d, %s\nwant %s", code, out, want)
	}
	if out, code = s.apply("--yes", "--prune"); code != 0 || !strings.Contains(out, "schedule By hand is removed") {
		t.Errorf("got %d, %s", code, out)
	}
	if out, code = s.apply("--dry-run"); code != 0 || out != asTheFilesSay {
		t.Errorf("applied: got %d, %s", code, out)
	}

	for change, want := range map[string][2]string{
		"another kind":       {"kind: webdav", "kind: azure"},
		"another host":       {"s3.example", "another.example"},
		"no secret":          {`header: X-Api-Key, secret: "${APPLY_PASSWORD}", `, ""},
		"a wrong zone":       {"Europe/Berlin", "Berlin"},
		"two with one name":  {"name: Accounting", "name: Archive"},
		"none with that one": {"name: Due, ", ""},
	} {
		s.write("platen.yaml", strings.Replace(twoWorkflows, want[0], want[1], 1))
		out, code := s.apply("--yes")
		says, failed := map[string]string{
			"another kind":       "targets[1].kind is given when a target is made, and is webdav",
			"another host":       `targets[0].url: "https://s3.example/invoices" → "https://another.example/invoices"`,
			"no secret":          "schedules[1].secret: (hidden) → none",
			"a wrong zone":       "schedules[0].timeZone",
			"two with one name":  "targets[1].name is that of targets[0], too",
			"none with that one": "schedules[1].name is required",
		}[change], change != "another host" && change != "no secret"
		if (code != 0) != failed || !strings.Contains(out, says) {
			t.Errorf("%s: got %d, %s\nwant %s", change, code, out, says)
		}
	}
}

// Whatever the last request of an apply was that arrived, the next apply goes on.
func TestAnApplyThatDiedIsGoneOnWith(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	s := newApplier(t, h)
	s.write("platen.yaml", twoWorkflows)
	c := h.client(t)
	const drifted = `version: 1
workflows:
  Invoices:
    locale: fr-FR
    sourceFields: [Number, Customer.Name]
    outgoingWebhook: {webhookUrl: "https://receiver.example/other"}
    documents:
      - {template: templates/offer.pptx, outputName: One}
      - {template: templates/letter.docx, outputName: Two}
      - {template: templates/letter.docx, outputName: Three, createPdfCopy: true}
`
	for round, done := 0, false; !done; round++ {
		for _, content := range []string{twoWorkflows, drifted} {
			s.write("platen.yaml", content)
			proxy, ctx := dyingProxy(t, h, round)
			direct := s.api
			s.api = proxy
			before, code := s.run(ctx, "apply", "-f", s.dir, "--yes", "--prune")
			s.api = direct
			done = code == 0 && content == drifted
			if out, code := s.apply("--yes", "--prune"); code != 0 {
				t.Fatalf("died after %d changes:\n%s\nthe next apply: got %d, %s", round, before, code, out)
			}
			want := strings.Count(content, "template:")
			if w := named(t, c, "Invoices"); len(w) != 1 || len(w[0].Documents) != want {
				t.Fatalf("died after %d changes: got %+v, want one workflow with %d documents", round, w, want)
			}
			if out, code := s.apply("--dry-run"); code != 0 {
				t.Fatalf("died after %d changes: the next but one: got %d, %s", round, code, out)
			}
		}
		if round > 40 {
			t.Fatal("an apply has more than 40 changes")
		}
	}
}

// dyingProxy hands requests on. The context ends when it has handed on so many changes: of
// even numbers before the answer, of odd ones after it.
func dyingProxy(t *testing.T, h *harness, changes int) (string, context.Context) {
	ctx, die := context.WithCancel(t.Context())
	left := changes
	var mu sync.Mutex
	t.Cleanup(die)
	return behind(t, h, func(hand http.Handler, w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodGet {
			hand.ServeHTTP(w, r)
			return
		}
		if left == 0 {
			die()
			panic(http.ErrAbortHandler)
		}
		if left--; left == 0 && changes%2 == 0 {
			hand.ServeHTTP(httptest.NewRecorder(), r)
			die()
			panic(http.ErrAbortHandler)
		}
		hand.ServeHTTP(w, r)
	}), ctx
}

// behind is the address of the API behind a proxy, which hands requests on to hand.
func behind(t *testing.T, h *harness, proxy func(hand http.Handler, w http.ResponseWriter, r *http.Request)) string {
	target, err := url.Parse(strings.TrimSuffix(h.api, "/v0"))
	try(t, err)
	hand := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { proxy(hand, w, r) }))
	t.Cleanup(server.Close)
	return server.URL + "/v0"
}

// A proxy that compresses answers makes their entity tags weak, as nginx does.
func TestApplyChangesWhatIsBehindAProxyThatCompresses(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	s := newApplier(t, h)
	s.write("platen.yaml", twoWorkflows)
	if out, code := s.apply("--yes"); code != 0 {
		t.Fatal(out)
	}
	s.api = behind(t, h, func(hand http.Handler, w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			hand.ServeHTTP(w, r)
			return
		}
		got := httptest.NewRecorder()
		hand.ServeHTTP(got, r)
		maps.Copy(w.Header(), got.Header())
		w.Header().Del("Content-Length")
		w.Header().Set("Content-Encoding", "gzip")
		if tag := w.Header().Get("ETag"); tag != "" {
			w.Header().Set("ETag", "W/"+tag)
		}
		w.WriteHeader(got.Code)
		packed := gzip.NewWriter(w)
		_, _ = packed.Write(got.Body.Bytes())
		_ = packed.Close()
	})
	s.write("platen.yaml", strings.NewReplacer("de-DE", "fr-FR", "Total > 0", "Total > 1", "example/invoices", "example/others", "letter.docx", "invoice.docx").Replace(twoWorkflows))
	s.write("templates/invoice.docx", string(content(t, "../../examples/invoice.docx")))
	if out, code := s.apply("--yes"); code != 0 {
		t.Errorf("got %d, %s", code, out)
	}
	if out, code := s.apply("--dry-run"); code != 0 || out != asTheFilesSay {
		t.Errorf("afterwards: got %d, %s; want %s", code, out, asTheFilesSay)
	}
}

// The service keeps the answer to an import for a day. What it says may be cured, or out of
// date, long before.
func TestWhatWasRefusedOrRenamedIsMadeByTheNextApply(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	s := newApplier(t, h)
	const file = "version: 1\nworkflows:\n  Letters:\n    documents:\n    - {template: templates/letter.docx, when: 'WHEN', outputFolderId: 'https://drive.google.com/drive/folders/1a2b3c'}\n"
	s.write("platen.yaml", strings.Replace(file, "WHEN", "Total >", 1))
	for range 2 {
		if out, code := s.apply("--yes"); code != 1 || !strings.Contains(out, "5:47: documents[0].when cannot be read") {
			t.Fatalf("a mistake: got %d, %s", code, out)
		}
	}
	s.write("platen.yaml", strings.Replace(file, "WHEN", "Total > 1", 1))
	out, code := s.apply("--yes")
	if code != 0 || !strings.Contains(out, `the service keeps documents[0].outputFolderId as "1a2b3c": write that`) {
		t.Fatalf("cured: got %d, %s", code, out)
	}
	s.write("platen.yaml", strings.NewReplacer("WHEN", "Total > 1", "https://drive.google.com/drive/folders/", "").Replace(file))
	for range 2 {
		c := h.client(t)
		_, err := c.UpdateWorkflow(t.Context(), named(t, c, "Letters")[0].ID, client.WorkflowChange{Name: "By hand"})
		try(t, err)
		if out, code := s.apply("--yes"); code != 0 || len(named(t, c, "Letters")) != 1 {
			t.Fatalf("after the workflow got another name: got %d, %s", code, out)
		}
	}
}

func TestATemplateThatIsGoneIsMadeAgain(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	s := newApplier(t, h)
	const file = "version: 1\nworkflows:\n  Letters:\n    documents:\n    - {template: templates/letter.docx, when: Total > 0}\n"
	s.write("platen.yaml", file)
	if out, code := s.apply("--yes"); code != 0 {
		t.Fatal(out)
	}
	before := named(t, h.client(t), "Letters")[0].Documents[0]
	try(t, h.files.Files.Delete(before.File.ID).Context(t.Context()).Do())
	s.write("platen.yaml", strings.Replace(file, "> 0", "> 1", 1))
	if out, code := s.apply("--yes"); code != 0 || !strings.Contains(out, "documents[0].template: gone from the drive → sha256 ") {
		t.Errorf("got %d, %s", code, out)
	}
	after := named(t, h.client(t), "Letters")[0].Documents
	if len(after) != 1 || after[0].ID != before.ID || after[0].File.ID == before.File.ID || after[0].When != "Total > 1" {
		t.Errorf("got %+v, want %s with another file", after, before.ID)
	}
	if out, code := s.apply("--dry-run"); code != 0 {
		t.Errorf("afterwards: got %d, %s", code, out)
	}
}

func TestOfTwoWhoMakeAWorkflowAtOnceOneGivesWay(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	mine, theirs := newApplier(t, h), newApplier(t, h)
	mine.write("platen.yaml", "version: 1\nworkflows: {Letters: {locale: de}}\n")
	theirs.write("platen.yaml", "version: 1\nworkflows: {Letters: {locale: fr}}\n")
	direct := mine.api
	mine.api = behind(t, h, func(hand http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v0/workflows/import/" {
			if out, code := theirs.apply("--yes"); code != 0 {
				t.Error(out)
			}
		}
		hand.ServeHTTP(w, r)
	})
	if out, code := mine.apply("--yes"); code != 1 || !strings.Contains(out, "at the same moment") {
		t.Errorf("got %d, %s", code, out)
	}
	if w := named(t, h.client(t), "Letters"); len(w) != 1 || w[0].Locale != "fr" {
		t.Errorf("got %+v, want theirs alone", w)
	}
	mine.api = direct
	if out, code := mine.apply("--yes"); code != 0 || !strings.Contains(out, `locale: "fr" → "de"`) {
		t.Errorf("applied again: got %d, %s", code, out)
	}
}

// The question of one is answered after the other has applied. The second
// changes nothing that the first did.
func TestTwoWhoApplyAtOnceDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	const file = `version: 1
workflows:
  Letters:
    locale: LOCALE
    outgoingWebhook: {webhookUrl: "https://receiver.example/HOOK"}
    targets:
      - {name: Archive, kind: webdav, url: "https://files.example/PATH"}
    schedules:
      - {name: Monthly, cron: "CRON 1 * *", timeZone: UTC, data: {}}
    documents:
      - {template: templates/TEMPLATE, when: "WHEN"}
`
	fill := func(values ...string) string { return strings.NewReplacer(values...).Replace(file) }
	start := []string{"LOCALE", "de", "HOOK", "a", "TEMPLATE", "letter.docx", "WHEN", "A", "PATH", "a", "CRON", "0 6"}
	mine, theirs := newApplier(t, h), newApplier(t, h)
	invoice := string(content(t, "../../examples/invoice.docx"))
	mine.write("templates/invoice.docx", invoice)
	theirs.write("templates/other.docx", string(content(t, "../../examples/qr-bill.docx")))
	c := h.client(t)
	for _, both := range []struct{ name, of, mine, theirs, says string }{
		{"the workflow", "LOCALE", "fr", "nl", "changed it after"},
		{"the receiver", "HOOK", "b", "c", "changed outgoingWebhook after"},
		{"a document", "WHEN", "B", "C", "changed documents[0] after"},
		{"a target", "PATH", "b", "c", "changed targets[0] after"},
		{"a schedule", "CRON", "0 7", "0 8", "changed schedules[0] after"},
		{"a template", "TEMPLATE", "invoice.docx", "other.docx", "changed documents[0].template after"},
	} {
		theirs.write("platen.yaml", fill(start...))
		if out, code := theirs.apply("--yes"); code != 0 {
			t.Fatal(out)
		}
		mine.write("platen.yaml", fill(append([]string{both.of, both.mine}, start...)...))
		theirs.write("platen.yaml", fill(append([]string{both.of, both.theirs}, start...)...))
		mine.answer = func() string {
			if out, code := theirs.apply("--yes"); code != 0 {
				t.Error(out)
			}
			return "yes"
		}
		out, code := mine.apply()
		if code != 1 || !strings.Contains(out, both.says) || !strings.Contains(out, "run 'platen apply' again") {
			t.Errorf("%s: got %d, %s; want 1 and %q", both.name, code, out, both.says)
		}
		if out, code := theirs.apply("--dry-run"); code != 0 {
			t.Errorf("%s: theirs was overwritten: %s", both.name, out)
		}
		mine.answer = nil
		if out, code := mine.apply("--yes"); code != 0 {
			t.Errorf("%s: applied again: got %d, %s", both.name, code, out)
		}
	}
	// Whoever applies the same file at once has nothing to be told.
	same := fill("LOCALE", "fr", "HOOK", "d", "TEMPLATE", "invoice.docx", "WHEN", "D", "PATH", "d", "CRON", "0 9")
	theirs.write("templates/invoice.docx", invoice)
	mine.write("platen.yaml", same)
	theirs.write("platen.yaml", same)
	mine.answer = func() string {
		if out, code := theirs.apply("--yes"); code != 0 {
			t.Error(out)
		}
		return "yes"
	}
	if out, code := mine.apply(); code != 0 {
		t.Errorf("the same file: got %d, %s", code, out)
	}
	same += "      - {template: templates/letter.docx, outputName: Added}\n"
	mine.write("platen.yaml", same)
	theirs.write("platen.yaml", same)
	if out, code := mine.apply(); code != 1 || !strings.Contains(out, "changed documents after") {
		t.Errorf("both add a document: got %d, %s", code, out)
	}
	if got := named(t, c, "Letters")[0].Documents; len(got) != 2 {
		t.Errorf("both add a document: got %d documents, want 2", len(got))
	}
	if out, code := mine.apply("--yes"); code != 0 {
		t.Errorf("both add a document: applied again: got %d, %s", code, out)
	}
	same = strings.Replace(same, "    schedules:\n", "      - {name: Added, kind: webdav, url: \"https://files.example/added\"}\n    schedules:\n", 1)
	mine.write("platen.yaml", same)
	theirs.write("platen.yaml", strings.Replace(same, "files.example/added", "files.example/another", 1))
	if out, code := mine.apply(); code != 1 || !strings.Contains(out, "changed targets[1] after") {
		t.Errorf("both add a target: got %d, %s", code, out)
	}
	// An event with other fields changes the workflow's entity tag, and no setting. So does a
	// moment that of a schedule.
	w := named(t, c, "Letters")[0]
	mine.write("platen.yaml", fill(append([]string{"LOCALE", "it", "CRON", "0 10"}, start...)...))
	mine.answer = func() string {
		post(t, w.Source.URL, []byte(`{"another field": 1}`), http.StatusOK)
		schedules, err := c.Schedules(t.Context(), w.ID)
		try(t, err)
		_, err = c.RunSchedule(t.Context(), w.ID, schedules[0].ID)
		try(t, err)
		return "yes"
	}
	if out, code := mine.apply(); code != 0 {
		t.Errorf("an event meanwhile: got %d, %s", code, out)
	}
}

func TestWhatExportWritesApplyMakesElsewhere(t *testing.T) {
	t.Parallel()
	here, there := open(t, options{}), open(t, options{})
	s := newApplier(t, here)
	inbox := "      - {name: Inbox, folder: 1Zc4VbN7mQwE2rTy, takeExisting: true, paused: true}\n"
	s.write("platen.yaml", strings.Replace(twoWorkflows, inbox, "", 1)) // the other drive has no such folder
	if out, code := s.apply("--yes"); code != 0 {
		t.Fatal(out)
	}
	export := func(of *harness) (dir string) {
		dir = t.TempDir()
		x := &applier{t: t, dir: dir, api: of.api, token: of.token}
		x.write("templates/invoices-1.docx", "somebody's")
		if out, code := x.run(t.Context(), "export", "--to", dir); code != cli.ExitUsage || !strings.Contains(out, "invoices-1.docx is there already") {
			t.Errorf("over a template that is there: got %d, %s", code, out)
		}
		try(t, os.Remove(filepath.Join(dir, "templates", "invoices-1.docx")))
		out, code := x.run(t.Context(), "export", "--to", dir)
		if code != 0 || !strings.Contains(out, "set PDF_PASSWORD_INVOICES_1 where you apply") {
			t.Fatalf("got %d, %s", code, out)
		}
		if out, code := x.run(t.Context(), "export", "--to", dir); code != cli.ExitUsage || !strings.Contains(out, "--overwrite") {
			t.Errorf("over a file that is there: got %d, %s", code, out)
		}
		return dir
	}
	first := export(here)
	if text := string(content(t, filepath.Join(first, "platen.yaml"))); strings.Contains(text, "secret of") {
		t.Errorf("a secret is written:\n%s", text)
	}
	x := &applier{t: t, dir: first, api: there.api, token: there.token, env: map[string]string{"PDF_PASSWORD_INVOICES_1": "secret of there", "TARGET_SECRET_INVOICES_2": "secret of there", "SCHEDULE_SECRET_INVOICES_1": "secret of there"}}
	if out, code := x.apply("--yes"); code != 0 {
		t.Fatal(out)
	}
	if out, code := x.apply("--yes"); code != 0 || out != asTheFilesSay {
		t.Errorf("the second time: got %d, %s", code, out)
	}
	second := export(there)
	for _, name := range []string{"platen.yaml", "templates/invoices-1.docx", "templates/invoices-2.pptx"} {
		if a, b := content(t, filepath.Join(first, name)), content(t, filepath.Join(second, name)); !bytes.Equal(a, b) {
			t.Errorf("%s differs:\n%.2000s\n%.2000s", name, a, b)
		}
	}
}

func named(t *testing.T, c *client.Client, name string) (found []client.Workflow) {
	t.Helper()
	for w, err := range c.Workflows(t.Context(), client.WorkflowQuery{Statuses: []string{"COMPLETE", "INCOMPLETE"}}) {
		try(t, err)
		if w.Name == name {
			found = append(found, w)
		}
	}
	return found
}

func try(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	try(t, err)
	return content
}
