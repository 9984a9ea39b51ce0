package lang_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/template/lang"
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
