package main

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// contents is what stands in an office file, counted in its raw XML: nothing here
// shares code with the readers that PDFs are made with.
type contents struct {
	// words are those of the text, in small letters, by how often each stands there.
	words map[string]int
	// pictures are the bitmaps that are shown; shapes those with a fill or a line of
	// their own, series the rows of charts.
	pictures       map[string]bool
	shapes, series int
}

// countContents counts what a .docx or .pptx shows in its pages or slides. Headers,
// masters and notes are left out: whether they are shown depends on much else.
func countContents(data []byte, kind string) (*contents, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	parts := map[string]*zip.File{}
	for _, f := range archive.File {
		parts[f.Name] = f
	}
	c := &counter{contents: contents{words: map[string]int{}, pictures: map[string]bool{}}, parts: parts, styles: map[string]*textStyle{}}
	if kind == "docx" {
		c.read("word/styles.xml", c.readStyle)
		c.count("word/document.xml")
		return &c.contents, nil
	}
	isSlide := regexp.MustCompile(`^ppt/slides/slide[0-9]+\.xml$`)
	for _, f := range archive.File {
		if isSlide.MatchString(f.Name) && !c.isHiddenSlide(f.Name) {
			c.count(f.Name)
		}
	}
	return &c.contents, nil
}

// counter walks through the parts of a file.
type counter struct {
	contents
	parts  map[string]*zip.File
	styles map[string]*textStyle
	style  *textStyle // that is read
	usual  *textStyle // of paragraphs that name none
}

// A textStyle is a style of paragraphs or characters as far as it hides text.
type textStyle struct {
	basedOn string
	hides   *bool // nil where it says nothing
}

// hides follows a style to those that it is based on; what none of them says stays as
// it is.
func (c *counter) hides(s *textStyle, isHidden bool) bool {
	for range len(c.styles) {
		switch {
		case s == nil:
			return isHidden
		case s.hides != nil:
			return *s.hides
		}
		s = c.styles[s.basedOn]
	}
	return isHidden
}

// read hands each element of a part to do, with the names of those around it.
func (c *counter) read(name string, do func(path []string, e *xml.StartElement, text string)) {
	f := c.parts[name]
	if f == nil {
		return
	}
	r, err := f.Open()
	if err != nil {
		return
	}
	defer func() { _ = r.Close() }()
	d := xml.NewDecoder(io.LimitReader(r, 64<<20))
	var open []xml.StartElement
	var names []string
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			t = t.Copy()
			open, names = append(open, t), append(names, t.Name.Local)
			do(names, &t, "")
		case xml.EndElement:
			open, names = open[:len(open)-1], names[:len(names)-1]
		case xml.CharData:
			if len(open) > 0 {
				do(names, &open[len(open)-1], string(t))
			}
		}
	}
}

