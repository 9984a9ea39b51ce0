package syntax

// Kind says what a tag does.
type Kind int

// The kinds of tags. Of Field and Formula the value takes the tag's place, of
// Image and Code a picture, of Link a text with an address, of Markdown and HTML styled
// text; the others begin, divide and end blocks, and leave nothing themselves.
const (
	Field Kind = iota
	Formula
	Image
	Code
	Link
	Markdown
	HTML
	If
	ElseIf
	Else
	EndIf
	Each
	EndEach
	Chart   // whose data takes the place of a chart's
	Include // whose place other documents take
	Faulty  // not understood: filling reports it, and its value is empty
)

// A Statement is a tag that has been read.
type Statement struct {
	Kind    Kind
	Tag     string    // as it stands in the document
	Name    string    // of Field, Each and Chart
	Formula Expr      // of Formula, If and ElseIf; the source of Image, Code, Link, Markdown, HTML and Include
	Wording Expr      // the text of a Link, nil for its address; the alternative text of an Image or Code, nil for none
	Clauses []Clause  // of Each and Chart
	Columns []Column  // of Chart: the category, and the values of each series
	Mistake *Mistake  // of Faulty
	Code    Symbology // of Code
	// Width and height are the box of an Image or Code, in points; 0: not said.
	Width, Height float64
}

// Inserts tells of a tag whose place something else than text takes.
func (s *Statement) Inserts() bool {
	return s.Kind == Include || s.Kind == Image || s.Kind == Code || s.Kind == Link || s.IsStyled()
}

// IsStyled tells of a tag whose place styled text takes.
func (s *Statement) IsStyled() bool { return s.Kind == Markdown || s.Kind == HTML }

// Opens tells whether a block begins here.
func (s *Statement) Opens() bool { return s.Kind == If || s.Kind == Each }

// Closes tells whether s ends or divides a block that open began.
func (s *Statement) Closes(open *Statement) bool {
	if open.Kind == If {
		return s.Kind == ElseIf || s.Kind == Else || s.Kind == EndIf
	}
	return open.Kind == Each && s.Kind == EndEach
}

// Ends tells whether a block is over behind s.
func (s *Statement) Ends() bool { return s.Kind == EndIf || s.Kind == EndEach }

// IsControl tells of a tag that shapes the document instead of showing a value.
func (s *Statement) IsControl() bool { return s.Kind >= If && s.Kind <= EndEach }

// Names are what the statement needs, without what functions over whole lists
// take. What looks like reckoning is one name where isName says so.
func (s *Statement) Names(isName func(*Binary) bool) []string {
	if s.Formula != nil {
		return NamesIn(s.Wording, false, isName, NamesIn(s.Formula, false, isName, nil))
	}
	if s.Kind == Field || s.Kind == Each || s.Kind == Chart {
		return []string{s.Name}
	}
	return nil
}
