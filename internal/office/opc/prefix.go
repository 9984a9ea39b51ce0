package opc

import (
	"slices"
	"strings"

	"github.com/beevik/etree"
)

// customaryPrefix returns the prefix by which the packages of office know a
// namespace, empty for those that it does not look into. The strict and the
// transitional namespaces of ISO/IEC 29500 share one.
func customaryPrefix(uri string) string {
	switch uri {
	case "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
		"http://purl.oclc.org/ooxml/wordprocessingml/main":
		return "w"
	case "http://schemas.openxmlformats.org/drawingml/2006/main",
		"http://purl.oclc.org/ooxml/drawingml/main":
		return "a"
	case "http://schemas.openxmlformats.org/presentationml/2006/main",
		"http://purl.oclc.org/ooxml/presentationml/main":
		return "p"
	case "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
		"http://purl.oclc.org/ooxml/officeDocument/relationships":
		return "r"
	case "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
		"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":
		return "wp"
	case "http://schemas.openxmlformats.org/drawingml/2006/picture",
		"http://purl.oclc.org/ooxml/drawingml/picture":
		return "pic"
	case "http://schemas.openxmlformats.org/drawingml/2006/chart",
		"http://purl.oclc.org/ooxml/drawingml/chart":
		return "c"
	case "http://schemas.openxmlformats.org/officeDocument/2006/math",
		"http://purl.oclc.org/ooxml/officeDocument/math":
		return "m"
	case "http://schemas.openxmlformats.org/markup-compatibility/2006":
		return "mc"
	case "urn:schemas-microsoft-com:vml":
		return "v"
	case "urn:schemas-microsoft-com:office:office":
		return "o"
	case "http://schemas.microsoft.com/office/word/2010/wordprocessingShape":
		return "wps"
	case "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup":
		return "wpg"
	case "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas":
		return "wpc"
	case "http://schemas.microsoft.com/office/word/2010/wordml":
		return "w14"
	case "http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing":
		return "wp14"
	case "http://schemas.microsoft.com/office/drawing/2010/main":
		return "a14"
	}
	return ""
}

// isCustomary reports whether a prefix is reserved for one of the namespaces
// of customaryPrefix.
func isCustomary(prefix string) bool {
	switch prefix {
	case "w", "a", "p", "r", "wp", "pic", "c", "m", "mc", "v", "o", "wps", "wpg", "wpc", "w14", "wp14", "a14":
		return true
	}
	return false
}

// binding says what a prefix of the file is called in our tree.
type binding struct{ from, to string }

// useCustomaryPrefixes renames prefixes where a file binds a well-known
// namespace to another one, as generated files do, and where it binds one of
// the customary prefixes to something else.
func useCustomaryPrefixes(e *etree.Element, inherited []binding) {
	scope := renameDeclarations(e, inherited)
	if len(scope) > 0 {
		e.Space = renamePrefix(e.Space, scope)
		for i := range e.Attr {
			if a := &e.Attr[i]; a.Space != "" && a.Space != "xmlns" {
				a.Space = renamePrefix(a.Space, scope)
			}
		}
		renamePrefixLists(e, scope)
	}
	for _, t := range e.Child {
		if child, ok := t.(*etree.Element); ok {
			useCustomaryPrefixes(child, scope)
		}
	}
}

// renameDeclarations rewrites the xmlns attributes of one element and returns
// the bindings that hold inside it.
func renameDeclarations(e *etree.Element, scope []binding) []binding {
	var hasRenamed bool
	for i := range e.Attr {
		a := &e.Attr[i]
		declared := a.Key
		if a.Space == "" && a.Key == "xmlns" {
			declared = ""
		} else if a.Space != "xmlns" {
			continue
		}
		wanted := customaryPrefix(a.Value)
		if wanted == "" {
			if wanted = declared; isCustomary(declared) {
				wanted = "other-" + declared
			}
		}
		if wanted == declared && len(scope) == 0 {
			continue
		}
		scope = append(slices.Clip(scope), binding{declared, wanted})
		if wanted != declared {
			a.Space, a.Key, hasRenamed = "xmlns", wanted, true
		}
	}
	if hasRenamed {
		dropRepeatedDeclarations(e)
	}
	return scope
}

// dropRepeatedDeclarations is needed where a namespace had two prefixes, or was
// the default one and had a prefix too.
func dropRepeatedDeclarations(e *etree.Element) {
	kept := e.Attr[:0]
	for _, a := range e.Attr {
		isRepeated := a.Space == "xmlns" && slices.ContainsFunc(kept, func(k etree.Attr) bool {
			return k.Space == "xmlns" && k.Key == a.Key
		})
		if !isRepeated {
			kept = append(kept, a)
		}
	}
	e.Attr = kept
}

// renamePrefixLists follows the renaming into the attributes whose values are
// lists of prefixes (ECMA-376 part 3, 7).
func renamePrefixLists(e *etree.Element, scope []binding) {
	for i := range e.Attr {
		a := &e.Attr[i]
		ofCompatibility := a.Space == "mc" && (a.Key == "Ignorable" || a.Key == "MustUnderstand")
		if !ofCompatibility && (e.Space != "mc" || e.Tag != "Choice" || a.Key != "Requires") {
			continue
		}
		prefixes := strings.Fields(a.Value)
		for j, prefix := range prefixes {
			prefixes[j] = renamePrefix(prefix, scope)
		}
		a.Value = strings.Join(prefixes, " ")
	}
}

func renamePrefix(prefix string, scope []binding) string {
	for i := len(scope) - 1; i >= 0; i-- {
		if scope[i].from == prefix {
			return scope[i].to
		}
	}
	return prefix
}
