package pdf

import "testing"

func TestFamiliesOfDocumentsGetFontsWithTheirMetrics(t *testing.T) {
	t.Parallel()
	for family, want := range map[string]string{
		"Arial": liberationSans, "helvetica": liberationSans, "Times New Roman": liberationSerif, "Courier New": liberationMono,
		"Calibri": carlito, "Calibri Light": carlito, "Cambria": caladea, "Verdana": dejaVuSans, "Arial Black": dejaVuSans,
		"Segoe UI Semibold": forSegoeUI, "JetBrains Mono": liberationMono, "PT Serif": liberationSerif, "No Such Font": dejaVuSans,
		"": liberationSerif,
	} {
		if got := Substitute(family); got != want {
			t.Errorf("%q is set in %q, want %q", family, got, want)
		}
	}
}

func TestAFamilyIsKnownHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for family, want := range map[string]string{
		" ARIAL ":              liberationSans,
		"Arial;Helvetica":      liberationSans, // a list has its first
		"Cambria ;Arial":       caladea,
		"Calibri Bold":         carlito,
		"Cambria Medium":       caladea,
		"Courier Std":          liberationMono,
		"Times Pro":            liberationSerif,
		"Gill Sans Light":      carlito,
		"Georgia Regular":      forGeorgia,
		"Arial Narrow":         liberationSans,
		"Roboto Semilight":     liberationSans,
		"Calibri Black":        dejaVuSans, // much wider than Calibri
		"Fira Code":            liberationMono,
		"American Typewriter":  liberationMono,
		"Lucida Console Extra": liberationMono,
		"Noto Sans":            dejaVuSans,
		"Noto Sans Mono":       liberationMono,
		"Source Sans Serif":    dejaVuSans,
		"EB Garamond":          liberationSerif,
		"Bodoni 72":            liberationSerif,
		"Adobe Caslon":         liberationSerif,
		"Minion Pro":           liberationSerif,
		"Roman T":              liberationSerif,
		"   ":                  liberationSerif,
		";Arial":               liberationSerif,
		"日本語":                  dejaVuSans,
	} {
		if got := Substitute(family); got != want {
			t.Errorf("%q is set in %q, want %q", family, got, want)
		}
	}
}

func TestEverySubstituteIsEmbedded(t *testing.T) {
	t.Parallel()
	s := EmbeddedFonts()
	for family, substitute := range substitutes {
		for _, bold := range []bool{false, true} {
			for _, italic := range []bool{false, true} {
				if f := s.faces[faceKey{substitute, bold, italic}]; f == nil {
					t.Errorf("%s, for %s, has no face of bold: %v, italic: %v", substitute, family, bold, italic)
				}
			}
		}
		if got := Substitute(substitute); got != substitute {
			t.Errorf("%s is set in %s", substitute, got)
		}
	}
}
