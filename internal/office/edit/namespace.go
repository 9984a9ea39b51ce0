package edit

import "github.com/beevik/etree"

// DeclarePrefix binds a prefix to a namespace at an element that is about to
// stand in parent, unless the prefix is bound there.
func DeclarePrefix(e, parent *etree.Element, prefix, uri string) {
	for up := parent; up != nil; up = up.Parent() {
		for _, a := range up.Attr {
			if a.Space == "xmlns" && a.Key == prefix {
				return
			}
		}
	}
	e.CreateAttr("xmlns:"+prefix, uri)
}
