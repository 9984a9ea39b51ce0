package fill

import (
	"net/url"
	"strings"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

const (
	// pointsPerPixel is the size of a pixel where nothing says another (CSS
	// Values and Units, 5.2).
	pointsPerPixel = 0.75
	// tallest is how high a picture gets by itself, in points, and highest how
	// high where its tag says nothing but its width: as high as a tag may say.
	tallest = 600
	highest = 2834
	// finest is the shortest side that a drive can be told, in points.
	finest = 0.1
)

// fit is the size, in points, of a picture in the box that its tag names, or
// else of its own size, as wide as there is room at most. 0 is no limit.
func fit(p *lang.Placed, room float64) (width, height float64) {
	w, h := float64(max(p.Obtained.Width, 1)), float64(max(p.Obtained.Height, 1))
	scale := pointsPerPixel
	switch {
	case p.Width > 0 && p.Height > 0:
		scale = min(p.Width/w, p.Height/h)
	case p.Width > 0:
		scale = min(p.Width/w, highest/h)
	default:
		scale = min(scale, tallest/h)
	}
	if room > 0 {
		scale = min(scale, room/w)
	}
	return max(w*scale, finest), max(h*scale, finest)
}

// findPictureTag reads what a picture of the template says of itself: the tag
// of a picture, and nothing else, in its description or its title.
func (p *composer) findPictureTag(texts ...string) (*syntax.Statement, bool) {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if tags := syntax.Parse(text); len(tags) == 1 && tags[0].Text == text {
			if s := p.e.Read(tags[0]); s.Kind == syntax.Image || s.Kind == syntax.Code {
				return s, true
			}
		}
	}
	return nil, false
}

// fillBox returns the picture that takes the place of a placeholder.
func (p *composer) fillBox(h placeholder, scope *lang.Scope) []filledRun {
	p.checkPicture(h.statement.Tag)
	placed := p.e.Picture(h.statement, scope)
	if placed == nil {
		return nil
	}
	boxed := *placed
	boxed.Width, boxed.Height = h.width, h.height
	return []filledRun{{picture: &boxed}}
}

// checkPicture reports a picture where none can be.
func (p *composer) checkPicture(tag string) {
	if p.noPictures != "" {
		p.e.Report(lang.Finding{Code: "picture_in_text", Tag: tag, Message: p.noPictures})
	}
}

// placePictures puts in the pictures of runs whose texts stand from an index
// on, from the last to the first.
func placePictures(at int64, all []filled, room float64, w writer) {
	type place struct {
		at      int64
		picture *lang.Placed
	}
	var places []place
	for _, f := range all {
		for _, r := range f.runs {
			if r.picture != nil {
				places = append(places, place{at, r.picture})
			}
			at += units(r.text)
		}
		at++
	}
	for i := len(places) - 1; i >= 0; i-- {
		width, height := fit(places[i].picture, room)
		w.insertPicture(places[i].at, places[i].picture, width, height)
	}
}

// sentPictures are those that a request of the batch holds.
type sentPictures map[string]bool

// uri is what the next request about a picture gives for it.
func (s sentPictures) uri(o lang.Obtained) string {
	if o.Again == "" {
		return o.URI
	}
	if s[o.Again] {
		return o.Again
	}
	s[o.Again] = true
	return o.URI
}

// described is uri with the alternative text, which our own drive takes as a parameter of a
// data URI. Google has no place for it.
func (s sentPictures) described(p *lang.Placed) string {
	uri := s.uri(p.Obtained)
	kind, rest, ok := strings.Cut(uri, ";")
	if p.Alt == "" || !ok || !strings.HasPrefix(kind, "data:") {
		return uri
	}
	return kind + ";alt=" + url.PathEscape(p.Alt) + ";" + rest
}
