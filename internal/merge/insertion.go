package merge

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen"
)

const (
	// maxPictures is how many different pictures one document takes.
	maxPictures = 100
	// maxPictureBytes bounds the addresses of all pictures of a document
	// together: on a drive of our own they hold the pictures themselves.
	maxPictureBytes = 24 << 20
	// maxCode is how many bytes a QR code holds at the level of correction
	// that is used (ISO/IEC 18004, table 7, version 40-M).
	maxCode = 2331
	// maxLink is how many bytes the address of a link may have.
	maxLink = 2000
	// codeSize is the side of a QR code whose tag says none, in points: 30 mm.
	codeSize = 30 * pointsPerMM

	pointsPerMM = 72 / 25.4
	// longestSide is how long a side of a picture may be, in points: 1 m.
	longestSide = 1000 * pointsPerMM
)

// A Picture is what a tag asks for.
type Picture struct {
	// Source is a data URI, an address, or the id of a file of the drive; of a
	// QR code, the text that it holds.
	Source string
	QR     bool
}

// An Obtained picture is one that the drive can put into a document.
type Obtained struct {
	URI           string // where the drive finds it
	Width, Height int    // pixels
}

// Obtain gets a picture. An error of KindInvalid is a mistake of the data, and
// its message goes to the author of the template; any other is ours, and ends
// the filling (see Evaluator.Failed).
type Obtain func(Picture) (Obtained, error)

// A Placed picture takes the place of a tag. Width and Height are the box, in
// points, that the tag asks it to fit into; 0 where it says nothing.
type Placed struct {
	Obtained
	Width, Height float64
}

// ObtainWith says where pictures come from. Without it the tags of pictures
// are looked at, and leave nothing.
func (e *Evaluator) ObtainWith(obtain Obtain) { e.obtain = obtain }

// Picture works an Image or a QR out; nil where there is none to put in.
func (e *Evaluator) Picture(s *Statement, scope *Scope) *Placed {
	return e.inserted(s, scope, Span{}).Picture
}

// Failed is the first error of obtaining pictures that is no fault of the
// template or its data.
func (e *Evaluator) Failed() error { return e.failed }

// insertion reads what stands behind image, qr or link.
func (e *Evaluator) insertion(word, rest string) *Statement {
	s := &Statement{Kind: Link}
	if word != "link" {
		s.Kind = Image
		if word == "qr" {
			s.Kind, s.width, s.height = QR, codeSize, codeSize
		}
		box, ok := "", false
		if at := strings.LastIndexByte(rest, ' '); at > 0 {
			box = rest[at+1:]
			if width, height, is := boxOf(box); is {
				rest, s.width, s.height, ok = strings.TrimRight(rest[:at], " ,;"), width, height, true
			}
		}
		if ok && (s.width > longestSide || s.height > longestSide) {
			return &Statement{Kind: Faulty, problem: problemf("picture_too_large", "A picture of %s is larger than a metre.", box)}
		}
	}
	p := &formulaParser{lexer: lexer{text: rest}, functions: e.allFunctions()}
	p.advance()
	formula, err := p.level(0)
	s.formula = formula
	if err == nil && s.Kind == Link && p.token.kind != endToken {
		if p.token.kind == operatorToken && (p.token.text == "," || p.token.text == ";") {
			p.advance()
		}
		s.shown, err = p.level(0)
	}
	if err == nil && p.token.kind != endToken {
		err = p.unexpected()
	}
	if err != nil {
		return &Statement{Kind: Faulty, problem: err}
	}
	return s
}

// boxOf reads a size such as 30mm, 4.5cm or 30x20mm: a width, or a width and a
// height, in points.
func boxOf(text string) (width, height float64, ok bool) {
	units := map[string]float64{"mm": pointsPerMM, "cm": 10 * pointsPerMM, "in": 72, "pt": 1}
	if len(text) < 3 {
		return 0, 0, false
	}
	unit, ok := units[strings.ToLower(text[len(text)-2:])]
	if !ok {
		return 0, 0, false
	}
	first, second, both := strings.Cut(strings.ReplaceAll(strings.ToLower(text[:len(text)-2]), "×", "x"), "x")
	side := func(text string) float64 {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !isNumber(text) || n <= 0 {
			ok = false
		}
		return n * unit
	}
	width = side(first)
	if both {
		height = side(second)
	}
	return width, height, ok
}

