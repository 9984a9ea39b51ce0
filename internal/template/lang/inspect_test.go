package lang_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

func TestInspectFindsAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	fields := []string{"Name", "Items.Name", "Items.Price", "Total", "Orders.Lines.A"}
	texts := []string{
		"Dear {{Nme}}, {{Name}}",                    // 0
		"{{#if Total > 10}}{{= SUMM(Items.Price)}}", // 1
		"{{#each Items}}{{Price}} {{Prise}}{{/if}}", // 2
		"{{/each}}{{else}}{{else}}",                 // 3
		"{{Name",                                    // 4
		"Name}} {{}} x",                             // 5
		"{{= Total +}} {{#section}}",                // 6
		"{{#each Orders}}{{#each Lines}}{{A}}{{@index}}{{/each}}{{/each}}", // 7: right
		"{{= COUNT(Items) + SUM(Items.Price)}} {{= Totl}}",                 // 8
		"{{image (Name}} {{/each}}",                                        // 9
	}
	var got []string
	for _, i := range lang.Inspect(texts, fields) {
		line := fmt.Sprintf("%d:%d %s", i.Place.Text, i.Place.Offset, i.Code)
		if len(i.Nearest) > 0 {
			line += " " + i.Nearest[0]
		}
		if i.Place.Around == "" || i.Message == "" {
			t.Errorf("%s says nothing: %+v", line, i)
		}
		got = append(got, line)
	}
	want := []string{
		"0:5 unknown_field Name", "1:18 unknown_function SUM", "2:25 unknown_field", "2:34 block_not_open",
		"3:17 else_after_else", "4:0 tag_not_closed", "5:4 tag_not_opened", "5:7 not_a_tag",
		"6:0 formula_incomplete", "6:14 unknown_block", "8:38 unknown_field Total", "9:0 formula_not_closed", "9:16 block_not_open",
		"1:0 block_not_closed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestInspectSaysNothingOfARightTemplate(t *testing.T) {
	t.Parallel()
	texts := []string{"{{Name}} {{Timestamp}}", "{{#if Name}}{{Items.Name}}{{else if Items.Price > 2}}x{{else}}y{{/if}} {not a tag} }"}
	if findings := lang.Inspect(texts, []string{"Name", "Items.Name", "Items.Price"}); len(findings) > 0 {
		t.Errorf("got %+v", findings)
	}
}

func TestNamesAreFoundInListsHoweverDeepTheyLie(t *testing.T) {
	t.Parallel()
	fields := []string{"Name", "Years.No", "Years.Orders.No", "Years.Orders.Lines.Part", "Years.Orders.Lines.Sizes.Width"}
	texts := []string{
		"{{#each Years}}{{#each Orders}}{{#each Lines}}{{Part}} {{No}} {{Name}} {{Years.No}} {{#each Sizes}}{{this.Width}}{{/each}}{{/each}}{{/each}}{{/each}}",
		"{{#each Years}}{{#each Years.Orders}}{{#each this.Lines}}{{this.Part}}{{/each}}{{/each}}{{/each}}",
		"{{#each Years}}{{#each Orders}}{{#if Lines}}{{#each Lines}}{{Part}}{{/each}}{{/if}}{{/each}}{{/each}}",
		"{{#each Years}}" + strings.Repeat("{{#if No}}", 9) + "{{#each Orders}}" + strings.Repeat("{{#if Lines}}", 9) + "{{No}} {{= COUNT(Lines)}}{{#each Lines}}{{Part}}{{/each}}" + strings.Repeat("{{/if}}", 9) + "{{/each}}" + strings.Repeat("{{/if}}", 9) + "{{/each}}",
	}
	for i, text := range texts {
		for _, f := range lang.Inspect([]string{text}, fields) {
			t.Errorf("%d: got %s %s", i, f.Code, f.Tag)
		}
		for _, f := range lang.MatchNames([]string{text}, fields) {
			if !f.Filled {
				t.Errorf("%d: %s is not filled", i, f.Name)
			}
		}
	}
}

// codesIn are the codes of what is found in texts, each with the number of its
// text and its place in it.
func codesIn(texts, fields []string) string {
	var all []string
	for _, f := range lang.Inspect(texts, fields) {
		all = append(all, fmt.Sprintf("%d:%d %s", f.Place.Text, f.Place.Offset, f.Code))
	}
	return strings.Join(all, "; ")
}

