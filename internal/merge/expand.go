package merge

import (
	"strings"
	"unicode"
)

const (
	// MaxExpanded is how many bytes Expand makes at most; what is longer is
	// cut. No name and no password comes near.
	MaxExpanded = 64 << 10
	// MaxNameLength is how many characters ExpandName makes at most.
	MaxNameLength = 200
	// Unnamed is the name of what would have none.
	Unnamed = "Untitled"
)

// Expand fills the tags of a one-line template with their values as they are.
// missing names the tags without data, each once, in order.
func Expand(template string, data *Data, builtins Builtins) (text string, missing []string) {
	text, missing, _ = expand(template, data, builtins)
	return text, missing
}

// ExpandPassword is Expand with a stricter idea of missing: a tag whose value
// is empty (null, "", an empty list) counts too, because a password that has
// lost a part of itself is one that others can guess.
func ExpandPassword(template string, data *Data, builtins Builtins) (password string, missing []string) {
	password, missing, empty := expand(template, data, builtins)
	if len(empty) > 0 {
		missing = empty
	}
	return password, missing
}

// expand returns beside the text the tags without data, and those that came to
// nothing, with or without data.
func expand(template string, data *Data, builtins Builtins) (text string, missing, empty []string) {
	r := newResolver(data, builtins)
	noted := map[string]bool{}
	var b strings.Builder
	at := 0
	for _, tag := range Parse(template) {
		value, ok := r.resolve(tag.Name)
		if value == "" && !noted[tag.Name] {
			noted[tag.Name] = true
			empty = append(empty, tag.Name)
			if !ok {
				missing = append(missing, tag.Name)
			}
		}
		writeBounded(&b, template[at:tag.Start])
		writeBounded(&b, value)
		at = tag.End
	}
	writeBounded(&b, template[at:])
	return b.String(), missing, empty
}

func writeBounded(b *strings.Builder, s string) {
	b.WriteString(cut(s, MaxExpanded-b.Len()))
}

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:max(n, 0)], "")
}

// ExpandName is Expand for the name of a file: one line, at most MaxNameLength
// characters, without what any usual file system refuses, without characters
// that are not seen, and never empty.
func ExpandName(template string, data *Data, builtins Builtins) (name string, missing []string) {
	text, missing := Expand(template, data, builtins)
	return fileName(text), missing
}

func fileName(text string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '/', r == '\\', r == ':', r == '|', r == '*', r == '?', r == '<', r == '>':
			return '-'
		case r == '"':
			return '\''
		case isInvisible(r), r >= '\ue000' && r <= '\uf8ff', r == '\ufffe', r == '\uffff':
			return -1
		}
		return r
	}, text)
	name := strings.Trim(strings.Join(strings.Fields(safe), " "), " .")
	if runes := []rune(name); len(runes) > MaxNameLength {
		name = strings.TrimRight(string(runes[:MaxNameLength]), " .")
	}
	if name == "" {
		return Unnamed
	}
	return name
}
