package slides

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
)

// maxAltText is how many characters a description or a title of an object may have.
const maxAltText = 10_000

// replaceAllShapesWithImage puts a picture into the place of each shape whose
// text holds another, centred in its frame, and returns how many there were.
func (b *batch) replaceAllShapesWithImage(r *gslides.ReplaceAllShapesWithImageRequest, invalid edit.RequestFault) (int, error) {
	switch {
	case r.ContainsText == nil || r.ContainsText.Text == "":
		return 0, invalid("The text to find (containsText.text) must not be empty.")
	case r.ContainsText.SearchByRegex:
		return 0, invalid("This drive does not support containsText.searchByRegex.")
	case !isCentred(r.ImageReplaceMethod):
		return 0, invalid("This drive supports no imageReplaceMethod but CENTER_INSIDE.")
	}
	bitmap, err := b.bitmaps.Read(r.ImageUrl)
	if err != nil {
		return 0, invalid("The image cannot be inserted: %v.", err)
	}
	pages := b.deck.slides
	if len(r.PageObjectIds) > 0 {
		pages = nil
		for _, id := range r.PageObjectIds {
			p := b.deck.find(id)
			if p == nil {
				return 0, invalid("The page (%s) could not be found.", id)
			}
			pages = append(pages, p)
		}
	}
	count := 0
	for _, p := range pages {
		n, err := b.picture(p, r.ContainsText, bitmap)
		if err != nil {
			return 0, err
		}
		count += n
	}
	return count, nil
}

// isCentred tells of the way in which this drive fits pictures, Google's default.
func isCentred(method string) bool {
	return method == "" || method == "IMAGE_REPLACE_METHOD_UNSPECIFIED" || method == "CENTER_INSIDE"
}

// replaceImage puts a picture into the frame of another.
func (b *batch) replaceImage(r *gslides.ReplaceImageRequest, invalid edit.RequestFault) error {
	if !isCentred(r.ImageReplaceMethod) {
		return invalid("This drive supports no imageReplaceMethod but CENTER_INSIDE.")
	}
	p, e := b.deck.object(r.ImageObjectId)
	if e == nil {
		return invalid("The object (%s) could not be found.", r.ImageObjectId)
	}
	if e.elem.Tag != "pic" {
		return invalid("The object (%s) is not an image.", r.ImageObjectId)
	}
	bitmap, err := b.bitmaps.Read(r.Url)
	if err != nil {
		return invalid("The image cannot be inserted: %v.", err)
	}
	relation, err := b.deck.pkg.AddBitmap(p.part, bitmap)
	if err != nil {
		return err
	}
	was := shapeProperties(e.elem)
	becomePicture(e, frameOf(e.elem, b.resolve(p)[e.elem]), relation, bitmap)
	for _, key := range []string{"descr", "title"} {
		if a := was.SelectAttr(key); a != nil && bitmap.Alt == "" {
			shapeProperties(e.elem).CreateAttr(key, a.Value) // UpdatePageElementAltText changes what is said of it
		}
	}
	b.noteChange(p)
	return nil
}

// updateAltText changes what an object says of itself, but for what the request leaves out.
func (b *batch) updateAltText(r *gslides.UpdatePageElementAltTextRequest, invalid edit.RequestFault) error {
	p, e := b.deck.object(r.ObjectId)
	if e == nil {
		return invalid("The object (%s) could not be found.", r.ObjectId)
	}
	properties := shapeProperties(e.elem)
	if e.elem.Tag == "grpSp" || properties == nil {
		return invalid("The object (%s) is a group, which has no alternative text.", r.ObjectId)
	}
	for _, text := range []struct{ field, key, value string }{{"Description", "descr", r.Description}, {"Title", "title", r.Title}} {
		if text.value == "" && !slices.Contains(r.ForceSendFields, text.field) {
			continue
		}
		if utf8.RuneCountInString(text.value) > maxAltText {
			return invalid("An alternative text has at most %d characters.", maxAltText)
		}
		edit.Describe(properties, text.key, text.value)
	}
	b.noteChange(p)
	return nil
}

func (b *batch) resolve(p *page) map[*etree.Element]*pml.Shape {
	shapes := map[*etree.Element]*pml.Shape{}
	if p.slide != nil {
		learn(shapes, p.slide.Shapes)
	}
	return shapes
}

// picture replaces the shapes of one page.
func (b *batch) picture(p *page, find *gslides.SubstringMatchCriteria, bitmap *opc.Bitmap) (int, error) {
	resolved := b.resolve(p)
	var found []*element
	holders(p.elements, find, &found)
	for _, e := range found {
		relation, err := b.deck.pkg.AddBitmap(p.part, bitmap)
		if err != nil {
			return 0, err
		}
		becomePicture(e, frameOf(e.elem, resolved[e.elem]), relation, bitmap)
	}
	if len(found) > 0 {
		b.noteChange(p)
	}
	return len(found), nil
}

