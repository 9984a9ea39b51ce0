package pdfa

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// graphics is what drawing depends on, as far as rules ask for it (ISO 32000-1, 8.4).
type graphics struct {
	fill, stroke         *space
	font                 *font
	mode                 int // of text: 3 shows nothing
	overFill, overStroke bool
	overMode             int
}

func newGraphics() graphics { return graphics{fill: atFirst, stroke: atFirst} }

func (g graphics) key() string {
	return fmt.Sprint(g.fill.key, g.stroke.key, g.mode, g.overFill, g.overStroke, g.overMode)
}

// scope are the resources of what is drawn. Those above are not its own.
type scope struct{ own, above dict }

const operators = " b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EI EMC ET EX f F f* G g gs h i ID j J K k l m M MP n q Q re RG rg ri s S SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' \" "

// resource finds one by its name (6.2.2).
func (c *checker) resource(s scope, kind, called name) any {
	if o := c.dict(s.own[kind])[called]; o != nil {
		return o
	}
	o := c.dict(s.above[kind])[called]
	if o != nil {
		c.fault("6.2.2", "what is drawn uses %s %s, which it has not itself", kind, called)
	}
	return o
}

// drawing unpacks what is drawn. What cannot be unpacked cannot be judged.
func (c *checker) drawing(s *stream) []byte {
	data, err := c.unpack(s)
	if err != nil {
		c.fault("6.1.7", "what is drawn cannot be unpacked")
	}
	return data
}

// content goes through what is drawn.
func (c *checker) content(data []byte, resources scope, g graphics) {
	const deepest = 40
	if c.depth++; c.depth > deepest || !c.spend(len(data)+100) {
		c.isOver = true
		c.depth--
		return
	}
	defer func() { c.depth-- }()
	p := &parser{data: data, note: c.atom}
	var operands []any
	var saved []graphics
	for {
		o := p.token()
		op, isOperator := o.(keyword)
		if !isOperator {
			if len(operands) < 10000 {
				operands = append(operands, o)
			}
			continue
		}
		if op == "" {
			return
		}
		switch op {
		case "q":
			if saved = append(saved, g); len(saved) > 28 {
				c.fault("6.1.13", "states of drawing are saved more than 28 times, one in the other")
			}
			if len(saved) > 10000 {
				return
			}
		case "Q":
			if n := len(saved) - 1; n >= 0 {
				g, saved = saved[n], saved[:n]
			}
		case "BI":
			c.inline(p, resources, g)
		default:
			if !strings.Contains(operators, " "+string(op)+" ") {
				c.fault("6.2.2", "what is drawn has an operator %.20q that there is not", string(op))
			} else {
				c.operate(op, operands, resources, &g)
			}
		}
		operands = operands[:0]
	}
}

func last(operands []any) any {
	if n := len(operands); n > 0 {
		return operands[n-1]
	}
	return nil
}

func (c *checker) operate(op keyword, operands []any, resources scope, g *graphics) {
	called, _ := last(operands).(name)
	switch op {
	case "g", "rg", "k":
		g.fill = c.space(deviceNames[strings.ToLower(string(op))], resources, 0)
	case "G", "RG", "K":
		g.stroke = c.space(deviceNames[strings.ToLower(string(op))], resources, 0)
	case "cs":
		g.fill = c.named(called, resources)
	case "CS":
		g.stroke = c.named(called, resources)
	case "scn", "SCN":
		if called == "" {
			return
		}
		pattern := c.pattern(c.resource(resources, "Pattern", called), resources, *g)
		if op == "scn" {
			g.fill = g.fill.with(called, pattern)
		} else {
			g.stroke = g.stroke.with(called, pattern)
		}
	case "f", "F", "f*":
		c.paint(g.fill, g.overFill, g.overMode)
	case "S", "s":
		c.paint(g.stroke, g.overStroke, g.overMode)
	case "B", "B*", "b", "b*":
		c.paint(g.fill, g.overFill, g.overMode)
		c.paint(g.stroke, g.overStroke, g.overMode)
	case "sh":
		c.shading(c.resource(resources, "Shading", called), resources)
	case "ri":
		c.renderingIntent(called)
	case "gs":
		c.state(c.dict(c.resource(resources, "ExtGState", called)), resources, g)
	case "Tr":
		n, _ := last(operands).(number)
		g.mode = int(n.value)
	case "Tf":
		if len(operands) >= 2 {
			called, _ = operands[len(operands)-2].(name)
			g.font = c.font(c.resource(resources, "Font", called))
		}
	case "Tj", "'", "\"":
		if t, ok := last(operands).(text); ok {
			c.show(t.value, resources, *g)
		}
	case "TJ":
		list, _ := last(operands).(array)
		for _, one := range list {
			if t, ok := one.(text); ok {
				c.show(t.value, resources, *g)
			}
		}
	case "Do":
		if s := c.stream(c.resource(resources, "XObject", called)); s != nil {
			c.external(s, resources, *g)
		}
	}
}

