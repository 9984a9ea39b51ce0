package fill

import (
	"strings"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/markdown"
)

// usualSize is how large text is where nothing says it, in points.
const usualSize = 11

// mark adds the marks of a run of Markdown to the style of its tag.
func (l style) mark(r markdown.Run) style {
	if r == (markdown.Run{Text: r.Text}) {
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

func (l style) markDocument(s *docs.TextStyle, r markdown.Run) style {
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
	if r.Code {
		copied.WeightedFontFamily = &docs.WeightedFontFamily{FontFamily: codeFont, Weight: 400}
		fields = append(fields, "weightedFontFamily")
	}
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
