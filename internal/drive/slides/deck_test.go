package slides

import (
	"errors"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/opc"
)

// A part may turn out to be damaged after the presentation was read.
func TestADamagedPageIsAFaultOfTheFile(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"ppt/slides/slide1.xml", "ppt/notesSlides/notesSlide1.xml", "ppt/slideMasters/slideMaster1.xml", "ppt/slideLayouts/slideLayout2.xml"} {
		p := pptx(t, sp("2", para("a")), sp("3", para("b")))
		p.Package.SetPart(part, "", []byte("<p:sld"))
		_, whole := Get(p, "id", "Title", "rev")
		_, page := GetPage(p, "slide_256", "rev")
		_, edited := Apply(p, "id", []*gslides.Request{insertInto(box, 0, "x")})
		for what, err := range map[string]error{"Get": whole, "GetPage": page, "Apply": edited} {
			if _, ok := errors.AsType[*opc.FormatError](err); !ok {
				t.Errorf("%s with %s: got %v, want a FormatError", what, part, err)
			}
		}
	}
}

func TestAPresentationWithoutAListGetsNoSlides(t *testing.T) {
	t.Parallel()
	const want = "The presentation has no list of slides."
	for kind, request := range map[string]*gslides.Request{"createSlide": createSlide("new_one", nil), "duplicateObject": duplicate("slide_256", nil)} {
		p := pptx(t, sp("2", para("a")), "")
		tree, err := p.Package.XML("ppt/presentation.xml")
		if err != nil {
			t.Fatal(err)
		}
		tree.Root().RemoveChild(child(tree.Root(), "sldIdLst"))
		if got := refuse(t, p, request); got != "Invalid requests[0]."+kind+": "+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Each kind of request alone has to reach the file that is written.
func TestEveryKindOfEditIsWritten(t *testing.T) {
	t.Parallel()
	picture := `<p:pic><p:nvPicPr><p:cNvPr id="5" name="x"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="none"/></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></a:xfrm></p:spPr></p:pic>`
	for want, request := range map[string]*gslides.Request{
		`r:embed="rId`:                      {ReplaceImage: &gslides.ReplaceImageRequest{ImageObjectId: "slide_256_5", Url: pixel}},
		`<p:pic><p:nvPicPr><p:cNvPr id="2"`: shapesWithImage("some", pixel),
		`<a:t>newsome`:                      insertInto(box, 0, "new"),
		`<a:t>me`:                           deleteFrom(box, textRange(0, 2)),
		`b="1"`:                             styleText(wholeText(), &gslides.TextStyle{Bold: true}, "bold"),
		`algn="ctr"`:                        styleParagraph(wholeText(), &gslides.ParagraphStyle{Alignment: "CENTER"}, "alignment"),
		`<a:buChar`:                         createBullets(box, wholeText()),
		`<a:buNone/>`:                       deleteBullets(box, wholeText()),
		`<a:off x="77"`:                     transform(box, "ABSOLUTE", &gslides.AffineTransform{ScaleX: 1, ScaleY: 1, TranslateX: 77, Unit: "EMU"}),
		`id="my_shape"`:                     createShape("CLOUD", onPage("slide_256", 0, 0, 1, 1)),
		`id="my_copy"`:                      duplicate(box, map[string]string{box: "my_copy"}),
		`</a:tr><a:tr`:                      insertRows(0, 1, true),
	} {
		p := pptx(t, sp("2", para("some"))+picture+tableXML("x"), "")
		before := slideXML(t, p)
		apply(t, p, request)
		if got := slideXML(t, p); strings.Contains(before, want) || !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
}
