package wml

import (
	"testing"
)

// vml reads one shape of VML in a document of its own.
func vml(t *testing.T, xml string) *Drawing {
	t.Helper()
	d := docx{body: `<w:p><w:r><w:pict>` + xml + `</w:pict></w:r></w:p>`}.read(t)
	for _, r := range firstParagraph(t, d).Runs {
		for _, item := range r.Items {
			if item.Kind == DrawingItem {
				return item.Drawing
			}
		}
	}
	return nil
}

// A rotation in fd is in 65536ths of a degree.
func TestShapesOfVMLAreTurnedByDegreesOrTheirFractions(t *testing.T) {
	t.Parallel()
	for style, want := range map[string]float64{
		"":                      0,
		"rotation:90":           90,
		"rotation:-45.5":        -45.5,
		"rotation:11796480fd":   180,
		"rotation: -2949120fd ": -45,
		"rotation:fd":           0,
		"rotation:left":         0,
	} {
		if got := vml(t, `<v:rect style="width:10pt;height:10pt;`+style+`"/>`).Rotation; got != want {
			t.Errorf("%q: got %g degrees, want %g", style, got, want)
		}
	}
}