// inserted works an Image, a QR or a Link out.
func (e *Evaluator) inserted(s *Statement, scope *Scope, span Span) Span {
	span.Value = true
	v, err := context{e: e, scope: scope}.eval(s.formula)
	if err == nil {
		switch v := v.(type) {
		case *object:
			err = problemf("no_text", "The tag names a part of the data that has fields of its own; name one of them.")
		case values:
			if len(v) > 1 {
				err = problemf("many_values", "The tag stands for a whole list here: in a row or a block of the list it is one after the other.")
			}
		}
	}
	if err != nil {
		e.report(s, err)
		return span
	}
	source := strings.TrimSpace(textOf(v))
	switch {
	case s.Kind == Link:
		span.Text, span.Link, err = e.linked(s, scope, source)
	case source != "":
		span.Picture, err = e.placed(s, source)
	}
	if err != nil {
		e.report(s, err)
	}
	e.written += len(span.Text)
	return span
}

// linked is the text and the address of a link.
func (e *Evaluator) linked(s *Statement, scope *Scope, address string) (text, link string, err *problem) {
	text = address
	if s.shown != nil {
		v, err := context{e: e, scope: scope}.eval(s.shown)
		if err != nil {
			return "", "", err
		}
		text = textOf(v)
	}
	text = documentText(text)
	if address == "" || text == "" {
		return text, "", nil
	}
	link, err = usable(address)
	if err != nil {
		return "", "", err
	}
	return text, link, nil
}

// usable is an address that a link may lead to.
func usable(address string) (string, *problem) {
	if strings.HasPrefix(strings.ToLower(address), "www.") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	schemes := []string{"https", "http", "mailto", "tel"}
	if err != nil || len(address) > maxLink || !slices.Contains(schemes, strings.ToLower(u.Scheme)) || u.Host == "" && u.Opaque == "" {
		return "", problemf("link_unusable", "The address of the link must begin with https://, http://, mailto: or tel:, and have at most %d characters.", maxLink)
	}
	return address, nil
}

// Target reads the address of a link of the template, and tells whether it has
// tags. Word processors write the braces of addresses as %7B and %7D.
func (e *Evaluator) Target(address string) (*Line, bool) {
	if !strings.Contains(address, "{{") && !strings.Contains(strings.ToUpper(address), "%7B%7B") {
		return nil, false
	}
	if plain, err := url.PathUnescape(address); err == nil {
		address = plain
	}
	l := e.ReadLine(address)
	return l, len(l.Statements()) > 0 || l.HasBlocks()
}

// Address fills the address of a link. What does not begin it is escaped, so
// that a value stays in its place. It is empty when nothing is left.
func (e *Evaluator) Address(target *Line, scope *Scope) string {
	var b strings.Builder
	for _, s := range e.Fill(target, scope, false) {
		switch {
		case !s.Value:
			b.WriteString(target.Text[s.Start:s.End])
		case b.Len() == 0:
			b.WriteString(strings.TrimSpace(s.Text))
		default:
			b.WriteString(strings.ReplaceAll(url.QueryEscape(s.Text), "+", "%20"))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	address, err := usable(b.String())
	if err != nil {
		e.Report(Fault{Code: err.code, Tag: target.Text, Message: err.message})
	}
	return address
}

type obtainedPicture struct {
	Obtained
	problem *problem
}

func (e *Evaluator) placed(s *Statement, source string) (*Placed, *problem) {
	if s.Kind == QR && len(source) > maxCode {
		return nil, problemf("code_too_long", "A QR code holds at most %d characters.", maxCode)
	}
	if e.obtain == nil || e.failed != nil {
		return nil, nil
	}
	key := Picture{Source: source, QR: s.Kind == QR}
	known, ok := e.pictures[key]
	if !ok {
		if len(e.pictures) >= maxPictures {
			return nil, problemf("too_many_pictures", "A document takes at most %d different pictures: send less data.", maxPictures)
		}
		obtained, err := e.obtain(key)
		known.Obtained = obtained
		if refused, invalid := errors.AsType[*platen.Error](err); invalid && refused.Kind == platen.KindInvalid {
			known.problem = problemf(refused.Code, "%s", refused.Message)
		} else if err != nil {
			e.failed = err
			return nil, nil
		}
		e.pictures[key] = known
	}
	if e.pictured += len(known.URI); e.pictured > maxPictureBytes {
		return nil, problemf("pictures_too_large", "The pictures of this document are larger than %d MiB together.", maxPictureBytes>>20)
	}
	if known.problem != nil {
		return nil, known.problem
	}
	return &Placed{Obtained: known.Obtained, Width: s.width, Height: s.height}, nil
}
