package dml

import (
	"math"
	"testing"

	"github.com/beevik/etree"
)

func TestChildrenAreFoundBehindTextAndComments(t *testing.T) {
	t.Parallel()
	e := parse(t, `<r>text<!-- a note --><a id="1"/> <b id="2"/><a id="3"/></r>`)
	wantIDs(t, "Child a", []*etree.Element{Child(e, "a")}, "1")
	wantIDs(t, "Child b", []*etree.Element{Child(e, "b")}, "2")
	wantIDs(t, "Child c", []*etree.Element{Child(e, "c")}, "")
	wantIDs(t, "ChildElements", ChildElements(e), "1", "2", "3")
	wantIDs(t, "ChildrenNamed a", ChildrenNamed(e, "a"), "1", "3")
	wantIDs(t, "ChildrenNamed c", ChildrenNamed(e, "c"))
	wantIDs(t, "FirstChild of b and a", []*etree.Element{FirstChild(e, "b", "a")}, "1")
	wantIDs(t, "FirstChild of c and b", []*etree.Element{FirstChild(e, "c", "b")}, "2")
	wantIDs(t, "FirstChild of c", []*etree.Element{FirstChild(e, "c")}, "")
}

func TestGrandchildrenAreNoChildren(t *testing.T) {
	t.Parallel()
	e := parse(t, `<r><a id="1"><b id="2"><c id="3"/></b></a></r>`)
	if got := Child(e, "b"); got != nil {
		t.Errorf("Child b: got element %s, want none", ids(got))
	}
	wantIDs(t, "ChildElements", ChildElements(e), "1")
	wantIDs(t, "Find a, b, c", []*etree.Element{Find(e, "a", "b", "c")}, "3")
	wantIDs(t, "Find a, x, c", []*etree.Element{Find(e, "a", "x", "c")}, "")
	if got := Find(e); got != e {
		t.Errorf("Find without tags: got %v, want the element itself", got)
	}
}

func TestNothingIsFoundInNothing(t *testing.T) {
	t.Parallel()
	if Child(nil, "a") != nil || FirstChild(nil, "a") != nil || Find(nil, "a") != nil || ChildElements(nil) != nil || ChildrenNamed(nil, "a") != nil {
		t.Error("there are children of nil")
	}
	EachChild(nil, func(*etree.Element) { t.Error("EachChild was called for a child of nil") })
	if got := RelationshipID(nil, "id"); got != "" {
		t.Errorf("RelationshipID of nil: got %q, want none", got)
	}
	if got := EMU(nil, "w"); got != 0 {
		t.Errorf("EMU of nil: got %v, want 0", got)
	}
}

// ECMA-376 part 3, 7.5: a program takes the first choice that it understands,
// else the fallback. What is drawn by DrawingML takes the fallback where it says
// anything.
func TestChildrenOfSlidesAreThoseOfTheFallback(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source   string
		child          string   // first a
		named          []string // each a
		elements       []string
		first          string // first of b and a
		firstGrandpath string // a/g
	}{
		{"fallback", `<r><mc:AlternateContent><mc:Choice Requires="wps"><a id="1"/></mc:Choice><mc:Fallback><a id="2"><g id="3"/></a></mc:Fallback></mc:AlternateContent><a id="4"/></r>`,
			"2", []string{"2", "4"}, []string{"2", "4"}, "2", "3"},
		{"a formula", `<r><mc:AlternateContent><mc:Choice Requires="a14"><a id="1"><m:oMath/></a></mc:Choice><mc:Fallback><a id="2"/></mc:Fallback></mc:AlternateContent></r>`,
			"1", []string{"1"}, []string{"1"}, "1", ""},
		{"empty fallback", `<r><mc:AlternateContent><mc:Choice Requires="x"><a id="1"/></mc:Choice><mc:Fallback> </mc:Fallback></mc:AlternateContent></r>`,
			"1", []string{"1"}, []string{"1"}, "1", ""},
		{"no fallback", `<r><mc:AlternateContent><!-- n --><mc:Choice Requires="x"><a id="1"/></mc:Choice><mc:Choice Requires="y"><a id="2"/></mc:Choice></mc:AlternateContent></r>`,
			"1", []string{"1"}, []string{"1"}, "1", ""},
		{"no branch", `<r><mc:AlternateContent/><b id="9"/></r>`, "", nil, []string{"9"}, "9", ""},
		{"branch without the name", `<r><mc:AlternateContent><mc:Fallback><c id="1"/></mc:Fallback></mc:AlternateContent><a id="2"/></r>`,
			"2", []string{"2"}, []string{"1", "2"}, "2", ""},
		{"nested", `<r><mc:AlternateContent><mc:Fallback><mc:AlternateContent><mc:Fallback><a id="1"/><b id="2"/></mc:Fallback></mc:AlternateContent></mc:Fallback></mc:AlternateContent></r>`,
			"1", []string{"1"}, []string{"1", "2"}, "1", ""},
	} {
		e := parse(t, c.source)
		wantIDs(t, c.name+": Child", []*etree.Element{Child(e, "a")}, c.child)
		wantIDs(t, c.name+": ChildrenNamed", ChildrenNamed(e, "a"), c.named...)
		wantIDs(t, c.name+": ChildElements", ChildElements(e), c.elements...)
		wantIDs(t, c.name+": FirstChild", []*etree.Element{FirstChild(e, "b", "a")}, c.first)
		wantIDs(t, c.name+": Find", []*etree.Element{Find(e, "a", "g")}, c.firstGrandpath)
	}
}

