package docs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// runsIn returns the runs that hold the bytes from to to of a paragraph, after
// cutting those that hold others too.
func runsIn(p *paragraph, from, to int) []*etree.Element {
	cutRun(p, to)
	cutRun(p, from)
	var runs []*etree.Element
	at := 0
	for _, piece := range p.pieces {
		start := at
		at += len(piece.Text)
		if piece.Run == nil || start < from || at > to {
			continue
		}
		if n := len(runs); n == 0 || runs[n-1] != piece.Run {
			runs = append(runs, piece.Run)
		}
	}
	return runs
}

// cutRun divides the run that goes on across a place of a paragraph.
func cutRun(p *paragraph, place int) {
	at := 0
	for i, piece := range p.pieces {
		start := at
		at += len(piece.Text)
		if piece.Run == nil || place > at {
			continue
		}
		if place <= start {
			return
		}
		last := i == len(p.pieces)-1 || p.pieces[i+1].Run != piece.Run
		if place == at && last {
			return
		}
		if place < at && piece.Kind != edit.TextPiece {
			return
		}
		behind := etree.NewElement(piece.Run.FullTag())
		if properties := child(piece.Run, "rPr"); properties != nil {
			behind.AddChild(properties.Copy())
		}
		next := piece.Elem.Index() + 1
		after := i + 1 // the first piece of what is behind
		if place < at {
			rest := etree.NewElement("w:t")
			rest.CreateText(piece.Text[place-start:])
			rest.CreateAttr("xml:space", "preserve")
			behind.AddChild(rest)
			for len(piece.Elem.Child) > 0 {
				piece.Elem.RemoveChildAt(0)
			}
			piece.Elem.CreateText(piece.Text[:place-start])
			piece.Elem.CreateAttr("xml:space", "preserve")
			p.pieces[i].Text = piece.Text[:place-start]
			p.pieces = slices.Insert(p.pieces, after, edit.Piece{Kind: edit.TextPiece, Text: piece.Text[place-start:], Elem: rest, Run: piece.Run})
		}
		for next < len(piece.Run.Child) {
			behind.AddChild(piece.Run.RemoveChildAt(next))
		}
		piece.Run.Parent().InsertChildAt(piece.Run.Index()+1, behind)
		// Reading the paragraph again for each of thousands of cuts would cost its
		// length each time.
		for j := after; j < len(p.pieces) && p.pieces[j].Run == piece.Run; j++ {
			p.pieces[j].Run = behind
		}
		return
	}
}

// runOrder is the order of run properties in the schema (ECMA-376 part 1,
// 17.3.2.28), as far as they are set here.
const runOrder = " rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign "

// setTextStyle sets the properties that fields name.
func setTextStyle(run *etree.Element, s *gdocs.TextStyle, fields map[string]bool) {
	properties := child(run, "rPr")
	if properties == nil {
		properties = etree.NewElement("w:rPr")
		run.InsertChildAt(0, properties)
	}
	flag := func(field, tag string, isOn bool) {
		if fields[field] {
			value := "1"
			if !isOn {
				value = "0"
			}
			setProperty(properties, tag, "val", value)
		}
	}
	flag("bold", "b", s.Bold)
	flag("italic", "i", s.Italic)
	flag("strikethrough", "strike", s.Strikethrough)
	flag("smallCaps", "smallCaps", s.SmallCaps)
	if fields["underline"] {
		value := "none"
		if s.Underline {
			value = "single"
		}
		setProperty(properties, "u", "val", value)
	}
	if fields["fontSize"] {
		dropProperty(properties, "sz", "szCs")
		if s.FontSize != nil {
			half := fmt.Sprint(int(math.Round(s.FontSize.Magnitude * 2)))
			setProperty(properties, "sz", "val", half)
			setProperty(properties, "szCs", "val", half)
		}
	}
	if fields["weightedFontFamily"] {
		dropProperty(properties, "rFonts")
		if f := s.WeightedFontFamily; f != nil && f.FontFamily != "" {
			setProperty(properties, "rFonts", "ascii", f.FontFamily)
			setProperty(properties, "rFonts", "hAnsi", f.FontFamily)
		}
	}
	if fields["foregroundColor"] {
		dropProperty(properties, "color")
		if hex := hexOf(s.ForegroundColor); hex != "" {
			setProperty(properties, "color", "val", hex)
		}
	}
	if fields["backgroundColor"] {
		dropProperty(properties, "shd", "highlight")
		if hex := hexOf(s.BackgroundColor); hex != "" {
			setProperty(properties, "shd", "val", "clear")
			setProperty(properties, "shd", "fill", hex)
		}
	}
	if fields["baselineOffset"] {
		dropProperty(properties, "vertAlign")
		if v := strings.ToLower(s.BaselineOffset); v == "superscript" || v == "subscript" {
			setProperty(properties, "vertAlign", "val", v)
		}
	}
}

func hexOf(c *gdocs.OptionalColor) string {
	if c == nil || c.Color == nil || c.Color.RgbColor == nil {
		return ""
	}
	rgb := c.Color.RgbColor
	return edit.HexColor(rgb.Red, rgb.Green, rgb.Blue)
}

// setProperty sets an attribute of a run's property, which is made in its place
// where it is missing.
func setProperty(properties *etree.Element, tag, key, value string) {
	e := child(properties, tag)
	if e == nil {
		e = etree.NewElement("w:" + tag)
		at := len(properties.Child)
		rank := strings.Index(runOrder, " "+tag+" ")
		for i, t := range properties.Child {
			c, ok := t.(*etree.Element)
			if ok && (strings.Index(runOrder, " "+c.Tag+" ") > rank || !strings.Contains(runOrder, " "+c.Tag+" ")) {
				at = i
				break
			}
		}
		properties.InsertChildAt(at, e)
	}
	e.CreateAttr("w:"+key, value)
}

func dropProperty(properties *etree.Element, tags ...string) {
	for _, tag := range tags {
		if e := child(properties, tag); e != nil {
			properties.RemoveChild(e)
		}
	}
}
