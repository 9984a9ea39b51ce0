package pdfa

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// space is a colour space (ISO 32000-1, 8.6).
type space struct {
	kind string
	key  string // the same for those that are alike
	base *space // what it stands on
	// ink says that it is based on a profile of four inks.
	ink bool
	// drawn are the colours of a pattern.
	drawn *space
}

var (
	// atFirst is the black that drawing begins in.
	atFirst    = &space{kind: "DeviceGray", key: "AtFirst"}
	deviceGray = &space{kind: "DeviceGray", key: "DeviceGray"}
	deviceRGB  = &space{kind: "DeviceRGB", key: "DeviceRGB"}
	deviceCMYK = &space{kind: "DeviceCMYK", key: "DeviceCMYK"}
	noColor    = &space{kind: "None", key: "None"}
)

// with is a space of patterns that draws with one of a name, whichever it drew with before.
func (s *space) with(called name, drawn *space) *space {
	before, _, _ := strings.Cut(s.key, "/")
	return &space{kind: "Pattern", key: before + "/" + string(cut(called)), drawn: drawn, base: s.base}
}

// cut is a name, or its beginning where it is longer than names may be.
func cut(n name) name {
	const longest = 127
	return n[:min(len(n), longest)]
}

// findIntent reads what device colours mean (6.2.3).
func (c *checker) findIntent(root dict) {
	profiles := map[any]bool{}
	for _, one := range c.array(root["OutputIntents"]) {
		d := c.dict(one)
		kind := c.name(d["S"])
		if kind == "GTS_PDFX" && d["DestOutputProfileRef"] != nil {
			c.fault("6.2.3", "an output intent leads out of the file")
		}
		if d["DestOutputProfile"] == nil {
			continue
		}
		profiles[fmt.Sprint(d["DestOutputProfile"])] = true
		class, colors, version := c.profile(d["DestOutputProfile"])
		if class != "prtr" && class != "mntr" || !slices.Contains([]string{"RGB ", "CMYK", "GRAY"}, colors) || version >= 5 {
			c.fault("6.2.3", "the profile of an output intent is none for a printer or a display")
		}
		if kind == "GTS_PDFA1" {
			c.intent = colors
		}
	}
	if len(profiles) > 1 {
		c.fault("6.2.3", "output intents have several profiles")
	}
}

// profile reads the head of an ICC profile.
func (c *checker) profile(o any) (class, colors string, version int) {
	const header = 128
	s := c.stream(o)
	if s == nil {
		return "", "", 0
	}
	data, err := c.unpack(s)
	if err != nil || len(data) < header {
		return "", "", 0
	}
	return string(data[12:16]), string(data[16:20]), int(data[8])
}

// named is the space of a name in content.
func (c *checker) named(called name, resources scope) *space {
	switch called {
	case "DeviceGray", "DeviceRGB", "DeviceCMYK", "Pattern":
		return c.space(called, resources, 0)
	}
	return c.space(c.resource(resources, "ColorSpace", called), resources, 0)
}

// space reads a colour space, and checks what counts for it whether or not it is drawn with.
func (c *checker) space(o any, resources scope, depth int) *space {
	const step = 1 << 10
	if depth > 8 || !c.spend(step) {
		return noColor
	}
	switch o := c.get(o).(type) {
	case name:
		return c.device(o, resources, depth)
	case array:
		if len(o) == 0 {
			return noColor
		}
		kind := cut(c.name(o[0]))
		if len(o) == 1 {
			return c.device(kind, resources, depth)
		}
		key := fmt.Sprintf("%s %p", kind, &o[0])
		switch kind {
		case "ICCBased":
			class, colors, version := c.profile(o[1])
			if !slices.Contains([]string{"prtr", "mntr", "scnr", "spac"}, class) || !slices.Contains([]string{"RGB ", "CMYK", "GRAY", "Lab "}, colors) || version >= 5 {
				c.fault("6.2.4.2", "the profile of a colour is none")
			} else if n := c.integer(c.dict(o[1])["N"]); n != map[string]int{"RGB ": 3, "CMYK": 4, "GRAY": 1, "Lab ": 3}[colors] {
				c.fault("6.2.4.2", "the profile of a colour has other parts than it says")
			}
			return &space{kind: "ICCBased", key: key, ink: colors == "CMYK"}
		case "Indexed", "I":
			return &space{kind: "Indexed", key: key, base: c.space(o[1], resources, depth+1)}
		case "Pattern":
			return &space{kind: "Pattern", key: key, base: c.space(o[1], resources, depth+1)}
		case "Separation":
			return c.separation(o, key, resources, depth)
		case "DeviceN":
			return c.deviceN(o, key, resources, depth)
		}
		return &space{kind: string(kind), key: key}
	}
	return noColor
}

