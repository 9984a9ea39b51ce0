package plan

import (
	"encoding/json"
	"reflect"
	"strings"
	"unicode/utf16"

	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/merge"
)

// A block is what stands in a story: a paragraph, a table, or something that
// is neither and stays.
type block struct {
	start, end int64
	para       *para
	table      *table
}

// para is a paragraph. Its text ends without the line feed; what is no text
// stands in it as line feeds, which no tag can hold.
type para struct {
	start, end int64 // end is behind the line feed
	text       string
	runs       []run
	objects    bool // something that is no text stands in it
	others     bool // and is no placeholder
	// placeholders are pictures of the template that say by their description
	// which picture takes their place, and their box.
	placeholders []placeholder
	bullet       bool
	look         look
	line         *merge.Line
	room         float64 // points of width that a picture may take; 0: not known
}

// placeholder is a picture at a byte of a paragraph's text, with its size in
// points.
type placeholder struct {
	at            int
	statement     *merge.Statement
	width, height float64
}

// statements are the tags of the paragraph that show something.
func (p *para) statements() []*merge.Statement {
	all := p.line.Statements()
	for _, h := range p.placeholders {
		all = append(all, h.statement)
	}
	return all
}

// run is a stretch of a paragraph's text of one look.
type run struct {
	start, end int // bytes of the paragraph's text
	look       look
}

// look is a style of the API. Looks are equal when their keys are.
type look struct {
	key   string
	style any
}

// looker makes looks, of the same style as before without writing it out again:
// most of a document looks alike.
type looker struct{ last []look }

func (l *looker) of(style any) look {
	for _, known := range l.last {
		if reflect.DeepEqual(known.style, style) {
			return known
		}
	}
	const remembered = 4
	fresh := lookOf(style)
	if l.last = append(l.last, fresh); len(l.last) > remembered {
		l.last = l.last[1:]
	}
	return fresh
}

func lookOf(style any) look {
	key, err := json.Marshal(style)
	if err != nil {
		return look{style: style} // styles of the API always marshal
	}
	return look{key: string(key), style: style}
}

type table struct {
	start int64
	rows  []*row
}

type row struct {
	start, end int64
	cells      []*cell
}

type cell struct {
	blocks []*block
	column int64 // in the grid
	span   int64 // columns
	style  *slides.TableCellProperties
	story  *story
}

// index is the place of a byte of the paragraph's text.
func (p *para) index(offset int) int64 { return p.start + units(p.text[:offset]) }

// lookAt is the look of the character at a byte; at the end, of the last one.
func (p *para) lookAt(offset int) look {
	for _, r := range p.runs {
		if offset < r.end {
			return r.look
		}
	}
	if n := len(p.runs); n > 0 {
		return p.runs[n-1].look
	}
	return look{}
}

// units counts UTF-16 code units.
func units(text string) int64 {
	n := int64(0)
	for _, r := range text {
		n += int64(utf16.RuneLen(r))
	}
	return n
}

// addText gathers the elements of a paragraph.
func (p *para) addText(text string, l look) {
	start := len(p.text)
	p.text += text
	p.addRun(start, l)
}

func (p *para) addObject(length int64) {
	start := len(p.text)
	p.text += strings.Repeat("\n", int(length))
	p.objects = true
	p.addRun(start, lookOf(nil))
}

func (p *para) addRun(start int, l look) {
	if n := len(p.runs); n > 0 && p.runs[n-1].look.key == l.key {
		p.runs[n-1].end = len(p.text)
		return
	}
	p.runs = append(p.runs, run{start: start, end: len(p.text), look: l})
}
