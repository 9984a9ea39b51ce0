package lang_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/testkit/property"
)

// A filledTag is what a tag shows outside rows, bullets and blocks.
type filledTag struct{ Tag, Text string }

// valuesOf works out the tags of passages, each text once, and names what the
// data does not have.
func valuesOf(passages []string, data *lang.Data) (all []filledTag, missing []string) {
	e := lang.NewEvaluator(data, lang.Builtins{})
	for _, passage := range passages {
		for _, tag := range syntax.Parse(passage) {
			if !slices.ContainsFunc(all, func(f filledTag) bool { return f.Tag == tag.Text }) {
				all = append(all, filledTag{tag.Text, e.Text(e.Read(tag), nil)})
			}
		}
	}
	return all, e.Missing()
}

func TestEachTagShowsItsValueAsADocumentCanHoldIt(t *testing.T) {
	t.Parallel()
	data := parse(t, `{"Name":"Ada","Note":"one\r\ntwo\nthree\u2028four\u0000\u0007\ue000\ttab","Formula":"{{Name}}","Nothing":null}`)
	got, missing := valuesOf([]string{
		"Dear {{Name}} and {{ Name }}, {{Gone}}\n",
		"{{Name}} {{Note}} {{Nothing}} {{Formula}} {{gone too}} {{ Gone }} {{Open",
	}, data)
	want := []filledTag{
		{"{{Name}}", "Ada"},
		{"{{ Name }}", "Ada"},
		{"{{Gone}}", ""},
		{"{{Note}}", "one\vtwo\vthree\vfour\ttab"},
		{"{{Nothing}}", ""},
		{"{{Formula}}", "{{Name}}"},
		{"{{gone too}}", ""},
		{"{{ Gone }}", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if !slices.Equal(missing, []string{"Gone", "gone too"}) {
		t.Errorf("missing %q, want [Gone, gone too]", missing)
	}
}

func TestTextWithoutTagsHasNoValues(t *testing.T) {
	t.Parallel()
	got, missing := valuesOf([]string{"no tags here", ""}, parse(t, `{"a":1}`))
	if len(got) != 0 || len(missing) != 0 {
		t.Errorf("got %v, %v; want nothing", got, missing)
	}
}

func TestNoTagTextIsPartOfAnother(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		passages := rapid.SliceOf(rapid.StringOf(rapid.SampledFrom([]rune("{{{}}}abA \u200b")))).Draw(t, "passages")
		got, _ := valuesOf(passages, parse(t, `{"a":"1"}`))
		for i, a := range got {
			for j, b := range got {
				if i != j && strings.Contains(a.Tag, b.Tag) {
					t.Fatalf("%q contains %q: the order of replacements would matter", a.Tag, b.Tag)
				}
			}
		}
	})
}

func TestExpandKeepsValuesAndText(t *testing.T) {
	t.Parallel()
	data := parse(t, `{"A":"{{B}}","B":"two\nlines"}`)
	got, missing := lang.Expand("<{{A}}|{{ b }}|{{C}}|{{}}|{{C}}>", data, lang.Builtins{})
	if want := "<{{B}}|two\nlines||{{}}|>"; got != want {
		t.Errorf("Expand = %q, want %q", got, want)
	}
	if !slices.Equal(missing, []string{"C"}) {
		t.Errorf("missing %q, want [C]", missing)
	}
}

func TestExpandIsBounded(t *testing.T) {
	t.Parallel()
	data := parse(t, `{"A":"`+strings.Repeat("ä", 400_000)+`"}`)
	got, _ := lang.Expand(strings.Repeat("x{{A}}", 1000), data, lang.Builtins{})
	if len(got) > lang.MaxExpanded || !utf8.ValidString(got) {
		t.Errorf("%d bytes, valid %v; want at most %d", len(got), utf8.ValidString(got), lang.MaxExpanded)
	}
}

func TestExpandPasswordTakesAnEmptyValueForMissing(t *testing.T) {
	t.Parallel()
	data := parse(t, `{"Birthday":"","Code":null,"Key":"k","List":[]}`)
	got, missing := lang.ExpandPassword("{{Key}}-{{Birthday}}{{Code}}{{List}}{{Gone}}", data, lang.Builtins{}, none)
	if want := []string{"Birthday", "Code", "List", "Gone"}; got != "k-" || !slices.Equal(missing, want) {
		t.Errorf("ExpandPassword = %q, %q; want k-, %q", got, missing, want)
	}
	if got, missing := lang.ExpandPassword("{{Key}}!", data, lang.Builtins{}, none); got != "k!" || len(missing) > 0 {
		t.Errorf("ExpandPassword = %q, %q; want k!", got, missing)
	}
}

func TestExpandNameIsSafe(t *testing.T) {
	t.Parallel()
	data := parse(t, `{"No":"2026/17","Lines":"a\nb\u000bc","Evil":"..\\..\u0000/x\u202egpj.exe","Quote":"say \"hi\"","Blank":" . "}`)
	for template, want := range map[string]string{
		"Invoice {{No}}":           "Invoice 2026-17",
		"{{Lines}}":                "a b c",
		"{{Evil}}":                 "-..-xgpj.exe",
		"{{Quote}}":                "say 'hi'",
		"{{Blank}}":                lang.Unnamed,
		"{{Gone}}":                 lang.Unnamed,
		"":                         lang.Unnamed,
		"a  \u00a0 b.":             "a b",
		strings.Repeat("日", 1000):  strings.Repeat("日", lang.MaxNameLength),
		"{{Gone}} Größe 10:30 ok?": "Größe 10-30 ok-",
	} {
		if got, _ := lang.ExpandName(template, data, lang.Builtins{}); got != want {
			t.Errorf("ExpandName(%q) = %q, want %q", template, got, want)
		}
	}
}

