// Package edit changes texts and pictures in the XML of .docx and .pptx files,
// and leaves everything else as it is. It works on the XML itself: it knows
// nothing of the models that wml and pml read, and of Google's requests what both
// kinds share: batch.go.
package edit

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/beevik/etree"
)

// Edit replaces the bytes Start to End of a paragraph's text. In Text a line
// feed begins a new paragraph, U+000B breaks the line and a tab is a tab;
// characters that XML forbids are dropped. Start equal to End inserts. In
// documents an Object, such as a w:drawing, comes behind the text.
type Edit struct {
	Start, End int
	Text       string
	Object     *etree.Element
}

// ObjectCharacter stands in a paragraph's text for an inline object: a
// picture, a page number, a note reference.
const ObjectCharacter = "\uFFFC"

// LineBreak is how a break of the line inside a paragraph is written in text,
// as in Google's interfaces.
const LineBreak = "\v"

// PieceKind says what a Piece of a paragraph is.
type PieceKind int

// The kinds of pieces. Only a TextPiece can be cut; the others stay or go as a
// whole, and most of them have ObjectCharacter as their text.
const (
	TextPiece PieceKind = iota
	TabPiece
	LineBreakPiece
	PageBreakPiece
	ColumnBreakPiece
	DrawingPiece
	NoteReferencePiece
	PageNumberPiece
	PageCountPiece
	OtherPiece
)

// Piece is a stretch of a paragraph's text with the XML element that holds it.
type Piece struct {
	Kind PieceKind
	Text string
	Elem *etree.Element // w:t, w:tab, w:drawing, … in documents; a:r, a:br, a:fld on slides
	Run  *etree.Element // the w:r or a:r around it; nil for what stands outside runs
	with []*etree.Element
}

// fragment is what an edit leaves of a piece, or puts into its place.
type fragment struct {
	text       string
	isInserted bool
	object     *etree.Element // that is inserted behind the text
	isWhole    bool           // the piece itself, which is not text
}

// batch says what becomes of the pieces that edits touch; pieces that are not
// in it stay as they are.
type batch struct {
	fragments map[*etree.Element][]fragment
	pieces    map[*etree.Element]Piece
	dropped   map[*etree.Element]bool
}

func (p batch) touches(e *etree.Element) bool {
	_, ok := p.pieces[e]
	return ok
}

// batchEdits lays edits over pieces in one pass over both. Edits must be sorted
// and must not overlap. Inserted text goes to the piece in which its edit
// begins, and so takes the formatting of that piece's run.
func batchEdits(pieces []Piece, edits []Edit) batch {
	p := batch{fragments: map[*etree.Element][]fragment{}, pieces: map[*etree.Element]Piece{}, dropped: map[*etree.Element]bool{}}
	next, start := 0, 0
	for i, piece := range pieces {
		end := start + len(piece.Text)
		isLast := i == len(pieces)-1
		var fragments []fragment
		at, isTouched := start, false
		for next < len(edits) {
			e := edits[next]
			// At a seam, a replacement belongs to the piece behind it and an
			// insertion to the one before it, if that is text.
			isBehind := e.End > e.Start || piece.Kind != TextPiece && !isLast
			if e.Start > end || e.Start == end && isBehind {
				break
			}
			isTouched = true
			if e.Start >= start {
				fragments = keep(fragments, piece, at, e.Start, start)
				fragments = append(fragments, fragment{text: cleanText(e.Text), isInserted: true, object: e.Object})
			}
			at = max(at, min(e.End, end))
			if e.End > end {
				break
			}
			next++
		}
		if isTouched {
			fragments = keep(fragments, piece, at, end, start)
			if whole := wholeAt(fragments); whole < 0 {
				for _, e := range piece.with {
					p.dropped[e] = true
				}
			} else if whole > 0 && len(piece.with) > 0 {
				// What stands before a field comes before its first element: behind
				// that, it would be a part of the field.
				first := Piece{Kind: piece.Kind, Elem: piece.with[0], Run: piece.with[0].Parent()}
				p.fragments[first.Elem], p.pieces[first.Elem] = append(slices.Clone(fragments[:whole]), fragment{isWhole: true}), first
				fragments = fragments[whole:]
			}
			p.fragments[piece.Elem], p.pieces[piece.Elem] = fragments, piece
		}
		start = end
	}
	return p
}

