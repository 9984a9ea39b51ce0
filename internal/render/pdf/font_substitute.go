package pdf

import (
	"strings"
)

const (
	liberationSans  = "Liberation Sans"
	liberationSerif = "Liberation Serif"
	liberationMono  = "Liberation Mono"
	carlito         = "Carlito"
	caladea         = "Caladea"
	dejaVuSans      = "DejaVu Sans"
	// Letters of these have the widths of the other.
	forSegoeUI = "Liberation Sans for Segoe UI"
	forGeorgia = "Liberation Serif for Georgia"
)

// substitutes lists, by lower-case name, the fonts that an embedded one has the
// metrics of (Arial, Times New Roman, Courier New, Calibri, Cambria, Verdana),
// then those whose widths it is given, then those that it merely resembles.
var substitutes = map[string]string{
	"liberation sans": liberationSans, "arial": liberationSans, "helvetica": liberationSans, "arimo": liberationSans,
	"liberation serif": liberationSerif, "times new roman": liberationSerif, "times": liberationSerif, "tinos": liberationSerif,
	"liberation mono": liberationMono, "courier new": liberationMono, "courier": liberationMono, "cousine": liberationMono,
	"carlito": carlito, "calibri": carlito, "calibri light": carlito,
	"caladea": caladea, "cambria": caladea,
	"dejavu sans": dejaVuSans, "verdana": dejaVuSans, "bitstream vera sans": dejaVuSans,

	"segoe ui": forSegoeUI, "liberation sans for segoe ui": forSegoeUI,
	"georgia": forGeorgia, "liberation serif for georgia": forGeorgia,

	"aptos": carlito, "aptos display": carlito, "aptos narrow": carlito, "gill sans mt": carlito, "gill sans": carlito,
	"corbel": carlito, "candara": carlito, "lato": carlito, "open sans": carlito,
	"tahoma": liberationSans, "trebuchet ms": liberationSans, "helvetica neue": liberationSans, "arial unicode ms": liberationSans,
	"franklin gothic book": liberationSans, "arial narrow": liberationSans, "microsoft sans serif": liberationSans, "ms sans serif": liberationSans,
	"albany": liberationSans, "arial cyr": liberationSans,
	"roboto": liberationSans, "google sans": liberationSans, "inter": liberationSans, "univers": liberationSans, "univers (w1)": liberationSans,
	"garamond": liberationSerif, "palatino linotype": liberationSerif, "palatino": liberationSerif, "book antiqua": liberationSerif,
	"century": liberationSerif, "bookman old style": liberationSerif, "perpetua": liberationSerif, "times new roman cyr": liberationSerif,
	"baskerville": liberationSerif, "constantia": liberationSerif, "thorndale": liberationSerif, "cambria math": caladea,
	"consolas": liberationMono, "lucida console": liberationMono, "menlo": liberationMono, "monaco": liberationMono, "cumberland": liberationMono,
	"century gothic": dejaVuSans, "lucida grande": dejaVuSans, "lucida sans": dejaVuSans, "lucida sans unicode": dejaVuSans,
}

// Substitute names the embedded family that stands in for a family named in a
// document. An unknown name is judged by its words; a name that says nothing
// gets DejaVu Sans, as LibreOffice on a machine with these fonts does.
func Substitute(family string) string {
	name := familyKey(family)
	if s, isKnown := known(name); isKnown {
		return s
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(name, w) {
				return true
			}
		}
		return false
	}
	switch {
	case name == "":
		return liberationSerif
	case has("mono", "courier", "console", "consolas", "typewriter", " code"):
		return liberationMono
	case has("sans"):
		return dejaVuSans
	case has("serif", "times", "roman", "garamond", "georgia", "bodoni", "caslon", "minion"):
		return liberationSerif
	}
	return dejaVuSans
}

// known is the embedded family for a name, without or with its weight.
func known(name string) (family string, isKnown bool) {
	if s, ok := substitutes[name]; ok {
		return s, true
	}
	// Not " black": letters of that weight are much wider.
	for _, weight := range []string{" light", " semibold", " semilight", " medium", " bold", " regular", " narrow", " mt", " pro", " std"} {
		if base, found := strings.CutSuffix(name, weight); found {
			if s, ok := substitutes[base]; ok {
				return s, true
			}
		}
	}
	return "", false
}
