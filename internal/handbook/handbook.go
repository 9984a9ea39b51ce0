// Package handbook serves the docs to browsers: pages, contents and a search, without
// script and without any other host. It must not know what the pages say.
package handbook

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/platenhq/platen/docs"
)

// Root is where the handbook is served.
const Root = "/docs/"

const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

//go:embed page.html
var pageHTML string

//go:embed style.css
var style []byte

var layout = template.Must(template.New("page").Parse(pageHTML))

// A book is what is served: all pages, by their paths below Root.
type book struct {
	pages    map[string]*page
	contents []part // of the first page
	style    string // name of the style sheet
	// sections is how many have each term, and total how many there are.
	sections   map[string]int
	total      int
	vocabulary vocabulary
}

// A part of the contents.
type part struct {
	Title string
	Links []entry
}

type entry struct {
	Path, Title string
}

// read reads all pages when the first is asked for: most programs never are.
var read = sync.OnceValues(func() (*book, error) {
	sum := sha256.Sum256(style)
	b := &book{pages: map[string]*page{}, sections: map[string]int{}, vocabulary: vocabulary{}, style: "style." + hex.EncodeToString(sum[:6]) + ".css"}
	err := fs.WalkDir(docs.Pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		raw, err := docs.Pages.ReadFile(name)
		if err != nil {
			return err
		}
		p, err := newPage(name, raw)
		if err != nil {
			return fmt.Errorf("read docs/%s: %w", name, err)
		}
		b.add(p)
		return nil
	})
	if err == nil {
		b.contents = contents(b.pages[""])
	}
	return b, err
})

// add takes in a page and its words.
func (b *book) add(p *page) {
	b.pages[p.path] = p
	b.total += len(p.sections)
	p.heads = heads(p.title, b.vocabulary.learn)
	for i := range p.sections {
		s := &p.sections[i]
		s.index(b.vocabulary.learn)
		seen := maps.Clone(s.heads)
		for term := range s.terms {
			seen[term] = true
		}
		for term := range seen {
			b.sections[term]++
		}
	}
}

// view is what the layout shows.
type view struct {
	Up       string // leads to Root
	Style    string
	Title    string
	Path     string
	Body     template.HTML
	Contents []part
	Headings []heading // of this page
	Query    string
	Found    []hit
	Searched bool
}

// New returns the handler of a page, a picture, the style or what a search found. log
// hears of what could not be shown.
func New(log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(log, w, r) })
}

// kept is how long browsers keep what is found under its address.
const kept = "public, max-age=300"

func serve(log *slog.Logger, w http.ResponseWriter, r *http.Request) {
	b, err := read()
	if err != nil {
		log.Error("the docs cannot be shown", "error", err)
		http.Error(w, "The docs cannot be shown.", http.StatusInternalServerError)
		return
	}
	r.Pattern = Root
	at, ok := strings.CutPrefix(r.URL.Path, Root)
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	switch raw, picture := picture(at); {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Pages of the docs are read with GET.", http.StatusMethodNotAllowed)
	case !ok: // relative links need the slash
		redirect(w, strings.TrimPrefix(Root, "/"))
	case strings.HasPrefix(at, "style."):
		h.Set("Content-Type", "text/css; charset=utf-8")
		h.Set("Cache-Control", kept)
		_, _ = w.Write(style) // fails only when nobody listens any more
	case picture:
		h.Set("Content-Type", "image/png")
		h.Set("Cache-Control", kept)
		_, _ = w.Write(raw)
	case at == "search":
		b.search(log, w, r)
	case b.pages[at] != nil:
		p := b.pages[at]
		h.Set("Cache-Control", kept)
		b.write(log, w, r, http.StatusOK, view{Title: p.title, Path: at, Body: p.body, Headings: p.headings})
	case b.pages[pathOf(at)] != nil: // as the file is called, or without the slash
		redirect(w, strings.Repeat("../", strings.Count(at, "/"))+pathOf(at))
	default:
		b.write(log, w, r, http.StatusNotFound, view{Title: "There is no such page", Body: "<h1>There is no such page</h1><p>Look for it in the contents, or search for a word of it.</p>"})
	}
}

func redirect(w http.ResponseWriter, to string) {
	if to == "" {
		to = "./"
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusMovedPermanently)
}

func picture(name string) ([]byte, bool) {
	if path.Ext(name) != ".png" {
		return nil, false
	}
	raw, err := docs.Pages.ReadFile(name)
	return raw, err == nil
}

func (b *book) write(log *slog.Logger, w http.ResponseWriter, r *http.Request, status int, v view) {
	at := strings.TrimPrefix(r.URL.Path, Root)
	v.Up, v.Style, v.Contents = strings.Repeat("../", strings.Count(at, "/")), b.style, b.contents
	if v.Up == "" {
		v.Up = "./"
	}
	var whole bytes.Buffer
	if err := layout.Execute(&whole, v); err != nil {
		log.Error("a page of the docs cannot be shown", "page", v.Path, "error", err)
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "The page cannot be shown.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(whole.Bytes()) // fails only when nobody listens any more
}
