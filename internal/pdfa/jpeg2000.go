package pdfa

import "encoding/binary"

// A jp2 is what the boxes of a JPEG 2000 picture say of its colours (ISO/IEC 15444-1, annex I).
type jp2 struct {
	channels, bits int
	others         int  // channels that are no colours
	hasDepths      bool // the channels have depths of their own
	spaces         []jp2Space
}

// A jp2Space is one colour specification.
type jp2Space struct {
	method, approx byte
	space          uint32
}

// read reads boxes, and those inside the one that has the head of the picture.
func (p *jp2) read(data []byte, isHead bool) {
	for len(data) >= 8 {
		size, kind, head := int(binary.BigEndian.Uint32(data)), string(data[4:8]), 8
		if size == 1 && len(data) >= 16 {
			size, head = int(binary.BigEndian.Uint64(data[8:])), 16
		}
		if size == 0 || size > len(data) {
			size = len(data)
		}
		if size < head {
			return
		}
		if body := data[head:size]; kind != "jp2h" {
			p.box(kind, body)
		} else if !isHead {
			p.read(body, true)
		}
		data = data[size:]
	}
}

func (p *jp2) box(kind string, body []byte) {
	switch kind {
	case "ihdr":
		if len(body) >= 11 {
			p.channels, p.bits = int(binary.BigEndian.Uint16(body[8:])), int(body[10])
		}
	case "bpcc":
		p.hasDepths = true
	case "colr":
		if len(body) >= 3 {
			one := jp2Space{method: body[0], approx: body[2]}
			if one.method == 1 && len(body) >= 7 {
				one.space = binary.BigEndian.Uint32(body[3:])
			}
			p.spaces = append(p.spaces, one)
		}
	case "cdef":
		for at := 2; at+6 <= len(body); at += 6 {
			if kind := binary.BigEndian.Uint16(body[at+2:]); kind != 0 {
				p.others++
			}
		}
	}
}

// jpeg2000 checks the boxes of a picture (6.2.8.3).
func (c *checker) jpeg2000(s *stream, hasSpace bool) {
	if len(c.list(s.dict["Filter"])) > 1 {
		return
	}
	const signature = "jP  "
	if len(s.raw) < 12 || string(s.raw[4:8]) != signature {
		return // a codestream by itself
	}
	var p jp2
	p.read(s.raw, false)
	if p.hasDepths {
		c.fault("6.2.8.3", "the channels of a picture have different depths")
	}
	if colors := p.channels - p.others; colors != 1 && colors != 3 && colors != 4 {
		c.fault("6.2.8.3", "a picture has %d channels of colour", colors)
	}
	const varying = 255
	if p.bits == varying || p.bits&0x7F+1 > 38 {
		c.fault("6.2.8.3", "the channels of a picture have depths that they may not have")
	}
	if hasSpace {
		return
	}
	best := 0
	for _, one := range p.spaces {
		if one.approx == 1 {
			best++
		}
		if one.space == 19 {
			c.fault("6.2.8.3", "the colours of a picture are those of CIEJab")
		}
	}
	if len(p.spaces) > 1 && best != 1 {
		c.fault("6.2.8.3", "a picture has several colour spaces, and none that is exact")
	}
	if len(p.spaces) > 0 && (p.spaces[0].method < 1 || p.spaces[0].method > 3) {
		c.fault("6.2.8.3", "the colours of a picture are described in a way that they may not be")
	}
}
