// Package pdfrules checks PDFs by rules of PDF/UA-1 (ISO 14289-1) that a program which writes
// PDFs can break, and by those of ISO 32000-1 that they stand on. It shares no code with what
// writes them: pdfcpu reads files for it. What only an author can cure is a rule of its own:
// a picture without a description. It must not judge what a person must look at.
package pdfrules

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Fault is a rule that a file breaks, with what breaks it.
type Fault struct{ Rule, What string }

// The rules.
const (
	Whole      = "the file is tagged, with its language and title"  // ISO 14289-1, 7.1 and 7.2
	Content    = "all that is drawn is marked"                      // 7.1
	Nesting    = "marks are nested and end"                         // ISO 32000-1, 14.6.1
	Parents    = "marked content has its one place in the tree"     // 14.7.4.4
	Roles      = "an element stands where it may"                   // 14.8.4
	Headings   = "levels of headings have no gap"                   // ISO 14289-1, 7.4.2
	Regularity = "rows of a table have the same columns"            // 7.5
	Scopes     = "header cells say what they head"                  // 7.5
	Notes      = "a note has an ID of its own"                      // 7.9
	Links      = "a link has its element and its description"       // 7.18
	Order      = "a page with links goes through them as they read" // 7.18.3
	Fonts      = "fonts are embedded, and lead to characters"       // 7.21
	Described  = "a figure has a description"                       // 7.3; the author's
)

// checker reads one file.
type checker struct {
	*model.Context
	faults []Fault
	// claimed are the marks that elements say are theirs, by page object and number; links those of
	// annotations, by object.
	claimed map[[2]int]int
	links   map[int]int
	// parents are the entries of the tree of parents.
	parents map[int]types.Object
	ids     map[string]bool
	level   int
}

// Check returns what breaks rules; an error where the file cannot be read.
func Check(pdf []byte) ([]Fault, error) {
	config := model.NewDefaultConfiguration()
	config.Offline = true
	read, err := api.ReadContext(bytes.NewReader(pdf), config)
	if err != nil {
		return nil, fmt.Errorf("read the PDF: %w", err)
	}
	if err := read.EnsurePageCount(); err != nil {
		return nil, fmt.Errorf("count the pages: %w", err)
	}
	c := &checker{Context: read, claimed: map[[2]int]int{}, links: map[int]int{}, parents: map[int]types.Object{}, ids: map[string]bool{}}
	root, err := c.Catalog()
	if err != nil {
		return nil, fmt.Errorf("read the catalog: %w", err)
	}
	c.whole(root)
	tree := c.dict(root["StructTreeRoot"])
	if tree == nil {
		return c.faults, nil
	}
	c.readParents(c.dict(tree["ParentTree"]))
	for _, kid := range c.kids(tree["K"]) {
		c.element(kid, tree, "", 0)
	}
	for page := 1; page <= c.PageCount; page++ {
		if err := c.page(page); err != nil {
			return nil, err
		}
	}
	c.fonts()
	return c.faults, nil
}

func (c *checker) fault(rule, format string, arguments ...any) {
	c.faults = append(c.faults, Fault{rule, fmt.Sprintf(format, arguments...)})
}

func (c *checker) whole(root types.Dict) {
	if marked := c.dict(root["MarkInfo"]); marked == nil || c.value(marked["Marked"]) != types.Boolean(true) {
		c.fault(Whole, "MarkInfo does not say Marked")
	}
	if root["StructTreeRoot"] == nil {
		c.fault(Whole, "there is no structure tree")
	}
	if c.text(root["Lang"]) == "" {
		c.fault(Whole, "the document has no language")
	}
	if viewing := c.dict(root["ViewerPreferences"]); viewing == nil || c.value(viewing["DisplayDocTitle"]) != types.Boolean(true) {
		c.fault(Whole, "readers show the name of the file, not the title")
	}
	if info := c.dict(*c.Info); info == nil || c.text(info["Title"]) == "" {
		c.fault(Whole, "the document has no title")
	}
}

// readParents reads the tree of parents, flat or nested.
func (c *checker) readParents(node types.Dict) {
	entries := c.array(node["Nums"])
	for i := 0; i+1 < len(entries); i += 2 {
		key := c.number(entries[i])
		if _, isTwice := c.parents[key]; isTwice {
			c.fault(Parents, "the tree of parents has the number %d twice", key)
		}
		c.parents[key] = entries[i+1]
	}
	for _, kid := range c.array(node["Kids"]) {
		c.readParents(c.dict(kid))
	}
}

