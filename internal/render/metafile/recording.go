package metafile

import (
	"github.com/platenhq/platen/internal/office/dml"
)

// Recording is what a metafile draws into a box of one size, to be drawn again
// and again: the logo of a letterhead stands on every page.
type Recording struct {
	// Notes are what the picture lacks, a sentence each.
	Notes []string
	// Cost is about how many points and bytes the recording holds.
	Cost  int
	calls []call
}

type callKind int

const (
	callSave callKind = iota
	callRestore
	callClip
	callFill
	callStroke
	callPicture
	callText
)

// call is one call of a Canvas.
type call struct {
	kind      callKind
	path      *Path
	isEvenOdd bool
	color     Color
	stroke    *Stroke
	file      []byte
	m         Matrix
	text      *Text
}

// Record plays a metafile into a box at the origin. It asks the canvas for
// fonts and for room, and draws nothing on it. The error is ErrFormat.
func Record(data []byte, w, h float64, canvas Canvas) (*Recording, error) {
	r := &taker{Canvas: canvas, Recording: &Recording{}}
	notes, err := Play(data, dml.Rect{W: w, H: h}, r)
	if err != nil {
		return nil, err
	}
	r.Notes = notes
	return r.Recording, nil
}

// Draw draws the recording on a canvas whose origin is the box's corner. It
// reports whether all its pictures were drawn.
func (r *Recording) Draw(canvas Canvas) bool {
	isWhole := true
	for _, c := range r.calls {
		switch c.kind {
		case callSave:
			canvas.Save()
		case callRestore:
			canvas.Restore()
		case callClip:
			canvas.Clip(c.path, c.isEvenOdd)
		case callFill:
			canvas.Fill(c.path, c.isEvenOdd, c.color)
		case callStroke:
			canvas.Stroke(c.path, *c.stroke)
		case callPicture:
			isWhole = canvas.Picture(c.file, c.m) == nil && isWhole
		case callText:
			canvas.Text(*c.text)
		}
	}
	return isWhole
}

// taker is a Canvas that takes down what is drawn on it.
type taker struct {
	Canvas
	*Recording
	last []byte // the file of the last picture: tiles have the same
}

func (t *taker) take(c call) {
	const perCall = 8
	t.calls = append(t.calls, c)
	t.Cost += perCall
	if c.path != nil {
		t.Cost += len(c.path.Points)
	}
}

func (t *taker) Save()    { t.take(call{kind: callSave}) }
func (t *taker) Restore() { t.take(call{kind: callRestore}) }
func (t *taker) Clip(p *Path, isEvenOdd bool) {
	t.take(call{kind: callClip, path: p, isEvenOdd: isEvenOdd})
}
func (t *taker) Fill(p *Path, isEvenOdd bool, c Color) {
	t.take(call{kind: callFill, path: p, isEvenOdd: isEvenOdd, color: c})
}
func (t *taker) Stroke(p *Path, s Stroke) { t.take(call{kind: callStroke, path: p, stroke: &s}) }
func (t *taker) Text(text Text)           { t.take(call{kind: callText, text: &text}) }

func (t *taker) Picture(file []byte, m Matrix) error {
	t.take(call{kind: callPicture, file: file, m: m})
	if len(t.last) == 0 || len(file) == 0 || &t.last[0] != &file[0] {
		t.Cost += len(file)
	}
	t.last = file
	return nil
}
