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
	// their own, series the rows of charts, formulas those of Office's mathematics.
	pictures                 map[string]bool
	shapes, series, formulas int
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
	c := &counter{contents: contents{words: map[string]int{}, pictures: map[string]bool{}}, parts: parts, hidden: map[string]bool{}}
	if kind == "docx" {
		c.read("word/styles.xml", c.style)
		c.count("word/document.xml")
		return &c.contents, nil
	}
	isSlide := regexp.MustCompile(`^ppt/slides/slide[0-9]+\.xml$`)
	for _, f := range archive.File {
		if isSlide.MatchString(f.Name) {
			c.count(f.Name)
		}
	}
	return &c.contents, nil
}

// counter walks through the parts of a file.
type counter struct {
	contents
	parts  map[string]*zip.File
	hidden map[string]bool // character and paragraph styles whose text is not shown
	id     string          // of the style at hand
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

// style notes the styles that hide their text.
func (c *counter) style(path []string, e *xml.StartElement, _ string) {
	switch path[len(path)-1] {
	case "style":
		c.id = attributeOf(e, "styleId")
	case "vanish", "webHidden":
		c.hidden[c.id] = true
	}
}

// count counts what a part shows, and the charts that it refers to.
func (c *counter) count(name string) {
	targets := c.relations(name)
	isHidden, hasFill := false, false
	paragraph, depth := "", 0
	c.read(name, func(path []string, e *xml.StartElement, text string) {
		tag := path[len(path)-1]
		if n := strings.Count(strings.Join(path, " ")+" ", " p "); n != depth { // of a box in a paragraph, or behind it
			c.add(paragraph)
			paragraph, depth = "", n
		}
		if slices.ContainsFunc(path, func(s string) bool {
			return s == "Fallback" || s == "moveFrom" || s == "del" || s == "pPrChange" || s == "rPrChange"
		}) {
			return
		}
		switch {
		case tag == "p":
			c.add(paragraph)
			paragraph = ""
		case tag == "r" && text == "":
			isHidden = false
		case tag == "vanish" && slices.Contains(path, "r") || tag == "rStyle" && c.hidden[attributeOf(e, "val")]:
			isHidden = attributeOf(e, "val") != "0" && attributeOf(e, "val") != "false"
		case tag == "t" && text != "" && !isHidden:
			paragraph += text
		case tag == "tab" || tag == "br":
			paragraph += " "
		case tag == "oMath" && text == "":
			c.formulas++
		case tag == "spPr" && text == "":
			hasFill = false
		case (tag == "solidFill" || tag == "gradFill" || tag == "pattFill") && len(path) > 1 && path[len(path)-2] == "spPr" && !hasFill && text == "":
			hasFill = true
			c.shapes++
		case tag == "blip" && text == "":
			c.picture(targets[attributeOf(e, "embed")])
		case tag == "imagedata" && text == "":
			c.picture(targets[attributeOf(e, "id")])
		case tag == "chart" && text == "" && attributeOf(e, "id") != "":
			c.read(targets[attributeOf(e, "id")], func(path []string, _ *xml.StartElement, text string) {
				if path[len(path)-1] == "ser" && text == "" {
					c.series++
				}
			})
		}
	})
	c.add(paragraph)
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

// add counts the words of a text: short ones and numbers stand for themselves too
// often, or are numbers of pages, and programs read letters with marks in several ways.
func (c *counter) add(text string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
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
