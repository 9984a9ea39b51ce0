package opc

import (
	"strings"

	"github.com/beevik/etree"
)

// plainTypes are the types of main parts that become those of a .docx or .pptx: with
// macros (.docm, .pptm), of a template (.dotx, .potx and with macros .dotm, .potm) and of a
// slide show (.ppsx, .ppsm). They are in small letters.
var plainTypes = map[string]string{
	"application/vnd.ms-word.document.macroenabled.main+xml":                           wordType,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml": wordType,
	"application/vnd.ms-word.template.macroenabledtemplate.main+xml":                   wordType,
	"application/vnd.ms-powerpoint.presentation.macroenabled.main+xml":                 slidesType,
	"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml":   slidesType,
	"application/vnd.ms-powerpoint.template.macroenabled.main+xml":                     slidesType,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml":  slidesType,
	"application/vnd.ms-powerpoint.slideshow.macroenabled.main+xml":                    slidesType,
}

const (
	wordType   = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
	slidesType = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
)

// makePlain makes a .docx or .pptx of a file with macros, of a template and of a slide
// show, as Word and PowerPoint save them under that type: without the macros, and with the
// type that belongs to the ending. Otherwise they refuse to open it. Files that are plain
// already stay as they are.
func (p *Package) makePlain() error {
	main := p.MainPart()
	if plain, ok := plainTypes[strings.ToLower(p.ContentType(main))]; ok {
		p.declareType(main, plain)
	}
	for _, e := range append([]*part(nil), p.parts...) {
		for _, r := range p.Relationships(e.name) {
			if isTie(r) {
				if err := p.untie(e.name, r.ID); err != nil {
					return err
				}
				continue
			}
			if r.Type != "vbaProject" || r.External {
				continue
			}
			for _, data := range p.Relationships(r.Target) {
				if !data.External {
					p.remove(data.Target)
				}
			}
			p.remove(r.Target)
			if err := p.unrelate(e.name, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// isTie tells of a relationship to a file of the author's machine that a program would
// read or update from: the workbook of a chart, the template of a document.
func isTie(r Relationship) bool {
	return r.External && (r.Type == "attachedTemplate" || r.Type == "oleObject" || r.Type == "package")
}

// untie takes a tie away, with the elements that name it.
func (p *Package) untie(part, id string) error {
	tree, err := p.XML(part)
	if err != nil {
		return nil // the reader of the part reports it
	}
	var elements []*etree.Element
	for _, e := range tree.Root().ChildElements() {
		if (e.Tag == "externalData" || e.Tag == "attachedTemplate") && e.SelectAttrValue("r:id", "") == id {
			elements = append(elements, e)
		}
	}
	if len(elements) == 0 {
		return nil
	}
	for _, e := range elements {
		tree.Root().RemoveChild(e)
	}
	p.Touch(part)
	return p.unrelate(part, id)
}

// unrelate takes a relationship of a part away.
func (p *Package) unrelate(part, id string) error {
	name := relationshipsPart(part)
	tree, err := p.XML(name)
	if err != nil || tree.Root() == nil {
		return err
	}
	for _, e := range tree.Root().ChildElements() {
		if e.Tag == "Relationship" && e.SelectAttrValue("Id", "") == id {
			tree.Root().RemoveChild(e)
			p.Touch(name)
		}
	}
	p.relations = map[string][]Relationship{}
	return nil
}

// remove takes a part away, with its relationships and its declared type.
func (p *Package) remove(name string) {
	for _, name := range []string{name, relationshipsPart(name)} {
		found := p.find(name)
		if found == nil {
			continue
		}
		delete(p.byName, strings.ToLower(found.name))
		for i, e := range p.parts {
			if e == found {
				p.parts = append(p.parts[:i:i], p.parts[i+1:]...)
				break
			}
		}
		tree, err := p.XML(contentTypesPart)
		if err != nil || tree.Root() == nil {
			continue
		}
		for _, e := range tree.Root().ChildElements() {
			if e.Tag == "Override" && strings.EqualFold(strings.TrimPrefix(e.SelectAttrValue("PartName", ""), "/"), name) {
				tree.Root().RemoveChild(e)
				p.Touch(contentTypesPart)
			}
		}
	}
	p.relations = map[string][]Relationship{}
}

// Plain returns the bytes of a .docx or .pptx: those of content, unless it has macros or is
// a template or a slide show.
func Plain(content []byte) ([]byte, error) {
	p, err := ReadPackage(content)
	if err != nil {
		return nil, err
	}
	for _, e := range p.parts {
		if e.isTouched || e.isChanged {
			return p.Bytes()
		}
	}
	return content, nil
}