var deviceNames = map[string]name{"g": "DeviceGray", "rg": "DeviceRGB", "k": "DeviceCMYK"}

var intents = []name{"RelativeColorimetric", "AbsoluteColorimetric", "Perceptual", "Saturation"}

func (c *checker) renderingIntent(n name) {
	if !slices.Contains(intents, n) {
		c.fault("6.2.6", "colours are rendered with the intent %s, which there is not", n)
	}
}

// show notes which codes of a font are drawn, and in which colours.
func (c *checker) show(s string, resources scope, g graphics) {
	const unseen = 3
	isStroked := g.mode == 1 || g.mode == 2 || g.mode == 5 || g.mode == 6
	isFilled := g.mode != 1 && g.mode != 5 && g.mode != 7
	// A colour that is set counts, whether or not letters are drawn in it.
	if g.mode != unseen && (isFilled || g.fill != atFirst) {
		c.paint(g.fill, g.overFill, g.overMode)
	}
	if g.mode != unseen && (isStroked || g.stroke != atFirst) {
		c.paint(g.stroke, g.overStroke, g.overMode)
	}
	if g.font == nil {
		return
	}
	used := c.used[g.font]
	if used == nil {
		used = map[int]bool{}
		c.used[g.font] = used
	}
	const perCode, longest = 16, 32766
	s = s[:min(len(s), longest)] // more is a fault by itself
	if !c.spend(len(s) * perCode) {
		return
	}
	for _, code := range g.font.codes(s, c.spend) {
		isNew := false
		if _, isUsed := used[code]; !isUsed {
			isNew = true
		}
		used[code] = used[code] || g.mode != unseen
		if isNew && g.font.kind == "Type3" {
			c.procedure(g.font, code, resources, g)
		}
	}
}

// procedure goes through how a letter of a font without a file is drawn.
func (c *checker) procedure(f *font, code int, resources scope, g graphics) {
	s := c.stream(c.dict(f.dict["CharProcs"])[name(f.encoding[code&0xFF])])
	if s == nil {
		return
	}
	own := scope{own: c.dict(f.dict["Resources"])}
	if own.own == nil {
		own.above = resources.own
	}
	g.font, g.mode = nil, 0
	c.content(c.drawing(s), own, g)
}

// external checks what an operator Do draws.
func (c *checker) external(s *stream, resources scope, g graphics) {
	switch c.name(s.dict["Subtype"]) {
	case "Image":
		c.image(s, resources, g)
	case "Form":
		c.form(s, resources, g)
	case "PS":
		c.fault("6.2.9", "it draws by a program in PostScript")
	}
}

func (c *checker) form(s *stream, resources scope, g graphics) {
	if s.dict["OPI"] != nil || c.name(s.dict["Subtype2"]) == "PS" || s.dict["PS"] != nil {
		c.fault("6.2.9", "what is drawn is replaced in print")
	}
	if s.dict["Ref"] != nil {
		c.fault("6.2.9", "it draws what is in another file")
	}
	if c.name(s.dict["Subtype"]) == "PS" {
		c.fault("6.2.9", "it draws by a program in PostScript")
	}
	if group := c.dict(s.dict["Group"]); group != nil && c.name(group["S"]) == "Transparency" {
		c.mixes = true
		if group["CS"] != nil {
			c.paint(c.space(group["CS"], resources, 0), false, 0)
		}
	}
	inside := scope{own: c.dict(s.dict["Resources"]), above: resources.own}
	key := fmt.Sprintf("%p %s", s, g.key())
	if inside.own == nil {
		key += fmt.Sprintf(" %p", resources.own)
	}
	const most = 100_000
	if len(c.drawn) > most {
		c.isOver = true
	}
	if c.drawn[key] || c.isOver {
		return
	}
	c.drawn[key] = true
	g.font = nil
	c.content(c.drawing(s), inside, g)
}

