package office

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"  // decoder
	_ "image/jpeg" // decoder
	_ "image/png"  // decoder
	"path"
	"strings"

	"github.com/beevik/etree"
)

const (
	// MaxPicture is how many bytes a picture may have.
	MaxPicture = 16 << 20
	// MaxPixels is how many pixels it may have; Google's limit.
	MaxPixels = 25_000_000
)

// Bitmap is an image that can be put into a file.
type Bitmap struct {
	Width, Height int // pixels
	data          []byte
	format        string // png, jpeg or gif
	sum           string // SHA-256 of data, in hex
}

// Bitmaps reads the images of one batch of requests. Of one that came before in
// the batch it takes the SHA-256 of its bytes, as the parameter of a data URI
// without data: data:image/png;sha256=…;base64,. So a picture in each of a
// thousand rows is sent, decoded and held once. The zero value is ready for use.
type Bitmaps struct{ earlier map[string]*Bitmap }

// Read is ReadBitmap, or gives again what was read before.
func (b *Bitmaps) Read(uri string) (*Bitmap, error) {
	if sum, ok := sumIn(uri); ok {
		if known := b.earlier[sum]; known != nil {
			return known, nil
		}
		return nil, fmt.Errorf("no picture of this SHA-256 came before in the batch")
	}
	read, err := ReadBitmap(uri)
	if err != nil {
		return nil, err
	}
	if b.earlier == nil {
		b.earlier = map[string]*Bitmap{}
	}
	b.earlier[read.sum] = read
	return read, nil
}

// sumIn finds the SHA-256 in a data URI without data.
func sumIn(uri string) (string, bool) {
	const longest = 200
	if len(uri) > longest {
		return "", false
	}
	head, ok := strings.CutSuffix(strings.ToLower(uri), ";base64,")
	if !ok || !strings.HasPrefix(head, "data:image/") {
		return "", false
	}
	_, sum, ok := strings.Cut(head, ";sha256=")
	return sum, ok
}

// ReadBitmap reads an image from a data URI in base64 (RFC 2397): PNG, JPEG or
// GIF. Nothing is fetched from any address. The error says what is wrong with
// the URI to whoever sent it.
func ReadBitmap(uri string) (*Bitmap, error) {
	head, encoded, ok := strings.Cut(uri, ",")
	if !ok || !strings.HasPrefix(strings.ToLower(head), "data:image/") || !strings.HasSuffix(strings.ToLower(head), ";base64") {
		return nil, fmt.Errorf("this drive fetches nothing: it takes pictures as data URIs alone, such as data:image/png;base64,…")
	}
	if len(encoded) > base64.StdEncoding.EncodedLen(MaxPicture) {
		return nil, fmt.Errorf("the picture is larger than %d MiB", MaxPicture>>20)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("the data URI is not base64")
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the picture is not a PNG, JPEG or GIF")
	}
	if c.Width < 1 || c.Height < 1 || c.Width*c.Height > MaxPixels || max(c.Width, c.Height) > MaxPixels {
		return nil, fmt.Errorf("the picture has no pixels, or more than %d million", MaxPixels/1_000_000)
	}
	return &Bitmap{Width: c.Width, Height: c.Height, data: data, format: format, sum: fmt.Sprintf("%x", sha256.Sum256(data))}, nil
}

// AddBitmap stores a picture, once however often it is added, and returns the
// id of the relationship by which a part refers to it.
func (p *Package) AddBitmap(part string, picture *Bitmap) (string, error) {
	name := fmt.Sprintf("%s/media/platen-%s.%s", path.Dir(p.MainPart()), picture.sum, picture.format)
	if !p.Has(name) {
		p.SetPart(name, "image/"+picture.format, picture.data)
	}
	return p.Relate(part, "image", "/"+name, false)
}

// Relate returns the id of a part's relationship to a target, making it when
// there is none. An external target is an address, any other the name of a part
// with a slash in front. The kind is a Relationship's Type.
func (p *Package) Relate(part, kind, target string, external bool) (string, error) {
	for _, r := range p.Relationships(part) {
		if r.Type == kind && r.External == external && (external && r.Target == target || !external && "/"+r.Target == target) {
			return r.ID, nil
		}
	}
	name := relationshipsPart(part)
	if !p.Has(name) {
		p.SetPart(name, "application/vnd.openxmlformats-package.relationships+xml",
			[]byte(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>`))
	}
	tree, err := p.XML(name)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	for _, r := range p.Relationships(part) {
		taken[r.ID] = true
	}
	n := len(taken) + 1
	for taken[fmt.Sprintf("rId%d", n)] {
		n++
	}
	id := fmt.Sprintf("rId%d", n)
	e := etree.NewElement("Relationship")
	e.Space = tree.Root().Space
	e.CreateAttr("Id", id)
	e.CreateAttr("Type", "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"+kind)
	e.CreateAttr("Target", target)
	if external {
		e.CreateAttr("TargetMode", "External")
	}
	tree.Root().AddChild(e)
	p.Touch(name)
	delete(p.relations, strings.ToLower(strings.TrimPrefix(part, "/")))
	return id, nil
}

const (
	drawingNS = `http://schemas.openxmlformats.org/drawingml/2006/main`
	relsNS    = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	emuPoint  = 12700
)

// InlinePicture makes a w:drawing that stands in the line (ECMA-376 part 1,
// 20.4.2.8), of a picture that a relationship leads to. Sizes are in points; the
// number tells it from the other drawings of the document.
func InlinePicture(relation string, number int, width, height float64) *etree.Element {
	cx, cy := int64(width*emuPoint), int64(height*emuPoint)
	return fragmentXML(fmt.Sprintf(`<w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0">`+
		`<wp:extent cx="%d" cy="%d"/><wp:docPr id="%d" name="Picture %d"/>`+
		`<a:graphic xmlns:a="%s"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">`+
		`<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="%d" name="Picture %d"/><pic:cNvPicPr/></pic:nvPicPr>`+
		`<pic:blipFill><a:blip xmlns:r="%s" r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>`+
		`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>`+
		`</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>`, cx, cy, number, number, drawingNS, number, number, relsNS, relation, cx, cy))
}

// SlidePicture makes a p:pic (ECMA-376 part 1, 19.3.1.37) in a frame of EMU.
func SlidePicture(relation, id, name string, x, y, width, height int64) *etree.Element {
	e := fragmentXML(fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr/><p:cNvPicPr><a:picLocks xmlns:a="%[1]s" noChangeAspect="1"/></p:cNvPicPr><p:nvPr/></p:nvPicPr>`+
		`<p:blipFill><a:blip xmlns:a="%[1]s" xmlns:r="%[2]s" r:embed="%[3]s"/><a:stretch xmlns:a="%[1]s"><a:fillRect/></a:stretch></p:blipFill>`+
		`<p:spPr><a:xfrm xmlns:a="%[1]s"><a:off x="%[4]d" y="%[5]d"/><a:ext cx="%[6]d" cy="%[7]d"/></a:xfrm><a:prstGeom xmlns:a="%[1]s" prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`,
		drawingNS, relsNS, relation, x, y, width, height))
	properties := e.FindElement("./p:nvPicPr/p:cNvPr")
	properties.CreateAttr("id", id)
	properties.CreateAttr("name", name)
	return e
}

// fragmentXML reads XML that is written in this package.
func fragmentXML(text string) *etree.Element {
	d := etree.NewDocument()
	if err := d.ReadFromString(text); err != nil {
		panic(err) // not well-formed where it is written
	}
	e := d.Root()
	d.RemoveChild(e)
	return e
}
