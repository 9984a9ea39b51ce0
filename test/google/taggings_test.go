// Package google_test fills answers of Google's interfaces and judges each request by a referee, which
// reads Google's reference strictly and shares no code with the planner, the client or our drive.
// smoke_test.go runs one automation of each kind with the production programs: `make
// smoke-google` in an account that the environment names, `make test` in one of our own drive,
// which behaves like Google's and answers at Google's addresses.
package google_test

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/platenhq/platen/test/google/referee"
)

// event is the data of all taggings. Values hold what is easily done wrong: code
// points of two units, line breaks, and what looks like a tag.
const event = `{"Name": "Ada 🦊 Łovelace", "Lines": "one\ntwo", "Brace": "a {{Name}} b", "Empty": "", "Total": 1200, "Yes": true, "No": false, "Logo": "logo",
	"Rich": "# Terms\n\nPay **soon** 🦊, [here](https://e.example).\n\n1. one\n   - in\n2. two\n\n> said {{Name}}\n\n***\n\nend", "Page": "<p>Pay <b>soon</b> 🦊</p><ol start=\"4\"><li>four<ul><li>in</li></ul></li></ol><table><tr><th>a</th><th>b</th></tr><tr><td colspan=\"2\">{{Name}}</td></tr></table><p>end</p>", "Plain": "one\n\ntwo {{Name}}",
	"Items": [{"Name": "Bolt", "Qty": 3}, {"Name": "Nut 🔩", "Qty": 1}, {"Name": "Washer {{Name}}", "Qty": 9}], "None": []}`

// items are the names in event.
var items = []string{"Bolt", "Nut 🔩", "Washer {{Name}}"}

// inline are tags beside other text, and what becomes of them. Those with blocks or Markdown
// take a paragraph along that is empty otherwise.
var inline = []struct{ kind, tag, want string }{
	{"field", "{{Name}}", "Ada 🦊 Łovelace"},
	{"field", "{{Lines}}", "one\vtwo"},
	{"field", "{{Brace}}", "a {{Name}} b"},
	{"field", "{{Empty}}", ""},
	{"field", "{{= Total * 2}}", "2400"},
	{"condition", "{{#if Yes}}yes{{else}}no{{/if}}", "yes"},
	{"condition", "{{#if No}}no{{else if Total > 9}}{{Name}}{{/if}}", "Ada 🦊 Łovelace"},
	{"condition", "{{#if No}}no{{/if}}", ""},
	{"block", "{{#each Items}}{{Name}}; {{/each}}", "Bolt; Nut 🔩; Washer {{Name}}; "},
	{"picture", "{{image Logo}}", "￼"},
	{"markdown", "{{markdown Plain}}", "one\vtwo {{Name}}"},
}

// A tagger puts tags at random places of a document, and what becomes of them at
// the same places of another.
type tagger struct {
	*rand.Rand
	often float64        // of all places
	kinds map[string]int // how many tags there are of each kind
	note  bool           // the segment is a footnote
	table bool           // inside a table
	// fields allows nothing but fields, as on layouts, where text is only replaced.
	fields bool
}

// tagDocument returns a document with tags, and the same filled.
func tagDocument(base *referee.Document, r *rand.Rand, often float64) (tagged, want *referee.Document, kinds map[string]int) {
	tagged, want = base.Clone(), base.Clone()
	g := &tagger{Rand: r, often: often, kinds: map[string]int{}}
	for i, s := range base.Segments {
		g.note = s.Group == "footnotes"
		before := g.total()
		tagged.Segments[i].Units, want.Segments[i].Units = g.container(s.Units)
		if g.total() > before {
			g.kinds["in "+s.Group]++
		}
		if g.total() > before && i > 0 && s.Tab != base.Segments[0].Tab {
			g.kinds["in further tabs"]++
		}
	}
	return tagged, want, g.kinds
}

func (g *tagger) total() int {
	n := 0
	for _, count := range g.kinds {
		n += count
	}
	return n
}

func (g *tagger) hit() bool { return g.Float64() < g.often }

// A part is a paragraph, a table or something else of a container.
type part struct {
	units []referee.Unit
	kind  byte // p, t or something else
}

// split cuts the units of a container into parts.
func split(units []referee.Unit) []part {
	var all []part
	for at := 0; at < len(units); {
		from, kind := at, byte('p')
		switch units[at].Kind {
		case referee.TableStart, referee.ContentsStart:
			if kind = 't'; units[at].Kind == referee.ContentsStart {
				kind = 'c'
			}
			at = referee.Behind(units, at)
		case referee.SectionBreak:
			kind = 's'
			at++
		default:
			for !units[at].Is('\n') {
				at++
			}
			at++
		}
		all = append(all, part{units[from:at], kind})
	}
	return all
}

