package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/testkit/browser"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

// A receiver takes events until it is broken.
type receiver struct {
	url    string
	broken atomic.Bool
	taken  atomic.Int32
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if r.broken.Load() {
			http.Error(w, "the ledger is closed", http.StatusInternalServerError)
			return
		}
		r.taken.Add(1)
	}))
	t.Cleanup(s.Close)
	r.url = s.URL + "/events"
	return r
}

// letter writes a template into a file of this name.
func letter(t *testing.T, name string, lines ...string) string {
	t.Helper()
	var body string
	for _, line := range lines {
		body += rendertest.Paragraph("", line)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, rendertest.Docx{Body: body}.Bytes(t), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A visitor goes from page to page. Each must be one that everybody can use.
type visitor struct {
	*browser.Page
	t      *testing.T
	screen string
}

// looks judges the page that is shown, and keeps a picture of it.
func (v visitor) looks(name string) {
	v.t.Helper()
	v.WantFit()
	wantAccessible(v.t, v.Page, name+", "+v.screen)
	v.Shot("job-" + name + "-" + v.screen)
}

func (v visitor) reads(selector string, want ...string) {
	v.t.Helper()
	text := v.Text(selector)
	for _, words := range want {
		if !strings.Contains(text, words) {
			v.t.Errorf("%s, %s: got %q, want %q in it", selector, v.screen, text, words)
		}
	}
}

// says is a text of the console in the language of the page, without the elements in it, and
// with the values in its places.
func (v visitor) says(english string, values ...string) string {
	v.t.Helper()
	text := inText.ReplaceAllString(catalog.In(v.Evaluate(`document.documentElement.lang`)).Text(english), "")
	for i, value := range values {
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i+1), value)
	}
	return text
}

var inText = regexp.MustCompile(`</?[a-z]+\d*>`)

// posts runs a line that a page prints in a shell, as its reader does.
func (v visitor) posts(line string) {
	v.t.Helper()
	out, err := exec.CommandContext(v.t.Context(), "sh", "-ec", "exec "+strings.Replace(line, "curl ", "curl -sS --fail ", 1)).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "{}" {
		v.t.Fatalf("%s: got %q, %v, want {}", line, out, err)
	}
}

// follows presses the link of the newest run, once it has become what is wanted.
func (v visitor) follows(run string) {
	v.t.Helper()
	waitFor(v.t, v.Page, run, `document.querySelector("section[aria-labelledby=recent] tbody tr:first-child .good") !== null`)
	if v.Evaluate(`window.notLoadedAgain || "no"`) != "yes" {
		v.t.Error("the page was loaded again, want its content replaced")
	}
	v.Press("section[aria-labelledby=recent] tbody tr:first-child a")
}

