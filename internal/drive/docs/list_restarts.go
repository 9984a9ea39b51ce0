package docs

import (
	"strconv"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/edit"
)

// maxRestarts is how many lists that look like another the requests of one batch may add:
// each is up to twenty elements.
const maxRestarts = 2000

// entered says how a paragraph got into its list.
type entered struct {
	preset    string
	isRestart bool // as the first or a later entry of one that begins again
	isAlone   bool // as the only entry of a new one
}

// leaveList takes a paragraph out of its list, be it its own or that of its style.
func (b *batch) leaveList(p *etree.Element) error {
	delete(b.entered, p)
	properties := child(p, "pPr")
	own := child(properties, "numPr")
	id := valueOf(own, "numId", "")
	if own != nil {
		dropProperty(properties, "numPr")
	}
	ofStyle, err := b.listOfStyle(valueOf(properties, "pStyle", ""))
	switch {
	case err != nil:
		return err
	case ofStyle != "" && id != "0":
		none := etree.NewElement("w:numPr")
		setVal(none, "numId", "0")
		placeNumbering(properties, none)
	case ofStyle != "" && own != nil:
		placeNumbering(properties, own)
	}
	if own == nil {
		id = ofStyle
	}
	switch {
	case id != "" && id != "0":
		b.left[p] = id
	case b.left[p] != "":
		b.isApart[p] = true
	}
	return nil
}

// listOfStyle is the list that paragraphs of a style are in, "" for none.
func (b *batch) listOfStyle(style string) (string, error) {
	for _, r := range b.pkg.Relationships(b.pkg.MainPart()) {
		if r.Type != "styles" || r.External || !b.pkg.Has(r.Target) {
			continue
		}
		tree, err := b.pkg.XML(r.Target)
		if err != nil {
			return "", err
		}
		for range maxLevels {
			e := sibling(tree.Root(), "style", "w:styleId", style)
			if id := child(child(child(e, "pPr"), "numPr"), "numId"); id != nil {
				return id.SelectAttrValue("w:val", ""), nil
			}
			if style = valueOf(e, "basedOn", ""); style == "" {
				break
			}
		}
	}
	return "", nil
}

// beginList is the w:numPr of a new list for a paragraph: of one that looks like the list
// that the paragraph was in, where it begins a list of its own.
func (b *batch) beginList(n *node, named string, invalid edit.RequestFault) (*etree.Element, error) {
	if b.isApart[n.paragraph.elem] {
		levels, err := listLevels(b.pkg, b.left[n.paragraph.elem])
		if err != nil {
			return nil, err
		}
		if preset(levels) == named {
			return b.restartList(b.left[n.paragraph.elem], levels, invalid)
		}
	}
	if spare := b.spare[named]; spare != nil {
		delete(b.spare, named)
		return spare, nil
	}
	return b.newList(named, invalid)
}

// giveList puts a paragraph that got its list by a preset into that of the one whose
// properties it is given, if that is nearest to the preset. Its level stays.
func (b *batch) giveList(p, of *etree.Element) error {
	how := b.entered[p]
	if how.preset == "" || how.isRestart {
		return nil
	}
	id := valueOf(child(of, "numPr"), "numId", "")
	if id == "" {
		var err error
		if id, err = b.listOfStyle(valueOf(of, "pStyle", "")); err != nil {
			return err
		}
	}
	levels, err := listLevels(b.pkg, id)
	if err != nil || preset(levels) != how.preset {
		return err
	}
	own := child(child(p, "pPr"), "numPr")
	if own == nil {
		return nil
	}
	number := child(own, "numId")
	if how.isAlone && number.SelectAttrValue("w:val", "") != id {
		b.spare[how.preset] = own.Copy()
		how.isAlone = false
		b.entered[p] = how
	}
	number.CreateAttr("w:val", id)
	return nil
}

// restartList adds a list that looks like another and counts from its start again
// (ECMA-376 part 1, 17.9.26 and 17.9.27).
func (b *batch) restartList(like string, levels []listLevel, invalid edit.RequestFault) (*etree.Element, error) {
	if b.restarts++; b.restarts > maxRestarts {
		return nil, invalid("The requests of one batch may begin a list again at most %d times.", maxRestarts)
	}
	root, part, err := b.numbering()
	if err != nil {
		return nil, err
	}
	id := freeNumber(root, "num", "w:numId", 1)
	of := sibling(root, "num", "w:numId", like)
	list := etree.NewElement("w:num")
	list.CreateAttr("w:numId", id)
	list.AddChild(child(of, "abstractNumId").Copy())
	for i, l := range levels {
		override := list.CreateElement("w:lvlOverride")
		override.CreateAttr("w:ilvl", strconv.Itoa(i))
		setVal(override, "startOverride", strconv.FormatInt(l.start, 10))
		if own := child(sibling(of, "lvlOverride", "w:ilvl", strconv.Itoa(i)), "lvl"); own != nil {
			override.AddChild(own.Copy())
		}
	}
	root.InsertChildAt(of.Index()+1, list)
	b.pkg.Touch(part)

	entry := etree.NewElement("w:numPr")
	setVal(entry, "ilvl", "0")
	setVal(entry, "numId", id)
	return entry, nil
}
