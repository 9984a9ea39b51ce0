package fill

import (
	"fmt"
	"strings"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// maxRequests is how many requests a batch may have: as many as our own drive
// takes. Google does not publish its limit.
const maxRequests = 10_000

// maxNewCells is how many cells of tables a batch may add: as many as our own
// drive lets a batch add.
const maxNewCells = 50_000

// maxLists is how many lists styled text may bring: our own drive lets a batch add 500.
const maxLists = 400

// maxRestarts is how often lists may begin again: our own drive lets a batch do it 2,000
// times.
const maxRestarts = 1900

// maxQuoted is how many bytes of values a batch may replace tags by.
const maxQuoted = 4 << 20

// Values with more braces than fewBraces wait behind placeholders of their own,
// which are shorter; each takes a change that looks through the whole document,
// so there are maxHidden at most.
const (
	fewBraces = 8
	maxHidden = 500
)

// What a placeholder of the kind 'b' stands for.
const (
	openBrace = iota
	closeBrace
	nothing
)

// A composer holds what the parts of one batch share.
type composer struct {
	e     *lang.Evaluator
	nonce string
	// hidden are values that must not be seen by the replacement of tags,
	// because they have braces or stand beside some.
	hidden []string
	hiding map[string]int // the number of each
	// braces writes placeholders for them; nil when there are none yet.
	braces *strings.Replacer
	// rows are the requests that the new rows so far take at least, and cells
	// how many there are in them.
	rows, cells int
	nested      int // how many tables deep what is being copied stands
	// kept are the tags that mean the same wherever they still stand when the
	// document has its shape, each once.
	kept   []*syntax.Statement
	noted  map[string]bool
	quoted int // bytes of the values of kept tags, and of placeholders
	// newSlides is how many slides are added, and taken are the ids of all objects of a
	// presentation.
	newSlides int
	// charted are the data of charts so far, by their slide and tag.
	charted map[string]string
	// page is the slide with an item that is being filled; nil elsewhere.
	page  *showing
	taken map[string]bool
	sent  sentPictures
	// lists is how many lists styled text brings.
	lists int
	// restarts is how often lists begin again.
	restarts int
	// headings are the named styles of headings that what is being filled has.
	headings map[string]bool
	// noPictures says why what is being filled cannot hold pictures.
	noPictures string
	// isFlat says that it cannot hold tables of styled text either.
	isFlat bool
	// isSlides says that it is a presentation.
	isSlides bool
}

func newComposer(e *lang.Evaluator, nonce string) *composer {
	return &composer{e: e, nonce: nonce, noted: map[string]bool{}, hiding: map[string]int{}, charted: map[string]string{}, sent: sentPictures{}}
}

// hide returns what takes the place of a value until all tags are replaced: the
// value with placeholders for its braces, or, where it has many, one for all of
// it. Placeholders are all of one length, so that none is a part of another.
func (p *composer) hide(value string) string {
	braces := strings.Count(value, "{") + strings.Count(value, "}")
	unseen := p.placeholder('b', nothing)
	n, ok := p.hiding[value]
	if !ok && braces > fewBraces && len(p.hidden) < maxHidden {
		n, ok = len(p.hidden), true
		p.hidden, p.hiding[value] = append(p.hidden, value), n
	}
	if ok {
		p.quoted += len(unseen)
		return p.placeholder('h', n)
	}
	if p.braces == nil {
		p.braces = strings.NewReplacer("{", p.placeholder('b', openBrace), "}", p.placeholder('b', closeBrace))
	}
	p.quoted += max(braces, 1) * len(unseen)
	if braces == 0 {
		// It stands between braces of the template.
		return unseen + value
	}
	return p.braces.Replace(value)
}

func (p *composer) placeholder(kind byte, n int) string {
	return fmt.Sprintf("%s%c%07d", p.nonce, kind, n)
}

func (p *composer) keep(s *syntax.Statement) {
	if !p.noted[s.Tag] {
		p.noted[s.Tag] = true
		p.kept = append(p.kept, s)
	}
}

// A replacement is a request that replaces a text wherever it stands.
type replacement struct{ find, replace string }

// replacements returns the replacements that end the batch: first every tag by
// a placeholder, then every placeholder by its value, so that nothing in a
// value is taken for a tag.
func (p *composer) replacements() []replacement {
	all := make([]replacement, 0, 2*len(p.kept)+len(p.hidden))
	for i, s := range p.kept {
		all = append(all, replacement{s.Tag, p.placeholder('t', i)})
	}
	for i, s := range p.kept {
		value := p.e.Text(s, nil)
		p.quoted += len(value)
		all = append(all, replacement{p.placeholder('t', i), value})
	}
	if p.braces != nil {
		for i, brace := range []string{openBrace: "{", closeBrace: "}", nothing: ""} {
			all = append(all, replacement{p.placeholder('b', i), brace})
		}
	}
	for i, value := range p.hidden {
		all = append(all, replacement{p.placeholder('h', i), value})
	}
	return all
}

// check returns the findings of a batch as one error that names them all.
func (p *composer) check(requests int) error {
	if p.isCrowded() || requests > maxRequests {
		p.tooMany(max(requests, p.rows))
	}
	if p.quoted > maxQuoted {
		p.e.Report(lang.Finding{Code: "document_too_large", Data: true, Message: fmt.Sprintf("The values for this document have more than %d MiB together: send less data.", maxQuoted>>20)})
	}
	if p.lists > maxLists {
		p.e.Report(lang.Finding{Code: "document_too_large", Data: true, Message: fmt.Sprintf("The Markdown and HTML of this document have %d lists, more than %d: send less data.", p.lists, maxLists)})
	}
	if p.restarts > maxRestarts {
		p.e.Report(lang.Finding{Code: "document_too_large", Data: true, Message: fmt.Sprintf("Lists of this document begin again %d times, more than %d: send less data.", p.restarts, maxRestarts)})
	}
	p.e.TooMuch()
	if err := p.e.Failed(); err != nil {
		return fmt.Errorf("obtain the pictures: %w", err)
	}
	return FindingsError(p.e.Findings(), p.e.Absent())
}

// tooMany says what makes a batch longer than it may be.
func (p *composer) tooMany(requests int) {
	f := lang.Finding{Code: "document_too_large", Data: true, Message: fmt.Sprintf("Filling this document takes %d changes, more than %d: send less data.", requests, maxRequests)}
	switch l := p.e.Longest(); {
	case l.Items > maxRequests/10:
		f = listTooLong(l.Name, l.Items, l.Items*maxRequests/max(requests, maxRequests+1))
	default:
		f.Message += l.String()
	}
	p.e.Report(f)
}

// isCrowded tells that there is no room for further rows.
func (p *composer) isCrowded() bool { return p.rows > maxRequests || p.cells > maxNewCells }

func listTooLong(list string, items, fit int) lang.Finding {
	return lang.Finding{Code: "list_too_long", Data: true, Message: fmt.Sprintf("The list %s has %d items, and about %d of them fit into this document: send fewer.", list, items, fit)}
}
