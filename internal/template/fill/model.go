package fill

import (
	"encoding/binary"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A block is what stands in a story: a paragraph, a table, a section break, or something
// that is none of them, such as a table of contents.
type block struct {
	start, end int64
	para       *para
	table      *table
	section    *section // that begins here, in the body of a document
}

// para is a paragraph. Its text ends without the line feed; what is no text
// stands in it as line feeds, which no tag can hold.
type para struct {
	start, end int64 // end is behind the line feed
	text       string
	runs       []run
	objects    bool  // something that is no text stands in it
	others     bool  // and is no placeholder
	signs      []int // bytes of its text at which elements without words stand
	// placeholders are pictures of the template that say by their description
	// which picture takes their place, and their box.
	placeholders []placeholder
	charts       []chart // that say by their description what they show
	entry        entry
	style        style
	pages        bool // it may begin a page, which its style then says
	anchors      bool // floating objects are anchored in it
	line         *lang.Line
	room         float64 // points of width that a picture may take; 0: not known
	asked        counted // what index told last
	marked       *marked // a paragraph of styled text; nil for any other
}

// counted is how many units the first bytes of a text have.
type counted struct {
	bytes int
	units int64
}

// placeholder is a picture at a byte of a paragraph's text, with its size in
// points.
type placeholder struct {
	at            int
	statement     *syntax.Statement
	width, height float64
}

// statements are the tags of the paragraph that show something.
func (p *para) statements() []*syntax.Statement {
	all := p.line.Statements()
	for _, h := range p.placeholders {
		all = append(all, h.statement)
	}
	return all
}

// run is a stretch of a paragraph's text of one style.
type run struct {
	start, end int // bytes of the paragraph's text
	style      style
}

// style is the style of a text or a paragraph, as the API says it. Styles are
// equal when their keys are.
type style struct {
	key string
	api any
	// named says that a text has the style of its paragraph's named style, and of its own
	// these fields alone.
	named  bool
	fields string
}

// newStyle is the style that the API's style is.
func newStyle(api any) style {
	return style{key: string(appendStyle(make([]byte, 0, 128), reflect.ValueOf(api))), api: api}
}

// appendStyle writes what a style says. Of one type, two are written alike
// exactly when they say the same; the API's own JSON is that, too, but takes
// ten times as long, and a document has a style for every run.
func appendStyle(out []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Invalid:
		return append(out, '-')
	case reflect.Pointer:
		return appendStyle(out, v.Elem())
	case reflect.Struct:
		out = append(out, '{')
		for i := range v.NumField() {
			if field := v.Field(i); !field.IsZero() {
				out = appendStyle(binary.AppendUvarint(out, uint64(i)), field)
			}
		}
		return append(out, '}')
	case reflect.Slice:
		out = binary.AppendUvarint(out, uint64(v.Len()))
		for i := range v.Len() {
			out = appendStyle(out, v.Index(i))
		}
		return out
	case reflect.Bool:
		return strconv.AppendBool(out, v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(out, v.Int())
	case reflect.Float64:
		return binary.BigEndian.AppendUint64(out, math.Float64bits(v.Float()))
	default:
		text := v.String()
		return append(binary.AppendUvarint(out, uint64(len(text))), text...)
	}
}

type table struct {
	start, end int64
	rows       []*row
	// Of a document: how many columns it has, and what they say of themselves.
	columns int64
	widths  []*docs.TableColumnProperties
}

type row struct {
	start, end int64
	cells      []*cell
	style      *docs.TableRowStyle // of a document
}

type cell struct {
	blocks     []*block
	column     int64 // in the grid
	span, rows int64 // columns and rows that it takes
	above      bool  // it is part of a merged cell that begins in a row above
	properties *slides.TableCellProperties
	style      *docs.TableCellStyle // of a document
	story      *story
}

// index is the place of a byte of the paragraph's text, counted from the one
// that was asked for before: a paragraph may have thousands of tags.
func (p *para) index(offset int) int64 {
	if offset < p.asked.bytes {
		p.asked.units -= units(p.text[offset:p.asked.bytes])
	} else {
		p.asked.units += units(p.text[p.asked.bytes:offset])
	}
	p.asked.bytes = offset
	return p.start + p.asked.units
}

// styleAt is the style of the character at a byte; at the end, of the last one.
func (p *para) styleAt(offset int) style {
	for _, r := range p.runs {
		if offset < r.end {
			return r.style
		}
	}
	if n := len(p.runs); n > 0 {
		return p.runs[n-1].style
	}
	return style{}
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
func (p *para) addText(text string, l style) {
	start := len(p.text)
	p.text += text
	p.addRun(start, l)
}

func (p *para) addObject(length int64) {
	start := len(p.text)
	p.text += strings.Repeat("\n", int(length))
	p.objects = true
	p.addRun(start, newStyle(nil))
}

func (p *para) addRun(start int, l style) {
	if n := len(p.runs); n > 0 && p.runs[n-1].style.key == l.key {
		p.runs[n-1].end = len(p.text)
		return
	}
	p.runs = append(p.runs, run{start: start, end: len(p.text), style: l})
}
