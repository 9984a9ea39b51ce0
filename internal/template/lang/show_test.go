package lang_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

// Docs breaks a line without beginning a paragraph at U+000B.
func TestLineBreaksOfAValueBreakTheLine(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`a\nb`: "a\vb", `a\r\nb`: "a\vb", `a\rb`: "a\vb", `a\u000bb`: "a\vb", `a\u0085b`: "a\vb", `a\u2028b`: "a\vb", `a\u2029b`: "a\vb",
		`a\n\nb`: "a\v\vb", `a\n\rb`: "a\v\vb", `\na\n`: "\va\v", `a\tb`: "a\tb",
	} {
		checkValues(t, `{"V": "`+sent+`"}`, map[string]string{"V": want, "= V": want, `= V & ""`: want})
		checkLines(t, `{"V": "`+sent+`"}`, map[string]string{`{{link "https://x.at", V}}`: want + "<https://x.at>"})
	}
}

// Docs leaves out U+E000 to U+F8FF; XML holds no U+FFFE and U+FFFF.
func TestCharactersThatNoDocumentHoldsAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []string{`\u0000`, `\u0001`, `\u0007`, `\u000e`, `\u001f`, `\u007f`, `\u0080`, `\u009f`, `\ue000`, `\uf000`, `\uf8ff`, `\ufffe`, `\uffff`} {
		checkValues(t, `{"V": "a`+c+`b"}`, map[string]string{"V": "ab"})
	}
	for _, c := range []string{" ", "\u00a0", "\ud7ff", "\uf900", "\ufffd", "😀", "日", "\u200b"} {
		checkValues(t, `{"V": "a`+c+`b"}`, map[string]string{"V": "a" + c + "b"})
	}
}

func TestNamesAndPasswordsKeepValuesAsTheyAre(t *testing.T) {
	t.Parallel()
	if got, _ := lang.Expand("{{V}}|{{= V}}", parse(t, `{"V": "a\n\ue000\u0007b"}`), lang.Builtins{}); got != "a\n\ue000\u0007b|a\n\ue000\u0007b" {
		t.Errorf("got %q, want the value as it was sent", got)
	}
}

func TestAPartOfTheDataThatHasFieldsHasNoText(t *testing.T) {
	t.Parallel()
	const body = `{"Customer": {"City": "Graz"}, "Items": [{"A": {"B": 1}}], "Empty": {}}`
	for line, want := range map[string]workedLine{
		"{{Customer}}":                          {missing: []string{"Customer"}},
		"{{Items}}":                             {missing: []string{"Items"}},
		"{{Empty}}":                             {},
		"{{#each Items}}{{A}}{{this}}{{/each}}": {missing: []string{"A", "this"}},
		"{{= Customer}}":                        {findings: []string{"no_text {{= Customer}}"}},
		"{{= Customer & 1}}":                    {text: "1"},
		"{{link Customer}}":                     {findings: []string{"no_text {{link Customer}}"}},
		"{{#each Items}}{{= A}}{{/each}}":       {findings: []string{"no_text {{= A}}"}},
	} {
		got := work(t, body, line)
		if got.text != want.text || strings.Join(got.missing, " ") != strings.Join(want.missing, " ") || strings.Join(got.findings, ";") != strings.Join(want.findings, ";") {
			t.Errorf("%s: got %+v, want %+v", line, got, want)
		}
	}
}

func TestATagThatIsNotUnderstoodShowsNothingAndSaysWhy(t *testing.T) {
	t.Parallel()
	checkRefused(t, "{}", map[string]string{
		"#section":   "unknown_block: {{#section}} is no block of this language: there are {{#if …}}, {{else}}, {{/if}} and {{#each …}}, {{/each}}.",
		"/end":       "unknown_block: {{/end}} is no block of this language: there are {{#if …}}, {{else}}, {{/if}} and {{#each …}}, {{/each}}.",
		"#each":      "each_without_list: {{#each}} names the list to go through: {{#each Items}}.",
		"#if":        "formula_empty: There is nothing to work out.",
		"=":          "formula_empty: There is nothing to work out.",
		"image Logo": "picture_in_text: A picture can stand in a paragraph or a cell of a document, or alone in a shape of a slide; not here.",
		"qr Logo":    "picture_in_text: A picture can stand in a paragraph or a cell of a document, or alone in a shape of a slide; not here.",
	})
}