func holders(elements []*element, find *gslides.SubstringMatchCriteria, into *[]*element) {
	for _, e := range elements {
		holders(e.children, find, into)
		body := child(e.elem, "txBody")
		if e.elem.Tag != "sp" || body == nil {
			continue
		}
		var texts []string
		for _, p := range paragraphs(body) {
			texts = append(texts, p.text)
		}
		text, wanted := strings.Join(texts, "\n"), find.Text
		if !find.MatchCase {
			text, wanted = strings.ToLower(text), strings.ToLower(wanted)
		}
		if strings.Contains(text, wanted) {
			*into = append(*into, e)
		}
	}
}

// frame is where a shape is, in EMU, in the coordinates of what it stands in.
type frame struct {
	x, y, width, height int64
	turned              []etree.Attr // rot, flipH, flipV
}

// frameOf is the shape's own frame, or the one that it inherits.
func frameOf(e *etree.Element, resolved *pml.Shape) frame {
	if own := child(child(e, "spPr"), "xfrm"); own != nil && child(own, "off") != nil && child(own, "ext") != nil {
		f := frame{}
		for _, n := range []struct {
			into *int64
			of   *etree.Element
			key  string
		}{{&f.x, child(own, "off"), "x"}, {&f.y, child(own, "off"), "y"}, {&f.width, child(own, "ext"), "cx"}, {&f.height, child(own, "ext"), "cy"}} {
			*n.into, _ = strconv.ParseInt(n.of.SelectAttrValue(n.key, "0"), 10, 64) // a number that is none is 0
		}
		for _, a := range own.Attr {
			if a.Key == "rot" || a.Key == "flipH" || a.Key == "flipV" {
				f.turned = append(f.turned, a)
			}
		}
		return f
	}
	if resolved == nil {
		return frame{}
	}
	return frame{
		x: int64(emu(resolved.Frame.X).Magnitude), y: int64(emu(resolved.Frame.Y).Magnitude),
		width: int64(emu(resolved.Frame.W).Magnitude), height: int64(emu(resolved.Frame.H).Magnitude),
	}
}

// createImage makes a picture, in its own proportions in the middle of the frame
// that it is given, or as large as its pixels are at 96 to the inch.
func (b *batch) createImage(r *gslides.CreateImageRequest, invalid edit.RequestFault) (string, error) {
	const emuPerPixel = 9525
	bitmap, err := b.bitmaps.Read(r.Url)
	if err != nil {
		return "", invalid("The image cannot be inserted: %v.", err)
	}
	properties := r.ElementProperties
	if properties != nil && properties.Size == nil {
		sized := *properties
		sized.Size = &gslides.Size{
			Width:  &gslides.Dimension{Magnitude: float64(bitmap.Width * emuPerPixel), Unit: "EMU"},
			Height: &gslides.Dimension{Magnitude: float64(bitmap.Height * emuPerPixel), Unit: "EMU"},
		}
		properties = &sized
	}
	p, f, err := b.place(r.ObjectId, properties, invalid)
	if err != nil {
		return "", err
	}
	relation, err := b.deck.pkg.AddBitmap(p.part, bitmap)
	if err != nil {
		return "", err
	}
	return b.add(p, pictureIn(f, relation, "0", "Picture", bitmap), r.ObjectId, invalid)
}

// pictureIn makes a picture as large as a frame allows.
func pictureIn(f frame, relation, id, name string, bitmap *opc.Bitmap) *etree.Element {
	scale := min(float64(f.width)/float64(bitmap.Width), float64(f.height)/float64(bitmap.Height))
	width, height := int64(math.Round(float64(bitmap.Width)*scale)), int64(math.Round(float64(bitmap.Height)*scale))
	made := edit.SlidePicture(relation, id, name, bitmap.Alt, f.x+(f.width-width)/2, f.y+(f.height-height)/2, width, height)
	for _, a := range f.turned {
		child(child(made, "spPr"), "xfrm").CreateAttr(a.FullKey(), a.Value)
	}
	return made
}

// becomePicture puts a picture where a shape was, under its id.
func becomePicture(e *element, f frame, relation string, bitmap *opc.Bitmap) {
	id, name := "0", "Picture"
	if properties := shapeProperties(e.elem); properties != nil {
		id, name = properties.SelectAttrValue("id", id), properties.SelectAttrValue("name", name)
	}
	made := pictureIn(f, relation, id, name, bitmap)
	if extensions := child(shapeProperties(e.elem), "extLst"); extensions != nil {
		shapeProperties(made).AddChild(extensions.Copy()) // with the id that somebody gave the shape
	}
	gone := e.elem
	for parent := gone.Parent(); parent != nil && (parent.Tag == "Choice" || parent.Tag == "Fallback"); parent = gone.Parent() {
		gone = parent.Parent()
	}
	if parent := gone.Parent(); parent != nil {
		parent.InsertChildAt(gone.Index(), made)
		parent.RemoveChild(gone)
	}
	e.elem = made
}
