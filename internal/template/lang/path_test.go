package lang_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestPathsLeadIntoObjectsAndLists(t *testing.T) {
	t.Parallel()
	const body = `{"A": {"B": {"C": "deep"}, "L": [{"V": 1}, {"V": 2}, {}]}, "L": ["x", "y", ["z"]], "G": [[1, 2], [3, [4]]],
		"Objects": [{"0": "zero", "V": {"W": "w0"}}, {"0": "nil", "V": {"W": "w1"}}], "Numbered": {"0": "key", "x": {"1": "one"}},
		"N": null, "E": "", "T": true, "O": {}, "Many": [null, "", "a", null, "b"], "Ten": [0,1,2,3,4,5,6,7,8,9,10]}`
	checkValues(t, body, map[string]string{
		"A.B.C": "deep", "A . B . C": "deep", "a.b.c": "deep",
		"A.L.V": "1, 2", "A.L[1].V": "2", "A.L.1.V": "2", "A.L[0].V": "1",
		"L": "x, y, z", "L[0]": "x", "L.1": "y", "L[2]": "z", "L[2][0]": "z", "L.2.0": "z",
		"G": "1, 2, 3, 4", "G[0]": "1, 2", "G[1]": "3, 4", "G[1][1][0]": "4", "G.1.0": "3",
		"Objects.V.W": "w0, w1", "Objects[1].V.W": "w1", "Objects[1].0": "nil", "Objects[0][0]": "zero",
		"Numbered.0": "key", "Numbered[0]": "key", "Numbered.x.1": "one", "Numbered.x[1]": "one",
		"N": "", "E": "", "T": "true", "O": "", "Many": "a, b", "Ten[10]": "10", "Ten.9": "9", "Ten[007]": "7",
	})
}

func TestPathsThatLeadNowhereAreMissing(t *testing.T) {
	t.Parallel()
	const body = `{"A": {"B": 1}, "L": [{"V": 1}], "W": ["x"], "Null": null, "E": []}`
	for _, name := range []string{
		"A", "A.C", "A.B.C", "A.", ".A", "A..B", "L", "L[1].V", "L[0]", "L.V.W", "L[-1].V", "L[0.5].V", "L[x].V", "L[0", "W.V", "W[1]", "Null.V", "B", "[0]", ".", "A[B]", "L[99999999999999999999].V",
	} {
		if text, missing := lang.Expand("{{"+name+"}}", parse(t, body), lang.Builtins{}); text != "" || len(missing) != 1 || missing[0] != name {
			t.Errorf("{{%s}}: got %q, missing %q; want it missing", name, text, missing)
		}
	}
	checkValues(t, body, map[string]string{"E.V": "", "E.V.W": "", "Null": ""}) // an empty list may have any field
}

// Keys may have dots and brackets themselves, and the longest key comes first.
func TestKeysWithDotsAndBracketsAreFound(t *testing.T) {
	t.Parallel()
	const body = `{"a.b": "dotted", "a": {"b": "nested", "c": 1, "b.c": "half", "b.d": {"e": "deep"}}, "a.b.c.d": "long", "x": {"y.z": [{"k.l": 1}, {"k.l": 2}]},
		"s[0]": "bracketed", "s": ["indexed", "second"], "No. of pages": 3, "m[x]": {"v": 9}, "v.1": {"2": "two"}, ".lead": "l", "trail.": "t"}`
	checkValues(t, body, map[string]string{
		"a.b": "dotted", "a.c": "1", "a.b.c": "half", "a.b.d.e": "deep", "a.b.c.d": "long", "x.y.z.k.l": "1, 2", "x.y.z[1].k.l": "2",
		"s[0]": "bracketed", "s.0": "indexed", "s[1]": "second", "No. of pages": "3", "no. of pages": "3", "m[x].v": "9", "v.1.2": "two", "v.1[2]": "two",
		".lead": "l", "trail.": "t",
	})
	if _, missing := lang.Expand("{{a.d}}", parse(t, body), lang.Builtins{}); len(missing) != 1 {
		t.Errorf("a.d: got %q missing, want it", missing)
	}
}

func TestOfKeysThatAreWrittenAlikeTheOneThatWasSentSoIsTaken(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"A  B": "two spaces", "A B": "one", "Ä": "composed", "a\u00adb": "soft", "Quote’s": "curly"}`, map[string]string{
		"A B": "one", "A  B": "one", "A\u0308": "composed", "ab": "soft", "a\u00adb": "soft", "Quote's": "curly", "Quote’s": "curly",
	})
	checkValues(t, `{"A  B": "first", " A B": "second"}`, map[string]string{"A B": "second"}) // the last of several
	checkValues(t, `{"A": 1, "A": 2, "B": {"C": 1}, "B": {"D": 2}}`, map[string]string{"A": "2", "B.D": "2"})
}

func TestNamesInAnotherCaseAreFoundWhereOnlyOneFits(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Name": 1, "CITY": 2, "Straße": 3, "Sub": {"Value": 4}, "ΣΊΓΜΑ": 5}`, map[string]string{
		"name": "1", "NAME": "1", "city": "2", "straße": "3", "sub.value": "4", "SUB.VALUE": "4", "σίγμα": "5", "Σίγμα": "5",
	})
	for _, name := range []string{"NAME", "nAme"} {
		if _, missing := lang.Expand("{{"+name+"}}", parse(t, `{"Name": 1, "name": 2}`), lang.Builtins{}); len(missing) != 1 {
			t.Errorf("%s of Name and name: got %q missing, want no guess", name, missing)
		}
	}
	checkValues(t, `{"Name": 1, "name": 2}`, map[string]string{"Name": "1", "name": "2"})
}

func TestManyIndexesAreFollowedToTheirEnd(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 50) + `"x"` + strings.Repeat("]", 50)
	checkValues(t, `{"D": `+deep+`}`, map[string]string{"D": "x", "D" + strings.Repeat("[0]", 50): "x", "D" + strings.Repeat(".0", 25): "x"})
}
