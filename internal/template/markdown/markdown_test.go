package markdown_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/template/markdown"
	"github.com/platenhq/platen/internal/template/rich"
)

// written writes a document in short: what its paragraphs are, and the marks of runs.
func written(d rich.Document) string {
	lines := make([]string, len(d))
	for i, p := range d {
		line := strings.Repeat(">", p.Quote)
		if p.Heading > 0 {
			line += fmt.Sprintf("h%d ", p.Heading)
		}
		if p.Rule {
			line += "rule"
		}
		for _, l := range p.Lists {
			sign := "-"
			if l.Ordered {
				sign = "#"
			}
			line += fmt.Sprint(sign, l.ID)
		}
		for _, r := range p.Runs {
			marks := ""
			for _, m := range []struct {
				is   bool
				sign string
			}{{r.Bold, "b"}, {r.Italic, "i"}, {r.Strike, "s"}, {r.Code, "c"}, {r.Link != "", "l:" + r.Link}} {
				if m.is {
					marks += m.sign
				}
			}
			line += "[" + marks + " " + r.Text + "]"
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

func TestMarkdownIsRead(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                             "",
		" \n\n":                        "",
		"a\nb":                         "[ a b]",
		"a  \nb\\\nc":                  "[ a\nb\nc]",
		"a\r\n\r\nb\rc":                "[ a]\n[ b c]",
		"# a *b*\n\nc\n===\n### d ###": "h1 [ a ][i b]\nh1 [ c]\nh3 [ d]",
		"**a *b***_c_ __d__ ~~e~~":     "[b a ][bi b][i c][  ][b d][  ][s e]",
		"`a\nb` ``c`d`` ` e":           "[c a b][  ][c c`d][  ` e]",
		"[a *b*](https://x.y \"t\") [c][d]\n\n[d]: <mailto:a@b>": "[l:https://x.y a ][il:https://x.y b][  ][l:mailto:a@b c]",
		"<https://a.b/?c&amp;d> <a@b.c> https://e.f":             "[l:https://a.b/?c&d https://a.b/?c&d][  ][l:mailto:a@b.c a@b.c][  https://e.f]",
		"[a](https://x.y/?b&amp;c)":                              "[l:https://x.y/?b&c a]",
		"\\*a\\* &lt;b&gt; \\&amp; &#8364; &nope;":               "[ *a* <b> &amp; € &nope;]",
		"![a *b*](c.png)":                                        "[ a ][i b]",
		"a <b>c</b> <!-- d -->":                                  "[ a <b>c</b> <!-- d -->]",
		"<div>\na\n</div>\n\nb":                                  "[ <div>\na\n</div>]\n[ b]",
		"    a\n\tb\n\nc":                                        "[c a\nb]\n[ c]",
		"~~~go\na\n\n  b\n~~~":                                   "[c a\n\n  b]",
		"> a\n>> b\n\nc":                                         ">[ a]\n>>[ b]\n[ c]",
		"a\n\n***\nb":                                            "[ a]\nrule\n[ b]",
		"- a\n- b\n  - c\n\n1. d\n1. e":                          "-1[ a]\n-1[ b]\n-1-2[ c]\n#3[ d]\n#3[ e]",
		"- a\n\n  b\n\n      c\n- # d":                           "-1[ a][ \n][ b][ \n][c c]\n-1[b d]",
		"- a\n  - b\n\n  c":                                      "-1[ a]\n-1-2[ b][ \n][ c]",
		"- - a":                                                  "-1\n-1-2[ a]",
		"-\n- a":                                                 "-1\n-1[ a]",
		"> - a\n>   1. b":                                        ">-1[ a]\n>-1#2[ b]",
		"- > a":                                                  "-1[ a]",
		"| a | *b* |\n|---|:-:|\n| c \\| d | `e` |\n| f |": "[b a][ \t][bi b]\n[ c | d][ \t][c e]\n[ f][ \t]",
		"| a | b":               "[ | a | b]",
		"- [ ] a":               "-1[ [ ] a]",
		"a\x00b":                "[ ab]",
		"{{Name}} **{{Name}}**": "[ {{Name}} ][b {{Name}}]",
	} {
		d, err := markdown.Read(source)
		if err != nil {
			t.Errorf("%q: %v", source, err)
		}
		if got := written(d); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", source, got, want)
		}
	}
}

func TestNestingHasAnEnd(t *testing.T) {
	t.Parallel()
	var lists strings.Builder
	for i := range 30 {
		lists.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	for _, source := range []string{lists.String(), strings.Repeat(">", 100) + " a", strings.Repeat("- ", 500) + "a", strings.Repeat("1. ", 500) + "a", strings.Repeat("> - ", 500) + "a"} {
		d, err := markdown.Read(source)
		if err != nil || len(d) == 0 {
			t.Errorf("%.20q: got %v, %v", source, d, err)
		}
		for _, p := range d {
			if p.Quote > rich.MaxDepth || len(p.Lists) > rich.MaxDepth {
				t.Errorf("%.20q: got a paragraph in %d quotes and %d lists", source, p.Quote, len(p.Lists))
			}
		}
	}
	if got := written(read(t, strings.Repeat("- ", 200)+"\n\na")); got != "rule\n[ a]" {
		t.Errorf("a line of dashes: got %s", got)
	}
}

func read(t *testing.T, source string) rich.Document {
	t.Helper()
	d, err := markdown.Read(source)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A contract of a hundred pages is read, and what was made to take long is not.
func TestWhatTakesTooLongIsRefused(t *testing.T) {
	t.Parallel()
	clause := "## 1. Delivery\n\nWe deliver **within 14 days** to [your address](https://example.com/a), unless:\n\n- you *said* otherwise,\n- it is `far`.\n\n"
	if _, err := markdown.Read(strings.Repeat(clause, markdown.MaxSize/len(clause))); err != nil {
		t.Errorf("a long text: %v", err)
	}
	row := "| Bolt | 3 | 0.10 | **0.30** |\n"
	if _, err := markdown.Read("| a | b | c | d |\n|---|---|---|---|\n" + strings.Repeat(row, 500)); err != nil {
		t.Errorf("a long table: %v", err)
	}
	for _, piece := range []string{"[", "![", "*a", "_a ", "<", "`", "&", "\\", "~~", "[a](", "| a\n"} {
		if _, err := markdown.Read(strings.Repeat(piece, 120_000/len(piece))); !errors.Is(err, markdown.ErrTooLarge) {
			t.Errorf("many %q: got %v, want ErrTooLarge", piece, err)
		}
	}
	if _, err := markdown.Read(strings.Repeat("a", markdown.MaxSize+1)); !errors.Is(err, markdown.ErrTooLarge) {
		t.Errorf("too long: got %v, want ErrTooLarge", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"# a\n\n- b\n  1. c\n\n> d\n\n| e |\n|---|\n| f |", "<div>\n*a*", "[a](b \"c\")\\", "\t- a\n\tb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		d, err := markdown.Read(source)
		if err != nil {
			return
		}
		for _, p := range d {
			if len(p.Lists) > 0 && strings.HasPrefix(p.Text(), "\t") {
				t.Errorf("%q: the entry %q begins with a tab", source, p.Text())
			}
			for _, r := range p.Runs {
				if r.Text == "" || utf8.ValidString(source) && !utf8.ValidString(r.Text) {
					t.Errorf("%q: got the run %q", source, r.Text)
				}
			}
		}
	})
}
