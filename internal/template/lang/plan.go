package lang

import (
	"strings"
	"unicode"
)

// documentText makes a value fit for a document: Docs strips control
// characters and the private use area, XML cannot hold U+FFFE and U+FFFF.
func documentText(value string) string {
	value = strings.ReplaceAll(value, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case isLineBreak(r):
			return '\v'
		case r == '\t':
			return r
		case unicode.IsControl(r), r >= '\ue000' && r <= '\uf8ff', r == '\ufffe', r == '\uffff':
			return -1
		}
		return r
	}, value)
}

func isLineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}
