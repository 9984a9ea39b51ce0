package shape

import (
	"crypto/sha256"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/metafile"
	"github.com/platenhq/platen/internal/render/pdf"
)

// Image draws a picture into a box: one of pixels, or a metafile, whose calls
// become lines, areas and text of the page. The error is pdf.ErrPicture.
func (sp *Painter) Image(data []byte, box dml.Rect, opts pdf.ImageOptions) error {
	if !metafile.Is(data) {
		return sp.Canvas.Image(data, box.X, box.Y, box.W, box.H, opts)
	}
	spanX, spanY := 1-opts.Left-opts.Right, 1-opts.Top-opts.Bottom
	if box.W <= 0 || box.H <= 0 || spanX <= 0 || spanY <= 0 || opts.Transparency >= 1 {
		return nil
	}
	sp.Canvas.Save()
	defer sp.Canvas.Restore()
	sp.Canvas.ClipRect(box.X, box.Y, box.W, box.H)
	mirror := [6]float64{1, 0, 0, 1, 0, 0}
	if opts.FlipH {
		mirror[0], mirror[4] = -1, 2*box.X+box.W
	}
	if opts.FlipV {
		mirror[3], mirror[5] = -1, 2*box.Y+box.H
	}
	if opts.FlipH || opts.FlipV {
		sp.Canvas.Transform(mirror)
	}
	w, h := box.W/spanX, box.H/spanY
	return sp.metafile(data, dml.Rect{X: box.X - opts.Left*w, Y: box.Y - opts.Top*h, W: w, H: h}, 1-opts.Transparency)
}

// metafile draws a metafile, played once for all places of the same size.
func (sp *Painter) metafile(data []byte, box dml.Rect, opacity float64) error {
	canvas := &metafileCanvas{Painter: sp, opacity: opacity, faces: map[metafile.Font]*pdf.Face{}}
	key := played{file: sha256.Sum256(data), w: box.W, h: box.H}
	recording, ok := sp.Metafiles[key]
	if !ok {
		var err error
		if recording, err = metafile.Record(data, box.W, box.H, canvas); err != nil {
			return err
		}
		sp.Metafiles.keep(key, recording)
	}
	sp.Canvas.Save()
	defer sp.Canvas.Restore()
	sp.Canvas.Transform([6]float64{1, 0, 0, 1, box.X, box.Y})
	isWhole := recording.Draw(canvas)
	for _, note := range recording.Notes {
		sp.Findings.At(render.FindingDrawing, note, sp.Unit, sp.Number)
	}
	if !isWhole {
		sp.Findings.At(render.FindingPicture, "a bitmap in a metafile cannot be drawn", sp.Unit, sp.Number)
	}
	return nil
}

// Metafiles keeps what metafiles of a document have drawn, for those that come
// back, such as the logo in a header.
type Metafiles map[played]*metafile.Recording

// played is a file and the size that it was played in.
type played struct {
	file [sha256.Size]byte
	w, h float64
}

// keep keeps a recording, if that takes little memory.
func (m Metafiles) keep(key played, r *metafile.Recording) {
	const most, mostFiles = 4 << 20, 16
	if m != nil && len(m) < mostFiles && r.Cost <= most {
		m[key] = r
	}
}

// metafileCanvas lets a metafile draw on the page at hand.
type metafileCanvas struct {
	*Painter
	opacity float64
	faces   map[metafile.Font]*pdf.Face
}

func (c *metafileCanvas) Save()    { c.Canvas.Save() }
func (c *metafileCanvas) Restore() { c.Canvas.Restore() }

func (c *metafileCanvas) Spend(work int) bool { return c.Canvas.Spend(work) }

func (c *metafileCanvas) Clip(p *metafile.Path, isEvenOdd bool) {
	c.Canvas.ClipPath(pathOf(p), isEvenOdd)
}

func (c *metafileCanvas) Fill(p *metafile.Path, isEvenOdd bool, color metafile.Color) {
	c.Canvas.FillPath(pathOf(p), isEvenOdd, pdf.Fill{Color: color.RGB, Transparency: c.transparency(color)})
}

