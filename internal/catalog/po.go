package catalog

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

// The texts in each language but English are in files of GNU gettext (its manual, "The
// Format of PO Files"), which translators have programs for.
//
//go:embed po/*.po
var files embed.FS

// An entry is a text and its translation. Texts of the context "code" are known by the code
// of a finding or an error, those of "message" are its sentences, and those of "place" are
// parts of places in templates.
type entry struct {
	context, english string
	plural           string // English, for other numbers than one; empty: the text has no number
	text             [2]string
}

// readPO reads what of the format our files use: no flags, no entry without its
// translation.
func readPO(content string) (all []entry, err error) {
	var m entry
	var into *string
	finish := func() {
		if m.english != "" {
			all = append(all, m)
		}
		m, into = entry{}, nil
	}
	fields := map[string]*string{"msgctxt": &m.context, "msgid": &m.english, "msgid_plural": &m.plural, "msgstr": &m.text[0], "msgstr[0]": &m.text[0], "msgstr[1]": &m.text[1]}
	number := 0
	for line := range strings.Lines(content) {
		number++
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			finish()
			continue
		case line[0] == '#':
			continue
		case line[0] != '"':
			keyword, rest, _ := strings.Cut(line, " ")
			if into = fields[keyword]; into == nil {
				return nil, fmt.Errorf("line %d: %q is no keyword", number, keyword)
			}
			line = rest
		case into == nil:
			return nil, fmt.Errorf("line %d: a text without a keyword", number)
		}
		text, err := strconv.Unquote(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %q is not quoted", number, line)
		}
		*into += text
	}
	finish()
	return all, nil
}
