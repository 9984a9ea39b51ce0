package lang

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

func numberFrom(t *testing.T, text string) syntax.Number {
	t.Helper()
	n, ok := syntax.ParseNumber(text)
	if !ok {
		t.Fatalf("parseNumber(%q): no number", text)
	}
	return n
}

func TestNodesHaveValues(t *testing.T) {
	t.Parallel()
	o := &object{members: []member{{key: &key{}, value: null{}}}}
	for _, c := range []struct {
		node node
		text string
		want value
	}{
		{scalar("a"), "a", "a"},
		{scalar("1"), "1", "1"}, // a text stays one
		{number("1.50"), "1.50", numberFrom(t, "1.50")},
		{number("1e999"), "1e999", "1e999"}, // too large to reckon with
		{boolean(true), "true", true},
		{boolean(false), "false", false},
		{null{}, "", nil},
		{list{}, "", values{}},
		{list{scalar("a"), null{}, list{number("2")}}, "a, 2", values{"a", nil, values{numberFrom(t, "2")}}},
		{o, "", o},
	} {
		got := valueOf(c.node)
		same := cmp.Equal(got, c.want, cmp.Comparer(func(a, b *object) bool { return a == b }), cmp.Comparer(func(a, b syntax.Number) bool { return a.Equal(b.Decimal) && a.String() == b.String() }))
		if text := textOf(got); !same || text != c.text {
			t.Errorf("%#v: got %#v written %q, want %#v written %q", c.node, got, text, c.want, c.text)
		}
	}
}

// What the specification of conditions says: nothing, empty text, zero, false
// (also as text) and empty lists do not hold.
func TestValuesAreEmptyOrTrue(t *testing.T) {
	t.Parallel()
	some := &object{members: []member{{key: &key{}, value: null{}}}}
	for _, c := range []struct {
		value       value
		empty, true bool
	}{
		{nil, true, false},
		{"", true, false},
		{" \t\u00a0", true, false},
		{"a", false, true},
		{"0", false, false},
		{" 0 ", false, false},
		{"00", false, true},
		{"false", false, false},
		{"False ", false, false},
		{"falsely", false, true},
		{true, false, true},
		{false, false, false},
		{numberFrom(t, "0"), false, false},
		{numberFrom(t, "-0.00"), false, false},
		{numberFrom(t, "0.01"), false, true},
		{numberFrom(t, "-1"), false, true},
		{values{}, true, false},
		{values{nil}, false, true},
		{&object{}, true, false},
		{some, false, true},
	} {
		if empty, holds := isEmpty(c.value), isTrue(c.value); empty != c.empty || holds != c.true {
			t.Errorf("%#v: got empty %v and true %v, want %v and %v", c.value, empty, holds, c.empty, c.true)
		}
	}
}

func TestValuesThatAreNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value value
		want  string // empty: it is none
	}{
		{nil, "0"},
		{"", "0"},
		{"  ", "0"},
		{"1.5", "1.5"},
		{" 1.5 ", "1.5"},
		{"abc", ""},
		{true, "1"},
		{false, "0"},
		{numberFrom(t, "2"), "2"},
		{values{}, "0"},
		{values{"3"}, "3"},
		{values{values{"4"}}, "4"},
		{values{"abc"}, ""},
		{values{"1", "2"}, ""},
		{&object{}, ""},
	} {
		n, ok := numberOf(c.value)
		if got := n.Decimal.String(); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%#v: got %s, %v; want %q", c.value, got, ok, c.want)
		}
	}
}

func TestListsInsideListsAreTakenApart(t *testing.T) {
	t.Parallel()
	got := flatten(values{"first"}, values{"a", values{}, values{nil, values{"b"}}, "c"})
	if want := (values{"first", "a", nil, "b", "c"}); !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := flatten(nil, "a"); !cmp.Equal(got, values{"a"}) {
		t.Errorf("one value: got %v, want it alone", got)
	}
}

func TestValuesAreComparedAsNumbersOrElseAsTexts(t *testing.T) {
	t.Parallel()
	n := func(text string) value { return numberFrom(t, text) }
	for _, c := range []struct {
		a, b value
		want int
	}{
		{n("2"), n("10"), -1},
		{n("2"), n("2.00"), 0},
		{"2", "10", -1}, // texts that are numbers count as numbers
		{"2", n("10"), -1},
		{"1.0", "1", 0},
		{"-1", "1", -1},
		{"b", "a", 1},
		{"B", "a", 1},
		{"a", "A", 0},
		{"straße", "STRASSE", 1}, // more than the case differs
		{"a", n("1"), 1},
		{nil, n("0"), 0}, // nothing counts as 0
		{nil, n("1"), -1},
		{nil, n("-1"), 1},
		{"", n("0"), 0},
		{nil, nil, 0},
		{nil, "", 0},
		{"", " ", -1},
		{nil, "a", -1},
		{nil, "0", -1}, // as texts
		{true, n("1"), 0},
		{true, false, 1},
		{false, nil, 0},
		{true, "true", 0},
		{values{"a", "b"}, "a, b", 0},
		{values{"2"}, n("10"), -1},
		{values{}, n("0"), 0},
		{"2026-01-31", "2026-02-01", -1},
	} {
		if got := compare(c.a, c.b); got != c.want {
			t.Errorf("%#v and %#v: got %d, want %d", c.a, c.b, got, c.want)
		}
		if got := compare(c.b, c.a); got != -c.want {
			t.Errorf("%#v and %#v: got %d, want %d", c.b, c.a, got, -c.want)
		}
	}
}
