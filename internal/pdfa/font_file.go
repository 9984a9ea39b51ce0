package pdfa

import (
	"encoding/binary"
	"errors"
)

var errFontFile = errors.New("the file of a font is damaged")

func u16(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }
func u32(b []byte, at int) int { return int(binary.BigEndian.Uint32(b[at:])) }

// tableOf is a table of a font file by its tag (OpenType), nil for none.
func tableOf(data []byte, tag string) []byte {
	if len(data) < 12 {
		return nil
	}
	if string(data[:4]) == "ttcf" && len(data) >= 16 {
		return nil
	}
	for i := range u16(data, 4) {
		at := 12 + 16*i
		if at+16 > len(data) {
			return nil
		}
		if string(data[at:at+4]) == tag {
			begin, size := u32(data, at+8), u32(data, at+12)
			if begin > len(data) {
				return nil
			}
			return data[begin:min(len(data), begin+size)]
		}
	}
	return nil
}

// readTrueType reads how wide glyphs are, and what leads to them.
func readTrueType(data []byte) (*program, error) {
	head, hhea, maxp, hmtx := tableOf(data, "head"), tableOf(data, "hhea"), tableOf(data, "maxp"), tableOf(data, "hmtx")
	if len(head) < 54 || len(hhea) < 36 || len(maxp) < 6 || tableOf(data, "glyf") == nil && tableOf(data, "loca") == nil && tableOf(data, "CFF ") == nil {
		return nil, errFontFile
	}
	em, metrics, count := float64(u16(head, 18)), u16(hhea, 34), u16(maxp, 4)
	if em == 0 || metrics == 0 {
		return nil, errFontFile
	}
	p := &program{cmaps: readCharMaps(tableOf(data, "cmap")), byName: readPost(tableOf(data, "post"))}
	for gid := range count {
		i := 4 * min(gid, metrics-1)
		if i+2 > len(hmtx) {
			break
		}
		p.widths = append(p.widths, float64(u16(hmtx, i))*1000/em)
	}
	return p, nil
}

// readCharMaps reads the tables of characters (OpenType, cmap table). Several may be the same
// bytes of a file.
func readCharMaps(table []byte) (maps []charMap) {
	if len(table) < 4 {
		return nil
	}
	const mostTables = 64
	left := 1 << 19 // codes that are looked at
	for i := range min(u16(table, 2), mostTables) {
		at := 4 + 8*i
		if at+8 > len(table) {
			break
		}
		one := charMap{platform: u16(table, at), encoding: u16(table, at+2), glyphs: map[int]int{}}
		if begin := u32(table, at+4); begin+8 < len(table) {
			readCharMap(table[begin:], one.glyphs, &left)
		}
		maps = append(maps, one)
	}
	return maps
}

func readCharMap(t []byte, into map[int]int, left *int) {
	defer func() { _ = recover() }() // what is beyond its end is not there
	switch u16(t, 0) {
	case 0:
		for code := range 256 {
			into[code] = int(t[6+code])
		}
	case 4:
		segments := u16(t, 6) / 2
		for i := range segments {
			end, start := u16(t, 14+2*i), u16(t, 16+2*segments+2*i)
			delta, reach := u16(t, 16+4*segments+2*i), u16(t, 16+6*segments+2*i)
			for code := start; code <= end && code < 0xFFFF && *left > 0; code++ {
				*left--
				gid := (code + delta) & 0xFFFF
				if reach != 0 {
					where := 16 + 6*segments + 2*i + reach + 2*(code-start)
					if where+2 > len(t) {
						continue
					}
					if gid = u16(t, where); gid != 0 {
						gid = (gid + delta) & 0xFFFF
					}
				}
				into[code] = gid
			}
		}
	case 6:
		first := u16(t, 6)
		for i := range min(u16(t, 8), max(*left, 0)) {
			*left--
			into[first+i] = u16(t, 10+2*i)
		}
	case 12:
		for i := range min(u32(t, 12), 1<<16) {
			start, end, gid := u32(t, 16+12*i), u32(t, 20+12*i), u32(t, 24+12*i)
			for code := start; code <= end && *left > 0; code++ {
				*left--
				into[code] = gid + code - start
			}
		}
	}
}

// readPost reads the names of glyphs (OpenType, post table, versions 1 and 2).
func readPost(t []byte) map[string]int {
	if len(t) < 34 {
		return nil
	}
	names := map[string]int{}
	switch u32(t, 0) {
	case 0x00010000:
		for gid, n := range macGlyphs {
			names[n] = gid
		}
	case 0x00020000:
		count := u16(t, 32)
		if len(t) < 34+2*count {
			return nil
		}
		var own []string
		for at := 34 + 2*count; at < len(t) && len(own) < count; {
			n := int(t[at])
			own = append(own, string(t[at+1:min(len(t), at+1+n)]))
			at += 1 + n
		}
		for gid := range count {
			i := u16(t, 34+2*gid)
			if i < len(macGlyphs) {
				names[macGlyphs[i]] = gid
			} else if i-len(macGlyphs) < len(own) {
				names[own[i-len(macGlyphs)]] = gid
			}
		}
	}
	return names
}
