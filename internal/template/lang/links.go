package lang

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// maxLink is how many characters the address of a link may have.
const maxLink = 2000

// readLink returns the text and the address of a link.
func (e *Evaluator) readLink(s *syntax.Statement, scope *Scope, address string) (text, link string, err *Finding) {
	text = address
	if s.Wording != nil {
		v, err := env{e: e, scope: scope}.eval(s.Wording)
		if err != nil {
			return "", "", err
		}
		text = textOf(v)
	}
	text = documentText(text)
	if address == "" || text == "" {
		return text, "", nil
	}
	link, err = checkAddress(address)
	if err != nil {
		return "", "", err
	}
	return text, link, nil
}

// checkAddress returns an address that a link may lead to.
func checkAddress(address string) (string, *Finding) {
	if strings.HasPrefix(strings.ToLower(address), "www.") {
		address = "https://" + address
	}
	if !isAddress(address) {
		return "", dataFindingf("link_unusable", "The address of the link must begin with https://, http://, mailto: or tel:, and have at most %d characters.", maxLink)
	}
	return address, nil
}

func isAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil || utf8.RuneCountInString(address) > maxLink {
		return false
	}
	switch u.Scheme {
	case "https", "http":
		return u.Host != ""
	case "mailto", "tel":
		return u.Host != "" || u.Opaque != ""
	}
	return false
}

// Target reads the address of a link of the template, and tells whether it has
// tags. Word processors write the braces of addresses, and what stands between
// them, as %7B, %7D and the like; what the address itself escapes stays so.
func (e *Evaluator) Target(address string) (*Line, bool) {
	if !strings.Contains(address, "{{") && !strings.Contains(strings.ToUpper(address), "%7B%7B") {
		return nil, false
	}
	l := e.ReadLine(unescapeTags(address))
	return l, len(l.Statements()) > 0 || l.HasBlocks()
}

// unescapeTags writes the tags of an address as they were typed.
func unescapeTags(address string) string {
	plain, at := unescapeBraces(address)
	var b strings.Builder
	done := 0 // bytes of plain
	for from := 0; ; {
		end := strings.Index(plain[from:], "}}")
		if end < 0 {
			break
		}
		end += from
		if open := strings.LastIndex(plain[from:end], "{{"); open >= 0 {
			open += from
			inner := address[at[open+2]:at[end]]
			if unescaped, err := url.PathUnescape(inner); err == nil {
				inner = unescaped
			}
			if tag := "{{" + inner + "}}"; len(syntax.Parse(tag)) > 0 {
				b.WriteString(address[at[done]:at[open]] + tag)
				done = end + 2
			}
		}
		from = end + 2
	}
	return b.String() + address[at[done]:]
}

// unescapeBraces writes all braces of an address as such, and tells where each
// byte, and the end, stood in it.
func unescapeBraces(address string) (plain string, at []int) {
	var b strings.Builder
	at = make([]int, 0, len(address)+1)
	for i := 0; i < len(address); i++ {
		at = append(at, i)
		c := address[i]
		if c == '%' && i+2 < len(address) && address[i+1] == '7' {
			switch address[i+2] {
			case 'b', 'B':
				c, i = '{', i+2
			case 'd', 'D':
				c, i = '}', i+2
			}
		}
		b.WriteByte(c)
	}
	return b.String(), append(at, len(address))
}

// Address fills the address of a link. What does not begin it is escaped, so
// that a value stays in its place. It is empty when nothing is left.
func (e *Evaluator) Address(target *Line, scope *Scope) string {
	var b strings.Builder
	for _, s := range e.Fill(target, scope, false) {
		switch {
		case !s.Value:
			b.WriteString(target.Text[s.Start:s.End])
		case b.Len() == 0:
			b.WriteString(strings.TrimSpace(s.Text))
		default:
			b.WriteString(strings.ReplaceAll(url.QueryEscape(s.Text), "+", "%20"))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	address, err := checkAddress(b.String())
	if err != nil {
		e.reportOf(&syntax.Statement{Tag: target.Text}, scope, err)
	}
	return address
}
