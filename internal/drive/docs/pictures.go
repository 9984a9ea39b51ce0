package docs

import (
	"math"
	"strconv"
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
)

// maxSide is how long a side of a picture may be, in points: what OOXML holds
// (ECMA-376 part 1, 20.1.10.41), and far more than a page.
const maxSide = 100_000

// insertInlineImage puts a picture into a line. Without a size it is as large as
// its pixels are at 96 to the inch.
func (b *batch) insertInlineImage(r *gdocs.InsertInlineImageRequest, invalid edit.RequestFault) (string, error) {
	at, err := b.locate(r.Location, r.EndOfSegmentLocation, invalid)
	if err != nil {
		return "", err
	}
	s := at.segment
	if strings.HasPrefix(s.id, "kix.footnote") || strings.HasPrefix(s.id, "kix.endnote") {
		return "", invalid("Inline images cannot be inserted inside a footnote.")
	}
	picture, err := b.bitmaps.Read(r.Uri)
	if err != nil {
		return "", invalid("The image cannot be inserted: %v.", err)
	}
	width, height, err := pictureSize(r.ObjectSize, picture, invalid)
	if err != nil {
		return "", err
	}
	relation, err := b.pkg.AddBitmap(s.part, picture)
	if err != nil {
		return "", err
	}
	if b.drawings == 0 {
		b.drawings = b.highestDrawing()
	}
	b.drawings++
	drawing := edit.InlinePicture(relation, b.drawings, picture.Alt, width, height)
	edit.EditParagraph(at.paragraph.paragraph.elem, []edit.Edit{{Start: at.offset, End: at.offset, Object: drawing}})
	b.retext(s, at.paragraph)
	return pictureID(b.drawings), nil
}

// pictureSize keeps the proportions where only one side is given.
func pictureSize(size *gdocs.Size, p *opc.Bitmap, invalid edit.RequestFault) (width, height float64, err error) {
	const pointsPerPixel = 0.75
	if size != nil {
		for side, d := range map[*float64]*gdocs.Dimension{&width: size.Width, &height: size.Height} {
			if d == nil {
				continue
			}
			if d.Unit != "PT" || d.Magnitude <= 0 || d.Magnitude > maxSide || math.IsNaN(d.Magnitude) {
				return 0, 0, invalid("The object size must be in PT, more than 0 and at most %d.", maxSide)
			}
			*side = d.Magnitude
		}
	}
	w, h := float64(p.Width), float64(p.Height)
	switch {
	case width == 0 && height == 0:
		width, height = w*pointsPerPixel, h*pointsPerPixel
	case width == 0:
		width = height * w / h
	case height == 0:
		height = width * h / w
	}
	return min(width, maxSide), min(height, maxSide), nil
}

// highestDrawing is the highest number that a drawing of any story has, at
// least 1.
func (b *batch) highestDrawing() int {
	highest := 1
	for _, s := range b.segments {
		drawingNumbers(s.root, func(n int) { highest = max(highest, n) })
	}
	return highest
}

func drawingNumbers(e *etree.Element, do func(int)) {
	for _, c := range e.ChildElements() {
		if c.Tag == "docPr" {
			if n, err := strconv.ParseInt(c.SelectAttrValue("id", ""), 10, 32); err == nil {
				do(int(n))
			}
		}
		drawingNumbers(c, do)
	}
}
