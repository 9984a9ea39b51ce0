package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// tokens writes the tokens of a formula as their kind and text.
func tokens(text string) string {
	kinds := map[tokenKind]string{wordToken: "word", nameToken: "name", numberToken: "number", stringToken: "string", operatorToken: "op", badToken: "bad"}
	l := lexer{text: text}
	var all []string
	for t := l.next(); t.kind != endToken; t = l.next() {
		all = append(all, fmt.Sprintf("%s<%s>", kinds[t.kind], t.text))
		if t.kind == badToken {
			break
		}
	}
	return strings.Join(all, " ")
}

func TestFormulasAreCutIntoTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                      "",
		"  ":                    "",
		"a":                     "word<a>",
		" a  b ":                "word<a> word<b>",
		"Total*2":               "word<Total> op<*> number<2>",
		"1.5":                   "number<1.5>",
		".5":                    "number<.5>",
		"1.":                    "number<1.>",
		"1.2.3":                 "word<1.2.3>",
		".":                     "word<.>",
		"2x":                    "word<2x>",
		"a.b.c":                 "word<a.b.c>",
		"No. of":                "word<No.> word<of>",
		"_id $price #no @index": "word<_id> word<$price> word<#no> word<@index>",
		"Über größe 价格":         "word<Über> word<größe> word<价格>",
		"Customer's":            "word<Customer's>",
		"who?":                  "word<who?>",
		"a:b":                   "word<a:b>",
		"(a)":                   "op<(> word<a> op<)>",
		"a,b;c":                 "word<a> op<,> word<b> op<;> word<c>",
		"a&b":                   "word<a> op<&> word<b>",
		"50%":                   "number<50> op<%>",
		"a^b":                   "word<a> op<^> word<b>",
	} {
		if got := tokens(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestOperatorsOfTwoSignsAreOneToken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a<=b": "word<a> op<<=> word<b>",
		"a>=b": "word<a> op<>=> word<b>",
		"a<>b": "word<a> op<<>> word<b>",
		"a!=b": "word<a> op<!=> word<b>",
		"a==b": "word<a> op<==> word<b>",
		"a&&b": "word<a> op<&&> word<b>",
		"a||b": "word<a> op<||> word<b>",
		"a<b":  "word<a> op<<> word<b>",
		"a>b":  "word<a> op<>> word<b>",
		"a=b":  "word<a> op<=> word<b>",
		"a|b":  "word<a> op<|> word<b>",
		"!a":   "op<!> word<a>",
		"a=-b": "word<a> op<=> op<-> word<b>",
		"a>==": "word<a> op<>=> op<=>",
	} {
		if got := tokens(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// What word processors make of operators while somebody types.
func TestTypographicOperatorsAreOperators(t *testing.T) {
	t.Parallel()
	for sign, want := range map[string]string{"≤": "<=", "≥": ">=", "≠": "<>", "×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"} {
		if got := tokens("a" + sign + "b"); got != "word<a> op<"+want+"> word<b>" {
			t.Errorf("a%sb: got %s, want the operator %s", sign, got, want)
		}
	}
	for _, letter := range []string{"—", "±", "°", "€", "²"} { // no operators: parts of a name
		if got := tokens("a" + letter + "b"); got != "word<a"+letter+"b>" {
			t.Errorf("a%sb: got %s, want one word", letter, got)
		}
	}
}

func TestTextsStandInQuotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a b"`:      "string<a b>",
		`'a b'`:      "string<a b>",
		`""`:         "string<>",
		`''`:         "string<>",
		`"a""b"`:     `string<a"b>`,
		`'it''s'`:    "string<it's>",
		`"it's"`:     "string<it's>",
		`'say "x"'`:  `string<say "x">`,
		`""""`:       `string<">`,
		`"a" "b"`:    "string<a> string<b>",
		`"a"b`:       "string<a> word<b>",
		`"[x](y)"`:   "string<[x](y)>",
		`"open`:      "bad<a text whose quote is not closed>",
		`'open`:      "bad<a text whose quote is not closed>",
		`"a""`:       "bad<a text whose quote is not closed>",
		`a "open`:    "word<a> bad<a text whose quote is not closed>",
		`"`:          "bad<a text whose quote is not closed>",
		`"ä" & "日本"`: "string<ä> op<&> string<日本>",
	} {
		if got := tokens(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestNamesInBracketsGoOnWithTheirPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[Unit Price]":        "name<Unit Price>",
		"[ Unit Price ]":      "name<Unit Price>",
		"[Net-Tax]*2":         "name<Net-Tax> op<*> number<2>",
		"[Size (cm)]":         "name<Size (cm)>",
		"[Items][0].Name":     "name<Items[0].Name>",
		"[My Items].Name":     "name<My Items.Name>",
		"[a] [b]":             "name<a> name<b>",
		"[a] .b":              "name<a> word<.b>",
		"[and]":               "name<and>",
		"[open":               "bad<a name whose bracket is not closed>",
		"a + [open":           "word<a> op<+> bad<a name whose bracket is not closed>",
		"Items[0].Name":       "word<Items[0].Name>",
		"Items[12][3].A.B":    "word<Items[12][3].A.B>",
		"Items[0]+1":          "word<Items[0]> op<+> number<1>",
		"Items[x]":            "word<Items> name<x>",
		"Items[]":             "word<Items> name<>",
		"Items[1":             "word<Items> bad<a name whose bracket is not closed>",
		"Items[0]. Name":      "word<Items[0]> word<.> word<Name>",
		"Items[0].Unit Price": "word<Items[0].Unit> word<Price>",
	} {
		if got := tokens(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestTokensSayWhereTheyStand(t *testing.T) {
	t.Parallel()
	const text = ` "ä" >=  [Unit Price] − b `
	l := lexer{text: text}
	for _, want := range []string{`"ä"`, ">=", "[Unit Price]", "−", "b", ""} {
		if token := l.next(); text[token.start:token.end] != want {
			t.Errorf("got %q at %d to %d, want %q", text[token.start:token.end], token.start, token.end, want)
		}
	}
	if token := l.next(); token.kind != endToken || token.start != len(text) {
		t.Errorf("behind the end: got %+v", token)
	}
}

func TestWhatLooksLikeANumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"0": true, "12": true, "1.5": true, ".5": true, "5.": true, "": false, ".": false, "..": false, "1.2.3": false, "1e3": false, "-1": false, "١": false, "1a": false} {
		if got := isNumber(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestQuotesOfOtherLanguagesEndWords(t *testing.T) {
	t.Parallel()
	if got, want := tokens("a«b » c"), "word<a> string<b> word<c>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := tokens("« b"), "bad<a text whose quote is not closed>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