var (
	// standsIn has the elements that a role may stand in alone.
	standsIn = map[string][]string{"TR": {"Table", "THead", "TBody", "TFoot"}, "TH": {"TR"}, "TD": {"TR"}, "LI": {"L"}, "Lbl": {"LI", "Note", "P"}, "LBody": {"LI"}}
	// holds has the roles that an element may hold.
	holds = map[string][]string{"Table": {"TR", "THead", "TBody", "TFoot", "Caption"}, "TR": {"TH", "TD"}, "L": {"LI", "L", "Caption"}, "LI": {"Lbl", "LBody"}}
	// known are the roles of ISO 32000-1, 14.8.4.
	known = []string{"Document", "Part", "Sect", "Div", "P", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody", "Table", "THead", "TBody", "TFoot", "TR", "TH", "TD", "Caption",
		"Figure", "Link", "Note", "Span", "Reference", "Quote", "Form", "Formula"}
)

// element checks an element with all that it holds. page is the page object that it has from
// what it stands in.
func (c *checker) element(o types.Object, parent types.Dict, in string, page int) (role string) {
	e := c.dict(o)
	number := objectNumber(o)
	role = c.name(e["S"])
	if !slices.Contains(known, role) {
		c.fault(Roles, "%q is no role", role)
	}
	if back := c.dict(e["P"]); back == nil || !sameDict(back, parent) {
		c.fault(Parents, "a %s does not lead to what it stands in", role)
	}
	if places, isBound := standsIn[role]; isBound && !slices.Contains(places, in) {
		c.fault(Roles, "a %s stands in a %s", role, in)
	}
	if allowed, isBound := holds[in]; isBound && !slices.Contains(allowed, role) {
		c.fault(Roles, "a %s holds a %s", in, role)
	}
	if own := objectNumber(e["Pg"]); own > 0 {
		page = own
	}
	c.self(e, role)
	holdsText := false
	var rows []types.Dict
	for _, kid := range c.kids(e["K"]) {
		if n, isMark := c.value(kid).(types.Integer); isMark {
			holdsText = true
			c.claim(page, int(n), number, role)
			continue
		}
		d := c.dict(kid)
		switch c.name(d["Type"]) {
		case "MCR":
			holdsText = true
			at := page
			if own := objectNumber(d["Pg"]); own > 0 {
				at = own
			}
			c.claim(at, c.number(d["MCID"]), number, role)
		case "OBJR":
			c.links[objectNumber(d["Obj"])] = number
			if role != "Link" && role != "Form" {
				c.fault(Links, "an annotation stands in a %s", role)
			}
		default:
			if c.element(kid, e, role, page) == "TR" {
				rows = append(rows, d)
			}
		}
	}
	if holdsText && holds[role] != nil {
		c.fault(Roles, "a %s holds text itself", role)
	}
	if role == "Table" {
		c.table(rows)
	}
	return role
}

// self checks what an element says of itself.
func (c *checker) self(e types.Dict, role string) {
	attribute := func(owner, key string) types.Object {
		for _, a := range c.kids(e["A"]) {
			if d := c.dict(a); c.name(d["O"]) == owner && d[key] != nil {
				return c.value(d[key])
			}
		}
		return nil
	}
	switch role {
	case "H1", "H2", "H3", "H4", "H5", "H6":
		level := int(role[1] - '0')
		if level > c.level+1 {
			c.fault(Headings, "a %s follows a heading of level %d", role, c.level)
		}
		c.level = level
	case "TH":
		if attribute("Table", "Scope") == nil {
			c.fault(Scopes, "a TH has no Scope")
		}
	case "Formula":
		if c.text(e["Alt"]) == "" {
			c.fault(Described, "a Formula has no Alt")
		}
	case "Figure":
		if c.text(e["Alt"]) == "" && c.text(e["ActualText"]) == "" {
			c.fault(Described, "a Figure has no Alt")
		}
		if attribute("Layout", "BBox") == nil {
			c.fault(Described, "a Figure does not say where it stands")
		}
	case "Note":
		id := c.text(e["ID"])
		if id == "" || c.ids[id] {
			c.fault(Notes, "a Note has the ID %q", id)
		}
		c.ids[id] = true
	}
}

