package wml

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/template/locale"
)

// A binding shows what stands in a store of XML beside the document: Word puts it in the
// place of a content control's text whenever it opens the file (ECMA-376 part 1, 17.5.2.6).

// The stores of a file's own properties.
const (
	coreStore     = "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}"
	extendedStore = "{6668398D-A668-4E3E-A5EB-62B293D839F1}"
)

// store is the root of a store and its id, in capitals.
type store struct {
	id   string
	root *etree.Element
}

// readStores finds the stores of a file, once.
func (r *resolver) readStores() []store {
	if r.stores != nil {
		return r.stores
	}
	r.stores = []store{}
	add := func(id, part string) {
		if tree, err := r.pkg.View(part); err == nil && tree.Root() != nil {
			r.stores = append(r.stores, store{strings.ToUpper(id), tree.Root()})
		}
	}
	for _, rel := range r.pkg.Relationships("") {
		switch kind := path.Base(rel.Type); {
		case rel.External || !r.pkg.Has(rel.Target):
		case kind == "core-properties":
			add(coreStore, rel.Target)
		case kind == "extended-properties":
			add(extendedStore, rel.Target)
		}
	}
	for _, rel := range r.pkg.Relationships(r.main) {
		if rel.Type != "customXml" || rel.External || !r.pkg.Has(rel.Target) {
			continue
		}
		id := ""
		for _, of := range r.pkg.Relationships(rel.Target) {
			if of.Type == "customXmlProps" && r.pkg.Has(of.Target) {
				if tree, err := r.pkg.View(of.Target); err == nil && tree.Root() != nil {
					id, _ = wAttr(tree.Root(), "itemID")
				}
			}
		}
		add(id, rel.Target)
	}
	return r.stores
}

// bound is the text that a content control shows in the place of its own; false where it
// keeps its own.
func (r *resolver) bound(sdt *etree.Element) (string, bool) {
	properties := wChild(sdt, "sdtPr")
	binding := dml.FindChild(properties, dml.Alternative, func(c *etree.Element) bool { return c.Tag == "dataBinding" })
	if binding == nil || holds(properties, "richText", "picture", "group", "docPartObj", "docPartList", "repeatingSection") {
		return "", false
	}
	xpath, _ := wAttr(binding, "xpath")
	mappings, _ := wAttr(binding, "prefixMappings")
	id, _ := wAttr(binding, "storeItemID")
	namespaces := readMappings(mappings)
	value, isFound := "", false
	for _, s := range r.readStores() {
		if (id == "" || strings.EqualFold(s.id, id)) && !isFound {
			value, isFound = evaluatePath(s.root, xpath, namespaces)
		}
	}
	if value = strings.TrimSpace(value); !isFound || value == "" {
		return "", false // Word shows what the control asks for then
	}
	if dml.FindChild(properties, dml.Alternative, func(c *etree.Element) bool { return c.Tag == "checkbox" }) != nil { // of a later namespace
		if isOnValue(value) {
			return "☒", true
		}
		return "☐", true
	}
	if date := wChild(properties, "date"); date != nil {
		return boundDate(date, value)
	}
	for _, tag := range []string{"dropDownList", "comboBox"} {
		dml.EachChild(wChild(properties, tag), func(e *etree.Element) {
			if v, _ := wAttr(e, "value"); e.Tag == "listItem" && v == value {
				if shown, ok := wAttr(e, "displayText"); ok {
					value = shown
				}
			}
		})
	}
	return value, true
}

// boundDate writes a date of a store as its control asks.
func boundDate(e *etree.Element, value string) (string, bool) {
	day, _, _ := strings.Cut(value, "T")
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return value, true
	}
	lid := wVal(wChild(e, "lid"))
	l, err := locale.Find(lid)
	if err != nil {
		if l, err = locale.Find("en-US"); err != nil {
			return value, true
		}
	}
	format := wVal(wChild(e, "dateFormat"))
	if format == "" {
		return value, true
	}
	return formatDate(t, format, l.Calendar()), true
}

