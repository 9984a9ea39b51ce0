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
		if got := parts(strings.ReplaceAll(want, "¦", ""), linebreak.Policy{AfterSlash: true}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
