package protect

import (
	"fmt"
	"maps"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// A tagTree is what a Binder knows of the tags of all parts.
type tagTree struct {
	tops       []types.Object    // the element of each part
	owners     []types.Object    // what each adds to the tree of parents
	ids        []types.Object    // and to the tree of ids
	roles      map[string]string // custom kinds of elements, and which they stand for
	parents    int               // places in the tree of parents that are given
	hasWithout bool              // some part has no tags
}

// partTags are those of a part.
type partTags struct {
	root        int // the new number of its element; 0: it has no tags
	owners, ids int // that of its trees; 0: it has none
	parents     int // places in the tree of parents that it takes
	roles       map[string]string
	renamed     map[string]string // custom kinds that mean something else in parts before
	classes     types.Dict
	prefix      string // of its ids
	seen        map[types.IndirectRef]bool
}

// maxTagDepth is how far down tags are followed.
const maxTagDepth = 500

// prepareTags makes the root of the part's tags an element, which the tags below it call
// their parent already. Its places in the tree of parents, its ids and its kinds of elements
// get out of the way of those of the parts before.
func (p *boundPart) prepareTags() error {
	at, ok := p.tagsRoot.(types.IndirectRef)
	if !ok {
		return nil
	}
	root, err := p.pdf.DereferenceDict(at)
	if err != nil || root == nil || root["K"] == nil || root["ParentTree"] == nil {
		return err
	}
	t := &p.tags
	t.prefix, t.seen = fmt.Sprintf("%06d.", p.b.parts+1), map[types.IndirectRef]bool{at: true}
	if err := p.readRoles(root["RoleMap"]); err != nil {
		return err
	}
	if t.classes, err = p.pdf.DereferenceDict(root["ClassMap"]); err != nil {
		return fmt.Errorf("read classes of tags: %w", err)
	}
	t.root = p.numberOf(at)
	if err := p.walkElements(root["K"], 0); err != nil {
		return err
	}
	if t.owners, err = p.treeOf(root["ParentTree"], "Nums", func(key types.Object) types.Object {
		if n, ok := key.(types.Integer); ok {
			t.parents = max(t.parents, int(n)+1)
			return n + types.Integer(p.b.tags.parents)
		}
		return key
	}); err != nil {
		return err
	}
	if t.owners == 0 {
		t.root = 0
		return nil
	}
	if t.ids, err = p.treeOf(root["IDTree"], "Names", p.ownID); err != nil {
		return err
	}
	if n := root.IntEntry("ParentTreeNextKey"); n != nil && *n < 1<<24 {
		t.parents = max(t.parents, *n)
	}
	below := root["K"]
	clear(root)
	root["Type"], root["S"], root["P"], root["K"], root["T"] = types.Name("StructElem"), types.Name("Part"), boundReference(boundWhole), below, textString(p.title)
	if text, err := model.Text(p.lang); err == nil && text != "" {
		root["Lang"] = p.lang
	}
	return nil
}

// readRoles reads the custom kinds of elements of a part, and renames those that stand for
// another kind in a part before.
func (p *boundPart) readRoles(o types.Object) error {
	roles, err := p.pdf.DereferenceDict(o)
	if err != nil {
		return fmt.Errorf("read kinds of tags: %w", err)
	}
	t := &p.tags
	t.roles, t.renamed = map[string]string{}, map[string]string{}
	for own, o := range roles {
		standard, ok := o.(types.Name)
		if !ok {
			continue
		}
		if before, there := p.b.tags.roles[own]; there && before != string(standard) {
			t.renamed[own] = own + "." + t.prefix
		}
	}
	for own, o := range roles {
		if standard, ok := o.(types.Name); ok {
			t.roles[p.role(own)] = p.role(string(standard))
		}
	}
	return nil
}

func (p *boundPart) role(kind string) string {
	if renamed, ok := p.tags.renamed[kind]; ok {
		return renamed
	}
	return kind
}

// walkElements goes through elements, and what is below them.
func (p *boundPart) walkElements(o types.Object, depth int) error {
	if depth > maxTagDepth {
		return fmt.Errorf("its tags are more than %d deep", maxTagDepth)
	}
	if r, ok := o.(types.IndirectRef); ok {
		if p.tags.seen[r] {
			return nil
		}
		p.tags.seen[r] = true
	}
	o, err := p.pdf.Dereference(o)
	if err != nil {
		return fmt.Errorf("read tags: %w", err)
	}
	switch o := o.(type) {
	case types.Array:
		for _, one := range o {
			if err := p.walkElements(one, depth+1); err != nil {
				return err
			}
		}
	case types.Dict:
		kind, isElement := o["S"].(types.Name)
		if !isElement {
			return nil
		}
		o["S"] = types.Name(p.role(string(kind)))
		if id, ok := o["ID"]; ok {
			o["ID"] = p.ownID(id)
		}
		if err := p.spellClasses(o); err != nil {
			return err
		}
		if err := p.ownHeaders(o["A"]); err != nil {
			return err
		}
		return p.walkElements(o["K"], depth+1)
	}
	return nil
}

// spellClasses puts what the classes of an element say into the element: parts may use one
// name for several. What the element says itself stands behind it, and counts.
func (p *boundPart) spellClasses(element types.Dict) error {
	named, err := p.pdf.Dereference(element["C"])
	if err != nil || named == nil {
		return err
	}
	delete(element, "C")
	var said types.Array
	for _, one := range asList(named) {
		name, ok := one.(types.Name)
		if !ok {
			continue
		}
		of, err := p.pdf.Dereference(p.tags.classes[string(name)])
		if err != nil {
			return fmt.Errorf("read a class of tags: %w", err)
		}
		if of != nil {
			said = append(said, asList(of)...)
		}
	}
	own, err := p.pdf.Dereference(element["A"])
	if err != nil {
		return fmt.Errorf("read what a tag says: %w", err)
	}
	switch _, isStream := own.(types.StreamDict); {
	case isStream:
		said = append(said, element["A"])
	case own != nil:
		said = append(said, asList(own)...)
	}
	if len(said) > 0 {
		element["A"] = said
	}
	return nil
}

// asList is a list, or the list of one.
func asList(o types.Object) types.Array {
	if list, ok := o.(types.Array); ok {
		return list
	}
	return types.Array{o}
}

// ownHeaders has the cells of a table name their headers by the new ids.
func (p *boundPart) ownHeaders(o types.Object) error {
	if r, ok := o.(types.IndirectRef); ok {
		if p.tags.seen[r] {
			return nil
		}
		p.tags.seen[r] = true
	}
	o, err := p.pdf.Dereference(o)
	if err != nil || o == nil {
		return err
	}
	switch o := o.(type) {
	case types.Array:
		for _, one := range o {
			if err := p.ownHeaders(one); err != nil {
				return err
			}
		}
	case types.Dict:
		headers, err := p.pdf.DereferenceArray(o["Headers"])
		if err != nil {
			return fmt.Errorf("read the headers of a cell: %w", err)
		}
		own := make(types.Array, len(headers))
		for i, id := range headers {
			own[i] = p.ownID(id)
		}
		if len(own) > 0 {
			o["Headers"] = own
		}
	}
	return nil
}

// ownID is an id that no other part has.
func (p *boundPart) ownID(o types.Object) types.Object {
	o, _ = p.pdf.Dereference(o)
	var id []byte
	var err error
	switch o := o.(type) {
	case types.StringLiteral:
		id, err = types.Unescape(string(o))
	case types.HexLiteral:
		id, err = o.Bytes()
	default:
		return o
	}
	if err != nil {
		return o
	}
	return types.NewHexLiteral(append([]byte(p.tags.prefix), id...))
}

// treeOf has the keys of a tree of names or numbers (ISO 32000-1, 7.9.6 and 7.9.7) changed, and
// returns the new number of its root; 0: there is no tree, or it is empty.
func (p *boundPart) treeOf(o types.Object, leaf string, own func(types.Object) types.Object) (int, error) {
	root, err := p.pdf.DereferenceDict(o)
	if err != nil || root == nil {
		return 0, err
	}
	first, last, err := p.walkTree(root, leaf, own, 0)
	if err != nil || first == nil {
		return 0, err
	}
	root["Limits"] = types.Array{first, last}
	if r, ok := o.(types.IndirectRef); ok {
		return p.numberOf(r), nil
	}
	p.next++
	number := p.next
	p.ready = append(p.ready, boundObject{number, p.renumbered(root), nil})
	return number, nil
}

func (p *boundPart) walkTree(node types.Dict, leaf string, own func(types.Object) types.Object, depth int) (first, last types.Object, err error) {
	if depth > maxTreeDepth {
		return nil, nil, fmt.Errorf("a tree is more than %d deep", maxTreeDepth)
	}
	pairs, err := p.pdf.DereferenceArray(node[leaf])
	if err != nil {
		return nil, nil, fmt.Errorf("read a tree: %w", err)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = own(pairs[i])
		if first == nil {
			first = pairs[i]
		}
		last = pairs[i]
	}
	kids, err := p.pdf.DereferenceArray(node["Kids"])
	if err != nil {
		return nil, nil, fmt.Errorf("read a tree: %w", err)
	}
	for _, kid := range kids {
		below, err := p.pdf.DereferenceDict(kid)
		if err != nil {
			return nil, nil, fmt.Errorf("read a tree: %w", err)
		}
		from, to, err := p.walkTree(below, leaf, own, depth+1)
		if err != nil {
			return nil, nil, err
		}
		if from != nil {
			below["Limits"] = types.Array{from, to}
			if first == nil {
				first = from
			}
			last = to
		}
	}
	return first, last, nil
}

// maxTreeDepth is how far down a tree of names or numbers is followed.
const maxTreeDepth = 20

// include takes the tags of a part that is written.
func (t *tagTree) include(p *boundPart) {
	if p.tags.root == 0 {
		t.hasWithout = true
		return
	}
	t.tops = append(t.tops, reference(p.tags.root))
	t.owners = append(t.owners, reference(p.tags.owners))
	if p.tags.ids > 0 {
		t.ids = append(t.ids, reference(p.tags.ids))
	}
	if t.roles == nil {
		t.roles = map[string]string{}
	}
	maps.Copy(t.roles, p.tags.roles)
	t.parents += p.tags.parents
}

// close writes the tree of the tags of all parts.
func (t *tagTree) close(b *Binder, catalog types.Dict) {
	if len(t.tops) == 0 {
		return
	}
	root := types.Dict{"Type": types.Name("StructTreeRoot"), "K": reference(boundWhole), "ParentTree": reference(boundParents), "ParentTreeNextKey": types.Integer(t.parents)}
	if len(t.roles) > 0 {
		roles := types.Dict{}
		for own, standard := range t.roles {
			roles[own] = types.Name(standard)
		}
		root["RoleMap"] = roles
	}
	if len(t.ids) > 0 {
		root["IDTree"] = reference(boundIDs)
		b.put(boundIDs, types.Dict{"Kids": types.Array(t.ids)}, nil)
	}
	b.put(boundTags, root, nil)
	b.put(boundWhole, types.Dict{"Type": types.Name("StructElem"), "S": types.Name("Document"), "P": reference(boundTags), "K": types.Array(t.tops)}, nil)
	b.put(boundParents, types.Dict{"Kids": types.Array(t.owners)}, nil)
	catalog["StructTreeRoot"] = reference(boundTags)
	catalog["MarkInfo"] = types.Dict{"Marked": types.Boolean(!t.hasWithout)}
}