// container tags a body, a header, a footer, a footnote or a cell.
func (g *tagger) container(units []referee.Unit) (tagged, want []referee.Unit) {
	all := split(units)
	free := true // the part before is as it was
	for i := 0; i < len(all); {
		p := all[i]
		n, t, w := 0, []referee.Unit(nil), []referee.Unit(nil)
		if free && g.hit() {
			n, t, w = g.wrap(all, i)
		}
		switch {
		case n > 0:
			free = false
		case p.kind == 't':
			n = 1
			t, w = g.tagTable(p.units, free && i+1 < len(all) && all[i+1].kind == 'p')
			free = false
		case p.kind == 'p' && g.hit():
			n = 1
			t, w = g.paragraph(p.units, free && i+1 < len(all) && all[i+1].kind == 'p')
			free = len(w) > 0 && !w[len(w)-1].Made
		default:
			n, t, w, free = 1, p.units, p.units, true
		}
		tagged, want = append(tagged, t...), append(want, w...)
		i += n
	}
	return tagged, want
}

const plain = `{"textStyle":{}}`

var ordinary = map[string]any{"paragraphStyle": map[string]any{"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}

// line is a paragraph of a text, in the manner of another.
func line(text string, like part) []referee.Unit {
	if like.kind != 'p' {
		return referee.Text(text+"\n", plain, ordinary)
	}
	feed := like.units[len(like.units)-1]
	return referee.Text(text+"\n", feed.Style, alone(feed.Raw))
}

// alone is a paragraph without what only one paragraph can have.
func alone(paragraph map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range paragraph {
		if key != "positionedObjectIds" {
			out[key] = value
		}
	}
	if style, ok := out["paragraphStyle"].(map[string]any); ok && style["headingId"] != nil {
		copied := map[string]any{}
		for key, value := range style {
			if key != "headingId" {
				copied[key] = value
			}
		}
		out["paragraphStyle"] = copied
	}
	return out
}

// wrap puts a block around parts from one on, and returns how many; 0 where none
// can be.
func (g *tagger) wrap(all []part, i int) (n int, tagged, want []referee.Unit) {
	n = 1 + g.IntN(3)
	if i+n > len(all) {
		return 0, nil, nil
	}
	inner := all[i : i+n]
	before := i > 0 && all[i-1].kind == 'p'
	after := i+n < len(all) && all[i+n].kind == 'p'
	var units []referee.Unit
	simple := true
	for _, p := range inner {
		if slices.ContainsFunc(p.units, isPrivate) {
			return 0, nil, nil
		}
		if p.kind != 'p' && p.kind != 't' {
			return 0, nil, nil
		}
		simple = simple && p.kind == 'p' && !slices.ContainsFunc(p.units, anchors) && !slices.ContainsFunc(p.units, func(u referee.Unit) bool { return u.Kind != referee.Char })
		units = append(units, p.units...)
	}
	if !before && !after || inner[0].kind == 't' && !before || inner[n-1].kind == 't' && i+n == len(all) {
		return 0, nil, nil
	}
	open, shut := inner[0], inner[n-1]
	block := func(begin, end string, of []referee.Unit) []referee.Unit {
		return slices.Concat(line(begin, open), of, line(end, shut))
	}
	switch {
	case before && after && !simple && g.IntN(2) == 0 && isTextAndTables(inner):
		g.kinds["block over tables"]++
		return n, block("{{#each Items}}", "{{/each}}", units), repeatTables(inner, shut)
	case simple && g.IntN(2) == 0:
		g.kinds["block over paragraphs"]++
		return n, block("{{#each Items}}", "{{/each}}", g.eachOf(inner, "{{Name}} ")), g.repeat(inner)
	case g.IntN(2) == 0:
		g.kinds["condition over parts"]++
		return n, block("{{#if Yes}}", "{{/if}}", units), units
	case before || after:
		g.kinds["condition that drops parts"]++
		return n, block("{{#if No}}", "{{/if}}", units), nil
	}
	return 0, nil, nil
}

// isTextAndTables tells of parts that can be repeated: text, and tables of nothing else.
func isTextAndTables(parts []part) bool {
	for _, p := range parts {
		for i, u := range p.units {
			if anchors(u) || u.Kind == referee.Object || u.Kind == referee.ObjectRest || u.Kind == referee.TableStart && i > 0 {
				return false
			}
		}
	}
	return true
}

// repeatTables are parts for each item. Where a table would touch another, an empty
// paragraph keeps them apart: the one that ended the block, and then others like it.
func repeatTables(parts []part, shut part) []referee.Unit {
	var out []referee.Unit
	for i := range items {
		for j, p := range parts {
			units := p.units
			if i > 0 {
				if j == 0 && p.kind == 't' && parts[len(parts)-1].kind == 't' {
					out = append(out, made(line("", shut))...)
				}
				units = shareEvenly(made(units))
			}
			out = append(out, units...)
		}
	}
	return out
}

// anchors tells of the end of a paragraph that holds floating objects, which no request copies.
func anchors(u referee.Unit) bool { return u.Is('\n') && u.Raw["positionedObjectIds"] != nil }

// shareEvenly gives columns without a width equal widths, as a new table does.
func shareEvenly(units []referee.Unit) []referee.Unit {
	start := units[0]
	if style, _ := start.Raw["tableStyle"].(map[string]any); start.Kind == referee.TableStart && style["tableColumnProperties"] == nil {
		columns, _ := start.Raw["columns"].(float64)
		units[0].Raw = maps.Clone(start.Raw)
		units[0].Raw["tableStyle"] = map[string]any{"tableColumnProperties": slices.Repeat([]any{map[string]any{"widthType": "EVENLY_DISTRIBUTED"}}, int(columns))}
	}
	return units
}

// isPrivate tells of a character that Google writes for things of its own, such as
// the ends of code blocks, and lets nobody insert or delete.
func isPrivate(u referee.Unit) bool {
	return u.Kind == referee.Char && u.Code >= 0xe000 && u.Code <= 0xf8ff
}

// eachOf puts a text at the start of each paragraph.
func (g *tagger) eachOf(parts []part, text string) []referee.Unit {
	var out []referee.Unit
	for _, p := range parts {
		out = append(append(out, referee.Text(text, p.units[0].Style, nil)...), p.units...)
	}
	return out
}

func (g *tagger) repeat(parts []part) []referee.Unit {
	var out []referee.Unit
	for i, name := range items {
		units := g.eachOf(parts, name+" ")
		if i > 0 {
			units = made(units)
		}
		out = append(out, units...)
	}
	return out
}

// made marks units as what a batch puts in.
func made(units []referee.Unit) []referee.Unit {
	out := slices.Clone(units)
	for i := range out {
		out[i].Made = true
		if out[i].Is('\n') {
			out[i].Raw = alone(out[i].Raw)
		}
	}
	return out
}

// paragraph puts a tag into a paragraph. goes says that the paragraph may go.
func (g *tagger) paragraph(p []referee.Unit, goes bool) (tagged, want []referee.Unit) {
	text := p[:len(p)-1]
	bullet := p[len(p)-1].Raw["bullet"] != nil
	chars := !slices.ContainsFunc(p, func(u referee.Unit) bool { return u.Kind != referee.Char || isPrivate(u) })
	if bullet && chars && !slices.ContainsFunc(p, anchors) && !g.table && !g.fields && g.IntN(2) == 0 {
		return g.bullets(p)
	}
	if goes && chars && g.IntN(6) == 0 {
		g.kinds["paragraph that goes"]++
		return slices.Concat(referee.Text("{{#if No}}", p[0].Style, nil), text, referee.Text("{{/if}}", p[len(p)-1].Style, nil), p[len(p)-1:]), nil
	}
	e := inline[g.IntN(len(inline))]
	if g.fields || e.kind == "picture" && g.note || e.kind == "block" && (bullet || g.table) || (e.kind == "condition" || e.kind == "markdown") && len(blank(text)) == 0 {
		e = inline[g.IntN(5)]
	}
	g.kinds[e.kind]++
	at := g.place(p)
	style := plain
	if at > 0 && p[at-1].Kind == referee.Char {
		style = p[at-1].Style
	} else if at == 0 && p[0].Kind == referee.Char {
		style = p[0].Style
	}
	value := referee.Text(e.want, style, nil)
	if e.kind == "picture" {
		value = []referee.Unit{{Kind: referee.Object, Raw: map[string]any{"inlineObjectElement": map[string]any{"uri": logo}}, Made: true}}
	}
	return slices.Insert(slices.Clone(p), at, referee.Text(e.tag, style, nil)...), slices.Insert(slices.Clone(p), at, value...)
}

// blank is what shows of units.
func blank(units []referee.Unit) []referee.Unit {
	return slices.DeleteFunc(slices.Clone(units), func(u referee.Unit) bool { return u.Is(' ') || u.Is('\t') || u.Is('\v') || u.Is(0xa0) })
}

// bullets repeats an entry of a list.
func (g *tagger) bullets(p []referee.Unit) (tagged, want []referee.Unit) {
	g.kinds["list entry"]++
	for i, name := range items {
		entry := slices.Concat(referee.Text(name, p[0].Style, nil), p)
		if i > 0 {
			entry = made(entry)
		}
		want = append(want, entry...)
	}
	return slices.Concat(referee.Text("{{Items.Name}}", p[0].Style, nil), p), want
}

// place is somewhere in a paragraph, often at its ends.
func (g *tagger) place(p []referee.Unit) int {
	at := 0
	switch g.IntN(4) {
	case 0:
	case 1:
		at = len(p) - 1
	default:
		at = g.IntN(len(p))
	}
	for at > 0 && (p[at].Kind == referee.ObjectRest || p[at].Kind == referee.Char && p[at].Code >= 0xdc00 && p[at].Code <= 0xdfff) {
		at--
	}
	return at
}
