package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/testkit/browser"
)

// contract is a PDF of three pages. One paragraph of the second is longer than a line.
func contract(t *testing.T) []byte {
	t.Helper()
	brk := `<w:p><w:r><w:br w:type="page"/></w:r></w:p>`
	body := rendertest.Paragraph("", "Dear {{Nmae}}, the first page.") + brk +
		rendertest.Paragraph("", strings.Repeat("The harbour master confirms the berth. ", 4)+"It ends at the last of the agreed dates.") + brk +
		rendertest.Paragraph("", "Signed by {{Nmae}}.")
	d, err := wml.ReadDocument(rendertest.Docx{Body: body}.Bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	file, _, err := flow.Document(pdf.EmbeddedFonts(), d, "contract")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// viewer serves a page that has the viewer, with the console's policy, and files. One that
// is nil never comes.
func viewer(t *testing.T, body string, files map[string][]byte) (origin, host string) {
	t.Helper()
	site := console.NewSite(console.SiteOptions{PublicURL: "http://console.test", Done: t.Context().Done()})
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/console/sign-in", nil))
	module := regexp.MustCompile(`/console/assets/[^"]*-pages\.js`).FindString(w.Body.String())
	if module == "" {
		t.Fatalf("the console's pages have no viewer: %s", w.Body)
	}
	mux := http.NewServeMux()
	mux.Handle("/console/assets/", site)
	mux.HandleFunc("/{$}", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Security-Policy", w.Header().Get("Content-Security-Policy"))
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(rw, `<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Pages</title><link rel="stylesheet" href="%s"><script type="module" src="%s"></script><body class="alone"><main><h1>Pages</h1>%s</main></body></html>`,
			regexp.MustCompile(`/console/assets/[^"]*-site\.css`).FindString(w.Body.String()), module, body)
	})
	mux.HandleFunc("/{name}", func(rw http.ResponseWriter, r *http.Request) {
		content, ok := files[r.PathValue("name")]
		if !ok {
			rw.Header().Set("Content-Type", "application/problem+json")
			rw.WriteHeader(http.StatusNotFound)
			fmt.Fprint(rw, `{"detail":"The file was <b>removed</b>."}`)
			return
		}
		if content == nil {
			select {
			case <-r.Context().Done():
			case <-t.Context().Done():
			}
			return
		}
		rw.Header().Set("Content-Type", platen.MIMEPDF)
		_, _ = rw.Write(content)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, strings.TrimPrefix(server.URL, "http://")
}

// untilState waits until elements with pages have become what is wanted.
func untilState(p *browser.Page, selector, state string) {
	p.Await(fmt.Sprintf(`new Promise((found, late) => {
		const look = () => { if (document.querySelector(%[1]q)?.dataset.state === %[2]q) found(); };
		addEventListener("pages", look);
		setTimeout(() => late(new Error(%[1]q + " is " + document.querySelector(%[1]q)?.dataset.state + ", want %[2]s: " + document.body.innerText)), 50000);
		look();
	})`, selector, state))
}

// ink is the share of a canvas' pixels that are not white, in thousandths.
const ink = `((canvas) => {
	const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
	let dark = 0;
	for (let i = 0; i < data.length; i += 4) if (data[i] < 128 && data[i + 3] > 128) dark++;
	return String(Math.round(1000 * dark / (canvas.width * canvas.height)) + (dark > 0));
})`

func TestPagesAreDrawnAndMarkedInChromium(t *testing.T) {
	t.Parallel()
	origin, host := viewer(t, `<ol><li id="finding-1">No field has this name.</li><li id="finding-2">It is two lines.</li><li id="finding-3">It is nowhere.</li></ol>
		<div class="pages" id="all" data-pdf="contract.pdf" data-marks='[{"text":"{{Nmae}}","label":"1","title":"No field has this name"},{"text":"the last of the\nagreed dates","page":2,"label":"2"},{"text":"{{Nowhere}}","label":"3"}]'><a href="contract.pdf">Open the pages as a PDF</a></div>`,
		map[string][]byte{"contract.pdf": contract(t)})
	for screen, o := range looked(map[string]browser.Options{"light": {}, "telephone-dark": {Width: 390, Dark: true}}) {
		o.Hosts = []string{host}
		p := browser.Open(t, o)
		p.Visit(origin + "/")
		untilState(p, "#all", "drawn")
		waitFor(t, p, "the third page's marks", `document.querySelectorAll(".pages-badge").length === 3`)
		if got := p.Evaluate(`String(document.querySelectorAll(".pages-page").length)`); got != "3" {
			t.Errorf("%s: got %s pages, want 3", screen, got)
		}
		if got := p.Evaluate(ink + `(document.querySelector(".pages-page canvas"))`); got == "0" {
			t.Errorf("%s: the first page is blank", screen)
		}
		if got := p.Evaluate(`document.querySelector(".pages-page canvas").getAttribute("aria-label")`); got != "Page 1 of 3" {
			t.Errorf("%s: got the label %q, want Page 1 of 3", screen, got)
		}
		// The text that is selected at a mark is the mark's. It comes after its page's picture,
		// and takes its place after that.
		waitFor(t, p, screen+": the text {{Nmae}} under its mark", `(() => {
			const mark = document.querySelector(".pages-page .pages-mark").getBoundingClientRect();
			const under = document.elementsFromPoint(mark.left + mark.width / 2, mark.top + mark.height / 2);
			return under.some((e) => e.closest(".pages-text span")?.textContent.includes("Nmae"));
		})()`)
		// Its outline has the ink of the word, and the ink is not beside it.
		outlined := p.Evaluate(`(() => {
			const canvas = document.querySelector(".pages-page canvas"), all = canvas.getBoundingClientRect(), mark = document.querySelector(".pages-page .pages-mark").getBoundingClientRect();
			const scale = canvas.width / all.width, part = document.createElement("canvas");
			part.width = mark.width * scale; part.height = mark.height * scale;
			part.getContext("2d").drawImage(canvas, (all.left - mark.left) * scale, (all.top - mark.top) * scale);
			return ` + ink + `(part);
		})()`)
		if outlined == "0" {
			t.Errorf("%s: nothing is written where the mark is", screen)
		}
		if got := p.Evaluate(`[...document.querySelectorAll("#finding-1 a, #finding-2 a, #finding-3 a")].map((a) => a.getAttribute("href") + " " + a.textContent).join()`); got != "#mark-1 Show on page 1,#mark-2 Show on page 2" {
			t.Errorf("%s: got the links %q back to the marks", screen, got)
		}
		if got := p.Evaluate(`[...document.querySelectorAll(".pages-badge")].map((a) => a.id + a.hash).join()`); got != "mark-1#finding-1,mark-2#finding-2,#finding-1" {
			t.Errorf("%s: got the marks %q", screen, got)
		}
		p.WantFit()
		wantAccessible(t, p, "pages, "+screen)
		p.Shot("viewer-" + screen)
	}
}

func TestOtherPagesTakeThePlaceOfTheOldOnesOnceTheyAreDrawn(t *testing.T) {
	t.Parallel()
	file := contract(t)
	origin, host := viewer(t, `<div class="pages" data-pdf="contract.pdf"></div>`, map[string][]byte{"contract.pdf": file, "other.pdf": file})
	p := browser.Open(t, browser.Options{Hosts: []string{host}})
	p.Visit(origin + "/")
	untilState(p, ".pages", "drawn")
	p.Await(`(async () => {
		const { show } = await import(document.querySelector("script[type=module]").src), element = document.querySelector(".pages");
		let blank = 0;
		new MutationObserver(() => { if (!element.querySelector("canvas")) blank++; }).observe(element, { childList: true, subtree: true });
		const late = show(element, { pdf: "other.pdf" }), last = await show(element, { pdf: await (await fetch("contract.pdf")).blob(), marks: [{ text: "Signed by", label: "1" }] });
		if (await late || !last) throw new Error("the first came to " + await late + ", the last to " + last + ", want false and true");
		if (blank) throw new Error("the element was without pages " + blank + " times");
		if (element.querySelectorAll(".pages-column").length !== 1 || element.querySelectorAll(".pages-mark").length !== 1) throw new Error(element.innerHTML.slice(0, 500));
	})()`)
}

// pdf.js may never settle what it destroyed. show ends all the same, wherever the drawing is
// when something else is shown.
func TestPagesThatAreGivenUpWhileTheyAreDrawnEnd(t *testing.T) {
	t.Parallel()
	file := contract(t)
	origin, host := viewer(t, `<div class="pages" data-pdf="contract.pdf"></div>`, map[string][]byte{"contract.pdf": file, "other.pdf": file})
	p := browser.Open(t, browser.Options{Hosts: []string{host}})
	p.Visit(origin + "/")
	untilState(p, ".pages", "drawn")
	for _, made := range []string{"canvas", "span"} { // a page's ink, and its text
		p.Await(`(async () => {
			const { show } = await import(document.querySelector("script[type=module]").src), element = document.querySelector(".pages"), create = document.createElement;
			let last = null;
			document.createElement = function (name) {
				if (name === "` + made + `" && !last) {
					document.createElement = create;
					last = show(element, { pdf: "contract.pdf" });
				}
				return create.apply(document, arguments);
			};
			const ended = [await show(element, { pdf: "other.pdf" }), await last];
			if (ended.join() !== "false,true") throw new Error("they came to " + ended.join() + ", want false,true");
		})()`)
	}
}

func TestAnEncryptedPDFAsksForItsPassword(t *testing.T) {
	t.Parallel()
	encrypted, err := protect.Protector{}.Protect(contract(t), "harbour", true)
	if err != nil {
		t.Fatal(err)
	}
	origin, host := viewer(t, `<div class="pages" id="all" data-pdf="secret.pdf"><a href="secret.pdf">Open the pages as a PDF</a></div>
		<div class="pages" id="first" data-first data-pdf="secret.pdf"><a href="secret.pdf">secret.pdf</a></div>
		<div class="pages" id="gone" data-pdf="gone.pdf"></div>`, map[string][]byte{"secret.pdf": encrypted})
	p := browser.Open(t, browser.Options{Hosts: []string{host}})
	p.Visit(origin + "/")
	untilState(p, "#all", "password")
	untilState(p, "#first", "password")
	untilState(p, "#gone", "failed")
	if got := p.Text("#gone"); got != "The file was <b>removed</b>." {
		t.Errorf("got %q, want what the server says", got)
	}
	if got := p.Text("#first"); !strings.Contains(got, "This PDF is encrypted") {
		t.Errorf("got %q, want it said in place of the picture", got)
	}
	wantAccessible(t, p, "a password")
	p.Shot("viewer-password")
	p.Type("#all input", "wrong\r")
	waitFor(t, p, "the refusal", `document.querySelector("#all form p").textContent.includes("not its password")`)
	p.Type("#all input", "harbour\r")
	untilState(p, "#all", "drawn")
	if got := p.Evaluate(ink + `(document.querySelector("#all canvas"))`); got == "0" {
		t.Error("the page is blank")
	}
}

func TestManyFirstPagesAreFetchedThreeAtOnce(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	files := map[string][]byte{}
	for i := range 12 {
		name := fmt.Sprintf("n%d.pdf", i)
		files[name] = contract(t)
		fmt.Fprintf(&body, `<div class="pages" data-first data-pdf="%[1]s"><a href="%[1]s">%[1]s</a></div>`, name)
	}
	origin, host := viewer(t, body.String(), files)
	p := browser.Open(t, browser.Options{Hosts: []string{host}, Width: 390})
	p.Visit(origin + "/")
	untilState(p, ".pages", "drawn")
	if got := p.Evaluate(`String(document.querySelectorAll(".pages").length - document.querySelectorAll(".pages[data-state]").length > 6)`); got != "true" {
		t.Error("pictures far below the screen were fetched, want them fetched when they are scrolled to")
	}
	if got := p.Evaluate(`String(document.querySelectorAll(".pages-text").length)`); got != "0" {
		t.Errorf("got %s layers of text in small pictures, want none", got)
	}
	if got := p.Text(".pages a"); got != "n0.pdf" {
		t.Errorf("got the link %q, want its name kept", got)
	}
	p.Evaluate(`document.querySelector(".pages:last-child").scrollIntoView(); ""`)
	untilState(p, ".pages:last-child", "drawn")
	if got := p.Evaluate(ink + `(document.querySelector(".pages:last-child a canvas"))`); got == "0" {
		t.Error("the last picture is blank")
	}
}

func TestPagesThatAreBeingMadeSaySo(t *testing.T) {
	t.Parallel()
	origin, host := viewer(t, `<div class="pages" id="slow" data-pdf="slow.pdf"><a href="slow.pdf">Open the pages as a PDF</a></div><div class="pages" id="small" data-first data-pdf="slow.pdf"><a href="slow.pdf">A picture</a></div>`,
		map[string][]byte{"slow.pdf": nil, "contract.pdf": contract(t)})
	p := browser.Open(t, browser.Options{Hosts: []string{host}})
	p.Visit(origin + "/")
	waitFor(t, p, "words for whoever waits", `document.querySelector("#slow [role=status]")?.textContent === "The pages are being made …"`)
	if got := p.Text("#small"); got != "A picture" {
		t.Errorf("a small picture: got %q, want its link alone", got)
	}
	p.Evaluate(`document.querySelector("#slow").remove(); document.querySelector("main").insertAdjacentHTML("beforeend", '<div class="pages" id="quick" data-pdf="contract.pdf"></div>'); ""`)
	untilState(p, "#quick", "drawn")
	if got := p.Evaluate(`document.querySelector("#quick [role=status]").textContent`); got != "" {
		t.Errorf("drawn pages say %q, want nothing", got)
	}
}
