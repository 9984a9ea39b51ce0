package dml

import (
	"github.com/beevik/etree"
)

// Rect is a place in points, counted from the upper left corner.
type Rect struct{ X, Y, W, H float64 }

// Geometry is a preset's name with its adjustments (in thousandths of a
// percent, mostly), or a path of its own.
type Geometry struct {
	Preset string
	Adjust map[string]float64
	Custom *etree.Element // a:custGeom
}

// Transform maps a group's child coordinates to the slide.
type Transform struct{ OffX, OffY, ScaleX, ScaleY float64 }

func (t Transform) Rect(r Rect) Rect {
	const far = 1e6 // points: groups inside groups may ask for any size
	return Rect{
		Clamp(t.OffX+r.X*t.ScaleX, -far, far), Clamp(t.OffY+r.Y*t.ScaleY, -far, far),
		Clamp(r.W*t.ScaleX, 0, far), Clamp(r.H*t.ScaleY, 0, far),
	}
}

// PresetGeometry reads a prstGeom with its adjustments.
func PresetGeometry(prst *etree.Element) Geometry {
	g := Geometry{Preset: prst.SelectAttrValue("prst", "rect"), Adjust: map[string]float64{}}
	for _, gd := range ChildrenNamed(Child(prst, "avLst"), "gd") {
		var v float64
		if f := gd.SelectAttrValue("fmla", ""); len(f) > 4 && f[:4] == "val " {
			v = Percent(f[4:]) * 100000
		}
		g.Adjust[gd.SelectAttrValue("name", "")] = v
	}
	return g
}

// Link resolves a hyperlink element to an address; "" for jumps inside the file.
func (d *Reader) Link(e *etree.Element) string {
	if e == nil {
		return ""
	}
	rel, ok := d.Package.Relationship(d.Part, RelationshipID(e, "id"))
	if !ok || !rel.External {
		return ""
	}
	return rel.Target
}
