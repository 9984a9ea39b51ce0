package syntax

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/testkit/property"
)

func TestParseFindsTags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Dear {{Customer Name}}, {{Greeting}}": {"Customer Name", "Greeting"},
		"{{ A\u00a0 B }}":                      {"A B"},
		"{{A\u200bB\u2060\ufeff}}":             {"AB"},
		"{{Customer’s “Name”}}":                {`Customer's "Name"`},
		"{{E\u2011Mail}}":                      {"E-Mail"},
		"{{a\vb}}":                             {"a b"},
		"{{Cafe\u0301}}":                       {"Café"},
		"{{{A}}}":                              {"A"},
		"{{A {{B}}":                            {"B"},
		"{{A}}}} {{B}}":                        {"A", "B"},
		"{{A}}{{A}}":                           {"A", "A"},
		"}} {{A}}":                             {"A"},
		"":                                     nil,
		"{{}} {{ }} {{\u200b}}":                nil,
		"{{A}":                                 nil,
		"{A}}":                                 nil,
		"{{A}B}}":                              nil,
		"{{A\nB}}":                             nil,
		"{{" + strings.Repeat("ä", MaxTagLength) + "}}":   {strings.Repeat("ä", MaxTagLength)},
		"{{" + strings.Repeat("ä", MaxTagLength+1) + "}}": nil,
	} {
		var got []string
		for _, tag := range Parse(text) {
			got = append(got, tag.Name)
			if text[tag.Start:tag.End] != tag.Text {
				t.Errorf("Parse(%q): tag %q is not at %d:%d", text, tag.Text, tag.Start, tag.End)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("Parse(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWhatAWordProcessorTypesInANameDoesNotMatter(t *testing.T) {
	t.Parallel()
	oddSpace := rapid.StringMatching("[ \u00a0\u2009\u202f\t\v]{1,3}")
	invisible := rapid.StringMatching("[\u200b\u200c\u200d\u2060\ufeff\u00ad]{0,2}")
	property.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[A-Za-z0-9äß.'"-]{1,8}`), 1, 4).Draw(t, "words")
		plain := strings.Join(words, " ")
		odd := "{{" + invisible.Draw(t, "start")
		for i, word := range words {
			if i > 0 {
				odd += oddSpace.Draw(t, "space")
			}
			for _, r := range word {
				switch {
				case r == '\'' && rapid.Bool().Draw(t, "curly"):
					r = '’'
				case r == '"' && rapid.Bool().Draw(t, "curly"):
					r = '“'
				}
				odd += string(r) + invisible.Draw(t, "invisible")
			}
		}
		odd += "}}"
		tags := Parse("x" + odd + "y")
		if len(tags) != 1 || tags[0].Name != plain || tags[0].Text != odd {
			t.Fatalf("Parse(%q) = %+v, want the one tag %q", odd, tags, plain)
		}
	})
}

func TestParseNeverOverlapsAndLosesNothing(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("{{{}}}ab \n\u200bä"))).Draw(t, "text")
		at := 0
		for _, tag := range Parse(text) {
			if tag.Start < at || tag.End > len(text) || text[tag.Start:tag.End] != tag.Text {
				t.Fatalf("Parse(%q): %+v after byte %d", text, tag, at)
			}
			if !strings.HasPrefix(tag.Text, "{{") || !strings.HasSuffix(tag.Text, "}}") || strings.ContainsAny(tag.Text[2:len(tag.Text)-2], "{}") {
				t.Fatalf("Parse(%q): %q is no tag", text, tag.Text)
			}
			if again := Parse(tag.Text); len(again) != 1 || again[0].Name != tag.Name {
				t.Fatalf("Parse(%q) = %+v, want the same tag", tag.Text, again)
			}
			at = tag.End
		}
	})
}

func TestCanonicalIsStable(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		once := Canonical(name)
		if twice := Canonical(once); twice != once {
			t.Fatalf("Canonical(%q) = %q, then %q", name, once, twice)
		}
		if strings.ContainsFunc(once, unicode.IsControl) || strings.TrimSpace(once) != once {
			t.Fatalf("Canonical(%q) = %q", name, once)
		}
	})
}
