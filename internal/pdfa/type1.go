package pdfa

import (
	"bytes"
	"encoding/binary"
	"math"
	"regexp"
	"strconv"
)

var (
	charStrings = regexp.MustCompile(`/CharStrings\s`)
	lenIV       = regexp.MustCompile(`/lenIV\s+(\d+)`)
	oneEncoding = regexp.MustCompile(`dup\s+(\d+)\s*/(\S+)\s+put`)
	fontMatrix  = regexp.MustCompile(`/FontMatrix\s*\[\s*([-+0-9.eE]+)`)
)

// What the two parts of a Type 1 font are encrypted with.
const ofFile, ofGlyph = 55665, 4330

// type1Parts are the clear part of a Type 1 font, and the one that is encrypted, as it was
// before.
func type1Parts(data []byte) (clear, plain []byte, err error) {
	if len(data) > 6 && data[0] == 0x80 {
		data = withoutSegments(data)
	}
	at := bytes.Index(data, []byte("eexec"))
	if at < 0 {
		return nil, nil, errFontFile
	}
	secret := data[at+len("eexec"):]
	for len(secret) > 0 && isSpace(secret[0]) {
		secret = secret[1:]
	}
	if len(secret) < 4 {
		return nil, nil, errFontFile
	}
	if isHexText(secret[:4]) {
		p := &parser{data: append([]byte("<"), secret...)}
		secret = []byte(p.hex().value)
	}
	return data[:at], decrypt(secret, ofFile)[4:], nil
}

// readType1 reads a Type 1 font (Adobe Type 1 Font Format).
func readType1(data []byte) (*program, error) {
	clear, plain, err := type1Parts(data)
	if err != nil {
		return nil, err
	}
	skip := 4
	if found := lenIV.FindSubmatch(plain); found != nil {
		skip, _ = strconv.Atoi(string(found[1]))
	}
	unit := 0.001
	if found := fontMatrix.FindSubmatch(clear); found != nil {
		if v, err := strconv.ParseFloat(string(found[1]), 64); err == nil && v != 0 {
			unit = v
		}
	}
	p := &program{byName: map[string]int{}, byCode: map[int]string{}}
	if bytes.Contains(clear, []byte("StandardEncoding def")) {
		for code, n := range standard {
			if n != "" {
				p.byCode[code] = n
			}
		}
	}
	const mostEntries = 1 << 16
	for _, found := range oneEncoding.FindAllSubmatch(clear, mostEntries) {
		code, _ := strconv.Atoi(string(found[1]))
		p.byCode[code] = string(found[2])
	}
	begin := charStrings.FindIndex(plain)
	if begin == nil {
		return nil, errFontFile
	}
	// .notdef is glyph 0, whatever its place.
	p.byName[".notdef"], p.widths = 0, []float64{0}
	q := &parser{data: plain, at: begin[1]}
	for len(p.widths) < mostEntries {
		token := q.token()
		n, isName := token.(name)
		if !isName {
			if k, ok := token.(keyword); ok && (k == "" || k == "end") {
				break
			}
			continue
		}
		size, isNumber := q.token().(number)
		if !isNumber {
			continue
		}
		q.token() // RD
		from := q.at + 1
		to := from + int(size.value)
		if to > len(plain) {
			break
		}
		w := type1Width(decrypt(plain[from:to], ofGlyph), skip) * unit * 1000
		if n == ".notdef" {
			p.widths[0] = w
		} else {
			p.byName[string(n)] = len(p.widths)
			p.widths = append(p.widths, w)
		}
		q.at = to
	}
	return p, nil
}

func isHexText(b []byte) bool {
	for _, one := range b {
		if _, err := strconv.ParseUint(string(one), 16, 8); err != nil {
			return false
		}
	}
	return true
}

// withoutSegments takes the heads of segments out of a font file for Windows.
func withoutSegments(data []byte) (out []byte) {
	for len(data) > 6 && data[0] == 0x80 && data[1] != 3 {
		size := int(binary.LittleEndian.Uint32(data[2:]))
		out = append(out, data[6:min(len(data), 6+size)]...)
		data = data[min(len(data), 6+size):]
	}
	return out
}

func decrypt(data []byte, key uint16) []byte {
	out := make([]byte, len(data))
	for i, b := range data {
		out[i] = b ^ byte(key>>8)
		key = (uint16(b)+key)*52845 + 22719
	}
	return out
}

// type1Width is the second operand of hsbw, or the third of sbw.
func type1Width(code []byte, skip int) float64 {
	if len(code) < skip {
		return 0
	}
	code = code[skip:]
	var stack []float64
	for i := 0; i < len(code); {
		b := int(code[i])
		i++
		switch {
		case b == 13 && len(stack) >= 2:
			return stack[1]
		case b == 12 && i < len(code) && code[i] == 7 && len(stack) >= 3:
			return stack[2]
		case b == 12 && i < len(code) && code[i] == 12 && len(stack) >= 2:
			n := len(stack)
			stack = append(stack[:n-2], stack[n-2]/stack[n-1])
			i++
		case b >= 32 && b <= 246:
			stack = append(stack, float64(b-139))
		case b >= 247 && b <= 250 && i < len(code):
			stack = append(stack, float64((b-247)*256+int(code[i])+108))
			i++
		case b >= 251 && b <= 254 && i < len(code):
			stack = append(stack, float64(-(b-251)*256-int(code[i])-108))
			i++
		case b == 255 && i+4 <= len(code):
			stack = append(stack, float64(int32(u32(code, i))))
			i += 4
		default:
			return math.NaN()
		}
	}
	return 0
}
