package einvoice

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed codes.txt
var codesText string

// codes has the members of each list of codes.txt by the name of the list.
var codes = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	var list map[string]bool
	for line := range strings.Lines(codesText) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			list = map[string]bool{}
			all[strings.Trim(line, "[]")] = list
		default:
			for code := range strings.FieldsSeq(line) {
				list[code] = true
			}
		}
	}
	return all
})

// isCode reports whether a list has a code.
func isCode(list, code string) bool { return codes()[list][code] }