// keep adds the bytes from to to of a piece that begins at start.
func keep(fragments []fragment, piece Piece, from, to, start int) []fragment {
	switch {
	case from >= to:
		return fragments
	case piece.Kind != TextPiece:
		return append(fragments, fragment{isWhole: true})
	}
	return append(fragments, fragment{text: piece.Text[from-start : to-start]})
}

// wholeAt finds the piece itself among what edits left of it, -1 when it is gone.
func wholeAt(fragments []fragment) int {
	return slices.IndexFunc(fragments, func(f fragment) bool { return f.isWhole })
}

// cleanText drops what XML 1.0 (2.2) forbids, and carriage returns, so that one
// with a line feed is a line feed.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\v':
			return r
		case r == utf8.RuneError, r < ' ', r == 0xFFFE, r == 0xFFFF, 0xD800 <= r && r <= 0xDFFF:
			return -1
		}
		return r
	}, s)
}

// finder looks for one text in many paragraphs.
type finder struct {
	find      string
	matchCase bool
}

func newFinder(find string, matchCase bool) finder {
	if !matchCase {
		find, _ = foldCase(find)
	}
	return finder{find: find, matchCase: matchCase}
}

// edits returns one edit for each place where the text stands, from the start
// and without overlaps.
func (f finder) edits(text, replacement string) []Edit {
	if f.find == "" || strings.Contains(f.find, ObjectCharacter) {
		return nil
	}
	searched, offsets := text, []int(nil)
	if !f.matchCase {
		searched, offsets = foldCase(text)
	}
	original := func(i int) int {
		if offsets == nil {
			return i
		}
		return offsets[i]
	}
	var edits []Edit
	for at := 0; ; {
		i := strings.Index(searched[at:], f.find)
		if i < 0 {
			return edits
		}
		start, end := at+i, at+i+len(f.find)
		edits = append(edits, Edit{Start: original(start), End: original(end), Text: replacement})
		at = end
	}
}

// foldCase maps every character to one representative of its case variants.
// The offsets lead from bytes of the result to bytes of s; nil when they are
// the same.
func foldCase(s string) (string, []int) {
	sameLength := true
	folded := strings.Map(func(r rune) rune {
		c := smallestFold(r)
		sameLength = sameLength && utf8.RuneLen(c) == utf8.RuneLen(r)
		return c
	}, s)
	if sameLength {
		return folded, nil
	}
	offsets := make([]int, 0, len(folded)+1)
	for i, r := range s {
		for range utf8.RuneLen(smallestFold(r)) {
			offsets = append(offsets, i)
		}
	}
	return folded, append(offsets, len(s))
}

func smallestFold(r rune) rune {
	if r < utf8.RuneSelf {
		// 'k' and 's' have variants outside ASCII; upper case is the smallest of all.
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}
	smallest := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		smallest = min(smallest, f)
	}
	return smallest
}

// sortEdits puts edits into the order that batchEdits asks for.
func sortEdits(edits []Edit) {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Start < edits[j].Start })
}

// detach removes all children of an element, from the last to the first, in linear time.
func detach(e *etree.Element) []etree.Token {
	children := make([]etree.Token, len(e.Child))
	copy(children, e.Child)
	for i := len(children) - 1; i >= 0; i-- {
		e.RemoveChildAt(i)
	}
	return children
}

// charData returns all character data directly in an element.
func charData(e *etree.Element) string {
	if len(e.Child) == 1 {
		if c, ok := e.Child[0].(*etree.CharData); ok {
			return c.Data
		}
	}
	var text strings.Builder
	for _, t := range e.Child {
		if c, ok := t.(*etree.CharData); ok {
			text.WriteString(c.Data)
		}
	}
	return text.String()
}

func setCharData(e *etree.Element, text string) {
	detach(e)
	e.CreateText(text)
}

func childNamed(e *etree.Element, space, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, t := range e.Child {
		if c, ok := t.(*etree.Element); ok && c.Tag == tag && c.Space == space {
			return c
		}
	}
	return nil
}
