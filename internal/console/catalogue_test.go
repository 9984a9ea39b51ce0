package console

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const cataloguePage = "catalogue.md"

var writeCatalogue = flag.Bool("write", false, "write "+cataloguePage+" instead of comparing it")

const catalogueHead = "# Texts of the console\n\n" +
	"Texts that the console and the preview page show, by the file in which they stand: those of pages, and those of programs and scripts that have several words. " +
	"`go test ./internal/console -run Catalogue -args -write` writes this page, and the test fails when it is out of date. " +
	"Vale reads it in `make prose`.\n\n" +
	"`{Name}` is a value. `[a|b]` is one text or the other, `[a]` is there or not, and `[a …]` comes once for each item of a list.\n"

func TestTheCatalogueHasEveryTextOfTheConsole(t *testing.T) {
	got := catalogue(t)
	if *writeCatalogue {
		if err := os.WriteFile(cataloguePage, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(cataloguePage)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is out of date; write it with: go test ./internal/console -run Catalogue -args -write", cataloguePage)
	}
}

func TestTextsOfATemplate(t *testing.T) {
	for source, want := range map[string][]string{
		`<p>One <b>bold</b> text</p><p>Two</p>`:                                          {"One bold text", "Two"},
		`<p>Tried {{.N}} time{{if ne .N 1}}s{{end}}.</p>`:                                {"Tried {N} time[s]."},
		`{{if .Ended}}<p>Its</p>{{else if .X}}<p>My</p>{{else}}<p>All</p>{{end}}`:        {"Its", "My", "All"},
		`<p>{{range .Rows}}{{if .Last}}, {{end}}<code>{{.ID}}</code>{{end}}</p>`:         nil,
		`<a aria-label="Open {{.Name}}" href="{{.Base}}/x"{{if .A}} b{{end}}>Letter</a>`: {"Open {Name}", "Letter"},
		`<p>Write <code>{{"{{Name}}"}}</code>.</p>`:                                      {"Write {{Name}}."},
		`{{define "a"}}<input placeholder="Your name"><img alt="{{.Alt}}">{{end}}`:       {"Your name"},
		`<pre>{{.Data}}</pre><script>let words = "no text";</script>`:                    nil,
		`<p>{{many (len .Held) "event is" "events are"}} held</p>`:                       {"{Held} [event is|events are] held"},
		`<li>{{if .Copied}}Copied{{else}}Not copied{{end}}</li>`:                         {"[Copied|Not copied]"},
	} {
		if got := textsOfTemplate(t, source); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", source, got, want)
		}
	}
}

func TestTextsOfProgramsAndScripts(t *testing.T) {
	source := filepath.Join(t.TempDir(), "source.go")
	const program = `package p
var a, b = "Make one: platen token create --user <address>.", "The last one failed; the next one is made in its turn."
var c, d, e, f = "under way", "GET /console/{$}", "default-src 'none'; img-src 'self'", "text/html; charset=utf-8"`
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := textsOfSource(t, source), []string{"Make one: platen token create --user <address>.", "The last one failed; the next one is made in its turn.", "under way"}; !slices.Equal(got, want) {
		t.Errorf("a program:\ngot  %q\nwant %q", got, want)
	}
	const script = "// It's \"No text\".\nconst a = `Page ${n} of ${all ? \"many\" : all}`, b = \"a, button, pre\", c = \"This PDF is encrypted\";"
	if got, want := textsOfScript(script), []string{"Page {…} of {…}", "This PDF is encrypted"}; !slices.Equal(got, want) {
		t.Errorf("a script:\ngot  %q\nwant %q", got, want)
	}
}

