package catalog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// entriesOf are those of a language by their English words, with the context of those that
// have one.
func entriesOf(t *testing.T, language string) map[string]entry {
	t.Helper()
	content, err := files.ReadFile("po/" + language + ".po")
	if err != nil {
		t.Fatal(err)
	}
	all, err := readPO(string(content))
	if err != nil {
		t.Fatalf("%s: %v", language, err)
	}
	found := map[string]entry{}
	for _, m := range all {
		key := m.english
		if m.plural != "" {
			key = m.plural
		}
		if m.context != "" {
			key = m.context + ": " + key
		}
		if _, twice := found[key]; twice {
			t.Errorf("%s.po has %q twice", language, key)
		}
		found[key] = m
	}
	return found
}

// placesOfText are what stands in the places of a text: values of programs, of scripts and of
// templates, and elements.
var placesOfText = regexp.MustCompile(`%(?:\[\d+\])?(?:\.\d+)?[a-z]|\{\w+\}|</?[a-z]+\d*>`)

// heldBy are the places of a text in order of the alphabet, without the numbers of arguments.
func heldBy(text string) string {
	all := placesOfText.FindAllString(text, -1)
	for i := range all {
		all[i] = regexp.MustCompile(`\[\d+\]`).ReplaceAllString(all[i], "")
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestEachTextIsThereInEachLanguage(t *testing.T) {
	t.Parallel()
	german := entriesOf(t, "de")
	for _, language := range Languages()[1:] {
		of := entriesOf(t, language)
		for key := range german {
			if _, ok := of[key]; !ok {
				t.Errorf("%s.po lacks %q, which de.po has", language, key)
			}
		}
		for key, m := range of {
			if _, ok := german[key]; !ok {
				t.Errorf("de.po lacks %q, which %s.po has", key, language)
			}
			forms := []string{m.text[0]}
			if m.plural != "" {
				forms = m.text[:]
			}
			for i, text := range forms {
				english := m.english
				if i == 1 {
					english = m.plural
				}
				checkText(t, language, key, m.context, english, text)
			}
		}
	}
}

func checkText(t *testing.T, language, key, context, english, text string) {
	t.Helper()
	switch {
	case strings.TrimSpace(text) == "" || text != strings.TrimSpace(text):
		t.Errorf("%s.po: %q is %q, want a text without white space around it", language, key, text)
	case context != "":
	case heldBy(text) != heldBy(english) && !(strings.Contains(heldBy(key), "%d") && !strings.Contains(text, "%d")):
		t.Errorf("%s.po: %q is %q, want the same places: %s", language, key, text, heldBy(english))
	case strings.HasSuffix(text, ".") != strings.HasSuffix(english, "."):
		t.Errorf("%s.po: %q is %q: one ends with a full stop, and the other does not", language, key, text)
	case strings.Contains(text, `"`) && !strings.Contains(english, `"`):
		t.Errorf("%s.po: %q is %q: a straight quotation mark would end an attribute", language, key, text)
	}
}

// equal are the texts that are the same in English and another language: names, examples,
// formats, and words that the languages share.
func equal(t *testing.T, language string) (all []string) {
	for key, m := range entriesOf(t, language) {
		if m.context == "" && m.text[0] == m.english && strings.IndexFunc(placesOfText.ReplaceAllString(key, ""), func(r rune) bool { return r >= 'A' }) >= 0 {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

func TestNoTextIsLeftInEnglish(t *testing.T) {
	t.Parallel()
	for language, want := range same {
		want = append(want, names...)
		if got := equal(t, language); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			for _, text := range got {
				if !slices.Contains(want, text) {
					t.Errorf("%s.po: %q is the same as in English: translate it in internal/catalog/po/%s.po, or add it to same where the language has the same word", language, text, language)
				}
			}
			for _, text := range want {
				if !slices.Contains(got, text) {
					t.Errorf("%s: %q is not the same as in English any more: take it out of same", language, text)
				}
			}
		}
	}
}

// howToAdd is what a failure says to who adds a page.
const howToAdd = `Add it to each file in internal/catalog/po, in the order of the alphabet:

	msgid %s
	msgstr "…"

A text of a template stands where it is shown; {1} is a value, and <a>…</a> an element without its attributes. With a number, write {{t "%%d rows" .N}} and give msgid, msgid_plural, msgstr[0] and msgstr[1]. In a program ask the printer, r.Text("…"), or mark it with say("…").`

// calls are the texts that templates ask for by t.
var calls = regexp.MustCompile(`[\s({]t ("(?:[^"\\]|\\.)*")`)

// shownTexts are the texts of templates and programs, each with the first place where it stands.
func shownTexts(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	note := func(text, at string) {
		if _, ok := found[text]; !ok {
			found[text] = at
		}
	}
	for _, pattern := range []string{"../console/*.html", "../console/site/*.html"} {
		templates, err := filepath.Glob(pattern)
		if err != nil || len(templates) == 0 {
			t.Fatalf("%s: got %d templates, %v", pattern, len(templates), err)
		}
		for _, path := range templates {
			if strings.Contains(path, "/operator-") { // they are in English
				continue
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(path, "/site/") {
				for _, text := range TextsOf(string(content)) {
					note(text, path)
				}
			}
			for _, call := range calls.FindAllStringSubmatch(string(content), -1) {
				text, err := strconv.Unquote(call[1])
				if err != nil {
					t.Fatal(err)
				}
				note(text, path)
			}
		}
	}
	for _, pattern := range []string{"../console/*.go", "../maintenance/notices*.go", "../../activities/reviews.go"} {
		programs, err := filepath.Glob(pattern)
		if err != nil || len(programs) == 0 {
			t.Fatalf("%s: got %d programs, %v", pattern, len(programs), err)
		}
		for _, path := range programs {
			if !strings.HasSuffix(path, "_test.go") {
				literals(t, path, note)
			}
		}
	}
	return found
}

// literals are the texts that a program asks a printer for or marks.
func literals(t *testing.T, path string, note func(text, at string)) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	keep := func(e ast.Expr) {
		if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			note(text, set.Position(literal.Pos()).String())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch called := n.Fun.(type) {
			case *ast.Ident:
				name = called.Name
			case *ast.SelectorExpr:
				name = called.Sel.Name
			}
			if (name == "say" || name == "Text") && len(n.Args) > 0 {
				keep(n.Args[0])
			}
		case *ast.CompositeLit:
			kind, ok := n.Type.(*ast.Ident)
			for _, one := range n.Elts {
				pair, isPair := one.(*ast.KeyValueExpr)
				if !ok || !isPair {
					continue
				}
				field, _ := pair.Key.(*ast.Ident)
				if kind.Name == "texts" || kind.Name == "errorPage" && field != nil && (field.Name == "Title" || field.Name == "Text") {
					keep(pair.Value)
				}
			}
		}
		return true
	})
}

func TestTextsOfPagesAreInTheCatalogueAndNoOthers(t *testing.T) {
	t.Parallel()
	german, shown := entriesOf(t, "de"), shownTexts(t)
	for _, text := range slices.Sorted(maps.Keys(shown)) {
		if _, ok := german[text]; !ok {
			t.Errorf("%s: %q is in no other language. "+howToAdd, shown[text], text, strconv.Quote(text))
		}
	}
	for key, m := range german {
		if _, ok := shown[key]; !ok && m.context == "" {
			t.Errorf("nobody shows %q: take it out of internal/catalog/po", key)
		}
	}
}

// names are the same in every language: names, examples and formats.
var names = []string{
	"PDF/A-2b", "PDF/A-3b", "Platen", "Total > 1000", "Total > 10000", "lead@example.com = deputy@example.com", "lead@example.com, finance@example.com", "X-Signature", "ada@example.com", "base64", "hex", "https://docs.google.com/document/d/…", "https://…", "plt_…", "sha256=", "windows-1252", "{1} – Platen", "Cc",
}

// same are the words that a language has as English does.
var same = map[string][]string{
	"de": {"Bcc", "Name", "Tags", "Tests", "Version", "Version {1}", "Workflow", "Workflow %s: %s", "Workflows", "de-AT", "{1} KB"},
	"fr": {"%d causes", "%d documents", "%d secrets", "Conditions", "Console", "Docs", "Document", "Documents", "Pages", "Signature", "Tests", "Version", "Version {1}", "Workflow", "Workflows", "tests", "· tests"},
	"es": {"Docs", "{1} KB"},
}
