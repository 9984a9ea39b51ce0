package lang_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestTagsAreMatchedByTheRulesThatFillThem(t *testing.T) {
	t.Parallel()
	fields := []string{"Customer.Name", "Customer.Address.City", "Items.Name", "Total", "a.b"}
	texts := []string{
		"{{Customer.Name}} {{customer.name}} {{Total}} {{Total}}",
		"{{Items[0].Name}} {{Items.1.Name}} {{a.b}} {{Timestamp}} {{Workflow Name}}",
		"{{Nothing like it}}",
	}
	var filled, not []string
	for _, f := range lang.MatchNames(texts, fields) {
		if f.Filled {
			filled = append(filled, f.Name)
		} else {
			not = append(not, f.Name)
		}
	}
	want := []string{"Customer.Name", "customer.name", "Total", "Items[0].Name", "Items.1.Name", "a.b", "Timestamp", "Workflow Name"}
	if !slices.Equal(filled, want) {
		t.Errorf("filled: got %q, want %q", filled, want)
	}
	if want := []string{"Nothing like it"}; !slices.Equal(not, want) {
		t.Errorf("not filled: got %q, want %q", not, want)
	}
}

func TestTagsThatNothingFillsHaveNearestFields(t *testing.T) {
	t.Parallel()
	fields := []string{"Customer.Name", "Customer.Address.City", "Invoice Number", "Total"}
	for tag, want := range map[string]string{
		"Custommer.Name":  "Customer.Name",
		"City":            "Customer.Address.City",
		"InvoiceNumber":   "Invoice Number",
		"Invoice No":      "",
		"Order.Total":     "Total",
		"Timestmap":       "Timestamp",
		"Invoice  Numbr":  "Invoice Number",
		"Something Other": "",
	} {
		findings := lang.MatchNames([]string{"{{" + tag + "}}"}, fields)
		if len(findings) != 1 || findings[0].Filled {
			t.Fatalf("%s: got %+v, want one that nothing fills", tag, findings)
		}
		got := strings.Join(findings[0].Nearest, "|")
		if first, _, _ := strings.Cut(got, "|"); first != want {
			t.Errorf("%s: nearest is %q, want %q first", tag, got, want)
		}
	}
}

func TestMatchingManyTagsAndFieldsIsQuick(t *testing.T) {
	t.Parallel()
	fields := make([]string, 2000)
	for i := range fields {
		fields[i] = strings.Repeat("x", 60) + string(rune('A'+i%26)) + strings.Repeat("y", i%17)
	}
	var text strings.Builder
	for i := range 1000 {
		text.WriteString("{{" + strings.Repeat("z", 50+i%20) + strings.Repeat("x", 1+i%10) + string(rune('a'+i%26)) + "}}")
	}
	if n := len(lang.MatchNames([]string{text.String()}, fields)); n == 0 {
		t.Error("no findings")
	}
}

func TestTheNearestNamesComeBestFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tag, fields, want string }{
		{"Nam", "Name Names Game", "Name"},                             // a third of its letters, one at least
		{"Total", "Totals Totale Totaal Tota", "Totals Totale Totaal"}, // three at most, equal ones in their order
		{"Totals", "Tatols Total Totalsum Totalsumm", "Total Tatols Totalsum"},
		{"Invoice Number", "InvoiceNumber invoice_number INVOICE-NUMBER Number", "InvoiceNumber invoice_number INVOICE-NUMBER"},
		{"City", "Customer.City Cities", "Customer.City"}, // the last part, after those that differ by less
		{"Customer.City", "City", "City"},
		{"Customer.Cty", "Customer.City City", "Customer.City City"},
		{"Ab", "Cd", ""},
		{"Timestam", "Time", "Timestamp"},
		{"Automation", "Id", "Automation ID"},
		{"Workflow", "Flow", ""},
		{strings.Repeat("a", 81), strings.Repeat("a", 80), ""}, // too long to be compared
		{strings.Repeat("a", 79), strings.Repeat("a", 80), strings.Repeat("a", 80)},
		{strings.Repeat("a", 40), strings.Repeat("a", 34) + "bbbbbb", ""}, // by five letters at most
		{strings.Repeat("a", 40), strings.Repeat("a", 35) + "bbbbb", strings.Repeat("a", 35) + "bbbbb"},
	} {
		got := lang.MatchNames([]string{"{{" + c.tag + "}}"}, strings.Fields(c.fields))
		if len(got) != 1 || strings.Join(got[0].Nearest, " ") != c.want || got[0].Filled {
			t.Errorf("%s among %s: got %+v, want %s", c.tag, c.fields, got, c.want)
		}
	}
}

func TestEachNameIsMatchedOnceInReadingOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, m := range lang.MatchNames([]string{"{{B}} {{A}} {{B}}", "{{= A * C + SUM(D)}}{{#if E}}{{/if}}{{qr F}}{{link G, H}} {{A}}"}, []string{"A"}) {
		got = append(got, m.Name)
	}
	if want := "B A C D E F G H"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
	if got := lang.MatchNames([]string{"no tag", "{{/if}}{{else}}", "{{= 1 +}}"}, []string{"A"}); len(got) > 0 {
		t.Errorf("without names: got %+v", got)
	}
}

// A template with more mistakes than that was made for other data.
func TestOnlySoManyNamesHaveNearestOnes(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 150 {
		fmt.Fprintf(&text, "{{Totals%d}}", i)
	}
	suggested := 0
	for _, m := range lang.MatchNames([]string{text.String()}, []string{"Totals"}) {
		if len(m.Nearest) > 0 {
			suggested++
		}
	}
	if suggested != 100 {
		t.Errorf("got nearest names of %d tags, want of 100", suggested)
	}
}

func TestPartsOfOneObjectAreNearByTheirOwnNames(t *testing.T) {
	t.Parallel()
	fields := []string{"Customer.Name", "Customer.Town", "line_items.price", "line_items.qty"}
	for name, want := range map[string][]string{
		"Customer.City": nil, "Customer.Nmae": {"Customer.Name"}, "line_items.prise": {"line_items.price"}, "line_item.price": {"line_items.price"}, "line_items.tax": nil,
	} {
		if got := lang.MatchNames([]string{"{{" + name + "}}"}, fields)[0].Nearest; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
