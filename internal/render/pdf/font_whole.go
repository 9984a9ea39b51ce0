package pdf

import "encoding/binary"

// argsAreXY is the flag of a component that is moved by its arguments (OpenType, glyf
// table).
const argsAreXY = 0x0002

// appendOutline writes a composite glyph of the parts (OpenType, glyf table). The box
// around it is that of the whole font, which is never too small.
func (w *wholeGlyph) appendOutline(out, head []byte, numberOf func(part uint16) uint16) []byte {
	const isComposite = 0xFFFF
	out = binary.BigEndian.AppendUint16(out, isComposite)
	out = append(out, head[36:44]...)
	for i, part := range w.parts {
		flags := uint16(argsAreWords | argsAreXY)
		if i+1 < len(w.parts) {
			flags |= moreComponents
		}
		for _, v := range []uint16{flags, numberOf(part.gid), uint16(part.x), uint16(part.y)} {
			out = binary.BigEndian.AppendUint16(out, v)
		}
	}
	return out
}

// allowWholes counts glyphs that are made of several in what a reader makes room for
// (OpenType, maxp table).
func allowWholes(maxp []byte, wholes map[uint16]wholeGlyph) {
	const partsAt, depthAt = 28, 30
	if len(wholes) == 0 || len(maxp) < depthAt+2 {
		return
	}
	most := binary.BigEndian.Uint16(maxp[partsAt:])
	for _, w := range wholes {
		most = max(most, uint16(len(w.parts)))
	}
	binary.BigEndian.PutUint16(maxp[partsAt:], most)
	binary.BigEndian.PutUint16(maxp[depthAt:], binary.BigEndian.Uint16(maxp[depthAt:])+1)
}
