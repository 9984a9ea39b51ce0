package pdfa

import (
	"regexp"
	"strings"
)

var predefined = regexp.MustCompile(`^(Identity-[HV]|GB-EUC-[HV]|GBpc-EUC-[HV]|GBK-EUC-[HV]|GBKp-EUC-[HV]|GBK2K-[HV]|UniGB-UCS2-[HV]|UniGB-UTF16-[HV]|B5pc-[HV]|HKscs-B5-[HV]|ETen-B5-[HV]|ETenms-B5-[HV]|CNS-EUC-[HV]|UniCNS-UCS2-[HV]|UniCNS-UTF16-[HV]|83pv-RKSJ-H|90ms-RKSJ-[HV]|90msp-RKSJ-[HV]|90pv-RKSJ-H|Add-RKSJ-[HV]|EUC-[HV]|Ext-RKSJ-[HV]|[HV]|UniJIS-UCS2-[HV]|UniJIS-UCS2-HW-[HV]|UniJIS-UTF16-[HV]|KSC-EUC-[HV]|KSCms-UHC-[HV]|KSCms-UHC-HW-[HV]|KSCpc-EUC-H|UniKS-UCS2-[HV]|UniKS-UTF16-[HV])$`)

// collectionOf is the ordering that a predefined CMap leads into, by how its name begins (ISO
// 32000-1, table 118).
func collectionOf(n string) string {
	for _, one := range []struct{ begin, ordering string }{
		{"GB", "GB1"}, {"UniGB", "GB1"}, {"B5", "CNS1"}, {"HK", "CNS1"}, {"ET", "CNS1"}, {"CNS", "CNS1"}, {"UniCNS", "CNS1"}, {"KSC", "Korea1"}, {"UniKS", "Korea1"},
	} {
		if strings.HasPrefix(n, one.begin) {
			return one.ordering
		}
	}
	return "Japan1"
}

// anySupplement is the highest that a predefined CMap uses.
const anySupplement = 9

// composite checks a font of kind Type0 with its CMap (6.2.11.3).
func (c *checker) composite(f *font) {
	system := c.dict(f.inside["CIDSystemInfo"])
	switch encoding := c.get(f.dict["Encoding"]).(type) {
	case name:
		switch {
		case encoding == "Identity-H" || encoding == "Identity-V":
			f.cmap = &cmap{isIdentity: true}
		case !predefined.MatchString(string(encoding)):
			c.fault("6.2.11.3.3", "the encoding %s of the font %s is not in the file", encoding, f.called)
		case c.text(system["Registry"]) != "Adobe" || c.text(system["Ordering"]) != collectionOf(string(encoding)) || c.integer(system["Supplement"]) > anySupplement:
			c.fault("6.2.11.3.1", "the font %s has other characters than its encoding", f.called)
		}
	case *stream:
		data, err := c.unpack(encoding)
		if err != nil || !c.spend(len(data)) {
			return
		}
		f.cmap = readCMap(data)
		c.ownCMap(f, encoding, system)
	}
	c.readCIDWidths(f)
}

// ownCMap checks the CMap of a font that is in the file; system names the characters of the
// font.
func (c *checker) ownCMap(f *font, encoding *stream, system dict) {
	if c.integer(encoding.dict["WMode"]) != f.cmap.mode {
		c.fault("6.2.11.3.3", "the encoding of the font %s does not say alike in which direction it is written", f.called)
	}
	if f.cmap.mostCID > 65535 {
		c.fault("6.1.13", "the encoding of the font %s has numbers above 65535", f.called)
	}
	for _, used := range append(c.list(encoding.dict["UseCMap"]), f.cmap.uses) {
		if n, ok := c.get(used).(name); ok && n != "" && !predefined.MatchString(string(n)) {
			c.fault("6.2.11.3.3", "the encoding of the font %s leans on another, which is not in the file", f.called)
		} else if s := c.stream(used); s != nil {
			if n := c.name(s.dict["CMapName"]); !predefined.MatchString(string(n)) {
				c.fault("6.2.11.3.3", "the encoding of the font %s leans on another", f.called)
			}
		}
	}
	own := c.dict(encoding.dict["CIDSystemInfo"])
	if n := c.name(encoding.dict["CMapName"]); n != "Identity-H" && n != "Identity-V" &&
		(c.text(own["Registry"]) != c.text(system["Registry"]) || c.text(own["Ordering"]) != c.text(system["Ordering"]) || c.integer(system["Supplement"]) > c.integer(own["Supplement"])) {
		c.fault("6.2.11.3.1", "the font %s has other characters than its encoding", f.called)
	}
}

// readCIDWidths reads the widths of characters by their CIDs (ISO 32000-1, 9.7.4.3).
func (c *checker) readCIDWidths(f *font) {
	f.width0 = 1000
	if n, ok := c.get(f.inside["DW"]).(number); ok {
		f.width0 = n.value
	}
	f.byCID = map[int]float64{}
	const perWidth = 1 << 6
	list := c.array(f.inside["W"])
	for i := 0; i+1 < len(list) && c.spend(perWidth); {
		first := c.integer(list[i])
		if several, ok := c.get(list[i+1]).(array); ok {
			if !c.spend(len(several) * perWidth) {
				return
			}
			for j, w := range several {
				f.byCID[first+j] = c.float(w)
			}
			i += 2
			continue
		}
		if i+2 >= len(list) {
			break
		}
		for cid := max(first, 0); cid <= min(c.integer(list[i+1]), 65535) && c.spend(perWidth); cid++ {
			f.byCID[cid] = c.float(list[i+2])
		}
		i += 3
	}
}
