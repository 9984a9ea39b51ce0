package handbook

import (
	"bytes"
	"html/template"
	"path"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/platenhq/platen/docs"
)

// A page is one of docs/.
type page struct {
	path     string // below Root; empty: the first one
	title    string
	body     template.HTML
	headings []heading // of the second level
	sections []section
	parts    []part // lists of links below headings

	heads map[string]bool // terms of the title
}

type heading struct{ ID, Title string }

// A section is what stands below a heading, as the search reads it.
type section struct {
	heading
	level int
	text  string

	heads  map[string]bool // terms of the heading
	terms  map[string]int  // how often each is in the text
	length int             // words of the text
}

// markdown is GitHub's. The pages are of this program, and may hold anchors in HTML.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links{}, 100))),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// pathOf is where the page of a file is: docs/api.md at api, docs/README.md at the root.
func pathOf(file string) string {
	name := strings.TrimSuffix(file, ".md")
	if name == "README" {
		return ""
	}
	return name
}

func newPage(file string, raw []byte) (*page, error) {
	p := &page{path: pathOf(file)}
	within := parser.NewContext(parser.WithIDs(names{}))
	within.Set(folder, path.Dir(file))
	root := markdown.Parser().Parse(text.NewReader(raw), parser.WithContext(within))
	p.outline(root, raw)
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, raw, root); err != nil {
		return nil, err
	}
	p.body = template.HTML(reachable.Replace(body.String())) //nolint:gosec // pages are of this program
	return p, nil
}

// heads are the terms of a heading; of one that is all common words, those.
func heads(title string, terms func(string) []string) map[string]bool {
	all := map[string]bool{}
	for _, sparing := range []bool{true, false} {
		for _, w := range wordsOf(title, terms) {
			if sparing && common[strings.ToLower(title[w.from:w.to])] {
				continue
			}
			for _, term := range w.terms {
				all[term] = true
			}
		}
		if len(all) > 0 {
			break
		}
	}
	return all
}

// index notes what the search looks for.
func (s *section) index(terms func(string) []string) {
	s.heads, s.terms = heads(s.Title, terms), map[string]int{}
	words := wordsOf(s.text, terms)
	s.length = len(words)
	for _, w := range words {
		for _, term := range w.terms {
			s.terms[term]++
		}
	}
}

// outline reads headings, the text below each, and lists of links.
func (p *page) outline(root ast.Node, raw []byte) {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			name, _ := id.([]byte)
			found := heading{string(name), plain(h, raw)}
			switch h.Level {
			case 1:
				p.title = found.Title
			case 2:
				p.headings = append(p.headings, found)
				p.parts = append(p.parts, part{Title: found.Title})
			}
			p.sections = append(p.sections, section{heading: found, level: h.Level})
			continue
		}
		if len(p.sections) > 0 {
			last := &p.sections[len(p.sections)-1]
			last.text += plain(n, raw) + " "
		}
		if list, ok := n.(*ast.List); ok && len(p.parts) > 0 {
			last := &p.parts[len(p.parts)-1]
			last.Links = append(last.Links, entries(list, raw)...)
		}
	}
}

// entries are the links that the items of a list begin with.
func entries(list *ast.List, raw []byte) (all []entry) {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		first := item.FirstChild()
		if first == nil {
			continue
		}
		if link, ok := first.FirstChild().(*ast.Link); ok {
			all = append(all, entry{string(link.Destination), plain(link, raw)})
		}
	}
	return all
}

// contents are the parts of the first page.
func contents(first *page) []part {
	if first == nil {
		return nil
	}
	return first.parts
}

// plain is the text of a node, with a space between its blocks.
func plain(n ast.Node, raw []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(raw))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				if entering {
					b.Write(line.Value(raw))
				}
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// links has links between pages lead to where those are served. Those that lead to the
// rest of the repository keep their words.
type links struct{}

// folder is that of the page that is read.
var folder = parser.NewContextKey()

func (links) Transform(root *ast.Document, source text.Reader, within parser.Context) {
	from, _ := within.Get(folder).(string)
	var outside []*ast.Link
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if table, ok := n.(*tables.Table); ok && entering {
			labelCells(table, source.Source())
		}
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		switch to := string(link.Destination); {
		case strings.Contains(to, "://"), strings.HasPrefix(to, "#"), strings.HasPrefix(to, "mailto:"):
		case isPage(from, to):
			file, fragment, found := strings.Cut(to, "#")
			link.Destination = []byte(served(file))
			if found {
				link.Destination = append(append(link.Destination, '#'), fragment...)
			}
		default:
			outside = append(outside, link)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range outside {
		words := ast.NewEmphasis(1)
		for child := link.FirstChild(); child != nil; {
			next := child.NextSibling()
			words.AppendChild(words, child)
			child = next
		}
		link.Parent().ReplaceChild(link.Parent(), link, words)
	}
}

// reachable lets a keyboard scroll programs that are wider than the screen.
var reachable = strings.NewReplacer("<pre>", `<pre tabindex="0">`)

// labelCells says of each cell what its column is: to screen readers, and to narrow
// screens, which show the cells of a row below each other.
func labelCells(table *tables.Table, raw []byte) {
	var columns []string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		column := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			switch {
			case row.Kind() == tables.KindTableHeader:
				cell.SetAttributeString("scope", []byte("col"))
				columns = append(columns, plain(cell, raw))
			case column > 0 && column < len(columns):
				cell.SetAttributeString("data-column", []byte(columns[column]))
			}
			column++
		}
	}
}

// isPage tells links from a folder of docs/ to other pages there.
func isPage(from, to string) bool {
	file, _, _ := strings.Cut(to, "#")
	open, err := docs.Pages.Open(path.Join(from, file))
	if err != nil {
		return false
	}
	_ = open.Close()
	return path.Ext(file) == ".md"
}

// served is a link to a page as a browser is to follow it.
func served(file string) string {
	folder, name := path.Split(strings.TrimSuffix(file, ".md"))
	if name == "README" {
		name = ""
	}
	if to := folder + name; to != "" {
		return to
	}
	return "./"
}

// names gives headings the anchors that GitHub gives them.
type names map[string]bool

// Generate returns the anchor of a heading's text.
func (n names) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(string(value)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-', r == '_', '0' <= r && r <= '9', 'a' <= r && r <= 'z', r > 127 && !strings.ContainsRune("’“”–—…·→", r):
			b.WriteRune(r)
		}
	}
	first := b.String()
	id := first
	for again := 1; n[id]; again++ {
		id = first + "-" + strconv.Itoa(again)
	}
	n[id] = true
	return []byte(id)
}

// Put keeps an anchor from being given again.
func (n names) Put(value []byte) { n[string(value)] = true }
