package fill

import (
	"strings"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A nest is a series of things – paragraphs and tables, rows, slides – with the
// blocks that span several of them.
type nest struct {
	leaf     int // the number of the thing; of a block, the one that ends it
	control  *syntax.Statement
	branches []nestBranch // of a block
}

type nestBranch struct {
	statement *syntax.Statement
	nests     []nest
}

// nester builds nests from things and tags in their order.
type nester struct {
	frames []nestFrame
}

type nestFrame struct {
	control  *syntax.Statement
	branches []nestBranch
	controls []*syntax.Statement
}

func newNester() *nester {
	return &nester{frames: []nestFrame{{branches: []nestBranch{{}}}}}
}

func (n *nester) top() *nestFrame { return &n.frames[len(n.frames)-1] }

func (n *nester) add(x nest) {
	b := &n.top().branches[len(n.top().branches)-1]
	b.nests = append(b.nests, x)
}

// take takes a tag of a block at a leaf, and tells whether it fits there.
func (n *nester) take(c *syntax.Statement, leaf int) bool {
	switch {
	case c.Opens():
		n.frames = append(n.frames, nestFrame{control: c, branches: []nestBranch{{statement: c}}})
	case len(n.frames) == 1 || !c.Closes(n.top().control):
		return false
	case c.Ends():
		done := *n.top()
		n.frames = n.frames[:len(n.frames)-1]
		n.add(nest{leaf: leaf, control: done.control, branches: done.branches})
	default:
		n.top().branches = append(n.top().branches, nestBranch{statement: c})
		n.top().controls = append(n.top().controls, c)
	}
	return true
}

// addLeaf adds a leaf with the ends of blocks that stand in it, and returns
// those that no open block has.
func (n *nester) addLeaf(leaf int, ends []*syntax.Statement) (loose []*syntax.Statement) {
	n.add(nest{leaf: leaf})
	for _, end := range ends {
		if !n.take(end, leaf) {
			loose = append(loose, end)
		}
	}
	return loose
}

// finish returns the nests, and the tags of blocks that are not closed, the
// innermost first.
func (n *nester) finish() (all []nest, loose []*syntax.Statement) {
	for i := len(n.frames) - 1; i > 0; i-- {
		loose = append(append(loose, n.frames[i].control), n.frames[i].controls...)
	}
	for _, f := range n.frames {
		for _, b := range f.branches {
			all = append(all, b.nests...)
		}
	}
	return all, loose
}

// story is the content of a body, a header, a cell or a shape, read.
type story struct {
	blocks []*block
	nests  []nest
	alone  map[int]bool // paragraphs that hold a tag of a block and nothing else
	// loose are the tags of blocks that do not begin and end in the story, in
	// reading order.
	loose []*syntax.Statement
	// restarts are the lists that begin again in each repetition of a block, by the
	// number of the thing that ends it.
	restarts map[int]map[string]bool
}

// readStory finds the blocks of a story. Paragraphs with nothing but a tag of a
// block divide it; such tags beside other text must match in their line.
func (p *composer) readStory(blocks []*block) *story {
	s := &story{blocks: blocks, alone: map[int]bool{}}
	n := newNester()
	for i, b := range blocks {
		if b.para == nil {
			n.add(nest{leaf: i})
			continue
		}
		b.para.line = p.e.ReadLine(b.para.text)
		loose := b.para.line.Loose
		if len(loose) == 1 && aloneIn(b.para, loose[0]) {
			if s.alone[i] = n.take(loose[0].Statement, i); s.alone[i] {
				continue
			}
		}
		for _, c := range loose {
			s.loose = append(s.loose, c.Statement)
		}
		n.add(nest{leaf: i})
	}
	var open []*syntax.Statement
	s.nests, open = n.finish()
	if len(open) > 0 {
		// Their paragraphs are leaves after all: read once more without them.
		return p.readLoosely(s, open)
	}
	return s
}

func aloneIn(p *para, c lang.Control) bool {
	return !p.objects && strings.TrimSpace(p.text[:c.Start]+p.text[c.End:]) == ""
}

// readLoosely reads a story in which some blocks do not end: they are loose.
func (p *composer) readLoosely(s *story, open []*syntax.Statement) *story {
	again := &story{blocks: s.blocks, alone: map[int]bool{}}
	count := map[*syntax.Statement]int{}
	for _, c := range open {
		count[c]++
	}
	n := newNester()
	for i := len(s.blocks) - 1; i >= 0; i-- {
		if b := s.blocks[i]; s.alone[i] {
			if c := b.para.line.Loose[0].Statement; count[c] > 0 {
				count[c]--
				delete(s.alone, i)
			}
		}
	}
	for i, b := range s.blocks {
		if s.alone[i] && n.take(b.para.line.Loose[0].Statement, i) {
			again.alone[i] = true
			continue
		}
		if b.para != nil {
			for _, c := range b.para.line.Loose {
				again.loose = append(again.loose, c.Statement)
			}
		}
		n.add(nest{leaf: i})
	}
	again.nests, _ = n.finish()
	return again
}

// finishNests returns the nests of things, and reports the tags of blocks that
// have no partner among them.
func (p *composer) finishNests(n *nester, loose []*syntax.Statement) []nest {
	nests, open := n.finish()
	p.reportLoose(append(loose, open...))
	return nests
}

// reportLoose reports tags of blocks that have no partner within reach.
func (p *composer) reportLoose(loose []*syntax.Statement) {
	for _, c := range loose {
		f := lang.Finding{Code: "block_not_open", Tag: c.Tag, Message: c.Tag + " has no block that it belongs to."}
		if c.Opens() {
			f = lang.Finding{Code: "block_not_closed", Tag: c.Tag, Message: c.Tag + " is not closed where it can be: in the same line, in a paragraph of its own further down, or in the same table."}
		}
		p.e.Report(f)
	}
}
