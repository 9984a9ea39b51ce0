package lang

import (
	"github.com/platenhq/platen/internal/template/locale"
)

// localeOf finds the locale that a formula, an event or a workflow names.
func localeOf(name string) (*locale.Locale, *Finding) {
	l, err := locale.Find(name)
	if err != nil {
		return nil, findingf("unknown_locale", "The function asks for a locale such as en-US or de-AT.")
	}
	return l, nil
}

// NumberSigns are what stands behind the whole part of a number in a locale, and what
// parts its thousands; those of English where there is no such locale.
func NumberSigns(name string) (point, group string) {
	l, err := localeOf(name)
	if name == "" || err != nil {
		return ".", ","
	}
	return l.Point(), l.Group()
}