func TestBracesThatAreNoTagsAreFoundInTheirPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{a} { } }{":          "",
		"{{Name}}":            "",
		"{{{Name}}}":          "",
		"{{Name":              "0:0 tag_not_closed",
		"Name}}":              "0:4 tag_not_opened",
		"{{}}":                "0:0 not_a_tag",
		"a {{ }} b":           "0:2 not_a_tag",
		"{{a{b}}":             "0:0 not_a_tag",
		"{{Name}} }} {{":      "0:9 tag_not_opened; 0:12 tag_not_closed",
		"{{ {{Name}}":         "0:0 tag_not_closed",
		"{{Name}} {{Name":     "0:9 tag_not_closed",
		"ä {{Name":            "0:3 tag_not_closed", // bytes
		"}} {{Name}} {{}} {{": "0:0 tag_not_opened; 0:12 not_a_tag; 0:17 tag_not_closed",
	} {
		if got := codesIn([]string{text}, []string{"Name"}); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestBracesThatAreNoTagSayWhy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{}}":            "Nothing stands between these braces: name a field, or take the braces away.",
		"{{ \u200b}}":     "Nothing stands between these braces: name a field, or take the braces away.",
		"{{a{b}}":         "A brace stands inside this tag: write the tag without it.",
		"{{First\nName}}": "A line break stands inside this tag: write the tag on one line.",
		"{{" + strings.Repeat("a", syntax.MaxTagLength+1) + "}}": "This tag has 501 characters: at most 500 are allowed.",
	} {
		findings := lang.Inspect([]string{text}, nil)
		if len(findings) != 1 || findings[0].Code != "not_a_tag" || findings[0].Message != want {
			t.Errorf("%s: got %+v, want %s", text, findings, want)
		}
	}
}

func TestBlocksThatDoNotMatchAreFoundInTheirPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{#if A}}x{{/if}}":                                  "",
		"{{#if A}}|x|{{else if A}}|{{else}}|{{/if}}":         "",
		"{{#each L}}|{{#if A}}{{/if}}|{{/each}}":             "",
		"{{#if A}}|x":                                        "0:0 block_not_closed",
		"x|{{/if}}":                                          "1:0 block_not_open",
		"{{else}}":                                           "0:0 block_not_open",
		"{{#each L}}{{else}}{{/each}}":                       "0:11 block_not_open",
		"{{#if A}}{{/each}}{{/if}}":                          "0:9 block_not_open",
		"{{#each L}}{{/if}}{{/each}}":                        "0:11 block_not_open",
		"{{#if A}}{{else}}{{else}}{{/if}}":                   "0:17 else_after_else",
		"{{#if A}}{{else}}{{else if A}}{{/if}}":              "0:17 else_after_else",
		"{{#if A}}{{else if A}}{{else if A}}{{else}}{{/if}}": "",
		"{{#if A}}|{{#each L}}":                              "0:0 block_not_closed; 1:0 block_not_closed",
		"{{#each L}}{{V}}{{/each}}{{V}}":                     "0:25 unknown_field", // behind the block the item is gone
		"{{#each L}}{{#each M}}{{V}}{{/each}}{{/each}}":      "0:11 unknown_field",
		"{{this}}{{@index}}":                                 "0:0 unknown_field; 0:8 unknown_field",
		"{{#each L}}{{this}}{{@index}}{{@any}}{{/each}}":     "",
	} {
		if got := codesIn(strings.Split(text, "|"), []string{"A", "L.V"}); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestMessagesOfBlocksNameTheirPartner(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{#if A}}":                        "{{#if A}} is never closed: {{/if}} is missing.",
		"{{#each A}}":                      "{{#each A}} is never closed: {{/each}} is missing.",
		"{{/if}}":                          "{{/if}} has no block that it belongs to.",
		"{{#if A}}{{/each}}{{/if}}":        "{{/each}} does not belong to {{#if A}}, which is still open: {{/if}} comes first.",
		"{{#each A}}{{/if}}{{/each}}":      "{{/if}} does not belong to {{#each A}}, which is still open: {{/each}} comes first.",
		"{{#if A}}{{else}}{{ELSE}}{{/if}}": "{{ELSE}} comes after the {{else}} of its block.",
		"{{B}}":                            "The source has no field B.",
	} {
		if got := lang.Inspect([]string{text}, []string{"A"}); len(got) != 1 || got[0].Message != want {
			t.Errorf("%s: got %+v, want %s", text, got, want)
		}
	}
}

func TestFieldsThatLieBelowANameAreEnoughForFormulasAndBlocks(t *testing.T) {
	t.Parallel()
	fields := []string{"Items.Name", "Customer.Address.City", "Ämter.Größe"}
	for text, want := range map[string]string{
		"{{#each Items}}{{/each}}":              "",
		"{{#each items}}{{name}}{{/each}}":      "",
		"{{#each ÄMTER}}{{größe}}{{/each}}":     "",
		"{{= COUNT(Items)}}":                    "",
		"{{#if Customer.Address}}{{/if}}":       "",
		"{{= Items[0].Name}}{{Items[0].Name}}":  "",
		"{{Customer}}":                          "0:0 unknown_field", // a field shows a value
		"{{Items}}":                             "0:0 unknown_field",
		"{{#each Item}}{{/each}}":               "0:0 unknown_field",
		"{{= Customer.Addres}}":                 "0:0 unknown_field",
		"{{#each Items.Name}}{{this}}{{/each}}": "",
		"{{Timestamp}}{{= workflow name}}":      "",
	} {
		if got := codesIn([]string{text}, fields); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestAtMostTwoHundredMistakesAreFound(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"fields": "{{Gone}}", "braces": "}} ", "formulas": "{{= 1 +}}", "blocks": "{{#if Name}}"} {
		if got := len(lang.Inspect([]string{strings.Repeat(text, 300)}, []string{"Name"})); got != 200 {
			t.Errorf("%s: got %d findings, want 200", name, got)
		}
	}
}

// As in formulas that are filled: one name where the source has it and not both
// of its parts.
func TestNamesWithSignsAreFoundAmongTheFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, fields, want string }{
		{"{{= E-Mail}}", "E-Mail", ""},
		{"{{= e-mail & Name}}", "E-Mail Name", ""},
		{"{{= UPPER(E-Mail)}} {{#if E-Mail}}x{{/if}}", "E-Mail", ""},
		{"{{qr E-Mail}} {{link Url, E-Mail}}", "E-Mail Url", ""},
		{"{{#each Items}}{{= Net-Price}}{{/each}} {{= SUM(Items.Net-Price)}}", "Items.Net-Price", ""},
		{"{{= E-Mail}}", "E-Mail E", ""},
		{"{{= E-Mail}}", "E Mail", ""},
		{"{{= E-Mail}}", "E", "Mail"},
		{"{{= E-Mail}}", "Name", "E Mail"},
		{"{{= Net-Tax * 2}}", "Net Price", "Tax"},
	} {
		var got []string
		for _, m := range lang.MatchNames([]string{c.text}, strings.Fields(c.fields)) {
			if !m.Filled {
				got = append(got, m.Name)
			}
		}
		if findings := lang.Inspect([]string{c.text}, strings.Fields(c.fields)); strings.Join(got, " ") != c.want || len(findings) != len(got) {
			t.Errorf("%s with the fields %s: got %q not filled and %+v, want %q", c.text, c.fields, got, findings, c.want)
		}
	}
}

