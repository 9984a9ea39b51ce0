package pdfa

// cmap leads from codes to CIDs (ISO 32000-1, 9.7.5).
type cmap struct {
	isIdentity bool
	mode       int
	mostCID    int
	uses       name
	spaces     []span
	ranges     []span
	known      map[[2]int]int // CIDs of codes by their sizes, -1 for none
}

// span are codes of so many bytes. The first leads to a CID, and the next ones to the next.
type span struct{ size, from, to, cid int }

func readCMap(data []byte) *cmap {
	m := &cmap{known: map[[2]int]int{}}
	p := &parser{data: data}
	var operands []any
	code := func(o any) (size, v int) {
		t, _ := o.(text)
		for i := range len(t.value) {
			v = v<<8 | int(t.value[i])
		}
		return len(t.value), v
	}
	var before any
	for {
		o := p.token()
		k, isKeyword := o.(keyword)
		if !isKeyword {
			if n, ok := o.(number); ok && before == name("WMode") {
				m.mode = int(n.value)
			}
			before = o
			operands = append(operands, o)
			continue
		}
		switch k {
		case "":
			return m
		case "usecmap":
			m.uses, _ = last(operands).(name)
		case "endcodespacerange":
			for i := 0; i+1 < len(operands); i += 2 {
				size, from := code(operands[i])
				_, to := code(operands[i+1])
				m.spaces = append(m.spaces, span{size: size, from: from, to: to})
			}
		case "endcidrange":
			for i := 0; i+2 < len(operands); i += 3 {
				size, from := code(operands[i])
				_, to := code(operands[i+1])
				cid, _ := operands[i+2].(number)
				m.ranges = append(m.ranges, span{size, from, to, int(cid.value)})
				m.mostCID = max(m.mostCID, int(cid.value)+to-from)
			}
		case "endcidchar":
			for i := 0; i+1 < len(operands); i += 2 {
				size, from := code(operands[i])
				cid, _ := operands[i+1].(number)
				m.ranges = append(m.ranges, span{size, from, from, int(cid.value)})
				m.mostCID = max(m.mostCID, int(cid.value))
			}
		}
		operands = operands[:0]
	}
}

// cids cuts a string into codes, and follows them. Codes of what another CMap has are left out,
// and those above 65535, which are a fault by themselves. spend counts the work.
func (m *cmap) cids(s string, spend func(int) bool) (out []int) {
	if m.isIdentity {
		for i := 0; i+1 < len(s); i += 2 {
			out = append(out, int(s[i])<<8|int(s[i+1]))
		}
		if len(s)%2 != 0 {
			out = append(out, 0) // half a code is none
		}
		return out
	}
	const most = 1 << 16
	for len(s) > 0 && spend(len(m.spaces)) {
		size, v := 1, int(s[0])
		for _, one := range m.spaces {
			if one.size > len(s) || one.size == 0 {
				continue
			}
			v2 := 0
			for i := range one.size {
				v2 = v2<<8 | int(s[i])
			}
			if v2 >= one.from && v2 <= one.to {
				size, v = one.size, v2
				break
			}
		}
		s = s[size:]
		key := [2]int{size, v}
		cid, isKnown := m.known[key]
		if !isKnown {
			const perStep = 8
			if !spend(len(m.ranges) / perStep) {
				break
			}
			cid = -1
			for _, r := range m.ranges {
				if r.size == size && v >= r.from && v <= r.to {
					cid = r.cid + v - r.from
					break
				}
			}
			if len(m.known) < most {
				m.known[key] = cid
			}
		}
		if cid >= 0 && cid < most {
			out = append(out, cid)
		}
	}
	return out
}
