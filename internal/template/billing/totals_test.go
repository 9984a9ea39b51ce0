package billing_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/billing"
)

// A sender who renames the field of a total gets invoices all the same. They are not the ones
// that were checked against it.
func TestATotalThatNothingWasComparedWithIsNoted(t *testing.T) {
	t.Parallel()
	for name, wants := range map[string]string{"Total": "BT-112", "Net": "BT-109", "Due": "BT-115"} {
		event := strings.Replace(string(read(t, "invoice.json")), `"`+name+`": `, `"Other": `, 1)
		xml, found := billing.Make(setting(t, platen.InvoiceCII, platen.InvoiceEN16931), evaluator(t, []byte(event)))
		if xml == nil || len(found) != 1 || found[0].Term != wants || !found[0].Note || !strings.HasPrefix(found[0].Words(false), wants+" (") || !strings.Contains(found[0].Words(false), "{{"+name+"}}") {
			t.Errorf("without %s: got %+v, want a note about %s", name, found, wants)
		}
	}
}

// What can be refused when it is set is not left to the first event.
func TestAMapIsReadAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]string{
		`{"bt112": "{{Total}}"}`:                        "did you mean BT-112 (Total with VAT)?",
		`{"BT 112": "{{Total}}"}`:                       "did you mean BT-112 (Total with VAT)?",
		`{"bg_25": {}}`:                                 "did you mean BG-25 (Lines)?",
		`{"BT-5": "EURO"}`:                              "none of the codes of ISO 4217, such as EUR",
		`{"BT-5": "XYZ"}`:                               "or {{XYZ}} for a field",
		`{"BT-40": "Deutschland"}`:                      "none of the codes of ISO 3166-1",
		`{"BG-25": {"each": "Items", "BT-130": "Stk"}}`: "such as C62 for pieces",
		`{"BG-25": {"BG-27": {"BT-95": "S"}}}`:          "is part of BG-20",
	} {
		_, faults := billing.Read([]byte(object))
		if len(faults) != 1 || !strings.Contains(faults[0].Message, want) {
			t.Errorf("%s: got %v, want %s", object, faults, want)
		}
	}
	if _, faults := billing.Read([]byte(`{"BT-5": "EUR", "BT-40": "DE", "BT-6": "{{Currency}}", "BG-16": {"BT-81": "58"}, "BG-25": {"each": "Items", "BT-130": "HUR", "BT-151": "AE"}}`)); len(faults) > 0 {
		t.Errorf("got %v, want none", faults)
	}
}

func TestAMapWithoutTheTotalThatThePageShowsIsNoted(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]string{
		`{"BT-112": "{{Total}}"}`:                                            "",
		`{"BT-109": "{{Net}}"}`:                                              "BT-112",
		`{"BT-112": "{{Total}}", "BT-113": "{{Paid}}"}`:                      "BT-115",
		`{"BT-112": "{{Total}}", "BT-113": "{{Paid}}", "BT-115": "{{Due}}"}`: "",
		`{"BT-114": "{{Rounding}}"}`:                                         "BT-112 BT-115",
	} {
		m, faults := billing.Read([]byte(object))
		var got []string
		for _, f := range m.Uncompared() {
			got = append(got, f.Term)
		}
		if strings.Join(got, " ") != want || len(faults) > 0 {
			t.Errorf("%s: got %v, want %s; %v", object, got, want, faults)
		}
	}
}
