package opc

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"
)

const (
	// MaxPicture is how many bytes a picture may have.
	MaxPicture = 16 << 20
	// MaxPixels is how many pixels it may have; Google's limit.
	MaxPixels = 25_000_000
	// MaxAlt is how many characters its alternative text may have.
	MaxAlt = 1000
)

// Bitmap is an image that can be put into a file.
type Bitmap struct {
	Width, Height int // pixels
	data          []byte
	format        string // png, jpeg or gif
	sum           string // SHA-256 of data, in hex
	// Alt is the alternative text that it is to have where its URI was given; empty: none.
	Alt string
}

// Bitmaps reads the images of one batch of requests. Of one that came before in
// the batch it takes the SHA-256 of its bytes, as the parameter of a data URI
// without data: data:image/png;sha256=…;base64,. So a picture in each of a
// thousand rows is sent, decoded and held once. The alternative text that a picture gets
// is a parameter in front, escaped as in addresses: data:image/png;alt=Our%20logo;base64,….
// No request of Google's for documents has a place for it. The zero value is ready for use.
type Bitmaps struct{ earlier map[string]*Bitmap }

// Read is ReadBitmap, or gives again what was read before.
func (b *Bitmaps) Read(uri string) (*Bitmap, error) {
	uri, alt, err := cutAlt(uri)
	if err != nil {
		return nil, err
	}
	read, err := b.read(uri)
	if err != nil || alt == "" {
		return read, err
	}
	described := *read
	described.Alt = alt
	return &described, nil
}

// cutAlt takes the alternative text out of a data URI.
func cutAlt(uri string) (rest, alt string, err error) {
	head, data, _ := strings.Cut(uri, ",")
	kind, escaped, ok := strings.Cut(head, ";alt=")
	if !ok || !strings.HasPrefix(strings.ToLower(kind), "data:") {
		return uri, "", nil
	}
	escaped, parameters, _ := strings.Cut(escaped, ";")
	alt, err = url.PathUnescape(escaped)
	if err != nil || utf8.RuneCountInString(alt) > MaxAlt {
		return "", "", fmt.Errorf("its alternative text is not escaped, or longer than %d characters", MaxAlt)
	}
	return kind + ";" + parameters + "," + data, alt, nil
}

func (b *Bitmaps) read(uri string) (*Bitmap, error) {
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

// ReadBitmap reads an image from a data URI in base64 (RFC 2397): PNG, JPEG
// or GIF. Nothing is fetched from any address. The error tells the client
// what is wrong with the URI.
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

// Namespaces that pictures need, and the English Metric Units of a point.
const (
	DrawingNS = `http://schemas.openxmlformats.org/drawingml/2006/main`
	RelsNS    = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	EmuPoint  = 12700
)
