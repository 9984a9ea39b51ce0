package fill

import (
	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
)

// fillLink returns a style whose link, where it has tags, leads where they say, and
// without one where they say nothing.
func (p *composer) fillLink(l style, scope *lang.Scope) style {
	address := ""
	switch style := l.api.(type) {
	case *docs.TextStyle:
		if style != nil && style.Link != nil {
			address = style.Link.Url
		}
	case *slides.TextStyle:
		if style != nil && style.Link != nil {
			address = style.Link.Url
		}
	}
	if target, ok := p.e.Target(address); ok {
		return l.setLink(p.e.Address(target, scope))
	}
	return l
}

// linkTo returns the style of the text of a span that leads to an address, or
// wherever the text around it does.
func (l style) linkTo(address string) style {
	if address == "" {
		return l
	}
	return l.setLink(address)
}

// setLink returns a style whose link leads to an address; empty: it has none.
func (l style) setLink(address string) style {
	switch style := l.api.(type) {
	case *docs.TextStyle:
		var copied docs.TextStyle
		if style != nil {
			copied = *style
		}
		if copied.Link = nil; address != "" {
			copied.Link = &docs.Link{Url: address}
		}
		return newStyle(&copied)
	case *slides.TextStyle:
		var copied slides.TextStyle
		if style != nil {
			copied = *style
		}
		if copied.Link = nil; address != "" {
			copied.Link = &slides.Link{Url: address}
		}
		return newStyle(&copied)
	}
	return l
}

// hasLink tells of a style that leads somewhere.
func (l style) hasLink() bool {
	switch style := l.api.(type) {
	case *docs.TextStyle:
		return style != nil && style.Link != nil
	case *slides.TextStyle:
		return style != nil && style.Link != nil
	}
	return false
}
