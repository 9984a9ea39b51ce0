package shape

import (
	"math"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

func TestPresetsStayNearTheirBox(t *testing.T) {
	t.Parallel()
	names := strings.Fields("rect roundRect ellipse triangle rtTriangle diamond parallelogram trapezoid pentagon hexagon octagon plus donut frame can cube pie heart " +
		"snip1Rect round2SameRect flowChartMerge flowChartTerminator flowChartDocument rightArrow leftArrow upArrow downArrow leftRightArrow homePlate chevron bentUpArrow bentArrow " +
		"star4 star5 star8 line bentConnector3 curvedConnector3 leftBrace rightBracket arc")
	for _, name := range names {
		o, known := OutlineOf(dml.Geometry{Preset: name}, 200, 100)
		if !known || len(o.Contours) == 0 {
			t.Errorf("%s is not drawn", name)
		}
		for _, c := range o.Contours {
			for _, p := range c.Points {
				if math.IsNaN(p.X) || math.IsNaN(p.Y) || p.X < -20 || p.X > 220 || p.Y < -30 || p.Y > 130 {
					t.Errorf("%s has a point at %v", name, p)
				}
			}
		}
	}
	for _, name := range append(names, "wedgeRectCallout", "wedgeEllipseCallout", "noSuchShape") { // no box at all is no reason to fail
		OutlineOf(dml.Geometry{Preset: name, Adjust: map[string]float64{"adj": -1e12, "adj1": 1e12, "adj2": 5}}, 0, 0)
	}
}