// catalogue is the page as it should be.
func catalogue(t *testing.T) string {
	t.Helper()
	var page strings.Builder
	page.WriteString(catalogueHead)
	add := func(name string, texts []string) {
		if len(texts) == 0 {
			return
		}
		fmt.Fprintf(&page, "\n## %s\n\n", name)
		for _, text := range texts {
			fmt.Fprintf(&page, "- %s\n", markdownText(text))
		}
	}
	templates, err := fs.Glob(siteFiles, "site/*.html")
	if err != nil {
		t.Fatal(err)
	}
	mine, err := filepath.Glob("*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(templates, mine...) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		add(name, textsOfTemplate(t, string(raw)))
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		if !strings.HasSuffix(name, "_test.go") {
			add(name, textsOfSource(t, name))
		}
	}
	scripts, err := fs.Glob(assetFiles, "site/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		add(name, textsOfScript(string(raw)))
	}
	return page.String()
}

// markdownText is a text as Markdown shows it.
func markdownText(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;").Replace(text)
}

// Marks of actions while the rest of a template is read as HTML.
const (
	markOpens, markOther, markCloses = "\ue000", "\ue001", "\ue002"
	markLists                        = "\ue003"
)

var (
	action        = regexp.MustCompile(`(?s)\{\{-?\s*((?:"[^"]*"|[^"])*?)\s*-?\}\}`)
	nameOfAction  = regexp.MustCompile(`\.([A-Za-z][A-Za-z.]*)`)
	wordsOfAction = regexp.MustCompile(`"[^"]*"`)
)

// textsOfTemplate are the texts of a template of html/template, in their order.
func textsOfTemplate(t *testing.T, source string) []string {
	t.Helper()
	x := templateTexts{}
	z := html.NewTokenizer(strings.NewReader(x.marked(source)))
	for {
		switch z.Next() {
		case html.ErrorToken:
			x.end()
			return x.all
		case html.TextToken:
			if !x.code {
				x.text.WriteString(z.Token().Data)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			x.tag(z.Token())
		case html.EndTagToken:
			token := z.Token()
			x.code = false
			if !within[token.DataAtom] {
				x.end()
			}
		}
	}
}

// templateTexts gathers the texts of a template.
type templateTexts struct {
	all  []string
	text strings.Builder // of the element that is read
	code bool            // in a script or a style
}

// within are elements that stand inside a sentence.
var within = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Strong: true, atom.Em: true, atom.Code: true, atom.Span: true, atom.Bdi: true, atom.Time: true, atom.Br: true,
}

func (x *templateTexts) tag(token html.Token) {
	x.code = token.DataAtom == atom.Script || token.DataAtom == atom.Style
	if !within[token.DataAtom] {
		x.end()
	}
	for _, a := range token.Attr {
		if slices.Contains([]string{"aria-label", "title", "alt", "placeholder"}, a.Key) {
			x.keep(a.Val)
		}
	}
}

func (x *templateTexts) end() {
	x.keep(x.text.String())
	x.text.Reset()
}

var (
	emptyChoice = regexp.MustCompile(`[` + markOpens + markLists + `]\s*(` + markOther + `\s*)*` + markCloses)
	letters     = regexp.MustCompile(`\pL{2}`)
	value       = regexp.MustCompile(`\{[^}]*\}`)
)

// keep adds a text that has words of its own.
func (x *templateTexts) keep(text string) {
	for {
		shorter := emptyChoice.ReplaceAllString(text, "")
		if shorter == text {
			break
		}
		text = shorter
	}
	text = balanced(text)
	text = strings.Join(strings.Fields(text), " ")
	if strings.HasPrefix(text, "<") { // of a <noscript> or the like
		return
	}
	if letters.MatchString(value.ReplaceAllString(text, "")) && !slices.Contains(x.all, text) {
		x.all = append(x.all, text)
	}
}

