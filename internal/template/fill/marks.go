package fill

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/rich"
)

// usualSize is how large text is where nothing says it, in points.
const usualSize = 11

// mark adds the marks of a run of styled text to the style of its tag.
func (l style) mark(r rich.Run) style {
	if r == (rich.Run{Text: r.Text}) {
		return l
	}
	switch s := l.api.(type) {
	case *docs.TextStyle:
		return l.markDocument(s, r)
	case *slides.TextStyle:
		var copied slides.TextStyle
		if s != nil {
			copied = *s
		}
		copied.Bold, copied.Italic, copied.Strikethrough = copied.Bold || r.Bold, copied.Italic || r.Italic, copied.Strikethrough || r.Strike
		copied.Underline = copied.Underline || r.Underline
		if script := scriptOf(r); script != "" {
			copied.BaselineOffset = script
		}
		if c := rgbOf(r.Color); c != nil {
			copied.ForegroundColor = &slides.OptionalColor{OpaqueColor: &slides.OpaqueColor{RgbColor: &slides.RgbColor{Red: c[0], Green: c[1], Blue: c[2]}}}
		}
		if c := rgbOf(r.Background); c != nil {
			copied.BackgroundColor = &slides.OptionalColor{OpaqueColor: &slides.OpaqueColor{RgbColor: &slides.RgbColor{Red: c[0], Green: c[1], Blue: c[2]}}}
		}
		switch {
		case r.Size > 0:
			copied.FontSize = &slides.Dimension{Magnitude: halves(r.Size), Unit: "PT"}
		case r.Scale > 0 && copied.FontSize != nil:
			copied.FontSize = &slides.Dimension{Magnitude: halves(copied.FontSize.Magnitude * r.Scale), Unit: "PT"}
		}
		if r.Code {
			copied.FontFamily, copied.WeightedFontFamily = codeFont, nil
		}
		if r.Link != "" {
			copied.Link = &slides.Link{Url: r.Link}
		}
		return newStyle(&copied)
	}
	return l
}

func (l style) markDocument(s *docs.TextStyle, r rich.Run) style {
	var copied docs.TextStyle
	if s != nil {
		copied = *s
	}
	var fields []string
	if r.Bold {
		copied.Bold = true
		fields = append(fields, "bold")
	}
	if r.Italic {
		copied.Italic = true
		fields = append(fields, "italic")
	}
	if r.Link != "" {
		copied.Link = &docs.Link{Url: r.Link}
		fields = append(fields, "link")
	}
	if r.Strike {
		copied.Strikethrough = true
		fields = append(fields, "strikethrough")
	}
	if r.Underline {
		copied.Underline = true
		fields = append(fields, "underline")
	}
	if script := scriptOf(r); script != "" {
		copied.BaselineOffset = script
		fields = append(fields, "baselineOffset")
	}
	if c := rgbOf(r.Color); c != nil {
		copied.ForegroundColor = docsColor(*c)
		fields = append(fields, "foregroundColor")
	}
	if c := rgbOf(r.Background); c != nil {
		copied.BackgroundColor = docsColor(*c)
		fields = append(fields, "backgroundColor")
	}
	if l.named {
		r.Scale = 0 // its size is the style's
	}
	if size := sizeOf(r, copied.FontSize); size > 0 {
		copied.FontSize = &docs.Dimension{Magnitude: size, Unit: "PT"}
		fields = append(fields, "fontSize")
	}
	if r.Code {
		copied.WeightedFontFamily = &docs.WeightedFontFamily{FontFamily: codeFont, Weight: 400}
		fields = append(fields, "weightedFontFamily")
	}
	slices.Sort(fields)
	made := newStyle(&copied)
	if l.named {
		made.named, made.fields = true, strings.Join(fields, ",")
		made.key += made.fields
	}
	return made
}

// enlarge is a style for a heading where there is no style of that name.
func (l style) enlarge(heading int) style {
	factor := map[int]float64{1: 1.6, 2: 1.35, 3: 1.15}[heading]
	switch s := l.api.(type) {
	case *docs.TextStyle:
		var copied docs.TextStyle
		if s != nil {
			copied = *s
		}
		copied.Bold = true
		if factor > 0 {
			size := points(copied.FontSize)
			if size == 0 {
				size = usualSize
			}
			copied.FontSize = &docs.Dimension{Magnitude: halves(size * factor), Unit: "PT"}
		}
		return newStyle(&copied)
	case *slides.TextStyle:
		var copied slides.TextStyle
		if s != nil {
			copied = *s
		}
		copied.Bold = true
		// The size of text that takes after its placeholder is not told.
		if copied.FontSize != nil && factor > 0 {
			copied.FontSize = &slides.Dimension{Magnitude: halves(copied.FontSize.Magnitude * factor), Unit: "PT"}
		}
		return newStyle(&copied)
	}
	return l
}

// halves rounds a size to half points, as files have them.
func halves(size float64) float64 { return float64(int(size*2+0.5)) / 2 }

// sizeOf is the size of a run in points; 0 where it says none.
func sizeOf(r rich.Run, base *docs.Dimension) float64 {
	switch {
	case r.Size > 0:
		return halves(r.Size)
	case r.Scale > 0 && points(base) > 0:
		return halves(points(base) * r.Scale)
	case r.Scale > 0:
		return halves(usualSize * r.Scale)
	}
	return 0
}

// scriptOf is the baseline offset of a run, as both APIs name it; empty: none.
func scriptOf(r rich.Run) string {
	switch {
	case r.Super:
		return "SUPERSCRIPT"
	case r.Sub:
		return "SUBSCRIPT"
	}
	return ""
}

// rgbOf is a colour of six hexadecimal digits, in parts from 0 to 1; nil for none.
func rgbOf(digits string) *[3]float64 {
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		return nil
	}
	return &[3]float64{float64(n>>16) / 255, float64(n>>8&255) / 255, float64(n&255) / 255}
}

func docsColor(c [3]float64) *docs.OptionalColor {
	return &docs.OptionalColor{Color: &docs.Color{RgbColor: &docs.RgbColor{Red: c[0], Green: c[1], Blue: c[2]}}}
}
