package pdfa

import (
	"bytes"
	"slices"
)

// image checks a picture (6.2.8).
func (c *checker) image(s *stream, resources scope, g graphics) {
	d := s.dict
	if d["Alternates"] != nil {
		c.fault("6.2.8", "a picture has others in its place")
	}
	if d["OPI"] != nil {
		c.fault("6.2.8", "a picture is replaced in print")
	}
	c.pixels(d["Interpolate"], d["BitsPerComponent"], d["ImageMask"], d["Intent"])
	if mask := c.stream(d["SMask"]); mask != nil {
		c.mixes = true
		c.mask(mask)
	}
	if mask := c.stream(d["Mask"]); mask != nil {
		c.pixels(mask.dict["Interpolate"], mask.dict["BitsPerComponent"], true, mask.dict["Intent"])
	}
	packed := c.list(d["Filter"])
	isJPX := len(packed) > 0 && c.name(packed[len(packed)-1]) == "JPXDecode"
	if isJPX {
		c.jpeg2000(s, d["ColorSpace"] != nil)
		if c.integer(d["SMaskInData"]) > 0 {
			c.mixes = true
		}
	}
	switch {
	case c.get(d["ImageMask"]) == true:
		c.paint(g.fill, g.overFill, g.overMode)
	case d["ColorSpace"] != nil:
		c.paint(c.space(d["ColorSpace"], resources, 0), false, 0)
	}
}

// mask checks a picture of how much is seen of another. Its greys are no colours.
func (c *checker) mask(s *stream) {
	if s.dict["Alternates"] != nil || s.dict["OPI"] != nil {
		c.fault("6.2.8", "a picture has others in its place")
	}
	c.pixels(s.dict["Interpolate"], s.dict["BitsPerComponent"], nil, s.dict["Intent"])
	if packed := c.list(s.dict["Filter"]); len(packed) > 0 && c.name(packed[len(packed)-1]) == "JPXDecode" {
		c.jpeg2000(s, s.dict["ColorSpace"] != nil)
	}
}

func (c *checker) pixels(interpolate, bits, mask, intent any) {
	if c.get(interpolate) == true {
		c.fault("6.2.8", "a picture is smoothed by its reader")
	}
	if n, ok := c.get(bits).(number); ok {
		if isMask := c.get(mask) == true; isMask && n.value != 1 || !isMask && !slices.Contains([]float64{1, 2, 4, 8, 16}, n.value) {
			c.fault("6.2.8", "a picture has %v bits for a colour", n.value)
		}
	}
	if intent != nil {
		c.renderingIntent(c.name(intent))
	}
}

// inline checks a picture that stands in content (6.1.10), and goes behind it.
func (c *checker) inline(p *parser, resources scope, g graphics) {
	d := dict{}
	for {
		key := p.token()
		if k, isKeyword := key.(keyword); isKeyword && (k == "ID" || k == "") {
			break
		}
		n, isName := key.(name)
		if !isName {
			continue
		}
		d[n] = p.token()
	}
	either := func(a, b name) any {
		if d[a] != nil {
			return d[a]
		}
		return d[b]
	}
	p.at++ // the space behind ID
	for at := p.at; ; at++ {
		next := bytes.Index(p.data[min(at, len(p.data)):], []byte("EI"))
		if next < 0 {
			p.at = len(p.data)
			break
		}
		at += next
		isEnd := at+2 >= len(p.data) || isSpace(p.data[at+2])
		if isEnd && at > 0 && isSpace(p.data[at-1]) && readsOn(p.data[at+2:]) {
			p.at = at + 2
			break
		}
	}
	for _, filter := range c.list(either("F", "Filter")) {
		if n := c.name(filter); !slices.Contains(inlineFilters, n) {
			c.fault("6.1.10", "a picture in the text is packed by %s", n)
		}
	}
	c.pixels(either("I", "Interpolate"), either("BPC", "BitsPerComponent"), either("IM", "ImageMask"), d["Intent"])
	if c.get(either("IM", "ImageMask")) == true {
		c.paint(g.fill, g.overFill, g.overMode)
		return
	}
	switch o := either("CS", "ColorSpace").(type) {
	case name:
		if full, ok := shortSpaces[o]; ok {
			o = full
		}
		c.paint(c.named(o, resources), false, 0)
	case array:
		for i, one := range o {
			if n, ok := one.(name); ok {
				if full, ok := shortSpaces[n]; ok {
					o[i] = full
				}
			}
		}
		c.paint(c.space(o, resources, 0), false, 0)
	}
}

// readsOn tells whether what follows looks like content, not like pixels.
func readsOn(rest []byte) bool {
	for _, b := range rest[:min(len(rest), 12)] {
		if b > '~' || b < ' ' && !isSpace(b) {
			return false
		}
	}
	return true
}
