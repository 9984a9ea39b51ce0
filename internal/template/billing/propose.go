package billing

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// A Field is one that a template or the events of a source have.
type Field struct {
	Path string // Items.Quantity
	List string // Items: the outermost list that it is in; empty for none
}

// FieldsOf are the fields that a template asks for. What has parts is a list where the template
// says so, or where its name is that of one.
func FieldsOf(asked *lang.Requirement) []Field {
	var all []Field
	var gather func(r *lang.Requirement, path, list string)
	gather = func(r *lang.Requirement, path, list string) {
		for _, part := range r.Parts {
			at := strings.TrimPrefix(path+"."+part.Name, ".")
			if len(part.Parts) == 0 {
				all = append(all, Field{at, list})
				continue
			}
			in := list
			if _, named := listNames[folded(part.Name)]; in == "" && (part.List || named) {
				in = at
			}
			gather(part, at, in)
		}
	}
	gather(asked, "", "")
	return all
}

// FieldsIn are source fields, leaf paths as platen.SourceFields has them, which do not say where
// lists are: their names do.
func FieldsIn(paths []string) []Field {
	all := make([]Field, len(paths))
	for i, path := range paths {
		all[i].Path = path
		names := strings.Split(path, ".")
		for n := range names[:len(names)-1] {
			if _, named := listNames[folded(names[n])]; named {
				all[i].List = strings.Join(names[:n+1], ".")
				break
			}
		}
	}
	return all
}

// A Proposal is a map by the names of fields, for somebody to look at.
type Proposal struct {
	Map Map
	// Open are terms that the profile asks for and that no field seems to have.
	Open []einvoice.Term
}

// Propose proposes a map for a profile: names are read in English and in German. numbers are
// the series that the document declares.
func Propose(profile platen.InvoiceProfile, fields []Field, numbers []string) Proposal {
	m := Map{Terms: map[string]string{}, Groups: map[string][]Map{}}
	groups := map[string]*Map{}
	put := func(number, tag string) {
		home := einvoice.Outlined().Find(number)
		if profile == platen.InvoiceBasic && (!einvoice.InBasic(number) || !einvoice.InBasic(home.Number)) {
			return
		}
		into := &m
		if home.Number != "" {
			if groups[home.Number] == nil {
				groups[home.Number] = &Map{Terms: map[string]string{}}
			}
			into = groups[home.Number]
		}
		if into.Terms[number] == "" {
			into.Terms[number] = tag
		}
	}
	lists, kind, unit := listsOf(fields), "380", "C62"
	for _, f := range fields {
		name := folded(strings.TrimPrefix(f.Path, f.List+"."))
		if f.List != "" && f.List == lists["BG-25"] && slices.Contains(unitNames, name) {
			unit = "" // whose codes nobody knows here
		}
		number, group := match(f)
		if number == "" || lists[group] != f.List {
			continue
		}
		put(number, tagOf(f, group))
		switch {
		case group != "":
			groups[group].Each = f.List
			if code := unitCodes[name]; number == "BT-129" && unit != "" && groups[group].Terms[number] == tagOf(f, group) {
				unit = cmp.Or(code, unit)
			}
		case number == "BT-1" && m.Terms[number] == tagOf(f, group) && slices.Contains(creditNoteNames, name):
			kind = "381"
		}
	}
	if len(numbers) > 0 && m.Terms["BT-1"] == "" {
		if series, ok := platen.SeriesTag(numbers[0]); ok {
			put("BT-1", "{{Number "+series+"}}")
		}
	}
	for _, fixed := range []struct{ number, text string }{{"BT-2", "{{Timestamp}}"}, {"BT-3", kind}} {
		put(fixed.number, fixed.text)
	}
	if lines := groups["BG-25"]; lines != nil {
		for _, fixed := range []struct{ number, text string }{{"BT-126", "{{@index}}"}, {"BT-130", unit}, {"BT-151", "S"}} {
			if fixed.text != "" {
				put(fixed.number, fixed.text)
			}
		}
	}
	if pay := groups["BG-16"]; pay != nil && pay.Terms["BT-84"] != "" {
		put("BT-81", "58")
	}
	for _, kind := range []struct{ group, amount, category, reason, word string }{{"BG-20", "BT-92", "BT-95", "BT-97", "Discount"}, {"BG-21", "BT-99", "BT-102", "BT-104", "Freight"}} {
		if g := groups[kind.group]; g != nil && g.Terms[kind.amount] != "" {
			put(kind.category, "S")
			put(kind.reason, kind.word)
		}
	}
	for number, g := range groups {
		m.Groups[number] = []Map{*g}
	}
	return Proposal{m, open(m, profile)}
}