// formatDate writes a date by a picture such as "dddd, d. MMMM yyyy" (ECMA-376 part 1,
// 17.16.4.1). What stands in apostrophes is text.
func formatDate(t time.Time, picture string, names locale.Calendar) string {
	beside := locale.Year
	if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(picture, "dddd", ""), "ddd", ""), "d") {
		beside = locale.Day
	}
	var b strings.Builder
	for picture != "" {
		if text, rest, isQuoted := cutQuote(picture); isQuoted {
			b.WriteString(text)
			picture = rest
			continue
		}
		if half, rest, isHalf := cutHalf(picture, t); isHalf {
			b.WriteString(half)
			picture = rest
			continue
		}
		_, size := utf8.DecodeRuneInString(picture)
		n := len(picture) - len(strings.TrimLeft(picture, picture[:size]))
		switch letters := picture[:n]; letters {
		case "h", "hh":
			fmt.Fprintf(&b, "%0*d", n, (t.Hour()+11)%12+1)
		case "H", "HH":
			fmt.Fprintf(&b, "%0*d", n, t.Hour())
		case "m", "mm":
			fmt.Fprintf(&b, "%0*d", n, t.Minute())
		case "s", "ss":
			fmt.Fprintf(&b, "%0*d", n, t.Second())
		case "d", "dd":
			fmt.Fprintf(&b, "%0*d", n, t.Day())
		case "ddd":
			name := []rune(names.Weekday(t.Weekday()))
			b.WriteString(string(name[:min(3, len(name))]))
		case "dddd":
			b.WriteString(names.Weekday(t.Weekday()))
		case "M", "MM":
			fmt.Fprintf(&b, "%0*d", n, int(t.Month()))
		case "MMM":
			b.WriteString(names.ShortMonth(t.Month(), beside))
		case "MMMM":
			b.WriteString(names.Month(t.Month(), beside))
		case "yy":
			fmt.Fprintf(&b, "%02d", t.Year()%100)
		case "yyyy":
			fmt.Fprintf(&b, "%04d", t.Year())
		default:
			b.WriteString(letters)
		}
		picture = picture[n:]
	}
	return b.String()
}

// cutHalf takes the half of the day off that a picture begins with (AM/PM or am/pm).
func cutHalf(picture string, t time.Time) (half, rest string, isHalf bool) {
	for _, form := range []string{"AM/PM", "am/pm"} {
		if rest, isHalf = strings.CutPrefix(picture, form); isHalf {
			return []string{"AM", "PM"}[t.Hour()/12], rest, true // Word writes capitals for both
		}
	}
	return "", picture, false
}

// cutQuote takes the text off that a picture begins with in apostrophes.
func cutQuote(picture string) (text, rest string, isQuoted bool) {
	behind, isQuoted := strings.CutPrefix(picture, "'")
	if !isQuoted {
		return "", picture, false
	}
	text, rest, _ = strings.Cut(behind, "'")
	return text, rest, true
}

// readMappings reads xmlns:a='urn:a' xmlns:b="urn:b".
func readMappings(text string) map[string]string {
	namespaces := map[string]string{}
	for text != "" {
		name, rest, ok := strings.Cut(text, "=")
		rest = strings.TrimLeft(rest, " ")
		if !ok || rest == "" {
			break
		}
		uri, behind, _ := strings.Cut(rest[1:], rest[:1])
		namespaces[strings.TrimPrefix(strings.TrimSpace(name), "xmlns:")] = uri
		text = behind
	}
	return namespaces
}

// evaluatePath is the text of what a path such as /a:order[1]/a:customer[1]/@no leads to.
// Paths of other forms lead nowhere.
func evaluatePath(root *etree.Element, xpath string, namespaces map[string]string) (string, bool) {
	steps := strings.Split(strings.TrimPrefix(xpath, "/"), "/")
	at := root.Parent()
	for i, step := range steps {
		if name, isAttribute := strings.CutPrefix(step, "@"); isAttribute {
			return attributeOf(at, name, i == len(steps)-1)
		}
		if step == "text()" || step == "node()" || step == "." {
			continue
		}
		if at = childAt(at, step, namespaces); at == nil {
			return "", false
		}
	}
	return dml.ElementText(at), true
}