func TestTheFirstChoiceWhoseNeedsAreKnownIsTaken(t *testing.T) {
	t.Parallel()
	const fallback = `<mc:Fallback><a id="fallback"/></mc:Fallback>`
	for source, want := range map[string]string{
		`<mc:Choice Requires="wps"><a id="1"/></mc:Choice>` + fallback:                                                                          "1",
		`<mc:Choice Requires="wps w14"><a id="1"/></mc:Choice>` + fallback:                                                                      "1",
		`<mc:Choice Requires="wps wp14"><a id="1"/></mc:Choice>` + fallback:                                                                     "fallback",
		`<mc:Choice Requires="cx1"><a id="1"/></mc:Choice><mc:Choice Requires="wpg"><a id="2"/></mc:Choice>` + fallback:                         "2",
		`<mc:Choice Requires="wpc"><a id="1"/></mc:Choice><mc:Choice Requires="wpg"><a id="2"/></mc:Choice>` + fallback:                         "1",
		`<mc:Choice Requires=""><a id="1"/></mc:Choice>` + fallback:                                                                             "fallback",
		`<mc:Choice><a id="1"/></mc:Choice>` + fallback:                                                                                         "fallback",
		` <mc:Other><a id="1"/></mc:Other>` + fallback:                                                                                          "fallback",
		fallback + `<mc:Choice Requires="a14"><a id="1"/></mc:Choice>`:                                                                          "1",
		`<mc:Choice Requires="w15"><mc:AlternateContent><mc:Choice Requires="w16se"><a id="in"/></mc:Choice></mc:AlternateContent></mc:Choice>`: "in",
		`<mc:Choice Requires="cx1"><a id="1"/></mc:Choice>`:                                                                                     "",
	} {
		var got []*etree.Element
		EachChild(parse(t, `<r>t<mc:AlternateContent>`+source+`</mc:AlternateContent><b id="last"/></r>`), func(e *etree.Element) { got = append(got, e) })
		all := []string{want, "last"}
		if want == "" {
			all = all[1:]
		}
		wantIDs(t, source, got, all...)
	}
}

func TestIntegersCountAsAbsentWhenTheyAreNone(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{
		"12": 12, "-3": -3, "0": 0, "1.9": 1, "-1.9": -1, "1e3": 1000, "": 7, "abc": 7, "NaN": 7, "Inf": 7, "1e300": 7,
		"214748364700": 214748364700, "214748364701": 7, "-214748364700": -214748364700, "-214748364701": 7, // a hundred times the largest of 32 bits
	} {
		if got := Int(parse(t, `<e v="`+value+`"/>`), "v", 7); got != want {
			t.Errorf("%q: got %d, want %d", value, got, want)
		}
	}
	if got := Int(parse(t, `<e/>`), "v", 7); got != 7 {
		t.Errorf("without the attribute: got %d, want 7", got)
	}
	if got := Int(nil, "v", 7); got != 7 {
		t.Errorf("without the element: got %d, want 7", got)
	}
}

func TestLengthsArePoints(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]float64{
		"12700": 1, "-6350": -0.5, "914400": 72, "0": 0, "": 0, "wide": 0,
		"12700000000": 1e6, "12700012700": 0, "-12700000000": -1e6, "-12700012700": 0, // a million points, and one more
	} {
		if got := EMU(parse(t, `<e w="`+value+`"/>`), "w"); got != want {
			t.Errorf("%q: got %v points, want %v", value, got, want)
		}
	}
}

func TestARelationshipIsNamedInItsNamespace(t *testing.T) {
	t.Parallel()
	e := parse(t, `<a:blip id="no" embed="no" r:link="l" r:embed="e"/>`)
	for key, want := range map[string]string{"embed": "e", "link": "l", "id": ""} {
		if got := RelationshipID(e, key); got != want {
			t.Errorf("r:%s: got %q, want %q", key, got, want)
		}
	}
}

// Booleans are those of xsd:boolean and, in older files, on and off.
func TestBooleans(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{"1": true, "true": true, "on": true, "TRUE": true, "0": false, "false": false, "off": false, "Off": false} {
		for _, absent := range []bool{true, false} {
			if got := Bool(parse(t, `<e v="`+value+`"/>`), "v", absent); got != want {
				t.Errorf("%q, %v when absent: got %v, want %v", value, absent, got, want)
			}
		}
	}
	for _, absent := range []bool{true, false} {
		for _, e := range []*etree.Element{nil, parse(t, `<e/>`), parse(t, `<e v=""/>`), parse(t, `<e v="2"/>`), parse(t, `<e v="yes"/>`)} {
			if got := Bool(e, "v", absent); got != absent {
				t.Errorf("%v: got %v, want what counts when it is absent", e, got)
			}
		}
	}
}

func TestNumbersAreKeptInTheirRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ v, want float64 }{{5, 5}, {-2, -1}, {-1, -1}, {10, 10}, {11, 10}, {math.NaN(), -1}, {math.Inf(1), 10}, {math.Inf(-1), -1}} {
		if got := Clamp(c.v, -1, 10); got != c.want {
			t.Errorf("%v between -1 and 10: got %v, want %v", c.v, got, c.want)
		}
	}
}

// ST_Percentage is thousandths of a percent in transitional files, and a number
// with a sign in strict ones (ECMA-376 part 1, 22.9.2.9).
func TestPercentagesAreWrittenInTwoWays(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{
		"40000": 0.4, "100000": 1, "-25000": -0.25, "250000": 2.5, "0": 0, " 50000 ": 0.5,
		"40%": 0.4, "12.5%": 0.125, "-3%": -0.03, " 50% ": 0.5,
		"": 0, "much": 0, "much%": 0, "NaN": 0, "NaN%": 0, "Inf": 0, "-Inf%": 0, "%": 0,
	} {
		wantNear(t, s, Percent(s), want)
	}
}
