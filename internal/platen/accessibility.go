package platen

// Accessibility is what becomes of a template whose PDF a screen reader cannot read as it is
// meant, by faults that its author alone can cure.
type Accessibility string

const (
	AccessibilityReport  Accessibility = "report"  // a check tells of them
	AccessibilityRequire Accessibility = "require" // the document fails by them
)

// RequiresAccessibility tells of a document that fails rather than have a PDF that a screen
// reader cannot read as it is meant.
func (d Document) RequiresAccessibility() bool {
	return d.CreatePDFCopy && d.Accessibility == AccessibilityRequire
}

// CodeAccessibilityUnmet is the code of an error about a PDF that a screen reader cannot read
// as it is meant.
const CodeAccessibilityUnmet = "accessibility_unmet"

// ErrAppendixUntagged says that an appended file keeps a PDF from being read aloud whole.
func ErrAppendixUntagged(name string) *Error {
	return Errorf(KindInvalid, CodeAccessibilityUnmet, "The appended file %q is a PDF, and its pages lose their tags when they are appended. Append the Word or PowerPoint file that it was made of, or set accessibility to report.", name)
}
