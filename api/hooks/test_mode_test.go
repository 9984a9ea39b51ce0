package hooks

import (
	"net/http"
	"strings"
	"testing"
)

func TestAnEventIsATestByItsAddressOrItsHeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, header string // "-": there is none
		test         bool
	}{
		{"/" + key, "-", false},
		{"/" + key, "false", false},
		{"/" + key, "true", true},
		{"/" + key + "/test", "-", true},
		{"/" + key + "/test/", " true ", true},
	} {
		x := newHarness()
		var header []string
		if c.header != "-" {
			header = []string{"Platen-Test", c.header}
		}
		if w := x.do(http.MethodPost, c.path, `{"A": 1}`, header...); w.Code != http.StatusOK {
			t.Errorf("%s with %q: got %d %s, want 200", c.path, c.header, w.Code, w.Body)
			continue
		}
		if got := x.events[0]; got.Test != c.test || got.SourceKey != key {
			t.Errorf("%s with %q: got test %t at %s, want %t at the source", c.path, c.header, got.Test, got.SourceKey, c.test)
		}
	}
}

func TestAHeaderThatSaysNeitherIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, header string }{
		{"/" + key, "yes"}, {"/" + key, "True"}, {"/" + key, "1"}, {"/" + key, ""}, {"/" + key + "/test", "false"}, {"/" + key + "/test", "yes"},
	} {
		x := newHarness()
		w := x.do(http.MethodPost, c.path, `{"A": 1}`, "Platen-Test", c.header)
		if w.Code != http.StatusBadRequest || codeOf(t, w) != "test_header_invalid" || len(x.events) > 0 {
			t.Errorf("%s with %q: got %d %s and %d events, want 400 test_header_invalid and none", c.path, c.header, w.Code, w.Body, len(x.events))
		}
	}
}

func TestAReferenceIsKeptAsItIsOrRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 200)
	for _, reference := range []string{"R", "Order 17/2026", long} {
		x := newHarness()
		if w := x.do(http.MethodPost, "/"+key, `{"A": 1}`, "Platen-Reference", reference); w.Code != http.StatusOK || x.events[0].Reference != reference {
			t.Errorf("%q: got %d %s, want 200 and the event with it", reference, w.Code, w.Body)
		}
	}
	for _, reference := range []string{"", " ", " R", "a\tb", "a\x7f", "\xff", "a\u200bb", long + "x"} {
		x := newHarness()
		w := x.do(http.MethodPost, "/"+key, `{"A": 1}`, "Platen-Reference", reference)
		if w.Code != http.StatusBadRequest || codeOf(t, w) != "reference_invalid" || !strings.Contains(w.Body.String(), "Platen-Reference must be there once, with 1 to 200") || len(x.events) > 0 {
			t.Errorf("%q: got %d %s and %d events, want 400 reference_invalid and none", reference, w.Code, w.Body, len(x.events))
		}
	}
}

// A sender tries an event, and sends it then under the same name.
func TestNamesOfTestsAreApart(t *testing.T) {
	t.Parallel()
	x := newHarness()
	for _, path := range []string{"/" + key, "/" + key + "/test"} {
		if w := x.do(http.MethodPost, path, `{"A": 1}`, "Idempotency-Key", "order-17"); w.Code != http.StatusOK {
			t.Fatalf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
	if live, test := x.events[0].EventKey, x.events[1].EventKey; live == test || live == "" || test == "" {
		t.Errorf("got the names %q and %q, want two", live, test)
	}
}
