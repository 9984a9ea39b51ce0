package wml

import (
	"github.com/beevik/etree"
)

// Guide is a phonetic guide: small text that says how the text below it is read
// (w:ruby; ECMA-376 part 1, 17.3.3.25).
type Guide struct {
	// Runs have the size that the guide is set in.
	Runs []*Run
	// Align is OOXML's name of how the shorter of guide and text stands in the room of
	// the longer: "left", "right", "center", "distributeLetter", "distributeSpace".
	Align string
	// Raise is how far its baseline is above that of the text.
	Raise float64
}

// readGuided reads a text with its phonetic guide, which stand in a run, as runs of
// their own. A guide without text below it is text itself.
func (r *resolver) readGuided(p *Paragraph, run *Run, e *etree.Element) {
	run.cut(p)
	base := run.RunProperties
	part := func(tag string) []*Run {
		var part Paragraph
		r.readInline(&part, wChild(e, tag), &base, run.Link)
		return part.Runs
	}
	text, above := part("rubyBase"), part("rt")
	if len(text) == 0 || len(above) == 0 {
		p.Runs = append(append(p.Runs, text...), above...)
		return
	}
	properties := wChild(e, "rubyPr")
	guide := &Guide{Runs: above, Align: wVal(wChild(properties, "rubyAlign"))}
	if n, ok := parseMeasure(wVal(wChild(properties, "hps")), 0.5); ok && n > 0 && n <= maxSize {
		for _, one := range above {
			one.Size, one.Complex.Size = n, n
		}
	}
	if n, ok := parseMeasure(wVal(wChild(properties, "hpsRaise")), 0.5); ok && n > 0 && n <= maxSize {
		guide.Raise = n
	} else {
		guide.Raise = text[0].Size
	}
	for _, one := range text {
		one.Guide = guide
	}
	p.Runs = append(p.Runs, text...)
}
