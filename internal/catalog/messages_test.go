package catalog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// spokenBy are the texts of the programs whose messages are stored in English.
func spokenBy(t *testing.T) (all []string) {
	t.Helper()
	for _, folder := range []string{"../platen", "../template", "../mail", "../outgoing", "../../activities"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					if text, err := strconv.Unquote(literal.Value); err == nil {
						all = append(all, text)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// A sentence that was changed in the program would be in English on all pages.
func TestEachMessageOfTheCatalogueIsOneOfThePrograms(t *testing.T) {
	t.Parallel()
	spoken := spokenBy(t)
	between := regexp.MustCompile(`\{\d\}|"| – |[(.]`)
	for key, m := range entriesOf(t, "de") {
		if m.context != messageContext {
			continue
		}
		for _, piece := range between.Split(m.english, -1) {
			piece = strings.Trim(piece, " ,:")
			if !slices.ContainsFunc(spoken, func(text string) bool { return strings.Contains(text, piece) }) {
				t.Errorf("no program says %q of %q: change the msgid in internal/catalog/po", piece, key)
			}
		}
	}
}

func TestTheValuesOfAMessageAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	for _, language := range Languages()[1:] {
		for key, m := range entriesOf(t, language) {
			if m.context != messageContext {
				continue
			}
			for _, place := range placeOfValue.FindAllString(m.text[0], -1) {
				if !strings.Contains(m.english, place) {
					t.Errorf("%s.po: %s has %s, and the program does not", language, key, place)
				}
			}
		}
	}
}

func TestAMessageIsSaidSentenceBySentence(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]Part{
		"The formula divides by zero.":                                 {{"Die Formel teilt durch null.", false}},
		"For item 3 of Items: The formula divides by zero.":            {{"Für Position 3 von Items: Die Formel teilt durch null.", false}},
		"The formula divides by zero. Of another release. And more.":   {{"Die Formel teilt durch null.", false}, {"Of another release. And more.", true}},
		`The source has no field Nam. Did you mean Name?`:              {{"In den Daten gibt es kein Feld Nam. Meinten Sie Name?", false}},
		"The mail server refused the mail (550 5.7.1). Nobody got it.": {{"Der Mailserver lehnt die E-Mail ab (550 5.7.1). Niemand hat sie bekommen.", false}},
		"": nil,
	} {
		if got := In("de").Message(message); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", message, got, want)
		}
	}
}
