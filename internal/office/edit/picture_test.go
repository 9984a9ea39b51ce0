package edit

import (
	"testing"

	"github.com/beevik/etree"
)

// wantAttributes wants attributes of elements, each given as its path and the
// attribute's name.
func wantAttributes(t *testing.T, e *etree.Element, want map[[2]string]string) {
	t.Helper()
	for at, value := range want {
		found := e.FindElement(at[0])
		if found == nil {
			t.Errorf("there is no %s", at[0])
			continue
		}
		if got := found.SelectAttrValue(at[1], "none"); got != value {
			t.Errorf("%s of %s: got %q, want %q", at[1], at[0], got, value)
		}
	}
}

// A point has 12,700 English Metric Units (ECMA-376 part 1, 20.1.10.16).
func TestAPictureInTheLineHasItsSizeInEMU(t *testing.T) {
	t.Parallel()
	e := InlinePicture("rId7", 3, `Our "logo" & <more>`, 100.5, 20)
	if e.FullTag() != "w:drawing" || e.Parent() != nil {
		t.Fatalf("got %s in %v, want a w:drawing in nothing", e.FullTag(), e.Parent())
	}
	const picture = "./wp:inline/a:graphic/a:graphicData/pic:pic/"
	wantAttributes(t, e, map[[2]string]string{
		{"./wp:inline/wp:extent", "cx"}:                "1276350",
		{"./wp:inline/wp:extent", "cy"}:                "254000",
		{"./wp:inline/wp:docPr", "id"}:                 "3",
		{"./wp:inline/wp:docPr", "name"}:               "Picture 3",
		{"./wp:inline/wp:docPr", "descr"}:              `Our "logo" & <more>`,
		{picture + "pic:nvPicPr/pic:cNvPr", "id"}:      "3",
		{picture + "pic:nvPicPr/pic:cNvPr", "name"}:    "Picture 3",
		{picture + "pic:blipFill/a:blip", "r:embed"}:   "rId7",
		{picture + "pic:spPr/a:xfrm/a:ext", "cx"}:      "1276350",
		{picture + "pic:spPr/a:xfrm/a:ext", "cy"}:      "254000",
		{picture + "pic:spPr/a:prstGeom", "prst"}:      "rect",
		{"./wp:inline/a:graphic/a:graphicData", "uri"}: "http://schemas.openxmlformats.org/drawingml/2006/picture",
	})
}

func TestAPictureOfASlideHasItsFrameAndItsName(t *testing.T) {
	t.Parallel()
	e := SlidePicture("rId2", "5", `"Berth" <1> & 2`, "", -10, 20, 300, 400)
	if e.FullTag() != "p:pic" || e.Parent() != nil {
		t.Fatalf("got %s in %v, want a p:pic in nothing", e.FullTag(), e.Parent())
	}
	wantAttributes(t, e, map[[2]string]string{
		{"./p:nvPicPr/p:cNvPr", "id"}:                           "5",
		{"./p:nvPicPr/p:cNvPr", "name"}:                         `"Berth" <1> & 2`,
		{"./p:nvPicPr/p:cNvPr", "descr"}:                        "none",
		{"./p:nvPicPr/p:cNvPicPr/a:picLocks", "noChangeAspect"}: "1",
		{"./p:blipFill/a:blip", "r:embed"}:                      "rId2",
		{"./p:spPr/a:xfrm/a:off", "x"}:                          "-10",
		{"./p:spPr/a:xfrm/a:off", "y"}:                          "20",
		{"./p:spPr/a:xfrm/a:ext", "cx"}:                         "300",
		{"./p:spPr/a:xfrm/a:ext", "cy"}:                         "400",
		{"./p:spPr/a:prstGeom", "prst"}:                         "rect",
	})
}
