package wml

import (
	"math"
	"testing"
)

func TestAChildIsFoundByItsNameWithoutItsPrefix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, xml, want string }{
		{"any prefix", `<p><x:b id="x"/></p>`, "x"},
		{"no prefix", `<p><b id="plain"/></p>`, "plain"},
		{"the first of several", `<p><w:i id="i"/><w:b id="1"/><w:b id="2"/></p>`, "1"},
		{"not a grandchild", `<p><w:i><w:b id="deep"/></w:i></p>`, ""},
		{"not Word 2010's", `<p><w14:b id="w14"/><w:b id="w"/></p>`, "w"},
		{"not that of a later Word", `<p><w16se:b id="w16"/></p>`, ""},
		{"that of Word 97", `<p><w10:b id="w10"/></p>`, "w10"},
		{"that of a prefix that only begins with w1", `<p><w1:b id="w1"/></p>`, "w1"},
	} {
		got := ""
		if b := wChild(element(t, c.xml), "b"); b != nil {
			got = b.SelectAttrValue("id", "")
		}
		if got != c.want {
			t.Errorf("%s: in %s got %q, want %q", c.what, c.xml, got, c.want)
		}
	}
}

// ECMA-376 part 3, 7.5: the first choice whose namespaces are understood, else
// the fallback.
func TestAChildIsFoundInTheBranchOfAlternativesThatWeUnderstand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, xml, want string }{
		{"a choice that we understand", `<mc:Choice Requires="wps"><w:b id="choice"/></mc:Choice><mc:Fallback><w:b id="fallback"/></mc:Fallback>`, "choice"},
		{"a choice that we do not", `<mc:Choice Requires="future"><w:b id="choice"/></mc:Choice><mc:Fallback><w:b id="fallback"/></mc:Fallback>`, "fallback"},
		{"alternatives inside a branch", `<mc:Fallback><mc:AlternateContent><mc:Choice Requires="wpg"><w:b id="inner"/></mc:Choice></mc:AlternateContent></mc:Fallback>`, "inner"},
		{"nothing in the branch", `<mc:Choice Requires="wps"><w:i/></mc:Choice><mc:Fallback><w:b id="fallback"/></mc:Fallback>`, "behind"},
		{"no branch", `<mc:Choice Requires="future"><w:b id="choice"/></mc:Choice>`, "behind"},
	} {
		e := element(t, `<p><mc:AlternateContent>`+c.xml+`</mc:AlternateContent><w:b id="behind"/></p>`)
		b := wChild(e, "b")
		if b == nil {
			t.Errorf("%s: found nothing, want %q", c.what, c.want)
		} else if got := b.SelectAttrValue("id", ""); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

func TestNothingIsFoundInsideNothing(t *testing.T) {
	t.Parallel()
	if got := wChild(nil, "b"); got != nil {
		t.Errorf("child: got %v", got)
	}
	if got := wPath(element(t, `<p><w:a/></p>`), "missing", "a"); got != nil {
		t.Errorf("path over a missing element: got %v", got)
	}
	if got, ok := wAttr(nil, "val"); ok {
		t.Errorf("attribute: got %q", got)
	}
	if got, ok := wInt(nil, "val"); ok {
		t.Errorf("number: got %d", got)
	}
	if got, ok := wPoints(nil, "val"); ok {
		t.Errorf("length: got %g", got)
	}
	if got := emu(nil, "cx"); got != 0 {
		t.Errorf("English Metric Units: got %g", got)
	}
}

func TestAPathLeadsThroughFirstChildren(t *testing.T) {
	t.Parallel()
	e := element(t, `<p><w:a><w:c id="first"/></w:a><w:a><w:c id="second"/></w:a></p>`)
	if got := wPath(e, "a", "c"); got == nil || got.SelectAttrValue("id", "") != "first" {
		t.Errorf("got %v, want the child of the first w:a", got)
	}
	if got := wPath(e); got != e {
		t.Errorf("the empty path: got %v, want the element itself", got)
	}
}

func TestAnAttributeIsReadWithAnyPrefixButThoseOfLaterWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		xml, want string
		present   bool
	}{
		{`<e w:val="a"/>`, "a", true},
		{`<e val="b"/>`, "b", true},
		{`<e w:val=""/>`, "", true},
		{`<e w14:val="later" w:val="c"/>`, "c", true},
		{`<e w15:val="later"/>`, "", false},
		{`<e w:value="other"/>`, "", false},
	} {
		got, present := wAttr(element(t, c.xml), "val")
		if got != c.want || present != c.present {
			t.Errorf("%s: got %q %t, want %q %t", c.xml, got, present, c.want, c.present)
		}
	}
}

