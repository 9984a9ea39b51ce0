package fill

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/mailbody"
)

// EmailField is where findings about the mail say that they are.
const EmailField = "email"

// Letter is the mail of an output, filled in: recipients, subject and text. The document
// has one. It refuses rather than write to nobody, or to somebody whom a value names
// beside the recipients of the template.
func (f *Filling) Letter() (platen.Letter, *Refusal) {
	var l platen.Letter
	email := f.document.Email
	for _, field := range []struct {
		name, of string
		into     *[]string
	}{{"to", email.To, &l.To}, {"cc", email.CC, &l.CC}, {"bcc", email.BCC, &l.BCC}, {"replyTo", email.ReplyTo, &l.ReplyTo}} {
		for _, template := range platen.EmailRecipients(field.of) {
			address, refusal := f.address(field.name, template)
			if refusal != nil {
				return l, refusal
			}
			if address != "" && !slices.ContainsFunc(known(l, field.name), func(k string) bool { return strings.EqualFold(k, address) }) {
				*field.into = append(*field.into, address)
			}
		}
	}
	if n := len(l.Whom(nil)); len(l.To) == 0 || n > platen.MaxEmailRecipients {
		return l, newRefusal("email_recipients", EmailField, nil,
			fmt.Sprintf("The mail of document %s has %d recipients; it takes 1 to %d.", f.document.ID, n, platen.MaxEmailRecipients),
			fmt.Sprintf("The mail has %d recipients; it takes 1 to %d.", n, platen.MaxEmailRecipients))
	}
	subject, _ := lang.Expand(email.Subject, f.data, f.builtins)
	l.Subject = cutRunes(oneLine(subject), platen.MaxEmailSubject)
	text, _ := lang.Expand(strings.ReplaceAll(email.Text, "\r\n", "\n"), f.data, f.builtins)
	l.Text = plainText(text)
	if strings.TrimSpace(email.HTML) == "" {
		return l, nil
	}
	filled, whole := lang.ExpandHTML(strings.ReplaceAll(email.HTML, "\r\n", "\n"), f.data, f.builtins)
	if !whole {
		return l, newRefusal("email_html_too_long", EmailField, nil,
			fmt.Sprintf("The HTML of the mail of document %s has more than %d KiB with this data. Shorten email.html, or the list in it.", f.document.ID, lang.MaxExpanded>>10),
			fmt.Sprintf("The mail could not be sent: with this data, its HTML has more than %d KiB.", lang.MaxExpanded>>10))
	}
	l.HTML = mailbody.Document(filled, f.builtins.Locale)
	if strings.TrimSpace(l.Text) == "" {
		l.Text = plainText(mailbody.Text(l.HTML))
	}
	return l, nil
}

// WithLink is a letter with the name and the address of a file at its end.
func WithLink(l platen.Letter, f platen.File) platen.Letter {
	l.Text = strings.TrimRight(l.Text, "\n") + "\n\n" + strings.TrimLeft(oneLine(f.Name)+"\n", "\n") + f.URL + "\n"
	if l.HTML != "" {
		l.HTML = mailbody.WithLink(l.HTML, f.URL, f.Name)
	}
	return l
}

// known are the addresses of a letter beside which one in this field is a repeat.
func known(l platen.Letter, field string) []string {
	if field == "replyTo" {
		return l.ReplyTo
	}
	return slices.Concat(l.To, l.CC, l.BCC)
}

// address fills in one address of a field of the mail. It is empty where a tag of another
// field than to has no value: a customer without a second address gets the mail alone.
func (f *Filling) address(field, template string) (string, *Refusal) {
	filled, missing := lang.ExpandPassword(template, f.data, f.builtins, func(text string) bool { return strings.TrimSpace(text) == "" })
	switch {
	case len(missing) > 0 && field == "to":
		return "", newRefusal("email_field_missing", EmailField, missing,
			"The mail goes to an address in a field for which the source data has no value. Send the field, or change email.to.",
			fmt.Sprintf("The mail could not be sent: this data has no value for %q, which its address needs.", missing[0]))
	case len(missing) > 0:
		return "", nil
	}
	filled = strings.TrimSpace(filled)
	if !platen.IsEmailAddress(filled) {
		return "", newRefusal("email_address_invalid", EmailField, nil,
			fmt.Sprintf("The mail goes to something other than one address, such as ada@example.com. Correct the value, or email.%s.", field),
			fmt.Sprintf("The mail could not be sent: with this data, email.%s is not one address.", field))
	}
	return filled, nil
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
