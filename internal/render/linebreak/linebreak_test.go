package linebreak_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/linebreak"
)

// parts cuts a text wherever a line may end.
func parts(text string, policy linebreak.Policy) string {
	var out strings.Builder
	before, a := rune(0), rune(0)
	for i, b := range text {
		if i > 0 && linebreak.Allowed(before, a, b, policy) {
			out.WriteRune('¦')
		}
		out.WriteRune(b)
		before, a = a, b
	}
	return out.String()
}

// wantParts wants lines to end at each ¦ and nowhere else.
func wantParts(t *testing.T, policy linebreak.Policy, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if got := parts(strings.ReplaceAll(want, "¦", ""), policy); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestLinesEndWhereDocumentsLetThem(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"the ¦berth ¦is  ¦free",
		"well-¦known ¦co-¦operation",
		"-5 ¦and ¦-x ¦and ¦a ¦- ¦b",
		"2024-¦11-¦22 ¦A-7",
		"and/or ¦http://a/b",
		"(so) ¦[it] ¦{is}",
		"f(x)¦(y)¦[z]¦{u}",
		"what?¦x ¦no!¦1 ¦yes!? ¦a|¦b",
		"$5 ¦+4 ¦\\d",
		"one\u2013¦two ¦\u2013 ¦three",
		"a¦\u2014¦b ¦a\u00A0\u2014¦b ¦(\u2014¦b",
		"so\u2026¦on ¦\u2026 ¦and\u2026, ¦no",
		"soft\u00AD¦hyphen ¦zero\u200B¦width",
		"a\u00A0b ¦c\u2007d",
		"日¦本¦語¦テ¦キ¦ス¦ト",
		"日¦本、¦語。¦「本」¦（語）々",
		"漢¦a¦字 ¦漢¦(字)",
		"ideographic\u3000¦space",
	} {
		text := strings.ReplaceAll(want, "¦", "")
		if got := parts(text, linebreak.Policy{}); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestOnSlidesALineMayEndBehindASlashInFrontOfALetter(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"and/¦or", "24/7", "a/ ¦b", "a//¦b", "ä/¦ö"} {
		if got := parts(strings.ReplaceAll(want, "¦", ""), linebreak.Policy{BreaksAfterSlash: true}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestASlashOfDocumentsKeepsItsWordsTogether(t *testing.T) {
	t.Parallel()
	wantParts(t, linebreak.Policy{}, "a/ö", "ä/o", "a/é/b", "a/日")
	wantParts(t, linebreak.Policy{BreaksAfterSlash: true}, "a/¦ö", "a/\u2013¦b", "24/\u00BD", "a/¦日")
}

// UAX 14: a space never begins a line (LB7), and a line may end behind it (LB18).
func TestSpacesEndLinesAndNeverBeginThem(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]bool{
		' ': true, '\u1680': true, '\u1FFF': false, '\u2000': true, '\u2006': true, '\u2007': false, '\u2008': true, '\u200A': true, '\u200B': false,
		'\u205F': true, '\u3000': true, '\u00A0': false, '\u202F': false, 'a': false,
	} {
		if got := linebreak.IsSpace(r); got != want {
			t.Errorf("%U is a space: %v, want %v", r, got, want)
		}
		if got := linebreak.Allowed(0, r, 'a', linebreak.Policy{}); got != (want || r == '\u200B') {
			t.Errorf("a line may end behind %U: %v", r, got)
		}
		if linebreak.Allowed(0, 'a', r, linebreak.Policy{}) {
			t.Errorf("a line may begin with %U", r)
		}
	}
	wantParts(t, linebreak.Policy{}, "a \u2003 ¦b", "- ¦a", "日 ¦本", "$ ¦5")
}

func TestAHyphenEndsALineBehindAWord(t *testing.T) {
	t.Parallel()
	wantParts(t, linebreak.Policy{},
		"a-¦b", "a-¦$", "a-1", "1-¦2", "1-¦a", "a-¦é", "1-½", // no digit of ASCII
		"-a", "a ¦-b", "\u2003¦-b", // a minus
		"a--¦b", "a-.", "a-,", "a-)", "a-]", "a-}", "a-%", "a-/", "a-\"", "a-'", "a-|", "a-:", "a-;", "a-!", "a-?",
		"1-%", "a-\u2019b", // what closes
	)
}

func TestSignsOfASCIIThatEndLines(t *testing.T) {
	t.Parallel()
	wantParts(t, linebreak.Policy{},
		"a!¦b", "a!¦1", "a!¦{b", "a!(", "a?¦Z", "a}¦b", "a}¦{b", "a|¦1", "a!!¦b", // behind the end of a sentence
		"a!¦A", "a!¦Z", "a!¦a", "a!¦z", "a!¦0", "a!¦9", "a!@", "a![", "a!`", "a!~", "a!/",
		"a?¦é", "a|¦ß", "a}é", "a!½",
		"a)¦(b", "a)¦[b", "a)¦{b", "a]¦(b", "a)b", "a]1", "a).", // between brackets
		"+a", "+¦+a", "$¦\\a", "\\¦$a", "$(", "a+b", "a$b", // prefixes
		"a.b", "a,b", "a:b", "a;b", "a=b", "a&b", "a@b", "a*b", "a_b", "a#b", "\"a\"", "'a'", "(a", "1,000.00", "50%",
	)
}

func TestDashesAndEllipsesEndLines(t *testing.T) {
	t.Parallel()
	wantParts(t, linebreak.Policy{},
		"a\u2010¦b", "a\u2012¦b", "a\u2013¦1", "a\u00AD¦b", "a\u2013.", "a\u2010)", "a\u2013\u2019", "a\u2011b", // U+2011 does not break
		"a¦\u2014\u2014¦b", "a¦\u2014¦1", "a¦\u2014.", "a¦\u2014\u201D", "\u201C\u2014¦b", "[\u2014¦b", "{\u2014¦b", "\u00AB\u2014¦b", "\u00BF\u2014¦b",
		"a\u2026¦b", "a\u2026¦1", "a\u2026¦é", "a\u2026.", "a\u2026\u2013¦b",
	)
}

func TestEastAsianLinesEndBetweenCharactersButForTheForbiddenPlaces(t *testing.T) {
	t.Parallel()
	for _, r := range "、。，．：；！？）」』】〉》〕］｝・ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ％”’" {
		if linebreak.Allowed('日', '本', r, linebreak.Policy{}) {
			t.Errorf("a line may begin with %c", r)
		}
	}
	for _, r := range "（「『【〈《〔［｛“‘￥＄" {
		if linebreak.Allowed('日', r, '本', linebreak.Policy{}) {
			t.Errorf("a line may end with %c", r)
		}
		if !linebreak.Allowed('日', '本', '「', linebreak.Policy{}) {
			t.Error("a line may not begin with 「")
		}
	}
	wantParts(t, linebreak.Policy{},
		"日¦a", "a¦日", "日¦1", "é¦日", "日¦é", "日.", "日)", "日!", "日\u2026¦a", "(日", "\"日", "日\u00A0本", "日\u2060本", "あ¦い", "가¦나", "日¦本。¦本",
	)
}

func TestOnlyEastAsianCharactersAreIdeographic(t *testing.T) {
	t.Parallel()
	for _, block := range [][2]rune{{0x2E80, 0x9FFF}, {0xAC00, 0xD7AF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}, {0x20000, 0x3FFFF}} {
		for r, want := range map[rune]bool{block[0] - 1: false, block[0]: true, block[1]: true, block[1] + 1: false} {
			if got := linebreak.IsIdeographic(r); got != want {
				t.Errorf("%U is ideographic: %v, want %v", r, got, want)
			}
		}
	}
}

// Thai and Lao part no words: a line may end in front of a vowel that stands before
// its consonant, and nowhere inside a syllable.
func TestThaiMayBreakWhereASyllableBegins(t *testing.T) {
	t.Parallel()
	wantParts(t, linebreak.Policy{}, "ประ¦เทศ¦ไทย", "ภาษา", "น้ำ", "ต่างๆ¦ของ", "(เขา)", "1เ", "ປະ¦ເທດ")
}