func TestWholeNumbersAreRoundedAndAbsurdOnesRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value string
		want  int
		ok    bool
	}{
		{"3", 3, true},
		{"-3", -3, true},
		{" 7 ", 7, true},
		{"2.4", 2, true},
		{"2.5", 3, true},
		{"-2.5", -3, true},
		{"1000000000", 1_000_000_000, true},
		{"1000000001", 0, false},
		{"-1000000001", 0, false},
		{"", 0, false},
		{"12pt", 0, false},
		{"NaN", 0, false},
		{"Inf", 0, false},
	} {
		got, ok := wInt(element(t, `<e w:val="`+c.value+`"/>`), "val")
		if got != c.want || ok != c.ok {
			t.Errorf("%q: got %d %t, want %d %t", c.value, got, ok, c.want, c.ok)
		}
	}
}

// ST_TwipsMeasure: a bare number is in twentieths of a point, and
// ST_UniversalMeasure adds the units mm, cm, in, pt, pc and pi.
func TestLengthsAreReadInTwentiethsOfAPointOrInTheirUnit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value string
		want  float64
		ok    bool
	}{
		{"240", 12, true},
		{"-240", -12, true},
		{"0", 0, true},
		{"12pt", 12, true},
		{" 12 pt ", 12, true},
		{"1in", 72, true},
		{"-0.5in", -36, true},
		{"2.54cm", 72, true},
		{"25.4mm", 72, true},
		{"2pc", 24, true},
		{"2pi", 24, true},
		{"4px", 3, true}, // 96 pixels to the inch
		{"2000000", 100_000, true},
		{"2000001", 0, false},
		{"-2000001", 0, false},
		{"100001pt", 0, false},
		{"", 0, false},
		{"pt", 0, false},
		{"1em", 0, false},
		{"NaN", 0, false},
		{"Infpt", 0, false},
	} {
		got, ok := wPoints(element(t, `<e w:val="`+c.value+`"/>`), "val")
		if math.Abs(got-c.want) > 1e-9 || ok != c.ok {
			t.Errorf("%q: got %g %t, want %g %t", c.value, got, ok, c.want, c.ok)
		}
	}
}

func TestABareNumberCountsWhatItsAttributeSays(t *testing.T) {
	t.Parallel()
	if got, ok := parseMeasure("25", 0.5); got != 12.5 || !ok {
		t.Errorf("25 half points: got %g %t, want 12.5", got, ok)
	}
	if got, ok := parseMeasure("25pt", 0.5); got != 25 || !ok {
		t.Errorf("25pt beside half points: got %g %t, want 25", got, ok)
	}
}

// ST_OnOff (ECMA-376 part 1, 22.9.2.7) knows 0, false and off; VML f.
func TestAPropertyIsOnUnlessItsValueSaysOff(t *testing.T) {
	t.Parallel()
	for xml, want := range map[string]bool{
		`<e/>`:               true,
		`<e w:val="1"/>`:     true,
		`<e w:val="true"/>`:  true,
		`<e w:val="on"/>`:    true,
		`<e w:val="t"/>`:     true,
		`<e w:val="0"/>`:     false,
		`<e w:val="false"/>`: false,
		`<e w:val="off"/>`:   false,
		`<e w:val="none"/>`:  false,
		`<e w:val="f"/>`:     false,
		`<e w14:val="0"/>`:   true,
	} {
		if got := isOn(element(t, xml)); got != want {
			t.Errorf("%s: got %t, want %t", xml, got, want)
		}
	}
}

func TestAnInchIs914400EnglishMetricUnits(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]float64{"914400": 72, "-6350": -0.5, "0": 0, "x": 0} {
		if got := emu(element(t, `<e cx="`+value+`"/>`), "cx"); got != want {
			t.Errorf("%s: got %g, want %g", value, got, want)
		}
	}
}