// pdfText is what a PDF says that the page links to.
func (v visitor) pdfText() string {
	v.t.Helper()
	address := v.Evaluate(`[...document.querySelectorAll("main a")].find((a) => a.textContent.trim().endsWith(".pdf"))?.href || ""`)
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatalf("open the PDF at %q: %v", address, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	c := exec.CommandContext(v.t.Context(), "pdftotext", "-layout", "-", "-")
	c.Stdin = strings.NewReader(string(content))
	text, err := c.Output()
	if err != nil {
		v.t.Fatalf("read the PDF at %q, which begins with %.20q: %v", address, content, err)
	}
	return string(text)
}

// The main job, as somebody does it who has a Word file, a browser and a terminal: on one
// screen, and with 'make browser' on each.
func TestTheMainJobIsDoneInChromium(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	smtp := box.Start(t)
	i := install(t, func(s *config.Serve, w *config.Work) {
		s.SMTPFrom, w.SMTPFrom = "invoices@example.com", "invoices@example.com"
		w.SMTPURL, w.SMTPClearText.Setting = platen.Secret("smtp://"+smtp), config.Of(true)
		w.RetrySchedule = config.Of([]time.Duration{0, 5 * time.Millisecond, 5 * time.Millisecond})
	})
	screens := map[string]browser.Options{"light": {}}
	if os.Getenv(browser.RequiredVariable) != "" {
		screens["dark"], screens["telephone"] = browser.Options{Dark: true}, browser.Options{Width: 390}
		for _, language := range catalog.Languages()[1:] {
			screens["telephone-"+language] = browser.Options{Width: 390, Language: language}
		}
	}
	for screen, o := range screens {
		t.Run(screen, func(t *testing.T) {
			visitor{i.signIn(t, o), t, screen}.doesTheMainJob(i, newReceiver(t), &box)
		})
	}
}

func (v visitor) doesTheMainJob(i installation, to *receiver, box *mailbox.Box) {
	t := v.t
	v.looks("first-steps")
	v.Visit(i.origin + "/console/workflows/")
	v.Press(`main a[href$="new-workflow"]`)

	// A template with a mistake.
	wrong := letter(t, "berth letter.docx", "Dear {{Name}},", "{{#if Paid}}thank you for your payment.", "We wrote to {{Email}}.")
	v.Drop(".drop", wrong)
	v.reads(".drop", "berth letter.docx, ")
	v.Type("#receiver", to.url)
	v.looks("new-workflow")
	v.Press("main form button")
	v.reads("h1", "berth letter")
	untilState(v.Page, ".pages", "drawn")
	v.reads("article", "Name", "Email", v.says("Mistakes"), "{{#if Paid}}")
	if marks := v.Evaluate(`String(document.querySelectorAll(".pages-mark").length)`); marks == "0" {
		t.Error("no mistake is marked in the picture of the page")
	}
	v.looks("mistake")

	// The cure.
	right := letter(t, "corrected.docx", "Dear {{Name}},", "{{#if Paid}}thank you for your payment.{{/if}}", "We wrote to {{Email}}.")
	v.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true; ""`)
	v.Drop(`form[action$="/template"] .drop`, right)
	v.Press(`form[action$="/template"] button`)
	untilState(v.Page, ".pages", "drawn")
	v.reads("article", v.says("No mistakes were found."))
	v.looks("cured")

	// An event, and its run on the open page.
	id := strings.Split(strings.TrimPrefix(v.Address(), i.origin+"/console/workflows/"), "/")[0]
	at := i.origin + "/console/workflows/" + id + "/"
	v.Visit(at + "delivery/")
	v.mails()
	v.Visit(at)
	mails := len(box.Mails())
	v.Evaluate(`window.notLoadedAgain = "yes"`)
	v.posts(v.Text("pre.copy code"))
	v.follows("a run that completed")
	waitFor(t, v.Page, "the event delivered", `document.querySelector("section[aria-labelledby=events]").innerText.includes("`+v.says("delivered")+`")`)
	waitFor(t, v.Page, "the mail sent", `document.querySelector("main").innerText.includes("`+v.says("sent")+`")`)
	v.looks("run")
	if text := v.pdfText(); !strings.Contains(text, "Dear Ada Lovelace,") || !strings.Contains(text, "thank you for your payment.") || strings.Contains(text, "{{") {
		t.Errorf("the PDF says %q, want the letter filled", text)
	}
	if got := box.Mails(); len(got) != mails+1 || got[mails].To[0] != "ada@example.com" || !strings.Contains(got[mails].Text, "application/pdf") {
		t.Errorf("got %d mails more, want one to ada@example.com with the PDF", len(got)-mails)
	}
	if to.taken.Load() != 1 {
		t.Errorf("the receiver took %d events, want 1", to.taken.Load())
	}

	// A receiver that fails, and its cure.
	to.broken.Store(true)
	v.Visit(at + "data/")
	line := v.Text("pre.copy code")
	v.looks("data")
	v.Visit(at)
	v.looks("workflow")
	v.Evaluate(`window.notLoadedAgain = "yes"`)
	before := v.Evaluate(`document.querySelector("section[aria-labelledby=recent] tbody a").getAttribute("href")`)
	v.posts(line)
	waitFor(t, v.Page, "another run", fmt.Sprintf(`document.querySelector("section[aria-labelledby=recent] tbody a").getAttribute("href") !== %q`, before))
	v.follows("another run that completed")
	waitFor(t, v.Page, "that the event failed", `document.querySelector("section[aria-labelledby=events] .bad") !== null`)
	v.reads("section[aria-labelledby=events]", v.says("failed"), "500", "the ledger is closed")
	v.looks("failed-delivery")
	to.broken.Store(false)
	v.Press(`form[action$="/redeliver"] button`)
	waitFor(t, v.Page, "the event delivered after all", `document.querySelector("section[aria-labelledby=events] .good") !== null`)
	v.looks("redelivered")
	if to.taken.Load() != 2 {
		t.Errorf("the receiver took %d events, want 2", to.taken.Load())
	}
	for name, path := range map[string]string{"today": "/", "outputs": "/console/workflows/" + id + "/outputs/"} {
		v.Visit(i.origin + path)
		v.reads("main", "berth letter")
		v.looks(name)
	}
}

// mails has each output sent by mail, too.
func (v visitor) mails() {
	v.t.Helper()
	v.opensForms()
	v.writes(`form[action$="/mail"] [name=to]`, "{{Email}}")
	v.writes(`form[action$="/mail"] [name=subject]`, "Your berth")
	v.writes(`form[action$="/mail"] [name=text]`, "Dear {{Name}}")
	v.Press(`form[action$="/mail"] button`)
	v.reads("article", v.says("Each goes by mail to <code>{1}</code>", "{{Email}}"))
}
