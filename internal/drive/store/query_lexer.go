package store

import (
	"strings"

	"github.com/platenhq/platen/internal/drive/fault"
)

// Kinds of a lexeme of the search language.
const (
	endOfQuery = iota
	word
	quoted
	symbol
)

type lexeme struct {
	kind int
	text string // for quoted: without quotes and escapes
}

// symbols of the search language, the longer ones first.
var symbols = []string{"<=", ">=", "!=", "=", "<", ">", "(", ")", "{", "}"}

// lexemes cuts a search apart.
func lexemes(q string) ([]lexeme, error) {
	var result []lexeme
scan:
	for {
		q = strings.TrimLeft(q, " \t\r\n")
		if q == "" {
			return append(result, lexeme{kind: endOfQuery}), nil
		}
		if q[0] == '\'' {
			text, rest, ok := unquote(q[1:])
			if !ok {
				return nil, invalidQuery("a string is not closed")
			}
			result, q = append(result, lexeme{quoted, text}), rest
			continue
		}
		for _, s := range symbols {
			if strings.HasPrefix(q, s) {
				result, q = append(result, lexeme{symbol, s}), q[len(s):]
				continue scan
			}
		}
		n := 0
		for n < len(q) && (isLetter(q[n]) || n > 0 && q[n] == '.') {
			n++
		}
		if n == 0 {
			return nil, invalidQuery("unexpected character " + string([]rune(q)[:1]))
		}
		result, q = append(result, lexeme{word, q[:n]}), q[n:]
	}
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// unquote reads up to the closing quote; \' and \\ stand for ' and \.
func unquote(s string) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

func invalidQuery(why string) *fault.Error {
	return fault.InvalidParameter("q", "Invalid Value: %s.", why)
}
