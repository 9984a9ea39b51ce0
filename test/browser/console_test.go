package browser

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/browser"
)

// workflowName has what a page must show as text.
const workflowName = "<b>Invoices</b> & more"

// patience bounds each wait: a run takes seconds on a busy machine.
const patience = 2 * time.Minute

// An installation is serve, a worker and a drive, with one user.
type installation struct {
	origin, token     string
	host              string
	drive, driveToken string
	database          config.Database
	secrets           config.Secrets
}

func install(t *testing.T, changes ...func(*config.Serve, *config.Work)) installation {
	t.Helper()
	stack := testkit.Running(t)
	database := config.Database{DatabaseURL: testkit.Narrow(testkit.Database(t, "console", func(ctx context.Context, pool *pgxpool.Pool) error {
		return app.MigrateBehindWalls(ctx, pool.Config().ConnString())
	}))}
	secrets := config.Secrets{SecretKeys: platen.Secret(app.NewSecretKey())}
	api, hooks, drive := testkit.Listen(t), testkit.Listen(t), testkit.Listen(t)
	host := api.Addr().String()
	i := installation{origin: "http://" + host, host: host, database: database, secrets: secrets}
	cloud := config.Cloud{DriveEndpoint: "http://" + drive.Addr().String()}
	private := config.Of([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	i.drive = cloud.DriveEndpoint
	parts := testkit.NewParts(t)
	running, log := parts.Running, slog.New(slog.NewTextHandler(parts.Log, nil))
	parts.Start(running, t, "drive", func(ready func()) error {
		c := config.Defaults[config.DriveServer]()
		c.Database, c.DriveURL = database, cloud.DriveEndpoint
		return app.Drive(running, c, log, drive, ready)
	})
	parts.Start(running, t, "serve", func(ready func()) error {
		c := config.Defaults[config.Serve]()
		c.Database, c.Secrets, c.Cloud, c.AllowPrivate = database, secrets, cloud, private
		c.RateLimit, c.UnauthenticatedLimit = config.Of(0), config.Of(0)
		c.OperatorDatabaseURL = database.DatabaseURL
		for _, change := range changes {
			change(&c, &config.Work{})
		}
		return app.Serve(running, c, log, api, hooks, ready)
	})
	parts.Start(running, t, "worker", func(ready func()) error {
		c := config.Defaults[config.Work]()
		c.Database, c.Secrets, c.Cloud, c.AllowPrivate = database, secrets, cloud, private
		c.TemporalAddress, c.TemporalNamespace = stack.TemporalAddress, stack.TemporalNamespace
		c.Queue, c.BuildID, c.WorkerOpen = "console-"+strings.ToLower(rand.Text()), "", config.Of[config.OpenRuns](10)
		c.APIURL, c.HooksURL = i.origin+"/v0", "http://"+hooks.Addr().String()
		for _, change := range changes {
			change(&config.Serve{}, &c)
		}
		return app.Work(running, c, log, ready)
	})
	i.token, i.driveToken = moveIn(t, database, secrets)
	return i
}

// moveIn makes the user, their drive account and a token, as an operator does.
func moveIn(t *testing.T, database config.Database, secrets config.Secrets) (token, driveToken string) {
	t.Helper()
	admin, err := app.OpenAdmin(t.Context(), database, secrets)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = admin.CreateUser(t.Context(), "Ada", ada, "")
	must(err)
	driveToken, err = admin.CreateDriveToken(t.Context(), "Ada", ada)
	must(err)
	must(admin.ConnectUser(t.Context(), ada, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(driveToken)}))
	token, err = admin.CreateToken(t.Context(), ada, "console", 0)
	must(err)
	return token, driveToken
}

// ask sends JSON as an integrator does, and reads the answer.
func (i installation) ask(t *testing.T, method, address, body string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(body, "PK") { // an office file
		r.Header.Set("Content-Type", "application/octet-stream")
	}
	if strings.HasPrefix(address, i.origin) {
		r.Header.Set("Authorization", i.token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 400 {
		t.Fatalf("%s %s: got %d %s, %v", method, address, response.StatusCode, text, err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
}

type workflow struct {
	ID     string
	Source struct{ WebhookURL string }
}

// invoices makes a workflow with one document and a PDF of it.
func (i installation) invoices(t *testing.T) (w workflow) {
	t.Helper()
	i.ask(t, "POST", i.origin+"/v0/workflows/", fmt.Sprintf(`{"name":%q}`, workflowName), &w)
	template, err := os.ReadFile(letter(t, "invoice.docx", "Dear {{Name}},", "this is your invoice."))
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ ID string }
	i.ask(t, "POST", i.origin+"/v0/workflows/"+w.ID+"/documents/upload/", string(template), &d)
	i.ask(t, "PATCH", i.origin+"/v0/workflows/"+w.ID+"/documents/"+d.ID+"/", `{"createPdfCopy":true}`, &d)
	return w
}

// signIn types the token into the form.
func (i installation) signIn(t *testing.T, o browser.Options) *browser.Page {
	t.Helper()
	o.Hosts = []string{i.host}
	p, says := browser.Open(t, o), catalog.In(o.Language).Text
	p.Visit(i.origin + "/")
	if got := p.Text("h1"); got != says("Sign in") {
		t.Fatalf("without a session: got the page %q, want %s", got, says("Sign in"))
	}
	wantAccessible(t, p, "sign in")
	p.Type("#token", i.token)
	p.Press("main button")
	if got := p.Text("h1"); got != says("Today") {
		t.Fatalf("signed in: got the page %q, want %s", got, says("Today"))
	}
	return p
}

// waitFor waits until a script finds what it looks for, in a page that changes by
// itself.
func waitFor(t *testing.T, p *browser.Page, what, script string) {
	t.Helper()
	p.Await(fmt.Sprintf(`new Promise((found, late) => {
		const holds = () => { try { return %[1]s } catch { return false } }; // while a page loads, parts of it are not there
		const look = () => { if (holds()) { watch.disconnect(); found(); } };
		const watch = new MutationObserver(look);
		watch.observe(document, {childList: true, subtree: true, characterData: true});
		setTimeout(() => late(new Error(%[2]q + ": " + document.body?.innerText)), %[3]d);
		look();
	})`, script, "not within the time: "+what, (50 * time.Second).Milliseconds()))
}

func TestTheConsoleFitsAndShowsNamesAsTextInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	w := i.invoices(t)
	i.ask(t, "POST", w.Source.WebhookURL, `{"Name":"Ada <script>alert(1)</script>"}`, &struct{}{})
	run := i.ended(t, w)
	at := "/console/workflows/" + w.ID + "/"
	pages := map[string]string{"home": "/", "workflows": "/console/workflows/", "workflow": at, "template": at + "template/", "data": at + "data/", "delivery": at + "delivery/", "settings": at + "settings/", "outputs": at + "outputs/", "find": "/console/find?q=invoices", "runs": at + "runs/", "run": at + "runs/" + run + "/"}
	for screen, o := range looked(map[string]browser.Options{
		"light": {}, "dark": {Dark: true}, "telephone": {Width: 390}, "telephone-dark": {Width: 390, Dark: true},
	}) {
		p := i.signIn(t, o)
		for name, path := range pages {
			p.Visit(i.origin + path)
			if p.Status() != http.StatusOK {
				t.Errorf("%s, %s: got %d, want 200", name, screen, p.Status())
			}
			if text := p.Text("main"); !strings.Contains(text, workflowName) {
				t.Errorf("%s, %s: got %q, want %s in it, as text", name, screen, text, workflowName)
			}
			if found := p.Evaluate(`String(document.querySelectorAll("main b, main script").length)`); found != "0" {
				t.Errorf("%s, %s: got %s elements out of the name, want none", name, screen, found)
			}
			// Forms are shown, as after a press on what is above them.
			p.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true; ""`)
			p.WantFit()
			wantAccessible(t, p, name+", "+screen)
			p.Shot("console-" + name + "-" + screen)
		}
		if cookies := p.Evaluate(`document.cookie`); cookies != "" {
			t.Errorf("%s: scripts can read the cookie %q", screen, cookies)
		}
	}
}

func TestTheSearchIsAKeyAwayAndTimesAreOfTheBrowserInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	w := i.invoices(t)
	i.ask(t, "POST", w.Source.WebhookURL, `{"Name":"Ada"}`, &struct{}{})
	i.ended(t, w)
	p := i.signIn(t, browser.Options{})
	press := func() string {
		return p.Evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true})); document.activeElement.id`)
	}
	if got := press(); got != "find" {
		t.Errorf("the key / goes to %q, want the search", got)
	}
	if got := p.Evaluate(`const time = document.querySelector("section[aria-labelledby=recent] td time"); /^(just now|\d+ min ago)$/.test(time.textContent) + " " + / UTC$/.test(time.title)`); got != "true true" {
		t.Errorf("the time of a run is young and has UTC as its title: got %s", got)
	}
	if got := p.Evaluate(`const at = document.createElement("time"); at.dataset.at = ""; at.dateTime = new Date().toISOString(); document.querySelector("main").append(at); tell(); at.textContent`); len(got) != len("13:53") {
		t.Errorf("a time in a sentence: got %q, want that of the clock", got)
	}
	p.Enter("#find", "Invoices")
	waitFor(t, p, "what was found", `document.querySelector("#found") !== null`)
	if text := p.Text("main"); !strings.Contains(text, workflowName) {
		t.Errorf("got %q, want the output of %s", text, workflowName)
	}
}

// wantAccessible fails the test if somebody with a screen reader, a keyboard or weak
// eyes would miss something: a field without a label, an id twice, a heading that is
// left out, a table without headers, or text with a contrast below 4.5 (WCAG 2.2, 1.4.3);
// or anything that axe-core knows of, where it is installed.
func wantAccessible(t *testing.T, p *browser.Page, page string) {
	t.Helper()
	if faults := p.Evaluate(accessible); faults != "" {
		t.Errorf("%s: %s", page, faults)
	}
	p.Audit(page)
}

const accessible = `(() => {
	const faults = [], all = (selector) => [...document.querySelectorAll(selector)], what = (e) => e.outerHTML.slice(0, 120);
	for (const e of all("input:not([type=hidden]), textarea, select")) if (!e.labels.length || !e.labels[0].textContent.trim()) faults.push("no label: " + what(e));
	for (const e of all("a, button, summary")) if (!e.textContent.trim()) faults.push("no name: " + what(e));
	const ids = all("[id]").map((e) => e.id);
	for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) faults.push("twice: id " + id);
	for (const e of all("[aria-labelledby], [aria-describedby]"))
		for (const id of (e.getAttribute("aria-labelledby") || e.getAttribute("aria-describedby")).split(" ")) if (!ids.includes(id)) faults.push("nothing has the id " + id);
	let level = 0;
	for (const e of all("h1, h2, h3, h4")) { if (+e.tagName[1] > level + 1) faults.push("a heading is left out before " + what(e)); level = +e.tagName[1]; }
	if (all("h1").length !== 1) faults.push(all("h1").length + " headings of the first level");
	for (const e of all("table")) if (!e.querySelector("th[scope=col]")) faults.push("no headers: " + what(e));
	for (const e of all("[tabindex]")) if (e.tabIndex > 0) faults.push("out of its order: " + what(e));
	const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
	const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = (e) => { for (; e; e = e.parentElement) { const c = channels(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
	for (const e of all("body *")) {
		if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
		const [a, b] = [light(channels(getComputedStyle(e).color)), light(behind(e))];
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) faults.push("contrast " + contrast.toFixed(1) + ": " + what(e));
	}
	return [...new Set(faults)].join("\n");
})()`

func TestAWorkflowIsMadeInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	for screen, o := range looked(map[string]browser.Options{"light": {}, "telephone-dark": {Width: 390, Dark: true}}) {
		p := i.signIn(t, o)
		p.Visit(i.origin + "/console/workflows/")
		p.Press(`main a[href$="new-workflow"]`)
		p.WantFit()
		wantAccessible(t, p, "new workflow, "+screen)
		p.Shot("console-new-workflow-" + screen)
		for says, size := range map[string]int{"The file is empty.": 0, "The file has more than 10 MiB.": 11_000_000} {
			p.Choose("#upload", file(t, "large.docx", make([]byte, size)))
			waitFor(t, p, says, `document.querySelector("#chosen-upload").textContent.includes("`+says+`")`)
			p.Evaluate(`document.querySelector("main form button").click(); ""`)
			if got := p.Evaluate(`document.querySelector("#upload").validity.customError + " " + document.querySelector("h1").textContent`); got != "true New workflow" {
				t.Errorf("%s: %s got %v, want that the form is not sent", screen, says, got)
			}
		}
		p.Choose("#upload", "../../examples/letter.docx")
		if got := p.Text("#chosen-upload"); !strings.Contains(got, "letter.docx, ") || !strings.HasSuffix(got, "kB") {
			t.Errorf("%s: got %q beside the file, want its name and size", screen, got)
		}
		if got := p.Evaluate(`document.querySelector("#name").value`); got != "letter" {
			t.Errorf("%s: got the name %q, want that of the file", screen, got)
		}
		p.Evaluate(`document.querySelector("#name").value = ""; ""`)
		p.Type("#name", "Letters <i>of today</i>")
		p.Press("main form button")
		if got := p.Text("h1"); got != "Letters <i>of today</i>" {
			t.Fatalf("%s: got the page %q, want the new workflow's", screen, got)
		}
		untilState(p, ".pages", "drawn")
		p.WantFit()
		wantAccessible(t, p, "a new workflow, "+screen)
		p.Shot("console-checked-" + screen)
		if text := p.Text("article"); !strings.Contains(text, "Customer Name") || !strings.Contains(text, "No mistakes were found.") {
			t.Errorf("%s: got %q, want the tags of the template, and no mistake before the first event", screen, text)
		}
		if text := p.Text("main"); !strings.Contains(text, "ready") || !strings.Contains(text, "A PDF is made.") {
			t.Errorf("%s: got %q, want a workflow that is ready", screen, text)
		}
		p.Press(`.tabs a[href$="/delivery/"]`)
		p.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true; ""`)
		p.Type("#webhookUrl", "ftp://receiver.example/")
		p.Press(`form[action$="/receiver"] button`)
		if got := p.Text(`[role="alert"]`); p.Status() != http.StatusBadRequest || !strings.Contains(got, "The address must") {
			t.Errorf("%s: got %d, %q; want the field named", screen, p.Status(), got)
		}
		if kept := p.Evaluate(`document.querySelector("#webhookUrl").value`); kept != "ftp://receiver.example/" {
			t.Errorf("%s: got %q in the field, want what was typed in", screen, kept)
		}
		wantAccessible(t, p, "a form that was refused, "+screen)
		p.WantFit()
		p.Shot("console-refused-" + screen)
	}
}

// ended waits until the only run of a workflow has ended as it should.
func (i installation) ended(t *testing.T, w workflow) (run string) {
	t.Helper()
	tick, late := time.NewTicker(50*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for {
		var all []struct{ ID, State string }
		i.ask(t, "GET", i.origin+"/v0/workflows/"+w.ID+"/automations/?limit=10", "", &all)
		if len(all) == 1 && all[0].State == "COMPLETED" {
			return all[0].ID
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("got %v, want one run that is COMPLETED", all)
		}
	}
}

func TestARunAppearsAndCompletesOnAnOpenPageInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	w := i.invoices(t)
	p := i.signIn(t, browser.Options{})
	at := i.origin + "/console/workflows/" + w.ID + "/"
	p.Visit(at + "runs/")
	if text := p.Text("main"); !strings.Contains(text, "Nothing.") {
		t.Errorf("got %q, want no run", text)
	}
	p.Evaluate(`window.notLoadedAgain = "yes"`)
	i.ask(t, "POST", w.Source.WebhookURL, `{"Name":"Ada"}`, &struct{}{})
	waitFor(t, p, "the run's row", `document.querySelector("main tbody tr") !== null`)
	waitFor(t, p, "its end", `document.querySelector("main tbody .good") !== null`)
	if kept := p.Evaluate(`window.notLoadedAgain || "no"`); kept != "yes" {
		t.Error("the page was loaded again, want its content replaced")
	}
	if text := p.Text("main tbody"); !strings.Contains(text, "completed") {
		t.Errorf("got %q, want a run that completed", text)
	}
}