// state takes parameters of drawing (6.2.5).
func (c *checker) state(d dict, resources scope, g *graphics) {
	if d == nil {
		return
	}
	if d["TR"] != nil {
		c.fault("6.2.5", "colours are changed for a printer")
	}
	if d["TR2"] != nil && c.name(d["TR2"]) != "Default" {
		c.fault("6.2.5", "colours are changed for a printer")
	}
	if d["HTP"] != nil {
		c.fault("6.2.5", "the origin of a screen for printing is set")
	}
	c.halftone(d["HT"], "")
	if d["RI"] != nil {
		c.renderingIntent(c.name(d["RI"]))
	}
	for _, one := range c.list(d["BM"]) {
		n := c.name(one)
		if !slices.Contains(blendModes, n) {
			c.fault("6.2.10", "colours are mixed by %s, which there is not", n)
		}
		if n != "Normal" && n != "Compatible" {
			c.mixes = true
		}
	}
	for _, key := range []name{"CA", "ca"} {
		if n, ok := c.get(d[key]).(number); ok && n.value < 1 {
			c.mixes = true
		}
	}
	if mask := c.dict(d["SMask"]); mask != nil {
		c.mixes = true
		if s := c.stream(mask["G"]); s != nil {
			c.form(s, resources, newGraphics())
		}
	}
	if v, ok := c.get(d["OP"]).(bool); ok {
		g.overStroke = v
		if d["op"] == nil {
			g.overFill = v
		}
	}
	if v, ok := c.get(d["op"]).(bool); ok {
		g.overFill = v
	}
	if n, ok := c.get(d["OPM"]).(number); ok {
		g.overMode = int(n.value)
	}
	if list := c.array(d["Font"]); len(list) > 0 {
		g.font = c.font(list[0])
	}
}

var blendModes = []name{"Normal", "Compatible", "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorDodge", "ColorBurn", "HardLight", "SoftLight", "Difference", "Exclusion", "Hue", "Saturation", "Color", "Luminosity"}

// halftone checks a screen for printing, and those of its colorants.
func (c *checker) halftone(o any, colorant name) {
	d := c.dict(o)
	const step = 1 << 10 // halftones of halftones are three deep at most
	if d == nil || !c.spend(step) {
		return
	}
	kind, hasKind := c.get(d["HalftoneType"]).(number)
	if !hasKind || kind.value != 1 && kind.value != 5 {
		c.fault("6.2.5", "a screen for printing is of a type that it may not be of")
	}
	if d["HalftoneName"] != nil {
		c.fault("6.2.5", "a screen for printing has a name")
	}
	isProcess := slices.Contains([]name{"", "Cyan", "Magenta", "Yellow", "Black"}, colorant)
	if colorant != "Default" && isProcess != (d["TransferFunction"] == nil) {
		c.fault("6.2.5", "a screen for printing changes colours")
	}
	if kind.value == 5 && colorant == "" {
		for _, key := range slices.Sorted(maps.Keys(d)) {
			if key != "Type" && key != "HalftoneType" && key != "HalftoneName" && key != "TransferFunction" {
				c.halftone(d[key], key)
			}
		}
	}
}

// pattern checks a pattern when it is set, and returns the colours of its shading.
func (c *checker) pattern(o any, resources scope, g graphics) *space {
	d := c.dict(o)
	if d == nil {
		return nil
	}
	if c.integer(d["PatternType"]) == 2 {
		c.state(c.dict(d["ExtGState"]), resources, &g)
		return c.shading(d["Shading"], resources)
	}
	s := c.stream(o)
	if s == nil {
		return nil
	}
	inside := scope{own: c.dict(s.dict["Resources"]), above: resources.own}
	g.font = nil
	if c.integer(d["PaintType"]) == 1 {
		g.fill, g.stroke = atFirst, atFirst
	} else if g.fill.base != nil {
		g.fill, g.stroke = g.fill.base, g.fill.base
	} else {
		g.fill, g.stroke = noColor, noColor
	}
	key := fmt.Sprintf("%p %s", s, g.key())
	if c.drawn[key] {
		return nil
	}
	c.drawn[key] = true
	c.content(c.drawing(s), inside, g)
	return nil
}

func (c *checker) shading(o any, resources scope) *space {
	d := c.dict(o)
	if d == nil {
		return nil
	}
	s := c.space(d["ColorSpace"], resources, 0)
	c.paint(s, false, 0)
	return s
}

var inlineFilters = []name{"ASCIIHexDecode", "ASCII85Decode", "FlateDecode", "RunLengthDecode", "CCITTFaxDecode", "DCTDecode", "AHx", "A85", "Fl", "RL", "CCF", "DCT"}

var shortSpaces = map[name]name{"G": "DeviceGray", "RGB": "DeviceRGB", "CMYK": "DeviceCMYK", "I": "Indexed"}
