package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

//go:embed preview.html studio.html public-form.html public-result.html review.html error.html connect.html style.css
var files embed.FS

// pages are the parsed pages and the policy that goes with their style.
type pages struct {
	in     map[string]languagePages
	style  template.CSS
	policy string
	assets assets
}

// languagePages are the pages in one language.
type languagePages struct {
	catalog.Printer
	preview, failure *template.Template
	words            string // of scripts
}

// of are the pages in the language of languageOf.
func (p pages) of(r *http.Request, locale string) languagePages {
	return p.in[languageOf(r, locale).Language()]
}

func newPages() pages {
	style, err := files.ReadFile("style.css")
	if err != nil {
		panic(err) // it is embedded
	}
	all := pages{in: map[string]languagePages{}, style: template.CSS(style), policy: contentPolicy(style), assets: readAssets()}
	for _, language := range catalog.Languages() {
		p := catalog.In(language)
		parse := func(names ...string) *template.Template {
			return template.Must(template.New(names[0]).Funcs(studioWords).Funcs(textsIn(p)).ParseFS(files, names...))
		}
		all.in[language] = languagePages{Printer: p, preview: parse("preview.html", "studio.html"), failure: parse("error.html"), words: scriptWords(p)}
	}
	return all
}

// keepPrivate has caches and search engines keep nothing of a page, and pages that it leads to
// learn no more of its address than referrer says.
func keepPrivate(h http.Header, referrer string) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", referrer)
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex")
}

type errorPage struct {
	Style  template.CSS
	Status int
	Title  string
	Text   string
	args   []any // of Text
	// Said: Text is what the service says, and in English alone.
	Said bool
}

var (
	noSuchPage = errorPage{Status: http.StatusNotFound, Title: "There is no such page",
		Text: "The address is not complete or not valid any more. Open the preview address of the document again."}
	noMore = errorPage{Status: http.StatusGone, Title: "This preview has ended",
		Text: "Its address was right once, and was taken back. Ask whoever gave it to you for the present one."}
	anotherMethod = errorPage{Status: http.StatusMethodNotAllowed, Title: "This cannot be done here",
		Text: "Open the preview address of the document, and use the form on its page."}
	tooMuch = errorPage{Status: http.StatusRequestEntityTooLarge, Title: "That is too much",
		Text: "The form takes at most 4 MiB, its pictures included. Go back and shorten what was typed in, or choose smaller pictures."}
	notAForm = errorPage{Status: http.StatusBadRequest, Title: "The form could not be read",
		Text: "Open the preview address of the document again, and use the form on its page."}
	tooOften = errorPage{Status: http.StatusTooManyRequests, Title: "Too much at once",
		Text: "Wait a few seconds and try again."}
	noAnswer = errorPage{Status: http.StatusServiceUnavailable, Title: "The page cannot be shown right now",
		Text: "Something that it needs does not answer. Reload it in a moment."}
	noDrive = errorPage{Status: http.StatusServiceUnavailable, Title: "The drive does not answer",
		Text: "The template's pages come from the drive of the workflow's owner, which could not make them right now. Reload in a moment. If it fails again, check that the file is still in the drive and that the drive is still connected."}
	noSample = errorPage{Status: http.StatusServiceUnavailable, Title: "The drive does not answer",
		Text: "The sample is made in the drive of the workflow's owner, which could not do so right now. What you typed in is still here: try again in a moment. If it fails again, check that the file is still in the drive and that the drive is still connected."}
)

// explain is what is shown for a failure of the drive: its own words where
// another try will not help, else away.
func explain(err error, away errorPage) errorPage {
	e, ok := errors.AsType[*platen.Error](err)
	if !ok || e.Message == "" {
		return away
	}
	switch e.Kind {
	case platen.KindNotFound, platen.KindForbidden, platen.KindInvalid, platen.KindTooLarge:
		return errorPage{Status: http.StatusNotFound, Title: "The template's pages cannot be made", Text: e.Message, Said: true}
	}
	return away
}

// contentPolicy allows our own style, by its hash, our own files of scripts, which may
// ask us alone, our own PDFs in the page, also those that the page itself holds, and its
// form. The page may be framed: previewUrl is made for embedding.
func contentPolicy(style []byte) string {
	return strings.Join([]string{
		"default-src 'none'",
		stylePolicy(style),
		"script-src 'self'",
		"connect-src 'self'",
		"img-src data:", // pictures that were chosen
		"object-src 'self' data:",
		"frame-src 'self' data:",
		"base-uri 'none'",
		"form-action 'self'",
	}, "; ")
}

// stylePolicy allows our own style alone, by its hash.
func stylePolicy(style []byte) string {
	sum := sha256.Sum256(style)
	return "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (c *previewer) fail(w http.ResponseWriter, r *http.Request, p errorPage) {
	in := c.pages.of(r, "")
	p = p.in(in.Printer)
	p.Style = c.pages.style
	c.page(w, r, p.Status, in.failure, p)
}

// in is the page in a language. Words of the service that stand in it are in English: in
// another language, what is wrong is said in general.
func (p errorPage) in(to catalog.Printer) errorPage {
	p.Title = to.Text(p.Title)
	if p.Said && !to.English() {
		p.Text = to.Text("Something is wrong here.")
		return p
	}
	p.Text = to.Text(p.Text, p.args...)
	return p
}

func (c *previewer) page(w http.ResponseWriter, r *http.Request, status int, t *template.Template, data any) {
	var buf bytes.Buffer
	if err := t.Execute(&buf, data); err != nil {
		c.Log.LogAttrs(r.Context(), slog.LevelError, "preview failed", slog.String("doing", "write page"), slog.String("error", err.Error()))
		http.Error(w, "The page cannot be shown.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		h.Set("Retry-After", "5")
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", variesByLanguage)
	policy := c.pages.policy
	if c.Maker != nil && c.Maker.IsSignedIn(r) {
		policy += "; frame-ancestors 'self'" // another site's page could have a button pressed
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("Content-Length", strconv.Itoa(buf.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // fails only when nobody listens any more
}

// writeAlone writes a page that stands alone, for people without an account. An error is that
// the page could not be made; they read that it cannot be shown.
func writeAlone(w http.ResponseWriter, status int, language string, t *template.Template, data any) error {
	var page bytes.Buffer
	if err := t.Execute(&page, data); err != nil {
		http.Error(w, "The page cannot be shown.", http.StatusInternalServerError)
		return err
	}
	h := w.Header()
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		h.Set("Retry-After", "5")
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", language)
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // fails only when nobody listens any more
	return nil
}
