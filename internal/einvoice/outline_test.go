package einvoice_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/einvoice"
)

// Each term of the outline sets the field that JSON shows under its number, and nothing else.
func TestATermSetsWhatItsNumberSays(t *testing.T) {
	t.Parallel()
	seen := 0
	var visit func(o *einvoice.Outline, reach func(*einvoice.Invoice) einvoice.Record)
	visit = func(o *einvoice.Outline, reach func(*einvoice.Invoice) einvoice.Record) {
		for number, term := range o.Terms {
			if term.Name == "" || term.Number != number {
				t.Errorf("%s: got %+v", number, term)
			}
			var inv einvoice.Invoice
			r := reach(&inv)
			want := `"x"`
			if term.Form == einvoice.Amount {
				n, _ := einvoice.ParseNumber("5.50")
				r.SetNumber(term, n)
				want = "5.50"
			} else {
				r.SetText(term, "x")
			}
			out, err := json.Marshal(&inv)
			if err != nil {
				t.Fatal(err)
			}
			if found := leaves(t, out); len(found) != 1 || found[0] != number+"="+want && number != "BT-125" {
				// A scheme without its identifier is shown under an empty one.
				t.Errorf("%s: got %s", number, out)
			}
			seen++
		}
		for name, group := range o.Groups {
			visit(group, func(inv *einvoice.Invoice) einvoice.Record { return reach(inv).Add(name) })
		}
	}
	visit(einvoice.Outlined(), einvoice.NewRecord)
	if seen < 170 {
		t.Errorf("got %d terms, want those of EN 16931", seen)
	}
	if o := einvoice.Outlined(); o.Single("BG-4") != "BT-27" || o.Single("BG-25") != "" || o.Find("BT-136").Number != "BG-27" || o.Find("BT-1000") != nil {
		t.Error("the groups are others")
	}
}

// A term that two groups had would be looked up in either of them, from one start to the next. The
// groups for further notes and discounts of a line have terms of the line: that is found first.
func TestEachTermHasOneHome(t *testing.T) {
	t.Parallel()
	home := map[string]string{}
	var visit func(o *einvoice.Outline)
	visit = func(o *einvoice.Outline) {
		for number := range o.Terms {
			if strings.HasSuffix(o.Number, "-00") {
				if found := einvoice.Outlined().Find(number); number != "BT-X-10" && found.Number != "BG-25" {
					t.Errorf("%s: found in %q, want it in the line", number, found.Number)
				}
				continue
			}
			if other, twice := home[number]; twice {
				t.Errorf("%s: got %q and %q", number, other, o.Number)
			}
			home[number] = o.Number
		}
		for _, group := range o.Groups {
			visit(group)
		}
	}
	visit(einvoice.Outlined())
}

// leaves are the members of JSON that are no objects or lists.
func leaves(t *testing.T, object []byte) (all []string) {
	t.Helper()
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		var list []json.RawMessage
		if err := json.Unmarshal(object, &list); err != nil {
			t.Fatal(err)
		}
		for _, one := range list {
			all = append(all, leaves(t, one)...)
		}
		return all
	}
	for name, value := range members {
		if value[0] == '{' || value[0] == '[' {
			all = append(all, leaves(t, value)...)
			continue
		}
		all = append(all, name+"="+string(value))
	}
	slices.Sort(all)
	return all
}
