package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/testkit/browser"
)

// order is a template with a value of each kind.
func order(t *testing.T, mistake string) []byte {
	t.Helper()
	var body strings.Builder
	for _, text := range []string{
		"{{image Logo 30mm}}", "Order {{Order Number}} of {{Customer.Name}}, {{Customer.Address.Street}}, {{Customer.Address.City}}", mistake,
		`Due on {{= DATE(Due, "d. MMMM yyyy", "", "de")}}`, "{{#each Items}}", `{{Part}}: {{= CURRENCY(Price * Qty, "EUR", "de-DE")}}`, "{{/each}}",
		`Sum {{= CURRENCY(SUM(Items.Price * Items.Qty), "EUR", "de-DE")}}`, "{{#if Paid}}Paid, thank you.{{/if}}", "{{Note}}",
	} {
		body.WriteString(rendertest.Paragraph("", text))
	}
	return rendertest.Docx{Body: body.String()}.Bytes(t)
}

type document struct{ ID, PreviewURL string }

// upload makes a document of a file in a new workflow, or gives one a new template.
func (i installation) upload(t *testing.T, method, address string, file []byte) (d document) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", i.token)
	r.Header.Set("Content-Type", "application/octet-stream")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 400 {
		t.Fatalf("%s: got %d %s, %v", address, response.StatusCode, text, err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (i installation) studio(t *testing.T, mistake string) (at string, d document) {
	t.Helper()
	var w workflow
	i.ask(t, "POST", i.origin+"/v0/workflows/", `{"name":"Orders"}`, &w)
	at = i.origin + "/v0/workflows/" + w.ID + "/documents/"
	return at, i.upload(t, "POST", at+"upload/", order(t, mistake))
}

// typed puts a value into a field of the form, as its reader's keyboard does.
func typed(p *browser.Page, field, value string) {
	p.Evaluate(fmt.Sprintf(`(() => { const f = document.querySelector('[name="' + %q + '"]'); f.value = %q; f.dispatchEvent(new Event("input", {bubbles: true})); return ""; })()`, field, value))
}

// filled waits until the pages show a text, which stands in the text of each page.
func filled(t *testing.T, p *browser.Page, text string) {
	t.Helper()
	waitFor(t, p, text, fmt.Sprintf(`(document.querySelector("#sample .pages-text")?.textContent.replace(/\s/g, "") ?? "").includes(%q.replace(/\s/g, ""))`, text))
}

func TestSomebodyWhoOnlyKnowsWordFillsATemplateInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	_, d := i.studio(t, "Thank you.")
	for screen, o := range looked(map[string]browser.Options{"light": {}, "dark": {Dark: true}, "telephone": {Width: 390}}) {
		o.Hosts = []string{i.host}
		p := browser.Open(t, o)
		p.Visit(d.PreviewURL)
		p.WantFit()
		wantAccessible(t, p, "studio, "+screen)
		p.Shot("studio-first-" + screen)
		if text := p.Text("form"); strings.Contains(text, "{{") || !strings.Contains(text, "Customer › Address") {
			t.Errorf("%s: got the form %q, want headings and no braces", screen, text)
		}
		for n := range 5 {
			if n > 0 {
				p.Evaluate(`document.querySelector('[data-list="Items"] [data-add]').click(); ""`)
			}
			typed(p, fmt.Sprintf("f.Items[%d].Part", n), fmt.Sprintf("Part %d", n+1))
			typed(p, fmt.Sprintf("f.Items[%d].Qty", n), "2")
			typed(p, fmt.Sprintf("f.Items[%d].Price", n), []string{"1,50", "1.50"}[n%2])
		}
		typed(p, "f.Due", "2026-03-09")
		typed(p, "f.Customer.Name", "Ada <b>Lovelace</b>")
		for says, content := range map[string]string{"PNG, JPEG or GIF": "<svg xmlns='http://www.w3.org/2000/svg'/>", "is empty": "", "2 MiB": strings.Repeat("x", 3<<20)} {
			name := map[bool]string{true: "logo.svg", false: "logo.png"}[strings.HasPrefix(content, "<svg")]
			p.Choose(`input[type="file"]`, file(t, name, []byte(content)))
			waitFor(t, p, says, `document.querySelector(".picture [role=alert]")?.textContent.includes("`+says+`")`)
		}
		wantAccessible(t, p, "a picture that is refused, "+screen)
		p.Choose(`input[type="file"]`, picture(t))
		waitFor(t, p, "the picture", `document.querySelector(".picture img") !== null`)
		filled(t, p, "Part 5: 3,00 €")
		filled(t, p, "Sum 15,00 €")
		filled(t, p, "Due on 9. März 2026")
		filled(t, p, "Ada <b>Lovelace</b>")
		p.WantFit()
		wantAccessible(t, p, "studio that is filled, "+screen)
		p.Shot("studio-filled-" + screen)
		p.Evaluate(`document.querySelector("[data-drop]").click(); ""`)
		filled(t, p, "Sum 12,00 €")
		p.Evaluate(`document.querySelector('button[value="example"]').click(); ""`)
		filled(t, p, "Ada <b>Lovelace</b>, 12 Garden Street, Graz") // what was typed in stays
		p.Shot("studio-example-" + screen)
	}
}

// picture is a PNG file.
func picture(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 60, 20))); err != nil {
		t.Fatal(err)
	}
	return file(t, "logo.png", out.Bytes())
}

