package browser

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/testkit/browser"
)

type publicForm struct{ URL string }

// certificates is a workflow with a public form, and an output name that needs one more field.
func (i installation) certificates(t *testing.T, set string) (w workflow, f publicForm) {
	t.Helper()
	var body string
	for _, text := range []string{"Certificate for {{Name}}", `{{= CURRENCY(Fee, "EUR", "de-DE")}}`, "{{#each Courses}}", "{{Title}}: {{= Hours * 1}}", "{{/each}}"} {
		body += rendertest.Paragraph("", text)
	}
	i.ask(t, "POST", i.origin+"/v0/workflows/", `{"name":"Certificates"}`, &w)
	at := i.origin + "/v0/workflows/" + w.ID
	d := i.upload(t, "POST", at+"/documents/upload/", rendertest.Docx{Body: body}.Bytes(t))
	i.ask(t, "PATCH", at+"/documents/"+d.ID+"/", `{"outputName":"Certificate {{Number}}","createPdfCopy":true,"onMissing":"fail"}`, &d)
	i.ask(t, "PUT", at+"/public-form/", set, &f)
	return w, f
}

// runs are how many runs a workflow has.
func (i installation) runs(t *testing.T, w workflow) int {
	t.Helper()
	var all []struct{ ID string }
	i.ask(t, "GET", i.origin+"/v0/workflows/"+w.ID+"/automations/", "", &all)
	return len(all)
}

func pdfText(t *testing.T, content []byte) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "pdftotext", "-layout", "-", "-")
	c.Stdin = bytes.NewReader(content)
	text, err := c.Output()
	if err != nil {
		t.Fatalf("read a PDF that begins with %.20q: %v", content, err)
	}
	return string(text)
}

// Somebody with nothing but the link makes a document, in each language and on a telephone.
func TestEverybodyWhoHasTheLinkMakesADocumentInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	w, f := i.certificates(t, `{"title":"Zertifikat · Certificate","text":"It is ready in a minute.","perAddress":1000}`)
	made := 0
	for _, language := range catalog.Languages() {
		screens := map[string]browser.Options{"telephone": {Width: 390}}
		if os.Getenv(browser.RequiredVariable) != "" && language == "en" {
			screens["light"], screens["dark"] = browser.Options{}, browser.Options{Dark: true}
		}
		for screen, o := range screens {
			says := catalog.In(language).Text
			o.Hosts, o.Language = []string{i.host}, language
			v := visitor{browser.Open(t, o), t, screen}
			v.Visit(f.URL)
			v.looks("public-form-" + language)
			v.reads("[data-add]", says("Add a row"))

			typed(v.Page, "f.Name", "Ada "+language)
			typed(v.Page, "f.Number", "N-7")
			typed(v.Page, "f.Fee", "zwölf")
			v.Press(`[data-add]`)
			typed(v.Page, "f.Courses[1].Title", "Rigging")
			typed(v.Page, "f.Courses[1].Hours", "3")
			v.Press(`p > button[value=send]`)
			v.reads("#problem", says("Something is missing or wrong"), says("Type in a number, such as 12.50."))
			v.looks("public-form-wrong-" + language)
			if n := i.runs(t, w); n != made {
				t.Fatalf("a form that is wrong made %d runs", n-made)
			}

			typed(v.Page, "f.Fee", "12,50")
			v.Press(`p > button[value=send]`)
			waitFor(t, v.Page, "the document", `document.querySelector("main").dataset.state === "shown"`)
			made++
			v.reads("h1", says("Your documents are ready", 1))
			untilState(v.Page, ".pages", "drawn")
			v.looks("public-form-result-" + language)
			address := v.Evaluate(`document.querySelector("a.button").href`)
			text := pdfText(t, fetch(t, address))
			for _, want := range []string{"Certificate for Ada " + language, "12,50", "Rigging: 3"} {
				if !strings.Contains(text, want) {
					t.Errorf("the PDF says %q, want %q in it", text, want)
				}
			}
			if got := v.Evaluate(`document.cookie + localStorage.length + sessionStorage.length`); got != "00" {
				t.Errorf("the pages keep %q in the browser", got)
			}
		}
	}
	if n := i.runs(t, w); n != made {
		t.Errorf("got %d runs, want %d", n, made)
	}
}

func fetch(t *testing.T, address string) []byte {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d %.200s, %v", address, response.StatusCode, content, err)
	}
	return content
}

// A browser without scripts sends the form as it stands, and loads the page of the result
// until the document is there. The same form, sent twice, makes one document.
func TestAPublicFormWorksWithoutScriptsAndOnce(t *testing.T) {
	t.Parallel()
	i := install(t)
	w, f := i.certificates(t, `{"perAddress":2}`)
	jar, _ := cookiejar.New(nil)
	plain := &http.Client{Jar: jar}
	page := string(fetch(t, f.URL))
	once := regexp.MustCompile(`name="once" value="([^"]+)"`).FindStringSubmatch(page)[1]
	values := url.Values{"once": {once}, "do": {"send"}, "f.Name": {"Grace"}, "f.Number": {"N-8"}, "f.Fee": {"1"}, "r.Courses": {"", "0"}, "f.Courses[0].Title": {"Knots"}, "f.Courses[0].Hours": {"2"}}
	send := func() (*http.Response, string) {
		response, err := plain.PostForm(f.URL, values)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return response, string(body)
	}
	first, body := send()
	second, _ := send()
	if n := i.runs(t, w); n != 1 || first.StatusCode != http.StatusOK || second.StatusCode != http.StatusOK {
		t.Fatalf("got %d runs, %d and %d, want one run:\n%s", n, first.StatusCode, second.StatusCode, body)
	}
	at := first.Request.URL.String()
	for until := time.Now().Add(50 * time.Second); !strings.Contains(body, `data-state="shown"`); body = string(fetch(t, at+"?wait")) {
		if time.Now().After(until) {
			t.Fatalf("the document is not shown:\n%s", body)
		}
	}
	file := regexp.MustCompile(`<a href="([^"]+\.pdf)"`).FindStringSubmatch(body)[1]
	base, _ := url.Parse(at)
	if text := pdfText(t, fetch(t, base.ResolveReference(&url.URL{Path: file}).String())); !strings.Contains(text, "Certificate for Grace") || !strings.Contains(text, "Knots: 2") {
		t.Errorf("the PDF says %q", text)
	}
	values.Set("f.Name", "Hedy")
	send()
	values.Set("f.Name", "Joan")
	if third, body := send(); third.StatusCode != http.StatusTooManyRequests || !strings.Contains(body, "from your address") || !strings.Contains(body, "Joan") {
		t.Errorf("the third of two a day: got %d %s", third.StatusCode, body)
	}
	if n := i.runs(t, w); n != 2 {
		t.Errorf("got %d runs, want 2", n)
	}
	if address, _ := url.Parse(f.URL); len(jar.Cookies(address)) > 0 {
		t.Error("the form sets a cookie")
	}
	var renewed publicForm
	i.ask(t, "POST", fmt.Sprintf("%s/v0/workflows/%s/public-form/rotate/", i.origin, w.ID), "", &renewed)
	for _, gone := range []string{f.URL, at} {
		response, err := http.Get(gone)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("after the link was renewed: got %d", response.StatusCode)
		}
	}
	fetch(t, renewed.URL)
}
