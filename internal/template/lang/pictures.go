package lang

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

const (
	// maxPictures is how many different pictures one document takes.
	maxPictures = 100
	// maxPictureBytes bounds them together. In base64 they take a third more,
	// which a batch of requests to our own drive has room for.
	maxPictureBytes = 18 << 20
	// MaxAlt is how many characters an alternative text has.
	MaxAlt = 1000
)

// A Picture is what a tag asks for.
type Picture struct {
	// Source is a data URI, an address, or the id of a file of the drive; of a
	// code, the text that it holds.
	Source string
	Code   syntax.Symbology // empty: no code
	// Limit is how many bytes the document has room for; 0: nothing is known of
	// that.
	Limit int64
}

// An Obtained picture is one that the drive can put into a document.
type Obtained struct {
	URI           string // where the drive finds it
	Width, Height int    // pixels
	Bytes         int64  // of the picture itself, wherever it is kept
	// Again is the URI to give from the second time on, in one batch of
	// requests; empty when it is the same. Where a URI holds the picture, it
	// need not be sent for every place.
	Again string
}

// Obtain gets a picture. An error of KindInvalid is a mistake of the data, and
// its message goes to the author of the template; KindTooLarge: it has more
// than Limit bytes. Any other is ours, and ends the filling (see
// Evaluator.Failed).
type Obtain func(Picture) (Obtained, error)

// A Placed picture takes the place of a tag. Width and Height are the box, in
// points, that the tag asks it to fit into; 0 where it says nothing.
type Placed struct {
	Obtained
	Width, Height float64
	Alt           string // its alternative text, of MaxAlt characters at most; empty: none
}

// Picture works an Image or a Code out; nil where there is none to put in.
func (e *Evaluator) Picture(s *syntax.Statement, scope *Scope) *Placed {
	return e.insert(s, scope, Span{}).Picture
}

// readAlt works the alternative text of a picture out.
func (e *Evaluator) readAlt(s *syntax.Statement, scope *Scope) (string, *Finding) {
	if s.Wording == nil {
		return "", nil
	}
	v, err := env{e: e, scope: scope}.eval(s.Wording)
	if err != nil {
		return "", err
	}
	if _, is := v.(*object); is {
		return "", findingf("no_text", "The alternative text names a part of the data that has fields of its own; name one of them.")
	}
	text := lineOf(textOf(v))
	switch {
	case text == "" && !slices.Contains(e.silent, s.Tag):
		e.silent = append(e.silent, s.Tag)
	case utf8.RuneCountInString(text) > MaxAlt:
		return "", ofField(s.Wording, dataFindingf("alt_too_long", "An alternative text has at most %d characters: send less.", MaxAlt))
	}
	e.written += len(text)
	return text, nil
}

// lineOf is a value as one line, which is what a description has.
func lineOf(value string) string { return strings.Join(strings.Fields(documentText(value)), " ") }

// pictureKey tells pictures apart.
type pictureKey struct {
	source string
	code   syntax.Symbology
}

// obtainedPicture is one that was asked for, or what is wrong with it.
type obtainedPicture struct {
	Obtained
	finding *Finding
}

// A gallery gets each picture of one document once.
type gallery struct {
	obtain   Obtain
	pictures map[pictureKey]obtainedPicture
	pictured int64 // bytes of those that were obtained
	failed   error
	silent   []string // see Silent
	// isAddressed says that pictures come from addresses: the drive is Google's.
	isAddressed bool
}

// Silent are the tags of pictures whose alternative text is empty with the data, each once.
func (g *gallery) Silent() []string { return g.silent }

// IsAddressed tells whether the drive reads the pictures at addresses, as Google's does.
func (g *gallery) IsAddressed() bool { return g.isAddressed }

// ObtainWith says where pictures come from. Without it the tags of pictures
// are looked at, and leave nothing.
func (g *gallery) ObtainWith(obtain Obtain) { g.obtain = obtain }

// Failed is the first error of obtaining pictures that is no fault of the
// template or its data.
func (g *gallery) Failed() error { return g.failed }

// place is the picture that takes the place of a tag; nil for none.
func (g *gallery) place(s *syntax.Statement, source string) (*Placed, *Finding) {
	if s.Kind == syntax.Code {
		var unfit *Finding
		if source, unfit = readCode(s.Code, source); unfit != nil {
			return nil, ofField(s.Formula, unfit)
		}
	}
	if g.obtain == nil || g.failed != nil {
		return nil, nil
	}
	key := pictureKey{source, s.Code}
	known, ok := g.pictures[key]
	if !ok {
		if len(g.pictures) >= maxPictures {
			return nil, dataFindingf("too_many_pictures", "A document takes at most %d different pictures: send less data.", maxPictures)
		}
		known = g.fetch(key)
		if g.failed != nil {
			return nil, nil
		}
		g.pictures[key] = known
	}
	if known.finding != nil {
		unfit := *known.finding
		return nil, ofField(s.Formula, &unfit)
	}
	placed := &Placed{Obtained: known.Obtained, Width: s.Width, Height: s.Height}
	if s.Kind == syntax.Code && s.Width == 0 {
		placed.Width, placed.Height = sizeOfCode(s.Code, source, known.Obtained)
	}
	return placed, nil
}

// fetch gets a picture that the document has room for, and keeps nothing of
// one that it has not.
func (g *gallery) fetch(key pictureKey) obtainedPicture {
	tooLarge := dataFindingf("pictures_too_large", "The different pictures of a document may have %d MiB together, and these have more: send smaller ones.", maxPictureBytes>>20)
	room := maxPictureBytes - g.pictured
	if room <= 0 {
		return obtainedPicture{finding: tooLarge}
	}
	got, err := g.obtain(Picture{Source: key.source, Code: key.code, Limit: room})
	refused, is := errors.AsType[*platen.Error](err)
	switch {
	case is && refused.Kind == platen.KindTooLarge:
		return obtainedPicture{finding: tooLarge}
	case is && refused.Kind == platen.KindInvalid:
		return obtainedPicture{finding: dataFindingf(refused.Code, "%s", refused.Message)}
	case err != nil:
		g.failed = err
		return obtainedPicture{}
	case got.Bytes > room:
		return obtainedPicture{finding: tooLarge}
	}
	g.pictured += got.Bytes
	g.isAddressed = g.isAddressed || !strings.HasPrefix(got.URI, "data:")
	return obtainedPicture{Obtained: got}
}