func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAMistakeIsMarkedWhereItStandsInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	_, d := i.studio(t, "Dear {{= SUMM(1)}}, thank you.")
	for screen, o := range looked(map[string]browser.Options{"light": {}, "telephone-dark": {Width: 390, Dark: true}}) {
		o.Hosts = []string{i.host}
		p := browser.Open(t, o)
		p.Visit(d.PreviewURL)
		if text := p.Text("#result"); !strings.Contains(text, "A mistake in the template") || !strings.Contains(text, "Did you mean SUM?") {
			t.Errorf("%s: got %q, want the mistake before anything is typed", screen, text)
		}
		p.Evaluate(`document.getElementById("pages").scrollIntoView(); ""`)
		waitFor(t, p, "the mark", `document.querySelector('#mark-1[href="#finding-1"]') !== null && document.querySelector('#finding-1 a[href="#mark-1"]') !== null`)
		typed(p, "f.Customer.Name", "Ada")
		waitFor(t, p, "that it cannot be filled", `document.getElementById("state").textContent.includes("cannot be filled")`)
		waitFor(t, p, "the mark beside the new list", `document.querySelector('#finding-1 a[href="#mark-1"]') !== null`)
		wantAccessible(t, p, "studio with a mistake, "+screen)
		p.Shot("studio-mistake-" + screen)
	}
}

func TestAnAddressThatHasEndedAndATemplateThatIsGoneAreSaidInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	at, d := i.studio(t, "Thank you.")
	p := browser.Open(t, browser.Options{Hosts: []string{i.host}, Width: 390})
	p.Visit(d.PreviewURL + "x") // as if its key had been removed
	if got := p.Text("h1"); got != "There is no such page" || p.Status() != http.StatusNotFound {
		t.Errorf("an address that nobody signed: got %d %q", p.Status(), got)
	}
	var renewed struct{ PreviewURL string }
	i.ask(t, "POST", at+d.ID+"/preview-url/rotate/", "", &renewed)
	p.Visit(d.PreviewURL)
	if got := p.Text("h1"); got != "This preview has ended" || p.Status() != http.StatusGone {
		t.Errorf("an address that was taken back: got %d %q", p.Status(), got)
	}
	p.Shot("studio-ended")
	i.deleteFile(t, at, d.ID)
	p.Visit(renewed.PreviewURL)
	if text := p.Text("main"); p.Status() != http.StatusNotFound || !strings.Contains(text, "The template is gone") || !strings.Contains(text, "Ask Ada") {
		t.Errorf("a template that is gone: got %d %q", p.Status(), text)
	}
	if links := p.Evaluate(`String(document.querySelectorAll("a:not([href*=\"/console/workflows/\"]), form, object, .pages").length)`); links != "0" {
		t.Errorf("a template that is gone has %s links and parts that lead nowhere", links)
	}
	wantAccessible(t, p, "studio without a template")
	p.Shot("studio-gone")
}

// deleteFile deletes the template of a document in the drive.
func (i installation) deleteFile(t *testing.T, at, id string) {
	t.Helper()
	var d struct {
		File struct{ ID string }
	}
	i.ask(t, "GET", at+id+"/", "", &d)
	r, err := http.NewRequestWithContext(t.Context(), "DELETE", i.drive+"/drive/v3/files/"+url.PathEscape(d.File.ID), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+i.driveToken)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("delete the template: got %d", response.StatusCode)
	}
}

// The time from the last key to the new picture, with the 400 ms in which nothing is
// typed: what somebody waits for.
func TestAPictureFollowsTheLastKeyWithinASecondInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	_, d := i.studio(t, "Thank you.")
	p := browser.Open(t, browser.Options{Hosts: []string{i.host}})
	p.Visit(d.PreviewURL)
	typed(p, "f.Customer.Name", "first")
	filled(t, p, "first")
	var all []time.Duration
	for n := range 11 {
		began, name := time.Now(), fmt.Sprintf("name%d", n)
		typed(p, "f.Customer.Name", name)
		filled(t, p, name)
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	t.Logf("from the last key to the picture: p50 %v, of %v", all[len(all)/2], all)
	// The machine of the tests is busy: this holds what cannot be by chance.
	if all[len(all)/2] > 10*time.Second {
		t.Errorf("got %v, want about a second", all[len(all)/2])
	}
}
