package merge

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/beevik/etree"
)

// list is the number that a list of the other file has here, which is copied.
func (c *copier) list(id string) (string, error) {
	if id == "" || id == "0" {
		return id, nil
	}
	if own := c.lists[id]; own != "" {
		return own, nil
	}
	from, err := rootOf(c.of.Package, "numbering")
	if err != nil {
		return "", err
	}
	list := numbered(from, "num", "w:numId", id)
	if list == nil {
		return "0", nil
	}
	into, _, err := c.ensure("numbering", "numbering", "")
	if err != nil {
		return "", err
	}
	definition, err := c.definition(from, into, valueOf(list, "abstractNumId"))
	if err != nil {
		return "", err
	}
	own := free(into, "num", "w:numId", 1)
	c.lists[id] = own
	made := list.Copy()
	made.CreateAttr("w:numId", own)
	if number := find(made, "abstractNumId"); number != nil {
		number.CreateAttr("w:val", definition)
	}
	for _, override := range made.ChildElements() {
		if err := c.levels(override); err != nil {
			return "", err
		}
	}
	at := len(into.Child)
	if last := find(into, "numIdMacAtCleanup"); last != nil {
		at = last.Index()
	}
	into.InsertChildAt(at, made)
	return own, nil
}

// definition copies the definition of lists.
func (c *copier) definition(from, into *etree.Element, id string) (string, error) {
	if own := c.definitions[id]; own != "" {
		return own, nil
	}
	of := numbered(from, "abstractNum", "w:abstractNumId", id)
	if of == nil {
		of = etree.NewElement("w:abstractNum")
	}
	own := free(into, "abstractNum", "w:abstractNumId", 0)
	c.definitions[id] = own
	made := of.Copy()
	made.CreateAttr("w:abstractNumId", own)
	for _, e := range made.ChildElements() {
		switch e.Tag {
		case "nsid": // programs take definitions with the same one for one
			hash := fnv.New32a()
			_, _ = fmt.Fprintf(hash, "%s %s %d", id, e.SelectAttrValue("w:val", ""), c.files)
			e.CreateAttr("w:val", fmt.Sprintf("%08X", hash.Sum32()))
		case "tmpl", "styleLink":
			made.RemoveChild(e)
		case "numStyleLink":
			style, err := c.sheet.style(e.SelectAttrValue("w:val", ""), c)
			if err != nil {
				return "", err
			}
			e.CreateAttr("w:val", style)
		}
	}
	if err := c.levels(made); err != nil {
		return "", err
	}
	at := len(into.Child)
	if first := find(into, "num"); first != nil {
		at = first.Index()
	}
	into.InsertChildAt(at, made)
	return own, nil
}

// levels has the levels of a definition refer to styles of this file. Their pictures stay
// behind.
func (c *copier) levels(of *etree.Element) error {
	for _, level := range of.ChildElements() {
		if !is(level, "lvl") {
			continue
		}
		for _, e := range level.ChildElements() {
			switch {
			case is(e, "lvlPicBulletId"):
				level.RemoveChild(e)
			case is(e, "pStyle"):
				style, err := c.sheet.style(e.SelectAttrValue("w:val", ""), c)
				if err != nil {
					return err
				}
				e.CreateAttr("w:val", style)
			case is(e, "rPr"):
				each(e, c.sheet.untheme)
			}
		}
	}
	return nil
}

func numbered(root *etree.Element, tag, key, value string) *etree.Element {
	if root == nil {
		return nil
	}
	for _, e := range root.ChildElements() {
		if is(e, tag) && e.SelectAttrValue(key, "") == value {
			return e
		}
	}
	return nil
}

// free is a number that nothing of this name has.
func free(root *etree.Element, tag, key string, least int) string {
	for _, e := range root.ChildElements() {
		if is(e, tag) {
			least = max(least, number(e.SelectAttrValue(key, ""))+1)
		}
	}
	return strconv.Itoa(least)
}
