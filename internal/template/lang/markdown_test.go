package lang_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestMarkdownIsTextWithoutItsMarksWhereOnlyTextCanBe(t *testing.T) {
	t.Parallel()
	const data = `{"Terms": "# A\n\n- **b**\n- [c](https://x.y)", "N": 7, "Null": null, "Language": "*de*"}`
	checkValues(t, data, map[string]string{
		"markdown Terms": "A\vb\vc", "Markdown Terms": "A\vb\vc", "markdown N": "7", "markdown Null": "", `markdown "*a* " & Language`: "a de",
	})
	checkLines(t, data, map[string]string{"{{markdown Terms}}.": "A\nb\nc.", "{{#if N}}{{markdown Language}}{{/if}}": "de"})
	parsed := parse(t, data)
	if got, _ := lang.ExpandName("{{markdown Terms}}", parsed, lang.Builtins{}); got != "A b c" {
		t.Errorf("a name: got %q", got)
	}
	if got, _ := lang.Expand("{{markdown Terms}}", parsed, lang.Builtins{}); got != "A\nb\nc" {
		t.Errorf("a mail: got %q", got)
	}
}

// Only links that a document should have lead anywhere, and no character that it cannot.
func TestMarkdownIsMadeFitForDocuments(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"M": "[a](https://x.y) [b](javascript:x) [c](/d) [e](www.f.g) [h](mailto:i@j.k)  \n\u0001\ue000l"}`)
	d := e.Styled(read(e, "markdown M"), nil)
	links, text := "", ""
	for _, r := range d[0].Runs {
		text += r.Text
		if r.Link != "" {
			links += " " + r.Link
		}
	}
	if want := " https://x.y https://www.f.g mailto:i@j.k"; links != want || text != "a b c e h\vl" {
		t.Errorf("got %q with links to%s; want links to%s", text, links, want)
	}
}

func TestWhatIsNoMarkdownIsAFinding(t *testing.T) {
	t.Parallel()
	checkRefused(t, `{"Items": [{"A": 1}, {"A": 2}], "Customer": {"City": "Graz"}, "Long": "`+strings.Repeat("[", 40_000)+`"}`, map[string]string{
		"markdown Items.A":  "many_values: The tag stands for a whole list here: in a row or a block of the list it is one after the other.",
		"markdown Customer": "no_text: The tag names a part of the data that has fields of its own; name one of them.",
		"markdown (A":       `formula_not_closed: The formula "(A" has a parenthesis that is not closed.`,
		"markdown Long":     "markdown_too_large: A Markdown text has at most 128 KiB, and few marks in one paragraph: send less, or begin paragraphs with empty lines.",
	})
}

func TestAFieldCalledMarkdownIsAField(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"markdown": "m", "markdown terms": "*t*", "Terms": "x"}`, map[string]string{"markdown": "m", "markdown terms": "*t*"})
}

func TestCheckedMarkdownNamesItsField(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"{{markdown Terms}}": "", "{{markdown Term}}": "unknown_field Terms", "{{md Terms}}": "unknown_word {{markdown Terms}}", "{{markdwon Terms}}": "unknown_word {{markdown Terms}}",
	} {
		got := ""
		for _, f := range lang.Inspect([]string{tag}, []string{"Terms"}) {
			got = f.Code + " " + strings.Join(f.Nearest, ",")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
	of := lang.ReadRequirements([]string{"{{markdown Terms}} {{Other}} {{markdown UPPER(Loud)}}"})
	for i, want := range []bool{true, false, false} {
		if p := of.Parts[i]; p.Markdown != want || !p.Shown {
			t.Errorf("%s: got %+v", p.Name, p)
		}
	}
}