func attributeOf(e *etree.Element, name string, isLast bool) (string, bool) {
	if _, local, hasPrefix := strings.Cut(name, ":"); hasPrefix {
		name = local
	}
	for _, a := range e.Attr {
		if isLast && a.Key == name && a.Space != "xmlns" {
			return a.Value, true
		}
	}
	return "", false
}

// childAt is the child that a step such as a:name[2] names.
func childAt(e *etree.Element, step string, namespaces map[string]string) *etree.Element {
	name, index, hasIndex := strings.Cut(step, "[")
	n := 1
	if hasIndex {
		var err error
		if n, err = strconv.Atoi(strings.TrimSuffix(index, "]")); err != nil {
			return nil
		}
	}
	prefix, local, hasPrefix := strings.Cut(name, ":")
	if !hasPrefix {
		prefix, local = "", name
	}
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		if !ok || local != "*" && c.Tag != local || local != "*" && c.NamespaceURI() != namespaces[prefix] {
			continue
		}
		if n--; n == 0 {
			return c
		}
	}
	return nil
}

// bind puts a text into the place of that of runs: into the first that has any, or a new
// one.
func (r *resolver) bind(runs []*Run, base *RunProperties, sdt *etree.Element, text string) []*Run {
	isPrompt := holds(wChild(sdt, "sdtPr"), "showingPlcHdr")
	isPut := false
	for _, run := range runs {
		var items []Item
		for _, item := range run.Items {
			if item.Kind != TextItem && item.Kind != BreakItem && item.Kind != NonBreakingItem {
				items = append(items, item)
				continue
			}
			if !isPut {
				isPut = true
				items = append(items, linesOf(text, item.Elem)...)
				if isPrompt {
					run.RunProperties = r.resolveRun(base, wPath(sdt, "sdtPr", "rPr"))
				}
			}
		}
		run.Items = items
	}
	if isPut {
		return runs
	}
	return append(runs, &Run{Elem: sdt, RunProperties: r.resolveRun(base, wPath(sdt, "sdtPr", "rPr")), Items: linesOf(text, sdt)})
}

// linesOf are the items of a text of several lines.
func linesOf(text string, e *etree.Element) []Item {
	var items []Item
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			items = append(items, Item{Kind: BreakItem, Elem: e})
		}
		items = append(items, Item{Text: line, Elem: e})
	}
	return items
}

// shownText is the text of runs.
func shownText(runs []*Run) string {
	var b strings.Builder
	for _, run := range runs {
		for _, item := range run.Items {
			switch item.Kind {
			case BreakItem:
				b.WriteByte('\n')
			case TextItem, NonBreakingItem:
				b.WriteString(item.Text)
			}
		}
	}
	return b.String()
}

// bindInline shows the data of a content control whose runs are those of a paragraph from
// first on.
func (r *resolver) bindInline(p *Paragraph, first int, base *RunProperties, sdt *etree.Element) {
	if text, ok := r.bound(sdt); ok && text != shownText(p.Runs[first:]) {
		p.Runs = append(p.Runs[:first], r.bind(p.Runs[first:], base, sdt, text)...)
	}
}

// bindBlocks shows the data of a content control around paragraphs, in the first of them.
func (r *resolver) bindBlocks(blocks []Block, sdt *etree.Element, text string) []Block {
	var paragraphs []*Paragraph
	for _, b := range blocks {
		p, isParagraph := b.(*Paragraph)
		if !isParagraph || p.EndsSection && len(blocks) > 1 {
			return blocks
		}
		paragraphs = append(paragraphs, p)
	}
	var all []string
	for _, p := range paragraphs {
		all = append(all, shownText(p.Runs))
	}
	if len(paragraphs) == 0 || strings.Join(all, "\n") == text {
		return blocks
	}
	first := paragraphs[0]
	first.Runs = r.bind(first.Runs, &first.Mark, sdt, text)
	return []Block{first}
}
