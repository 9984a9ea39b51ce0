package layout

import (
	"math"
	"strconv"
	"testing"
)

func parseFloat(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFamiliesOfDocumentsGetFontsWithTheirMetrics(t *testing.T) {
	t.Parallel()
	for family, want := range map[string]string{
		"Arial": liberationSans, "helvetica": liberationSans, "Times New Roman": liberationSerif, "Courier New": liberationMono,
		"Calibri": carlito, "Calibri Light": carlito, "Cambria": caladea, "Verdana": dejaVuSans, "Arial Black": dejaVuSans,
		"Segoe UI Semibold": carlito, "JetBrains Mono": liberationMono, "PT Serif": liberationSerif, "No Such Font": dejaVuSans,
		"": liberationSerif,
	} {
		if got := Substitute(family); got != want {
			t.Errorf("%q is set in %q, want %q", family, got, want)
		}
	}
}

func TestLineHeightsAreThoseOfTheOfficeFonts(t *testing.T) {
	t.Parallel()
	for family, want := range map[string]float64{"Calibri": 1.2207, "Cambria": 1.15, "Arial": 1.149, "Times New Roman": 1.149} {
		if got := Fonts().Face(family, false, false).LineHeight(1); math.Abs(got-want) > 0.001 {
			t.Errorf("line height of %s is %.4f em, want %.4f", family, got, want)
		}
	}
}

func TestEveryFaceSetsWesternText(t *testing.T) {
	t.Parallel()
	for _, f := range Fonts().faces {
		f.ready()
		for _, r := range "AZaz09.,;:!?()€äöüßéèñçåøœ–—“”’…" {
			if w, ok := f.Advance(r, 10); !ok || w <= 0 {
				t.Errorf("%s: advance of %q is %v, %v", f.Name, r, w, ok)
			}
		}
		if k := f.Kern('A', 'V', 1); f.Family != liberationMono && k >= 0 {
			t.Errorf("%s does not kern AV", f.Name)
		}
		if k := f.Kern('n', 'n', 1); math.Abs(k) > 0.02 {
			t.Errorf("%s kerns nn by %v em", f.Name, k)
		}
	}
}

func TestFallbackFindsSymbols(t *testing.T) {
	t.Parallel()
	for _, r := range "☐✓→≤" {
		if f := Fonts().Fallback(r, false, false); f == nil || !f.Has(r) {
			t.Errorf("no face for %q", r)
		}
	}
	if f := Fonts().Fallback('漢', false, false); f != nil {
		t.Errorf("%s claims a character that no embedded font has", f.Name)
	}
}

func TestFlatFontsHaveNoNestedComposites(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Caladea-Regular", "DejaVuSans"} {
		data, err := fontFiles.ReadFile("fonts/" + name + ".ttf")
		if err != nil {
			t.Fatal(err)
		}
		nested := func(data []byte) int {
			f, err := readGlyphTables(data)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for g := range len(f.loca) - 1 {
				if _, ok := f.flat(g); ok {
					n++
				}
			}
			return n
		}
		if nested(data) == 0 {
			t.Errorf("%s has no nested composites: this test proves nothing", name)
		}
		flat, err := flattenComposites(data)
		if err != nil {
			t.Fatal(err)
		}
		if n := nested(flat); n != 0 {
			t.Errorf("%s keeps %d nested composites", name, n)
		}
		for cut := range 40 { // a font cut off anywhere is refused, not fatal
			_, _ = flattenComposites(data[:cut*len(data)/40])
		}
	}
}
