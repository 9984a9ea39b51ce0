package fill

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// EmailField is where findings about the mail say that they are.
const EmailField = "email"

// Letter is the mail of an output, filled in: recipients, subject and text. The document
// has one. It refuses rather than write to nobody, or to somebody whom a value names
// beside the recipients of the template.
func (f *Filling) Letter() (platen.Letter, *Refusal) {
	var l platen.Letter
	email := f.document.Email
	for _, template := range platen.EmailRecipients(email.To) {
		to, missing := lang.ExpandPassword(template, f.data, f.builtins, func(text string) bool { return strings.TrimSpace(text) == "" })
		if len(missing) > 0 {
			return l, newRefusal("email_field_missing", EmailField, missing,
				fmt.Sprintf("The mail of document %s goes to an address in a field for which the source data has no value. Send the field, or change email.to.", f.document.ID),
				fmt.Sprintf("The mail could not be sent: this data has no value for %q, which its address needs.", missing[0]))
		}
		to = strings.TrimSpace(to)
		if !platen.IsEmailAddress(to) {
			return l, newRefusal("email_address_invalid", EmailField, nil,
				fmt.Sprintf("The mail of document %s goes to what is not one address, such as ada@example.com. Correct the value, or email.to.", f.document.ID),
				"The mail could not be sent: with this data, a recipient is not one address.")
		}
		l.To = append(l.To, to)
	}
	if len(l.To) == 0 || len(l.To) > platen.MaxEmailRecipients {
		return l, newRefusal("email_recipients", EmailField, nil,
			fmt.Sprintf("The mail of document %s has %d recipients; it takes 1 to %d.", f.document.ID, len(l.To), platen.MaxEmailRecipients),
			fmt.Sprintf("The mail has %d recipients; it takes 1 to %d.", len(l.To), platen.MaxEmailRecipients))
	}
	subject, _ := lang.Expand(email.Subject, f.data, f.builtins)
	l.Subject = cutRunes(oneLine(subject), platen.MaxEmailSubject)
	text, _ := lang.Expand(strings.ReplaceAll(email.Text, "\r\n", "\n"), f.data, f.builtins)
	l.Text = plainText(text)
	return l, nil
}

// oneLine is a text with spaces for all that breaks lines.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// plainText is a text whose lines end in \n, without other control characters.
func plainText(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text)
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

func cutRunes(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
