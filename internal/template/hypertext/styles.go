package hypertext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/platenhq/platen/internal/template/rich"
)

// styleRun takes over what an element says of the text in it.
func (at *place) styleRun(n *html.Node, css map[string]string) {
	run := &at.run
	switch n.Data {
	case "b", "strong", "th", "dt":
		run.Bold = true
	case "i", "em", "cite", "dfn", "var":
		run.Italic = true
	case "u", "ins":
		run.Underline = true
	case "s", "strike", "del":
		run.Strike = true
	case "sub":
		run.Sub, run.Super = true, false
	case "sup":
		run.Super, run.Sub = true, false
	case "code", "kbd", "samp", "tt", "pre":
		run.Code = true
	case "small":
		at.scale(0.83)
	case "big":
		at.scale(1.2)
	case "mark":
		run.Background = "ffff00"
	case "font":
		at.font(n)
	}
	at.editorClasses(n)
	at.css(css)
	if (run.Super || run.Sub) && run.Scale < 1 {
		run.Scale = 0 // which it is by itself
	}
}

// font is the element of old editors (HTML, section 15.3.1).
func (at *place) font(n *html.Node) {
	sizes := map[string]float64{"1": 7.5, "2": 10, "3": 12, "4": 13.5, "5": 18, "6": 24, "7": 36}
	if size := sizes[attribute(n, "size")]; size > 0 {
		at.run.Size = size
	}
	if c := readColor(attribute(n, "color")); c != "" {
		at.run.Color = c
	}
}

// editorClasses are what editors write in classes in place of styles.
func (at *place) editorClasses(n *html.Node) {
	if attribute(n, "class") == "" && attribute(n, "data-color") == "" {
		return
	}
	if c := readColor(attribute(n, "data-color")); c != "" && n.Data == "mark" {
		at.run.Background = c
	}
	scales := map[string]float64{"ql-size-small": 0.75, "ql-size-large": 1.5, "ql-size-huge": 2.5, "text-tiny": 0.7, "text-small": 0.85, "text-big": 1.4, "text-huge": 1.8}
	pens := map[string]string{"pen-red": "e71313", "pen-green": "128a00"}
	markers := map[string]string{"marker-yellow": "fdfd77", "marker-green": "62f962", "marker-pink": "fc7899", "marker-blue": "72ccfd"}
	for _, c := range strings.Fields(attribute(n, "class")) {
		switch {
		case scales[c] > 0:
			at.scale(scales[c])
		case pens[c] != "":
			at.run.Color, at.run.Background = pens[c], ""
		case markers[c] != "":
			at.run.Background = markers[c]
		case c == "ql-code-block" || c == "ql-syntax":
			at.run.Code = true
		}
	}
}

func (at *place) scale(by float64) {
	if at.run.Size > 0 {
		at.run.Size = min(max(at.run.Size*by, smallest), largest)
		return
	}
	if at.run.Scale == 0 {
		at.run.Scale = 1
	}
	at.run.Scale = min(max(at.run.Scale*by, closest), widest)
}

// css takes over the declarations about text that are read.
func (at *place) css(css map[string]string) {
	run := &at.run
	for name, value := range css {
		switch name {
		case "font-weight":
			run.Bold = slices.Contains([]string{"bold", "bolder", "600", "700", "800", "900"}, value)
		case "font-style":
			run.Italic = value == "italic" || value == "oblique"
		case "text-decoration-line":
			run.Underline = run.Underline && value != "none" || strings.Contains(value, "underline")
			run.Strike = run.Strike && value != "none" || strings.Contains(value, "line-through")
		case "color":
			if c := readColor(value); c != "" {
				run.Color = c
			}
		case "background-color":
			if c := readColor(value); c != "" {
				run.Background = c
			}
		case "vertical-align":
			run.Super, run.Sub = value == "super" || run.Super && value != "baseline", value == "sub" || run.Sub && value != "baseline"
		case "font-size":
			at.fontSize(value)
		}
	}
}

func (at *place) fontSize(value string) {
	words := map[string]float64{
		"xx-small": 0.6, "x-small": 0.75, "small": 0.89, "medium": 1, "large": 1.2, "x-large": 1.5, "xx-large": 2, "xxx-large": 3, "smaller": 0.83, "larger": 1.2,
	}
	if by := words[value]; by > 0 {
		at.scale(by)
		return
	}
	l, ok := readLength(value, 0)
	switch {
	case !ok || l.points < 0 || l.share < 0:
	case l.share > 0:
		at.scale(l.share)
	case l.points > 0:
		at.run.Size = min(max(l.points, smallest), largest)
	}
}

// shape takes over what a block says of the paragraphs in it.
func (at *place) shape(n *html.Node, css map[string]string) {
	switch {
	case len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6':
		at.heading = int(n.Data[1] - '0')
	case n.Data == "blockquote":
		at.quote = min(at.quote+1, rich.MaxDepth)
	case n.Data == "dd":
		at.indent = min(at.indent+24, maxIndent)
	case n.Data == "center":
		at.align = rich.AlignCenter
	case n.Data == "pre":
		at.pre = true
	}
	at.alignTo(attribute(n, "align"))
	at.alignTo(classAfter(n, "ql-align-"))
	at.alignTo(css["text-align"])
	switch direction := strings.ToLower(attribute(n, "dir")); {
	case direction == "rtl" || css["direction"] == "rtl" || hasClass(n, "ql-direction-rtl"):
		at.rightToLeft = true
	case direction == "ltr":
		at.rightToLeft = false
	}
	if n.Data == "figure" || n.Data == "table" || n.Data == "td" || n.Data == "th" || n.Data == "li" {
		if l, ok := readLength(css["width"], 0); ok && n.Data == "figure" {
			at.share = min(max(l.share, 0), 1)
		}
		return
	}
	for _, name := range []string{"margin-left", "padding-left", "margin-inline-start", "padding-inline-start"} {
		if l, ok := readLength(css[name], 0); ok && l.points > 0 {
			at.indent = min(at.indent+l.points, maxIndent)
		}
	}
	if n, ok := readLength(classAfter(n, "ql-indent-"), listIndent); ok && n.points > 0 {
		at.indent = min(at.indent+n.points, maxIndent)
	}
	if attribute(n, "data-indent") != "" { // TipTap's extension
		if l, ok := readLength(attribute(n, "data-indent"), 24); ok && l.points > 0 {
			at.indent = min(at.indent+l.points, maxIndent)
		}
	}
}

func (at *place) alignTo(word string) {
	switch strings.ToLower(word) {
	case "start":
		at.align = rich.AlignStart
	case "left":
		at.align = rich.AlignLeft
	case "center", "middle":
		at.align = rich.AlignCenter
	case "end":
		at.align = rich.AlignEnd
	case "right":
		at.align = rich.AlignRight
	case "justify":
		at.align = rich.AlignJustified
	}
}