func (c *metafileCanvas) Stroke(p *metafile.Path, s metafile.Stroke) {
	c.Canvas.StrokePath(pathOf(p), pdf.PathStroke{
		Stroke: pdf.Stroke{Color: s.Color.RGB, Width: s.Width, Dash: s.Dash, Transparency: c.transparency(s.Color)},
		Cap:    s.Cap, Join: s.Join,
	})
}

func (c *metafileCanvas) transparency(color metafile.Color) float64 {
	return 1 - color.Alpha*c.opacity
}

func pathOf(p *metafile.Path) *pdf.Path {
	out, points := &pdf.Path{}, p.Points
	at := func(i int) pdf.Point { return pdf.Point{X: points[i].X, Y: points[i].Y} }
	for _, op := range p.Ops {
		switch op {
		case 'm':
			out.MoveTo(at(0))
			points = points[1:]
		case 'l':
			out.LineTo(at(0))
			points = points[1:]
		case 'c':
			out.CurveTo(at(0), at(1), at(2))
			points = points[3:]
		case 'h':
			out.Close()
		}
	}
	return out
}

// Picture draws a file in as few steps as its place allows: upright, mirrored,
// or turned and slanted.
func (c *metafileCanvas) Picture(file []byte, m metafile.Matrix) error {
	opts := pdf.ImageOptions{Transparency: 1 - c.opacity}
	const straight = 1e-6
	if math.Abs(m.B) < straight && math.Abs(m.C) < straight {
		opts.FlipH, opts.FlipV = m.A < 0, m.D < 0
		return c.Canvas.Image(file, math.Min(m.E, m.E+m.A), math.Min(m.F, m.F+m.D), math.Abs(m.A), math.Abs(m.D), opts)
	}
	w, h := math.Hypot(m.A, m.B), math.Hypot(m.C, m.D)
	if w == 0 || h == 0 {
		return nil
	}
	c.Canvas.Save()
	defer c.Canvas.Restore()
	c.Canvas.Transform([6]float64{m.A / w, m.B / w, m.C / h, m.D / h, m.E, m.F})
	return c.Canvas.Image(file, 0, 0, w, h, opts)
}

func (c *metafileCanvas) face(f metafile.Font) *pdf.Face {
	face, ok := c.faces[f]
	if !ok {
		face = c.Fonts.Face(f.Family, f.Bold, f.Italic)
		c.faces[f] = face
	}
	return face
}

func (c *metafileCanvas) Metrics(f metafile.Font) (ascent, descent float64) {
	face := c.face(f)
	return face.Ascent(1), face.Descent(1)
}

func (c *metafileCanvas) Advance(f metafile.Font, r rune) float64 {
	if pdf.Invisible(r) {
		return 0
	}
	face, shown := pdf.FaceFor(c.face(f), r)
	w, _ := face.Advance(shown, 1)
	return w
}

func (c *metafileCanvas) Text(t metafile.Text) {
	const least = 0.01 // what is hardly there is left out; other texts are opaque
	if t.Color.Alpha*c.opacity < least {
		return
	}
	face, xs := c.face(t.Font), t.X
	for _, r := range t.Runes {
		face.Report(c.Findings, r)
		pdf.ReportUnshaped(c.Findings, r)
	}
	if t.M.A == 1 && t.M.B == 0 && t.M.C == 0 && t.M.D == 1 {
		xs = make([]float64, len(t.X))
		for i, x := range t.X {
			xs[i] = x + t.M.E
		}
		c.Canvas.TextStretched(xs, t.M.F, t.Runes, face, t.Size, t.Stretch, t.Color.RGB)
		return
	}
	c.Canvas.Save()
	defer c.Canvas.Restore()
	c.Canvas.Transform([6]float64{t.M.A, t.M.B, t.M.C, t.M.D, t.M.E, t.M.F})
	c.Canvas.TextStretched(xs, 0, t.Runes, face, t.Size, t.Stretch, t.Color.RGB)
}