// balanced writes the marks of choices that begin and end in the text, and leaves out
// those that only begin or only end there.
func balanced(text string) string {
	runes := []rune(text)
	ends := map[int]string{}
	var open []int
	for i, r := range runes {
		switch string(r) {
		case markOpens, markLists:
			open = append(open, i)
		case markOther:
			if len(open) > 0 {
				ends[i] = "|"
			}
		case markCloses:
			if n := len(open); n > 0 {
				begin := open[n-1]
				open = open[:n-1]
				ends[begin], ends[i] = "[", "]"
				if string(runes[begin]) == markLists {
					ends[i] = " …]"
				}
			}
		}
	}
	var out strings.Builder
	for i, r := range runes {
		if strings.ContainsRune(markOpens+markOther+markCloses+markLists, r) {
			out.WriteString(ends[i])
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// marked is a template with marks for its actions: HTML.
func (x *templateTexts) marked(source string) string {
	var out strings.Builder
	at, inTag, inValue := 0, false, false
	plain := func(text string) {
		for _, r := range text {
			switch {
			case r == '"' && inTag:
				inValue = !inValue
			case r == '<' && !inValue:
				inTag = true
			case r == '>' && !inValue:
				inTag = false
			}
		}
		out.WriteString(text)
	}
	for _, place := range action.FindAllStringSubmatchIndex(source, -1) {
		plain(source[at:place[0]])
		at = place[1]
		if inTag && !inValue {
			continue // which attributes there are
		}
		out.WriteString(markOf(source[place[2]:place[3]]))
	}
	plain(source[at:])
	return out.String()
}

// markOf is what stands for an action.
func markOf(do string) string {
	verb, _, _ := strings.Cut(do, " ")
	switch {
	case strings.HasPrefix(do, "/*"), strings.HasPrefix(do, "$") && strings.Contains(do, ":="):
		return ""
	case verb == "if", verb == "with", verb == "define", verb == "block":
		return markOpens
	case verb == "range":
		return markLists
	case verb == "else":
		return markOther
	case verb == "end":
		return markCloses
	case strings.HasPrefix(do, `"`):
		return strings.Trim(do, `"`)
	case verb == "template":
		verb = strings.Trim(strings.Fields(do)[1], `"`)
	}
	shown := "{" + verb + "}"
	if names := nameOfAction.FindAllStringSubmatch(do, -1); len(names) > 0 {
		shown = "{" + names[len(names)-1][1] + "}"
	}
	if numbers := wordsOfAction.FindAllString(do, -1); verb == "many" && len(numbers) == 2 {
		shown += " " + markOpens + strings.Trim(numbers[0], `"`) + markOther + strings.Trim(numbers[1], `"`) + markCloses
	}
	return shown
}

// notShown are literals of the sources that nobody reads on a page: patterns of routes,
// headers, parts of addresses and attributes, and what a log says.
var notShown = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE) |^(event|retry): |charset=|filename=|-(src|uri|action) |^ ?[a-z-]+=|^/|^(read|open|export|fill|write) [a-z]+$|^preview failed$`)

// textsOfSource are the texts in a Go file: literals with words and spaces.
func textsOfSource(t *testing.T, name string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && isLog(call) {
			return false
		}
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		text = strings.TrimSpace(text)
		if strings.Contains(text, " ") && letters.MatchString(text) && !notShown.MatchString(text) && !slices.Contains(all, text) {
			all = append(all, strings.Join(strings.Fields(text), " "))
		}
		return true
	})
	return all
}

var (
	comment       = regexp.MustCompile(`(?m)^\s*//.*$`)
	scriptLiteral = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`")
	// shownByScript are literals that read as a text: they begin with a capital letter, or
	// go on with words behind a value.
	shownByScript = regexp.MustCompile(`^(\p{Lu}|\d+ [KM]iB |row \$| for \$)`)
	scriptValue   = regexp.MustCompile(`\$\{(?:[^{}"]|"[^"]*")*\}`)
)

// textsOfScript are the texts in a script: literals with words and spaces.
func textsOfScript(source string) (all []string) {
	for _, literal := range scriptLiteral.FindAllString(comment.ReplaceAllString(source, ""), -1) {
		text := literal[1 : len(literal)-1]
		if !shownByScript.MatchString(text) || !strings.Contains(text, " ") {
			continue
		}
		text = strings.TrimSpace(scriptValue.ReplaceAllString(text, "{…}"))
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// isLog tells whether a call is for operators: a log, or an error that is wrapped.
func isLog(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (slices.Contains([]string{"Debug", "Info", "Warn", "Error", "WarnContext", "ErrorContext", "InfoContext", "Errorf", "MustCompile"}, f.Sel.Name))
}
