package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/merge"
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
		"{{image Name}} {{/each}}",                                         // 9
	}
	var got []string
	for _, i := range merge.Inspect(texts, fields) {
		line := fmt.Sprintf("%d:%d %s", i.Text, i.Offset, i.Code)
		if len(i.Nearest) > 0 {
			line += " " + i.Nearest[0]
		}
		if i.Around == "" || i.Message == "" {
			t.Errorf("%s says nothing: %+v", line, i)
		}
		got = append(got, line)
	}
	want := []string{
		"0:5 unknown_field Name", "1:18 unknown_function SUM", "2:25 unknown_field", "2:34 block_not_open",
		"3:17 else_after_else", "4:0 tag_not_closed", "5:4 tag_not_opened", "5:7 not_a_tag",
		"6:0 formula_incomplete", "6:14 unknown_block", "8:38 unknown_field Total", "9:0 not_supported", "9:15 block_not_open",
		"1:0 block_not_closed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestInspectSaysNothingOfARightTemplate(t *testing.T) {
	t.Parallel()
	texts := []string{"{{Name}} {{Timestamp}}", "{{#if Name}}{{Items.Name}}{{else if Items.Price > 2}}x{{else}}y{{/if}} {not a tag} }"}
	if issues := merge.Inspect(texts, []string{"Name", "Items.Name", "Items.Price"}); len(issues) > 0 {
		t.Errorf("got %+v", issues)
	}
}