// spent is the processor time of this process so far: a crowded machine takes
// none of it.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Not parallel: what it counts is the processor time of all tests that run.
func TestInspectIsQuickWhateverSomebodyUploads(t *testing.T) {
	fields := make([]string, 20_000)
	for i := range fields {
		fields[i] = fmt.Sprintf("List.Field %d", i)
	}
	var names strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&names, "{{= Nothing%d}}", i)
	}
	for name, text := range map[string]string{
		"braces that open":           strings.Repeat("{{", 50_000),
		"braces that close":          strings.Repeat("}}", 50_000),
		"blocks inside blocks":       strings.Repeat("{{#each List}}", 20_000),
		"names of no field":          names.String(),
		"blocks of other lists":      strings.NewReplacer("= ", "#each ").Replace(names.String()),
		"items inside of conditions": strings.Repeat("{{#if List}}{{this}}{{@index}}", 80_000),
	} {
		before := spent(t)
		found := len(lang.Inspect([]string{text}, fields))
		if took := spent(t) - before; took > 15*time.Second || found == 0 {
			t.Errorf("%s: got %d findings after %v of a processor, want some within seconds", name, found, took)
		}
	}
}

func TestInspectQuotesThePlaceInAnyScript(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"x", "é", "中", "😀"} {
		text := strings.Repeat(letter, 500)
		findings := lang.Inspect([]string{text + "{{Gone}}" + text}, []string{"Name"})
		want := strings.Repeat(letter, 30) + "{{Gone}}" + strings.Repeat(letter, 52)
		if len(findings) != 1 || findings[0].Place.Around != want {
			t.Errorf("got %+v, want one finding around %q", findings, want)
		}
	}
}
