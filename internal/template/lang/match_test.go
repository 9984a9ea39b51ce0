package lang_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestCheckFindsTagsByTheRulesThatFillThem(t *testing.T) {
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

func TestCheckNamesTheNearestFields(t *testing.T) {
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

func TestCheckOfManyTagsAndFieldsIsQuick(t *testing.T) {
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
