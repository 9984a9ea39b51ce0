package catalog

import (
	"regexp"
	"slices"
	"strings"
)

// Mistake is what a finding about a template says: in English its message, and in another
// language the same where the catalogue knows it, or else what its code means.
func (p Printer) Mistake(code, message string) string {
	if p.English() {
		return message
	}
	if text, ok := p.Translated(message); ok {
		return text
	}
	if text, ok := p.Code(code); ok {
		return text
	}
	return p.Text("Something is wrong here.")
}

// Code is what the code of a finding or an error means, in the language. It is false in
// English, where messages say more, and for codes that the catalogue lacks.
func (p Printer) Code(code string) (text string, ok bool) {
	text, ok = loaded()[p.index].context["code"][code]
	return text, ok
}

// whole are the codes whose words say all that the message does: it names no value, and the
// cure is in them.
var whole = []string{
	"busy", "check_too_often", "data_erased", "database_unavailable", "delivery_cancelled", "drive_rate_limited", "drive_timeout", "drive_unavailable", "email_not_configured",
	"endpoint_busy", "endpoint_failing", "endpoint_gone", "internal", "internal_error", "not_ready", "preview_busy", "rate_limited", "scope_missing", "seal_not_configured", "shutting_down", "smtp_unavailable",
}

// Said are the words of the language for what the service says, and its message as far as
// they leave out what it names: a field, a value or a cure. In English, and for a code that
// the catalogue lacks, there is the message alone. A message that the language has, sentence by
// sentence, needs no other words.
func (p Printer) Said(code, message string) (words string, rest []Part) {
	words, ok := p.Code(code)
	if ok && slices.Contains(whole, code) || message == "" {
		return words, nil
	}
	if rest = p.Message(message); len(rest) == 1 && !rest[0].English {
		words = ""
	}
	return words, rest
}

// Plain is Said for a text without marks, such as that of a mail.
func (p Printer) Plain(code, message string) string {
	words, rest := p.Said(code, message)
	all := []string{words}
	for _, part := range rest {
		all = append(all, part.Text)
	}
	return strings.TrimSpace(strings.Join(all, " "))
}

// step is a part of a place, with the number behind it.
var step = regexp.MustCompile(`^(.*?)(?: (\d+|"[^"]*"))?$`)

// Place is where in a template a finding stands, such as "table 1, row 2, cell 1, paragraph
// 3".
func (p Printer) Place(where string) string {
	if p.English() {
		return where
	}
	var parts []string
	for part := range strings.SplitSeq(where, ", ") {
		of := step.FindStringSubmatch(part)
		word, ok := loaded()[p.index].context["place"][of[1]]
		if !ok {
			parts = append(parts, part)
			continue
		}
		parts = append(parts, strings.TrimSpace(word+" "+of[2]))
	}
	return strings.Join(parts, ", ")
}
