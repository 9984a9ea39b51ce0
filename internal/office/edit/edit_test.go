package edit

import (
	"reflect"
	"testing"
)

// What text may hold: XML 1.0, 2.2.
func TestTextLosesWhatXMLForbids(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\r\nb\rc\nd": "a\nbc\nd", "\t\v\n": "\t\v\n", "a\x00\x0C\x1Fb ": "ab ", "\uFFFD\uFFFE\uFFFFa": "a", "\uE000𝒳": "\uE000𝒳", "a\xFFb": "ab",
	} {
		if got := cleanText(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// The variants are those of Unicode's simple case folding (CaseFolding.txt, C
// and S): K has the Kelvin sign, S the long s, Σ a second small letter.
func TestCaseVariantsAreFoldedToOne(t *testing.T) {
	t.Parallel()
	for _, variants := range []string{"aA", "zZ", "kK\u212A", "sS\u017F", "äÄ", "Σσς", "ßẞ", "ⱥȺ", "1", "[", "`", "{", "@"} {
		want := ""
		for _, r := range variants {
			got, _ := foldCase(string(r))
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%c: got %q, want %q as for the first of %q", r, got, want, variants)
			}
		}
	}
	distinct, _ := foldCase("[{@`aA")
	if want := "[{@`AA"; distinct != want {
		t.Errorf("got %q, want %q", distinct, want)
	}
}

func TestPlacesAreFoundInTheTextAsItIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, find, text string
		matchCase        bool
		want             []Edit
	}{
		{"none", "b", "aaa", true, nil},
		{"without overlaps", "aa", "aaaaa", true, []Edit{{Start: 0, End: 2, Text: "-"}, {Start: 2, End: 4, Text: "-"}}},
		{"in its own case alone", "a", "Aa", true, []Edit{{Start: 1, End: 2, Text: "-"}}},
		{"in any case", "A", "Aa", false, []Edit{{Start: 0, End: 1, Text: "-"}, {Start: 1, End: 2, Text: "-"}}},
		// ⱥ has three bytes, Ⱥ two; K (Kelvin) has three, k one.
		{"behind a letter that gets shorter", "x", "ⱥxⱥX", false, []Edit{{Start: 3, End: 4, Text: "-"}, {Start: 7, End: 8, Text: "-"}}},
		{"a letter that gets shorter", "k", "a\u212Ab", false, []Edit{{Start: 1, End: 4, Text: "-"}}},
		{"at the end", "Ⱥ", "aⱥ", false, []Edit{{Start: 1, End: 4, Text: "-"}}},
		{"nothing", "", "a", false, nil},
		{"an object", ObjectCharacter, "a" + ObjectCharacter, true, nil},
	} {
		if got := newFinder(c.find, c.matchCase).edits(c.text, "-"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