// listsOf says which list each group is: of those that it may be, the one with most fields that
// are terms. One whose name says it comes before any other.
func listsOf(fields []Field) map[string]string {
	scores, best := map[Field]int{}, map[string]string{}
	for _, f := range fields {
		number, group := match(f)
		if number == "" || group == "" {
			continue
		}
		this, chosen := Field{group, f.List}, Field{group, best[group]}
		scores[this]++
		if listNames[lastName(f.List)] != "" {
			scores[this] += len(fields)
		}
		if best[group] == "" || scores[this] > scores[chosen] {
			best[group] = f.List
		}
	}
	return best
}

// lastName is the folded name of a list without what it is in.
func lastName(list string) string { return folded(list[strings.LastIndexByte(list, '.')+1:]) }

// tagOf is the tag that shows a field, inside the list that it is of.
func tagOf(f Field, group string) string {
	if group != "" && f.List != "" {
		return "{{" + strings.TrimPrefix(f.Path, f.List+".") + "}}"
	}
	return "{{" + f.Path + "}}"
}

// required are the terms that an invoice of each profile has to have, but those that are worked
// out.
var required = map[platen.InvoiceProfile][]string{
	platen.InvoiceEN16931:   {"BT-1", "BT-2", "BT-3", "BT-5", "BT-27", "BT-31", "BT-40", "BT-44", "BT-55", "BT-126", "BT-129", "BT-130", "BT-146", "BT-151", "BT-152", "BT-153"},
	platen.InvoiceXRechnung: {"BT-10", "BT-34", "BT-34-1", "BT-37", "BT-38", "BT-41", "BT-42", "BT-43", "BT-49", "BT-49-1", "BT-52", "BT-53", "BT-81"},
	platen.InvoicePeppol:    {"BT-10", "BT-34", "BT-34-1", "BT-49", "BT-49-1"},
}

func open(m Map, profile platen.InvoiceProfile) []einvoice.Term {
	numbers := slices.Clone(required[platen.InvoiceEN16931])
	if profile != platen.InvoiceEN16931 {
		numbers = append(numbers, required[profile]...)
	}
	slices.SortFunc(numbers, einvoice.CompareTerms)
	var left []einvoice.Term
	for _, number := range numbers {
		home := einvoice.Outlined().Find(number)
		in := m
		if home.Number != "" {
			in = Map{}
			if items := m.Groups[home.Number]; len(items) > 0 {
				in = items[0]
			}
		}
		if in.Terms[number] == "" {
			left = append(left, home.Terms[number])
		}
	}
	return left
}

// match is the term that a field seems to be, and the group that its list is; empty for none.
func match(f Field) (number, group string) {
	if f.List != "" {
		group = listNames[lastName(f.List)]
		if group == "" {
			group = "BG-25"
		}
		number = lineNames[folded(strings.TrimPrefix(f.Path, f.List+"."))]
		switch {
		case number == "":
			return "", ""
		case group != "BG-25":
			number = listed[group][number]
		}
		if home := einvoice.Outlined().Find(number); home == nil || home.Number != group {
			return "", ""
		}
		return number, group
	}
	name := folded(f.Path)
	if number = wholeNames[name]; number != "" {
		return number, ""
	}
	for _, p := range parties {
		for _, prefix := range p.names {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				attribute := attributes[rest]
				switch {
				case rest == "" && prefix != "": // Customer alone
					attribute = "name"
				case prefix == "" && attribute == "id": // that of an event or a record
					continue
				}
				if number = p.terms[attribute]; number != "" {
					return number, ""
				}
			}
		}
	}
	return "", ""
}

// folded is a name in one case, without what stands between its words.
func folded(name string) string {
	name = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(strings.ToLower(name))
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}
