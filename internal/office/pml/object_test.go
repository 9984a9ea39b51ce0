package pml

import "testing"

// PowerPoint 97 to 2007 kept previews of objects in VML, each under a number.
func TestAnObjectIsShownByItsPictureInVML(t *testing.T) {
	t.Parallel()
	vml := func(content string) string {
		return `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">` + content + `</xml>`
	}
	const other, own = `<v:shape id="_x0000_s1025"><v:imagedata o:relid="other"/></v:shape>`, `<v:shape id="_x0000_s1026"><v:imagedata o:relid="own"/></v:shape>`
	for name, c := range map[string]struct{ drawing, object, want string }{
		"its own":           {vml(other + own), `spid="_x0000_s1026"`, "/ppt/media/image2.emf"},
		"another":           {vml(other + own), `spid="_x0000_s1025"`, "/ppt/media/image1.emf"},
		"its own, named":    {vml(`<v:shape id="Sheet" o:spid="s"><v:imagedata o:relid="own"/></v:shape>`), `spid="s"`, "/ppt/media/image2.emf"},
		"none of that name": {vml(other + own), `spid="_x0000_s1027"`, ""},
		"no name":           {vml(`<v:shape><v:imagedata o:relid="own"/></v:shape>`), ``, ""},
		"not in the file":   {vml(`<v:shape id="s"><v:imagedata o:relid="gone"/></v:shape>`), `spid="s"`, ""},
		"no picture":        {vml(`<v:shape id="s"/>`), `spid="s"`, ""},
		"no XML":            {`<xml`, `spid="s"`, ""},
	} {
		k := deck{
			slide:     sld(graphicFrame("", `<a:graphicData uri="x/ole"><p:oleObj `+c.object+`><p:embed/></p:oleObj></a:graphicData>`)),
			relations: relation("vml", "vmlDrawing", "/ppt/drawings/vmlDrawing1.vml"),
			parts: map[string]string{
				"ppt/drawings/vmlDrawing1.vml": c.drawing,
				"ppt/drawings/_rels/vmlDrawing1.vml.rels": relations(relation("other", "image", "/ppt/media/image1.emf") +
					relation("own", "image", "/ppt/media/image2.emf") + relation("gone", "image", "/ppt/media/gone.emf")),
				"ppt/media/image1.emf": "1", "ppt/media/image2.emf": "2",
			},
		}
		got := ""
		if p := k.first(t).Picture; p != nil {
			got = p.Part
		}
		if got != c.want && "/"+got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
