package pdfa

import "slices"

func (f *font) isSymbolic(c *checker) bool { return c.integer(f.described["Flags"])&symbolic != 0 }

// trueType checks how a TrueType font leads from codes to glyphs (6.2.11.6).
func (c *checker) trueType(f *font) {
	hasSymbols := slices.ContainsFunc(f.program.cmaps, func(m charMap) bool { return m.platform == 3 && m.encoding == 0 })
	if f.isSymbolic(c) {
		if f.dict["Encoding"] != nil {
			c.fault("6.2.11.6", "the font %s of symbols has an encoding", f.called)
		}
		if len(f.program.cmaps) != 1 && !hasSymbols {
			c.fault("6.2.11.6", "the font %s of symbols has no table of them", f.called)
		}
		return
	}
	needed := 1
	if hasSymbols {
		needed = 2
	}
	if len(f.program.cmaps) < needed {
		c.fault("6.2.11.6", "the font %s has no table of characters", f.called)
	}
	base := c.name(f.dict["Encoding"])
	d, isDict := c.get(f.dict["Encoding"]).(dict)
	if isDict {
		base = c.name(d["BaseEncoding"])
	}
	if base != "MacRomanEncoding" && base != "WinAnsiEncoding" {
		c.fault("6.2.11.6", "the font %s does not say what its codes mean", f.called)
	}
	if isDict && d["Differences"] != nil {
		hasUnicode := slices.ContainsFunc(f.program.cmaps, func(m charMap) bool { return m.platform == 3 && m.encoding == 1 })
		for _, one := range c.array(d["Differences"]) {
			if n, ok := c.get(one).(name); ok {
				if _, isKnown := runeOf(string(n)); !isKnown || !hasUnicode {
					c.fault("6.2.11.6", "the font %s has letters by names that are none of Unicode", f.called)
				}
			}
		}
	}
}

// trueTypeGlyph follows ISO 32000-1, 9.6.6.4.
func (c *checker) trueTypeGlyph(f *font, code int) (gid int, isKnown bool) {
	p := f.program
	find := func(platform, encoding, character int) (int, bool) {
		for _, m := range p.cmaps {
			if m.platform == platform && m.encoding == encoding {
				gid, ok := m.glyphs[character]
				return gid, ok && gid != 0
			}
		}
		return 0, false
	}
	if f.isSymbolic(c) || f.dict["Encoding"] == nil {
		for _, begin := range []int{0, 0xF000, 0xF100, 0xF200} {
			if gid, ok := find(3, 0, begin+code); ok {
				return gid, true
			}
		}
		if gid, ok := find(1, 0, code); ok {
			return gid, true
		}
		if len(p.cmaps) == 1 {
			if gid := p.cmaps[0].glyphs[code]; gid != 0 {
				return gid, true
			}
		}
		return 0, true
	}
	called := f.encoding[code]
	if called == "" {
		called = standard[code]
	}
	if called == "" {
		return 0, true
	}
	if r, ok := runeOf(called); ok {
		if gid, ok := find(3, 1, int(r)); ok {
			return gid, true
		}
	}
	if i := slices.Index(macRoman[:], called); i >= 0 {
		if gid, ok := find(1, 0, i); ok {
			return gid, true
		}
	}
	if gid, ok := p.byName[called]; ok {
		return gid, true
	}
	for _, begin := range []int{0, 0xF000} {
		if gid, ok := find(3, 0, begin+code); ok {
			return gid, true
		}
	}
	return 0, true
}
