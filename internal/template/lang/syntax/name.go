package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Canonical brings a field name to the form that names are compared in, so
// that what a word processor changes while somebody types does not matter:
// white space of any kind is one space and none at the ends, zero-width
// characters and soft hyphens are gone, curly quotes are straight, hyphens
// that do not break are hyphens, and letters are composed (NFC).
func Canonical(name string) string {
	var b strings.Builder
	space := false
	for _, r := range norm.NFC.String(name) {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case IsInvisible(r):
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(straighten(r))
	}
	// What was taken out may have kept letters from being composed.
	return norm.NFC.String(b.String())
}

// IsInvisible tells of characters that word processors and browsers leave in
// text without showing them.
func IsInvisible(r rune) bool {
	switch {
	case r >= '\u200b' && r <= '\u200f', // zero-width space, joiners, direction marks
		r >= '\u202a' && r <= '\u202e', // direction embeddings
		r >= '\u2060' && r <= '\u2064', // word joiner and invisible operators
		r >= '\u2066' && r <= '\u2069', // direction isolates
		r == '\u00ad', r == '\ufeff', r == '\u180e':
		return true
	}
	return unicode.IsControl(r)
}

func straighten(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', '′', '´', '＇':
		return '\''
	case '“', '”', '„', '‟', '″', '＂', '〝', '〞', '〟':
		return '"'
	case '\u2010', '\u2011':
		return '-'
	}
	return r
}

// Fold makes names that differ only in case equal.
func Fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// Quote names fields in a message, at most so many of them: "A", "B" and 3
// more.
func Quote(names []string, most int) string {
	shown := make([]string, min(len(names), most))
	for i := range shown {
		shown[i] = strconv.Quote(names[i])
	}
	text := strings.Join(shown, ", ")
	if n := len(names) - len(shown); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
