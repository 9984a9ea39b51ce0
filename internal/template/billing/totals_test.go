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