func TestExpandNameOfAnythingIsAName(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		got, _ := lang.ExpandName(rapid.String().Draw(t, "template"), parse(t, `{}`), lang.Builtins{})
		if got == "" || utf8.RuneCountInString(got) > lang.MaxNameLength || strings.ContainsAny(got, "/\\:\n\x00") || strings.Trim(got, " .") != got {
			t.Fatalf("ExpandName = %q", got)
		}
	})
}

func TestBlocksAndFormulasWorkInNames(t *testing.T) {
	t.Parallel()
	const body = `{"No": 7, "Paid": true, "Items": [{"Name": "a"}, {"Name": "b"}], "Url": "https://x.at"}`
	for template, want := range map[string]string{
		"Invoice {{= No + 1}}":                        "Invoice 8",
		"{{#if Paid}}paid{{else}}open{{/if}} {{No}}":  "paid 7",
		"{{#each Items}}{{Name}}{{@index}} {{/each}}": "a1 b2 ",
		"{{Items.Name}}":                              "a, b",
		"{{link Url, No}}":                            "7",
		"{{#if Gone}}x{{/if}}y":                       "y",
		"{{#if Paid}}not closed":                      "not closed",
		"{{":                                          "{{",
	} {
		if got, missing := lang.Expand(template, parse(t, body), lang.Builtins{}); got != want || len(missing) > 0 {
			t.Errorf("%s: got %q, missing %q; want %q", template, got, missing, want)
		}
	}
}

// What cannot be worked out is missing, under what stands in its tag.
func TestMistakesOfNamesAreMissing(t *testing.T) {
	t.Parallel()
	for template, want := range map[string][]string{
		"{{= 1 / 0}}{{Gone}}":                      {"Gone", "= 1 / 0"},
		"{{= 1 / 0}}{{= 1 / 0}}":                   {"= 1 / 0"},
		"{{#section}}{{ #section }}":               {"#section"},
		"{{image Logo}}":                           {"image Logo"},
		"{{#each Name}}x{{/each}}":                 {"#each Name"},
		"{{link Name}}":                            {"link Name"},
		"{{#each Items}}{{A}}{{/each}}{{Items.A}}": {"Items.A"},
	} {
		if _, missing := lang.Expand(template, parse(t, `{"Name": "Ada", "Items": [{"B": 1}]}`), lang.Builtins{}); !slices.Equal(missing, want) {
			t.Errorf("%s: got %q missing, want %q", template, missing, want)
		}
	}
}

func TestAPasswordSaysWhichOfItsTagsAreEmpty(t *testing.T) {
	t.Parallel()
	const body = `{"Pin": "1234", "Blank": "", "Null": null, "Items": [{"A": ""}, {"A": "x"}]}`
	for template, want := range map[string][]string{
		"{{Pin}}":                             nil,
		"{{Pin}}{{Blank}}":                    {"Blank"},
		"{{Null}}{{Gone}}{{Null}}":            {"Null", "Gone"},
		"{{= Blank & Null}}":                  {"= Blank & Null"},
		"{{#each Items}}{{A}}{{/each}}":       {"A"},
		"{{#if Blank}}{{Null}}{{/if}}{{Pin}}": nil, // what is left out is not asked for
		"{{#if Gone}}x{{else}}{{Pin}}{{/if}}": nil,
		"{{= 1 / 0}}":                         {"= 1 / 0"},
	} {
		if _, missing := lang.ExpandPassword(template, parse(t, body), lang.Builtins{}, none); !slices.Equal(missing, want) {
			t.Errorf("%s: got %q missing, want %q", template, missing, want)
		}
	}
}

// 64 KiB, and no character cut in two.
func TestExpandedTextEndsAtTheLimit(t *testing.T) {
	t.Parallel()
	for letter, want := range map[string]int{"x": 65_536, "ä": 65_536, "€": 65_535, "😀": 65_536} {
		got, _ := lang.Expand("{{A}}", parse(t, `{"A": "`+strings.Repeat(letter, 70_000)+`"}`), lang.Builtins{})
		if len(got) != want || strings.Trim(got, letter) != "" {
			t.Errorf("%s: got %d bytes, want %d", letter, len(got), want)
		}
	}
}

func TestNamesOfFilesHaveNothingThatFileSystemsRefuse(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`a/b\\c:d|e*f?g<h>i`:            "a-b-c-d-e-f-g-h-i",
		`\"a\"`:                         "'a'",
		`a\tb\n\nc`:                     "a b c",
		`. a . b .`:                     "a . b",
		`..`:                            lang.Unnamed,
		`a\u200bb\u202ec`:               "abc",
		`a\ue000b\uf8ffc\ufffed\uffffe`: "abcde",
		`Größe 日本 😀`:                    "Größe 日本 😀",
	} {
		if got, _ := lang.ExpandName("{{A}}", parse(t, `{"A": "`+sent+`"}`), lang.Builtins{}); got != want {
			t.Errorf("%s: got %q, want %q", sent, got, want)
		}
	}
	long := strings.Repeat("x", lang.MaxNameLength-1)
	for template, want := range map[string]string{long + "yz": long + "y", long + " z": long, long + ".z": long} {
		if got, _ := lang.ExpandName(template, parse(t, "{}"), lang.Builtins{}); got != want {
			t.Errorf("%d characters: got %d, ending in %q", len(template), len(got), got[len(got)-2:])
		}
	}
}

func none(text string) bool { return text == "" }
