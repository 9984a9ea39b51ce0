package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind says what a token of a formula is.
type tokenKind int

const (
	endToken tokenKind = iota
	wordToken
	nameToken // a name in brackets, which is never a function or a keyword
	numberToken
	stringToken
	operatorToken // and parentheses and separators
	badToken
)

type token struct {
	kind       tokenKind
	text       string // a name without its brackets, a string without its quotes
	start, end int
}

// lexer cuts a formula, in the form of Canonical, into tokens.
type lexer struct {
	text string
	at   int
}

// typedOperator reads what word processors make of operators while somebody
// types, and what people who know them write.
func typedOperator(r rune) (string, bool) {
	switch r {
	case '≤':
		return "<=", true
	case '≥':
		return ">=", true
	case '≠':
		return "<>", true
	case '×', '·':
		return "*", true
	case '÷':
		return "/", true
	case '\u2212', '\u2013': // minus sign, en dash
		return "-", true
	}
	return "", false
}

// closingQuotes are what ends a text that begins with a quote; empty for what is none.
// Canonical has made straight quotes of those that English and German write.
func closingQuotes(r rune) string {
	switch r {
	case '«':
		return "»"
	case '»':
		return "«»"
	case '‹':
		return "›"
	case '›':
		return "‹›"
	case '「':
		return "」"
	case '『':
		return "』"
	}
	return ""
}

func (l *lexer) next() token {
	for l.at < len(l.text) && l.text[l.at] == ' ' {
		l.at++
	}
	t := token{start: l.at}
	if l.at == len(l.text) {
		t.end = l.at
		return t
	}
	r, size := utf8.DecodeRuneInString(l.text[l.at:])
	switch {
	case r == '"' || r == '\'':
		l.scanQuoted(&t, byte(r))
	case closingQuotes(r) != "":
		l.scanTypographic(&t, size, closingQuotes(r))
	case r == '[':
		l.scanBracketed(&t)
	case isWordRune(r):
		l.scanWord(&t)
	default:
		t.kind = operatorToken
		if typed, ok := typedOperator(r); ok {
			t.text = typed
			l.at += size
			break
		}
		for _, op := range []string{"<=", ">=", "<>", "!=", "==", "&&", "||"} {
			if strings.HasPrefix(l.text[l.at:], op) {
				size = len(op)
			}
		}
		t.text = l.text[l.at : l.at+size]
		l.at += size
	}
	t.end = l.at
	return t
}

// isWordRune tells what names are made of where they stand without brackets.
func isWordRune(r rune) bool {
	if _, operator := typedOperator(r); operator || closingQuotes(r) != "" || r == '」' || r == '』' {
		return false
	}
	return r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.@#$?:", r)
}

// scanQuoted reads a text in quotes; a quote inside it is written twice.
func (l *lexer) scanQuoted(t *token, quote byte) {
	var b strings.Builder
	t.kind = badToken
	for l.at++; l.at < len(l.text); l.at++ {
		if c := l.text[l.at]; c != quote {
			b.WriteByte(c)
			continue
		}
		if l.at+1 < len(l.text) && l.text[l.at+1] == quote {
			l.at++
			b.WriteByte(quote)
			continue
		}
		l.at++
		t.kind, t.text = stringToken, b.String()
		return
	}
	t.text = "a text whose quote is not closed"
}

// scanTypographic reads a text in quotes that differ at its begin and its end. The space
// that French sets within them is theirs.
func (l *lexer) scanTypographic(t *token, size int, closing string) {
	l.at += size
	end := strings.IndexAny(l.text[l.at:], closing)
	if end < 0 {
		t.kind, t.text, l.at = badToken, "a text whose quote is not closed", len(l.text)
		return
	}
	t.kind, t.text = stringToken, strings.TrimSpace(l.text[l.at:l.at+end])
	_, size = utf8.DecodeRuneInString(l.text[l.at+end:])
	l.at += end + size
}

// scanBracketed reads [A name], and goes on with what belongs to its path.
func (l *lexer) scanBracketed(t *token) {
	end := strings.IndexByte(l.text[l.at:], ']')
	if end < 0 {
		t.kind, t.text, l.at = badToken, "a name whose bracket is not closed", len(l.text)
		return
	}
	t.kind = nameToken
	t.text = strings.TrimSpace(l.text[l.at+1 : l.at+end])
	l.at += end + 1
	t.text += l.scanPath()
}

// scanWord reads a number or a part of a name. Quotes inside a word belong to
// it.
func (l *lexer) scanWord(t *token) {
	start := l.at
	for l.at < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.at:])
		if !isWordRune(r) && (r != '\'' || l.at == start) {
			break
		}
		l.at += size
	}
	t.kind, t.text = wordToken, l.text[start:l.at]
	if isNumber(t.text) {
		t.kind = numberToken
		return
	}
	t.text += l.scanPath()
}

// scanPath reads the indexes and further keys that stand right behind a name.
func (l *lexer) scanPath() string {
	start := l.at
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		end := strings.IndexByte(rest, ']')
		switch {
		case rest[0] == '[' && end > 1 && strings.Trim(rest[1:end], "0123456789") == "":
			l.at += end + 1
		case rest[0] == '.' && len(rest) > 1 && rest[1] != ' ':
			l.at++
			for l.at < len(l.text) {
				r, size := utf8.DecodeRuneInString(l.text[l.at:])
				if !isWordRune(r) {
					break
				}
				l.at += size
			}
		default:
			return l.text[start:l.at]
		}
	}
	return l.text[start:l.at]
}

func isNumber(s string) bool {
	digits := false
	for i := range len(s) {
		switch {
		case '0' <= s[i] && s[i] <= '9':
			digits = true
		case s[i] != '.':
			return false
		}
	}
	return digits && strings.Count(s, ".") <= 1
}