// table counts the columns of each row, with cells of the rows above that reach into it.
func (c *checker) table(rows []types.Dict) {
	var widths []int
	var reach []int // of each column, how many rows more it is taken
	for _, row := range rows {
		at := 0
		skip := func() {
			for at < len(reach) && reach[at] > 0 {
				reach[at]--
				at++
			}
		}
		for _, kid := range c.kids(row["K"]) {
			span := map[string]int{"ColSpan": 1, "RowSpan": 1}
			for _, a := range c.kids(c.dict(kid)["A"]) {
				for key := range span {
					if n, isSet := c.value(c.dict(a)[key]).(types.Integer); isSet {
						span[key] = int(n)
					}
				}
			}
			skip()
			for range span["ColSpan"] {
				for at >= len(reach) {
					reach = append(reach, 0)
				}
				reach[at] = span["RowSpan"] - 1
				at++
			}
		}
		skip()
		widths = append(widths, at)
	}
	if len(widths) > 0 && slices.Min(widths) != slices.Max(widths) {
		c.fault(Regularity, "a table has rows of %v columns", widths)
	}
}

func (c *checker) claim(page, mark, element int, role string) {
	key := [2]int{page, mark}
	if _, isTwice := c.claimed[key]; isTwice {
		c.fault(Parents, "two elements hold mark %d of page object %d", mark, page)
	}
	if element == 0 {
		c.fault(Parents, "a %s with text is no object of its own", role)
	}
	c.claimed[key] = element
}

// page checks what is drawn on a page, and its annotations.
func (c *checker) page(n int) error {
	d, reference, _, err := c.PageDict(n, false)
	if err != nil {
		return fmt.Errorf("read page %d: %w", n, err)
	}
	content, err := c.PageContent(d, n)
	if err != nil {
		return fmt.Errorf("read the content of page %d: %w", n, err)
	}
	marks := c.content(n, content)
	key := -1
	if d["StructParents"] != nil {
		key = c.number(d["StructParents"])
	}
	owners := c.array(c.parents[key])
	object := reference.ObjectNumber.Value()
	for _, mark := range marks {
		owner, isClaimed := c.claimed[[2]int{object, mark}]
		switch {
		case !isClaimed:
			c.fault(Parents, "no element holds mark %d of page %d", mark, n)
		case mark >= len(owners) || objectNumber(owners[mark]) != owner:
			c.fault(Parents, "the tree of parents leads elsewhere from mark %d of page %d", mark, n)
		}
		delete(c.claimed, [2]int{object, mark})
	}
	for key := range c.claimed {
		if key[0] == object {
			c.fault(Parents, "an element holds mark %d, which page %d does not have", key[1], n)
		}
	}
	delete(c.parents, key) // each page has one of its own
	annotations := c.array(d["Annots"])
	if len(annotations) > 0 && c.name(d["Tabs"]) != "S" {
		c.fault(Order, "page %d has another order of tabs", n)
	}
	for _, a := range annotations {
		c.annotation(n, a)
	}
	return nil
}

func (c *checker) annotation(page int, o types.Object) {
	d := c.dict(o)
	owner, hasElement := c.links[objectNumber(o)]
	switch {
	case !hasElement:
		c.fault(Links, "a link of page %d has no element", page)
	case d["StructParent"] == nil || objectNumber(c.parents[c.number(d["StructParent"])]) != owner:
		c.fault(Links, "a link of page %d does not lead to its element", page)
	}
	if c.text(d["Contents"]) == "" {
		c.fault(Links, "a link of page %d has no description", page)
	}
}

// fonts checks that each font has its file, its characters, and a map from codes to glyphs.
func (c *checker) fonts() {
	for n, entry := range c.Table {
		d, isDict := entry.Object.(types.Dict)
		if !isDict || entry.Free || c.name(d["Type"]) != "Font" {
			continue
		}
		switch kind := c.name(d["Subtype"]); kind {
		case "Type0":
			if d["ToUnicode"] == nil {
				c.fault(Fonts, "font %d does not lead to characters", n)
			}
		case "CIDFontType2":
			if d["CIDToGIDMap"] == nil {
				c.fault(Fonts, "font %d has no map from codes to glyphs", n)
			}
			fallthrough
		default:
			described := c.dict(d["FontDescriptor"])
			if described["FontFile2"] == nil && described["FontFile3"] == nil && described["FontFile"] == nil {
				c.fault(Fonts, "font %d is not embedded", n)
			}
		}
	}
}