// device is a space without a meaning of its own, or what stands in for it.
func (c *checker) device(n name, resources scope, depth int) *space {
	var own *space
	var standIn name
	switch n {
	case "DeviceGray", "G", "CalGray":
		own, standIn = deviceGray, "DefaultGray"
	case "DeviceRGB", "RGB":
		own, standIn = deviceRGB, "DefaultRGB"
	case "DeviceCMYK", "CMYK":
		own, standIn = deviceCMYK, "DefaultCMYK"
	case "Pattern":
		return &space{kind: "Pattern", key: "Pattern"}
	default:
		return noColor
	}
	set := c.dict(resources.own["ColorSpace"])[standIn]
	if set == nil {
		return own
	}
	if _, isName := c.get(set).(name); isName {
		return own
	}
	return c.space(set, resources, depth+1)
}

// separation checks a colour of one ink (6.2.4.4).
func (c *checker) separation(o array, key string, resources scope, depth int) *space {
	if len(o) < 4 {
		return noColor
	}
	called := string(c.name(o[1]))
	base := c.space(o[2], resources, depth+1)
	if c.mixed[&o[0]] {
		return &space{kind: "Separation", key: key, base: base}
	}
	c.mixed[&o[0]] = true
	c.readable("the name of a colour", called)
	mixed := c.canonical(o[2], 0) + c.canonical(o[3], 0)
	if known, isKnown := c.separations[called]; isKnown && known != mixed {
		c.fault("6.2.4.4", "the colour %.40q is mixed in two ways", called)
	} else {
		c.separations[called] = mixed
	}
	return &space{kind: "Separation", key: key, base: base}
}

func (c *checker) deviceN(o array, key string, resources scope, depth int) *space {
	if len(o) < 4 {
		return noColor
	}
	names := c.array(o[1])
	if len(names) > 32 {
		c.fault("6.1.13", "a colour is mixed of more than 32")
		return noColor
	}
	var more dict
	if len(o) > 4 {
		more = c.dict(o[4])
	}
	colorants := c.dict(more["Colorants"])
	process := c.array(c.dict(more["Process"])["Components"])
	if !c.spend(len(names) * len(process)) {
		return noColor
	}
	for _, one := range names {
		n := c.name(one)
		c.readable("the name of a colour", string(n))
		isProcess := slices.Contains([]name{"Cyan", "Magenta", "Yellow", "Black", "None"}, n) || slices.ContainsFunc(process, func(p any) bool { return c.name(p) == n })
		if !isProcess && colorants[n] == nil {
			c.fault("6.2.4.4", "the colour %.40q has no description of its own", n)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(colorants)) {
		c.space(colorants[n], resources, depth+1)
	}
	return &space{kind: "DeviceN", key: key, base: c.space(o[2], resources, depth+1)}
}

// canonical writes an object, so that those that are alike are written alike.
func (c *checker) canonical(o any, depth int) string {
	const step = 1 << 8
	if depth > 20 || !c.spend(step) {
		return ""
	}
	switch o := c.get(o).(type) {
	case array:
		var out strings.Builder
		for _, one := range o {
			out.WriteString(c.canonical(one, depth+1) + " ")
		}
		return "[" + out.String() + "]"
	case dict:
		var out strings.Builder
		for _, key := range slices.Sorted(maps.Keys(o)) {
			out.WriteString("/" + string(key) + " " + c.canonical(o[key], depth+1) + " ")
		}
		return "<<" + out.String() + ">>"
	case *stream:
		data, _ := c.unpack(o)
		if !c.spend(len(data)) {
			return ""
		}
		d := maps.Clone(o.dict)
		for _, key := range []name{"Length", "Filter", "DecodeParms"} {
			delete(d, key)
		}
		return c.canonical(d, depth+1) + fmt.Sprintf("%x", sha256.Sum256(data))
	case number:
		return fmt.Sprint(o.value)
	case text:
		if !c.spend(len(o.value)) {
			return ""
		}
		return fmt.Sprintf("(%x)", o.value)
	default:
		return fmt.Sprint(o)
	}
}

// paint checks a space that something is drawn in (6.2.4).
func (c *checker) paint(s *space, isOver bool, overMode int) {
	if s == nil {
		return
	}
	switch s.kind {
	case "DeviceGray":
		if c.intent == "" {
			c.fault("6.2.4.3", "its greys have no meaning: there is no output intent")
		}
	case "DeviceRGB":
		if c.intent != "RGB " {
			c.fault("6.2.4.3", "it has colours of red, green and blue that no output intent gives a meaning")
		}
	case "DeviceCMYK":
		if c.intent != "CMYK" {
			c.fault("6.2.4.3", "it has colours of printing inks (CMYK) that no output intent gives a meaning")
		}
	case "ICCBased":
		if s.ink && isOver && overMode == 1 {
			c.fault("6.2.4.2", "colours of printing inks are printed over others")
		}
	case "Pattern":
		c.paint(s.drawn, isOver, overMode)
	case "Indexed", "Separation", "DeviceN":
		c.paint(s.base, isOver, overMode)
	}
}
