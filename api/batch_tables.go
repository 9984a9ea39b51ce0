package api

import (
	"unicode/utf8"

	"github.com/platenhq/platen/internal/table"
)

// tableOptions reads what a sender says of a table. The rest is found.
func (p *parameters) tableOptions() table.Options {
	o := table.Options{Sheet: p.word("sheet"), Encoding: p.word("encoding"), Delimiter: p.word("delimiter"), Decimal: p.word("decimal"), Key: p.word("key"), Items: p.word("items")}
	switch {
	case o.Key == "" && o.Items != "":
		p.fault("The parameter items names the list of rows with one key: set the parameter key, too.")
	case o.Key != "" && o.Items == "":
		o.Items = "Items"
	}
	return o
}

// word reads a parameter of some characters.
func (p *parameters) word(name string) string {
	text, given := p.one(name)
	if given && (text == "" || utf8.RuneCountInString(text) > maxBatchName || !utf8.ValidString(text)) {
		p.fault("The parameter %s must have 1 to %d characters.", name, maxBatchName)
	}
	return text
}