func attributeOf(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// isOn reads a property that is on where it is named and not off.
func isOn(e *xml.StartElement) bool {
	v := attributeOf(e, "val")
	return v != "0" && v != "false" && v != "off"
}

// readStyle notes what the styles say of hidden text.
func (c *counter) readStyle(path []string, e *xml.StartElement, text string) {
	switch tag := path[len(path)-1]; {
	case text != "":
	case tag == "style":
		c.style = &textStyle{}
		if c.styles[attributeOf(e, "styleId")] = c.style; attributeOf(e, "type") == "paragraph" && attributeOf(e, "default") == "1" {
			c.usual = c.style
		}
	case c.style == nil:
	case tag == "basedOn":
		c.style.basedOn = attributeOf(e, "val")
	case tag == "vanish" && slices.Contains(path, "style"):
		hides := isOn(e)
		c.style.hides = &hides
	}
}

// isHiddenSlide says of a slide that it is left out of shows and prints.
func (c *counter) isHiddenSlide(name string) (isHidden bool) {
	c.read(name, func(path []string, e *xml.StartElement, text string) {
		if len(path) == 1 && text == "" {
			isHidden = attributeOf(e, "show") == "0" || attributeOf(e, "show") == "false"
		}
	})
	return isHidden
}

// count counts what a part shows, and the charts that it refers to.
func (c *counter) count(name string) {
	w := &walk{counter: c, targets: c.relations(name), isHidden: map[int]bool{}}
	c.read(name, func(path []string, e *xml.StartElement, text string) {
		if n := strings.Count(strings.Join(path, " ")+" ", " p "); n != w.depth { // of a box in a paragraph, or behind it
			w.finish()
			w.depth = n
		}
		if slices.ContainsFunc(path, func(s string) bool {
			return s == "Fallback" || s == "moveFrom" || s == "del" || s == "pPrChange" || s == "rPrChange"
		}) {
			return
		}
		if w.text(path, e, text); text == "" {
			w.drawing(path, e)
		}
	})
	w.finish()
}

// A walk goes through a part.
type walk struct {
	*counter
	targets   map[string]string
	hasFill   bool
	paragraph string // what was read of it
	depth     int    // paragraphs around what is read
	// isHidden says of the paragraphs by depth that their style hides them.
	isHidden    map[int]bool
	isRunHidden bool
}

func (w *walk) finish() {
	w.add(w.paragraph)
	w.paragraph = ""
}

// text reads the text of paragraphs, and whether it is shown.
func (w *walk) text(path []string, e *xml.StartElement, text string) {
	switch tag := path[len(path)-1]; {
	case tag == "t" && text != "":
		if !w.isRunHidden {
			w.paragraph += text
		}
	case text != "":
	case tag == "p":
		w.finish()
		w.isHidden[w.depth] = w.hides(w.usual, false)
	case tag == "pStyle":
		w.isHidden[w.depth] = w.hides(w.styles[attributeOf(e, "val")], false)
	case tag == "r":
		w.isRunHidden = w.isHidden[w.depth]
	case tag == "rStyle":
		w.isRunHidden = w.hides(w.styles[attributeOf(e, "val")], w.isRunHidden)
	case tag == "vanish" && slices.Contains(path, "r"):
		w.isRunHidden = isOn(e)
	case tag == "tab" || tag == "br" || tag == "sym" || tag == "rt" || tag == "rubyBase":
		w.paragraph += " "
	}
}

// drawing counts shapes, pictures and series of charts.
func (w *walk) drawing(path []string, e *xml.StartElement) {
	switch tag := path[len(path)-1]; {
	case tag == "spPr":
		w.hasFill = false
	case (tag == "solidFill" || tag == "gradFill" || tag == "pattFill") && len(path) > 1 && path[len(path)-2] == "spPr" && !w.hasFill:
		w.hasFill = true
		w.shapes++
	case tag == "blip":
		w.picture(w.targets[attributeOf(e, "embed")])
	case tag == "imagedata":
		w.picture(w.targets[attributeOf(e, "id")])
	case tag == "chart" && attributeOf(e, "id") != "":
		w.read(w.targets[attributeOf(e, "id")], func(path []string, _ *xml.StartElement, text string) {
			if path[len(path)-1] == "ser" && text == "" {
				w.series++
			}
		})
	}
}

func (c *counter) picture(target string) {
	switch strings.ToLower(path.Ext(target)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp":
		if c.parts[target] != nil {
			c.pictures[target] = true
		}
	}
}

// relations are the parts that a part refers to, by the names of its relations.
func (c *counter) relations(name string) map[string]string {
	targets := map[string]string{}
	c.read(path.Join(path.Dir(name), "_rels", path.Base(name)+".rels"), func(names []string, e *xml.StartElement, _ string) {
		if names[len(names)-1] == "Relationship" && attributeOf(e, "TargetMode") != "External" {
			target := attributeOf(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join(path.Dir(name), target)
			}
			targets[attributeOf(e, "Id")] = strings.TrimPrefix(target, "/")
		}
	})
	return targets
}

// fromRight are the scripts that run from right to left.
var fromRight = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko}

// add counts the words of a text: short ones and numbers stand for themselves too
// often, or are numbers of pages, and programs read letters with marks in several ways.
// Where letters of both directions meet, other letters stand beside them in a PDF.
func (c *counter) add(text string) {
	var parted strings.Builder
	wasRTL := false
	for _, r := range text {
		if isRTL := unicode.In(r, fromRight...); unicode.IsLetter(r) && isRTL != wasRTL {
			parted.WriteByte(' ')
			wasRTL = isRTL
		}
		parted.WriteRune(r)
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(parted.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if len([]rune(word)) >= 4 && !strings.ContainsFunc(word, unicode.IsMark) {
			c.words[word]++
		}
	}
}

// drawn is what a PDF shows, as other programs read it.
type drawn struct {
	text            string // small letters alone
	pictures, paths int
}

var imageLine = regexp.MustCompile(`(?m)^ *[0-9]+ +[0-9]+ image `)

// readDrawn reads the outputs of pdftotext, pdfimages -list and mutool trace.
func readDrawn(text, images, trace string) drawn {
	d := drawn{paths: strings.Count(trace, "<fill_path") + strings.Count(trace, "<stroke_path") + strings.Count(trace, "<fill_shade") + strings.Count(trace, "<clip_path")}
	d.pictures = len(imageLine.FindAllString(images, -1))
	d.text = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	return d
}
