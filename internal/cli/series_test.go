package cli

import (
	"strings"
	"testing"
)

func TestAMisspeltSeriesIsNotBegun(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["GET /series/"] = []object{{"name": "invoices", "next": 7}}
	d.answers["PATCH /series/invoices/"] = object{"name": "invoices", "next": 100}
	d.answers["PATCH /series/invioces/"] = object{"name": "invioces", "next": 100}
	if err := d.run(t.Context(), d.loggedIn("series", "next", "invioces", "100")...); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "invoices") || !strings.Contains(err.Error(), "--new") {
		t.Errorf("a name that no series has: got %v, want the names that there are, and --new", err)
	}
	for _, args := range [][]string{{"invoices", "100"}, {"invioces", "100", "--new"}} {
		if err := d.run(t.Context(), d.loggedIn(append([]string{"series", "next"}, args...)...)...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}
