// Package metafile plays pictures that are lists of drawing calls: WMF (MS-WMF),
// and EMF (MS-EMF), also packed by gzip (.wmz, .emz). A picture in both EMF and
// EMF+ (MS-EMFPLUS) is drawn by EMF; of one in EMF+ alone the caller is given a
// note. It draws on a Canvas of the caller and knows nothing of PDF, of parts of
// documents, or of where fonts come from. A file that is damaged or too large is
// drawn as far as it goes.
package metafile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/platenhq/platen/internal/office/dml"
)

// Limits of one picture. Real ones have some thousand records.
const (
	maxBytes   = 64 << 20 // unpacked
	maxRecords = 500_000
	maxPoints  = 2_000_000
	maxPixels  = 16_000_000 // of all bitmaps together
	maxObjects = 16_384     // handles
	maxSaved   = 512        // device contexts
	maxClips   = 64         // areas that cut each other
	maxNotes   = 16
)

// ErrFormat is returned for a file that is no metafile.
var ErrFormat = errors.New("no metafile")

// What a picture may lack, in a sentence each.
const (
	noteDamaged = "a metafile (WMF, EMF) is damaged and drawn as far as it goes"
	noteLimit   = "a metafile (WMF, EMF) draws more than one picture may and is cut short"
	noteBitmap  = "a bitmap in a metafile cannot be read"
	noteGlyphs  = "letters of a metafile that are named by their numbers in a font are not drawn"
	notePlus    = "a metafile is in EMF+ alone, which is not drawn"
	noteRecord  = "a metafile has calls that are not drawn"
	noteRaster  = "a metafile combines colours with those behind them; it is drawn without"
	noteBrush   = "a brush of a metafile is drawn in one colour"
)

// Is tells a metafile by its beginning, packed ones included.
func Is(data []byte) bool {
	return kindOf(data) != unknown || len(data) > 10 && data[0] == 0x1F && data[1] == 0x8B && kindOf(unpack(data, 64)) != unknown
}

type kind int

const (
	unknown kind = iota
	enhanced
	windows
	placeable
)

// kindOf tells files apart (MS-EMF 2.3.4.2, MS-WMF 2.3.2.2 and 2.3.2.3).
func kindOf(data []byte) kind {
	const wmfHeader = 18
	switch {
	case len(data) >= 44 && binary.LittleEndian.Uint32(data) == 1 && string(data[40:44]) == " EMF":
		return enhanced
	case len(data) >= 22 && binary.LittleEndian.Uint32(data) == 0x9AC6CDD7:
		return placeable
	case len(data) >= wmfHeader && (data[0] == 1 || data[0] == 2) && data[1] == 0 && binary.LittleEndian.Uint16(data[2:]) == 9 &&
		(data[5] == 1 || data[5] == 3) && data[4] == 0:
		return windows
	}
	return unknown
}

// unpack is the beginning of what gzip packed, as far as it can be read.
func unpack(data []byte, most int64) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(z, most)) // what came before a fault is drawn
	return out
}

// Play draws a metafile into a box. It returns what the picture lacks, a
// sentence each; the error is ErrFormat, and nothing is drawn then.
func Play(data []byte, box dml.Rect, canvas Canvas) ([]string, error) {
	if len(data) > 2 && data[0] == 0x1F && data[1] == 0x8B {
		data = unpack(data, maxBytes)
	}
	if len(data) > maxBytes {
		return []string{noteLimit}, nil
	}
	l := &limits{}
	if err := play(data, box, canvas, l); err != nil {
		return nil, err
	}
	return l.notes, nil
}

func play(data []byte, box dml.Rect, canvas Canvas, l *limits) error {
	kind := kindOf(data)
	if kind == unknown {
		return fmt.Errorf("%w: no header of WMF or EMF", ErrFormat)
	}
	if box.W <= 0 || box.H <= 0 {
		return nil
	}
	p := newPlayer(canvas, l, box)
	p.canvas.Save()
	p.canvas.Clip(rectangle(box.X, box.Y, box.X+box.W, box.Y+box.H), false)
	if kind == enhanced {
		p.playEMF(data, box)
	} else {
		p.playWMF(data, box, kind == placeable)
	}
	p.dropClip()
	p.canvas.Restore()
	return nil
}

// limits counts what a picture has cost, and keeps what it lacks.
type limits struct {
	records, points, pixels int
	isOver                  bool
	notes                   []string
}

func (l *limits) note(what string) {
	if len(l.notes) < maxNotes && !slices.Contains(l.notes, what) {
		l.notes = append(l.notes, what)
	}
}

func (l *limits) over() {
	l.isOver = true
	l.note(noteLimit)
}

// spendRecord says whether one more record may be played.
func (p *player) spendRecord() bool {
	p.limits.records++
	if p.limits.records > maxRecords || !p.limits.isOver && !p.canvas.Spend(1) {
		p.limits.over()
	}
	return !p.limits.isOver
}

// spendPoints says whether so many more points may be drawn.
func (p *player) spendPoints(n int) bool {
	p.limits.points += n
	if p.limits.points > maxPoints {
		p.limits.over()
	}
	return !p.limits.isOver
}

// spendPixels says whether so many more pixels may be unpacked.
func (p *player) spendPixels(w, h int) bool {
	const perWork = 16 // pixels
	if w <= 0 || h <= 0 || w > maxPixels/h || p.limits.isOver {
		return false
	}
	p.limits.pixels += w * h
	if p.limits.pixels > maxPixels || !p.canvas.Spend(w*h/perWork) {
		p.limits.over()
	}
	return !p.limits.isOver
}
