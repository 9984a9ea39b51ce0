// Package render has what all that draw pages have in common: the findings that
// tell what a page does not show as its author meant it.
//
// Below it, flow lays documents out and slide draws slides; shape, chart, formula and pdf
// paint, metafile plays WMF and EMF, linebreak says where lines may end. All are pure Go with embedded
// fonts, and LibreOffice's rendering is their yardstick where the formats leave
// room. What they cannot draw faithfully they report as a Finding, never in
// silence. None of them reads or writes files, knows of HTTP or of Google's
// resources, or changes the model that it draws.
package render

import (
	"fmt"
	"slices"
	"strconv"
	"unicode"
)

// Finding tells of something in a document that the pages do not show as its
// author meant it. It is no error: the PDF is complete otherwise.
type Finding struct {
	// Code is one word for programs, such as "missing_glyph".
	Code string
	// Message is a sentence for people. It may quote single characters, never text.
	Message string
}

// The codes of findings.
const (
	FindingGlyph     = "missing_glyph"        // no font has a character
	FindingShaping   = "script_needs_shaping" // drawn letter by letter, or in the wrong order
	FindingPicture   = "picture_not_drawn"
	FindingDrawing   = "drawing_not_drawn" // shapes, charts, SmartArt, WordArt
	FindingTruncated = "content_left_out"  // a limit was reached, or text has no place on the page
)

// Findings gathers each finding once, in order of appearance.
type Findings struct {
	notes []*note
	known map[Finding]*note
}

// A note is a finding as it grows: of characters and of pages or slides it
// names the first few.
type note struct {
	Finding
	named  []rune
	unit   string // "page" or "slide"
	places []int
	more   bool
}

const (
	maxFindings = 100
	// maxNamed is how many characters or places a finding names: enough to find
	// the place, too few to give away what stands there.
	maxNamed = 5
)

// Add adds a finding, once.
func (f *Findings) Add(code, message string) { f.note(code, message) }

// At adds a finding on a page or slide; the same one on several is reported once.
func (f *Findings) At(code, message, unit string, place int) {
	switch n := f.note(code, message); {
	case n == nil || slices.Contains(n.places, place):
	case len(n.places) < maxNamed:
		n.unit, n.places = unit, append(n.places, place)
	default:
		n.more = true
	}
}

// Character adds a character to the finding that message begins.
func (f *Findings) Character(code, message string, r rune) {
	switch n := f.note(code, message); {
	case n == nil || slices.Contains(n.named, r):
	case len(n.named) < maxNamed:
		n.named = append(n.named, r)
	default:
		n.more = true
	}
}

// note is nil when there are too many.
func (f *Findings) note(code, message string) *note {
	key := Finding{Code: code, Message: message}
	n, ok := f.known[key]
	if !ok && len(f.notes) < maxFindings {
		if f.known == nil {
			f.known = map[Finding]*note{}
		}
		n = &note{Finding: key}
		f.known[key], f.notes = n, append(f.notes, n)
	}
	return n
}

// All returns the findings in their order, with the characters and places that
// they name.
func (f *Findings) All() []Finding {
	var all []Finding
	for _, n := range f.notes {
		finding := n.Finding
		for i, r := range n.named {
			finding.Message += []string{": ", ", "}[min(i, 1)] + nameRune(r)
		}
		for i, place := range n.places {
			finding.Message += []string{": " + n.unit + " ", ", "}[min(i, 1)] + strconv.Itoa(place)
		}
		if n.more {
			finding.Message += " and others"
		}
		all = append(all, finding)
	}
	return all
}

// nameRune is a character with its code point, or that alone where the character
// does not show by itself.
func nameRune(r rune) string {
	if !unicode.IsGraphic(r) || unicode.IsMark(r) || unicode.IsSpace(r) {
		return fmt.Sprintf("%U", r)
	}
	return fmt.Sprintf("%c (%U)", r, r)
}
