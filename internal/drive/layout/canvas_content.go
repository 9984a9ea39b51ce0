package layout

import "strconv"

// content is what stands on a page, in PDF's operators (ISO 32000-1, annex A).
type content []byte

// op writes operands and their operator, to a hundredth of a point.
func (b *content) op(operator string, operands ...float64) {
	for _, v := range operands {
		b.number(v, 2)
	}
	b.word(operator)
}

// fine writes operands of which hundredths are too coarse: colours, sines.
func (b *content) fine(operands ...float64) {
	for _, v := range operands {
		b.number(v, 5)
	}
}

// number writes one operand without the zeros at its end.
func (b *content) number(v float64, digits int) {
	out := strconv.AppendFloat(*b, v, 'f', digits, 64)
	for out[len(out)-1] == '0' {
		out = out[:len(out)-1]
	}
	if out[len(out)-1] == '.' {
		out = out[:len(out)-1]
	}
	*b = append(out, ' ')
}

func (b *content) word(s string) {
	*b = append(append(*b, s...), '\n')
}

// glyph writes a glyph's number inside a hexadecimal string.
func (b *content) glyph(gid uint16) {
	const digits = "0123456789ABCDEF"
	*b = append(*b, digits[gid>>12], digits[gid>>8&15], digits[gid>>4&15], digits[gid&15])
}
