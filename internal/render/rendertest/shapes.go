package rendertest

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
)

// Parts of the properties of shapes.
const (
	Rectangle = `<a:prstGeom prst="rect"/>`
	Gear      = `<a:prstGeom prst="gear7"/>`
	Blue      = `<a:solidFill><a:srgbClr val="0000FF"/></a:solidFill>`
	Fading    = `<a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="0000FF"/></a:gs><a:gs pos="100000"><a:srgbClr val="0000FF"><a:alpha val="0"/></a:srgbClr></a:gs></a:gsLst></a:gradFill>`
	Gradient  = `<a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="0000FF"/></a:gs><a:gs pos="100000"><a:srgbClr val="FFFFFF"/></a:gs></a:gsLst></a:gradFill>`
	Written   = `<wps:txbx><w:txbxContent><w:p><w:r><w:t>inside</w:t></w:r></w:p></w:txbxContent></wps:txbx>`
)

// WantLoss wants a loss among findings.
func WantLoss(t *testing.T, findings []render.Finding, loss dml.Loss) {
	t.Helper()
	if loss == "" {
		if len(findings) != 0 {
			t.Errorf("got findings %v, want none", findings)
		}
		return
	}
	for _, f := range findings {
		if f.Code == render.FindingDrawing && strings.HasPrefix(f.Message, string(loss)) {
			return
		}
	}
	t.Errorf("got findings %v, want one that says %q", findings, loss)
}
