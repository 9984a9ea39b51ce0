package catalog

import (
	"regexp"
	"slices"
	"strings"
)

// Mistake is what a finding about a template says: in English its message, and in another
// language what its code means.
func (p Printer) Mistake(code, message string) string {
	if p.English() {
		return message
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

// Said are the words of the language for what the service says, and its message, in English,
// as far as they leave out what it names: a field, a value or a cure. In English, and for a
// code that the catalogue lacks, there is the message alone.
func (p Printer) Said(code, message string) (words, rest string) {
	words, ok := p.Code(code)
	if ok && slices.Contains(whole, code) {
		return words, ""
	}
	return words, message
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
