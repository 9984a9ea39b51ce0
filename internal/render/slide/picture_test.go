package slide

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// PowerPoint for Mac puts a picture's PDF and its PNG side by side.
func TestAPictureInAlternateContentIsDrawn(t *testing.T) {
	t.Parallel()
	pdf, findings := slideWith(t, func(p *opc.Package, slide string) string {
		id := rendertest.PictureFor(t, p, slide)
		return `<p:pic><p:nvPicPr><p:cNvPr id="2" name="P"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">` +
			`<mc:Choice xmlns:ma="http://schemas.microsoft.com/office/mac/drawingml/2008/main" Requires="ma"><p:blipFill><a:blip r:embed="none"/></p:blipFill></mc:Choice>` +
			`<mc:Fallback><p:blipFill><a:blip r:embed="` + id + `"/></p:blipFill></mc:Fallback></mc:AlternateContent>` +
			`<p:spPr><a:xfrm><a:off x="127000" y="127000"/><a:ext cx="1270000" cy="1270000"/></a:xfrm></p:spPr></p:pic>`
	})
	if len(findings) != 0 {
		t.Errorf("got findings %v, want none", findings)
	}
	if images := rendertest.Tool(t, pdf, "pdfimages", "-list", "FILE"); !strings.Contains(images, "image") {
		t.Errorf("got images %q, want one", images)
	}
}
