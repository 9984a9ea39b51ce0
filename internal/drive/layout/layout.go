// Package layout turns the resolved model of an office file into PDF pages,
// in pure Go with embedded fonts. LibreOffice's rendering is the yardstick
// where the formats leave room.
//
// What it cannot draw faithfully it reports as a Finding, never in silence. It
// must not read or write files, know of HTTP or of Google's resources, or
// change the model that it draws.
package layout

// Finding tells of something in a document that the pages do not show as its
// author meant it. It is no error: the PDF is complete otherwise.
type Finding struct {
	// Code is one word for programs, such as "missing-glyph".
	Code string
	// Message is a sentence for people. It may quote single characters, never text.
	Message string
}

// The codes of findings.
const (
	FindingGlyph     = "missing-glyph"        // no embedded font has a character
	FindingShaping   = "script-needs-shaping" // drawn letter by letter, or in the wrong order
	FindingPicture   = "picture-not-drawn"
	FindingDrawing   = "drawing-not-drawn" // charts, SmartArt, WordArt
	FindingTruncated = "content-left-out"  // a limit was reached
)

// findings gathers each finding once, in order of appearance.
type findings struct {
	list []Finding
	seen map[Finding]bool
}

func (f *findings) add(code, message string) {
	finding := Finding{Code: code, Message: message}
	if f.seen[finding] || len(f.list) >= maxFindings {
		return
	}
	if f.seen == nil {
		f.seen = map[Finding]bool{}
	}
	f.seen[finding] = true
	f.list = append(f.list, finding)
}

const maxFindings = 100
