package repository

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// maxIndirect is the highest share of sentences of comments and docs with an indirect
// phrase. Some are the shortest way to say something.
const maxIndirect = 0.003

// indirect are phrases that put a pronoun in the place of a thing's name, or the subject
// behind the verb.
var indirect = regexp.MustCompile(`(?i)\b(?:of which|of whom|whoever|whatever|(?:is|are) told|comes? to|what is not|so do(?:es)?|no more)\b`)

// indirectIn returns the sentences of a text that have such a phrase, and how many
// sentences the text has.
func indirectIn(text string) (found []string, all int) {
	for _, sentence := range sentences(text) {
		if len(strings.Fields(sentence)) < 2 {
			continue
		}
		all++
		if indirect.MatchString(sentence) {
			found = append(found, sentence)
		}
	}
	return found, all
}

// comments calls see for each comment of each Go file that is not generated, in all
// modules. Directives are left out.
func comments(t *testing.T, see func(place, text string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || path != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(f) {
			return err
		}
		for _, group := range f.Comments {
			see(fmt.Sprintf("%s:%d", path, files.Position(group.Pos()).Line), group.Text())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// With -v it prints the share.
func TestCommentsAndDocsAreInPlainEnglish(t *testing.T) {
	t.Parallel()
	const shown = 10
	var places []string
	all := 0
	see := func(place, text string) {
		found, n := indirectIn(text)
		all += n
		for _, sentence := range found {
			places = append(places, fmt.Sprintf("%s: %q in %q", place, indirect.FindString(sentence), sentence))
		}
	}
	comments(t, see)
	ofComments := all
	for _, page := range documents(t) {
		see(page, withoutCode(t, page))
	}
	if ofComments < 15000 || all-ofComments < 4000 {
		t.Fatalf("found %d sentences in comments and %d in docs: some are missing", ofComments, all-ofComments)
	}
	share := float64(len(places)) / float64(all)
	t.Logf("%d of %d sentences, %.2f %%", len(places), all, 100*share)
	if share > maxIndirect {
		t.Errorf("%.2f %% of the sentences of comments and docs are indirect, want %.1f %% at most: name the thing first, then say what it does. The first:\n%s",
			100*share, 100*maxIndirect, strings.Join(places[:min(shown, len(places))], "\n"))
	}
}

func TestIndirectPhrasesAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"A tree, of which\nthe root is kept.":                       1,
		"Whoever asks waits. An answer comes to them. So do we.":    3,
		"Nobody is told. What is not there is left out. No more.":   3,
		"The caller waits. It comes too late.\n\nTwo more of these": 0,
	} {
		if found, _ := indirectIn(text); len(found) != want {
			t.Errorf("%q: got %q, want %d", text, found, want)
		}
	}
}
