// Command generate writes cldr.txt of package locale from CLDR's data as JSON: the npm
// packages cldr-core, cldr-numbers-full and cldr-dates-full of one version. Its argument
// is the folder in which they are; `make cldr` fetches them.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: generate FOLDER > cldr.txt")
	}
	g := generator{from: os.Args[1]}
	if err := g.run(); err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.WriteString(g.out.String()); err != nil {
		log.Fatal(err)
	}
}

// root is the locale that every other takes after.
const root = "und"

// fields are what a locale says, by the keys that cldr.txt has for them.
type fields map[string]string

type generator struct {
	from    string
	out     strings.Builder
	all     map[string]fields // by the locale
	parents map[string]string // that are not the locale without its last part
}

func (g *generator) run() error {
	g.all = map[string]fields{}
	entries, err := os.ReadDir(filepath.Join(g.from, "cldr-numbers-full", "main"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := g.readLocale(e.Name()); err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	g.nameDates()
	g.nameCurrencies()
	if err := g.readParents(); err != nil {
		return err
	}
	if err := g.applyOwnCurrencies(); err != nil {
		return err
	}
	if err := g.writeCommon(); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(g.all))
	for name := range g.parents {
		if g.all[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		g.writeLocale(name)
	}
	return nil
}

// symbols are the signs of a numbering system in one locale.
type symbols struct {
	Decimal         string `json:"decimal"`
	Group           string `json:"group"`
	Minus           string `json:"minusSign"`
	Percent         string `json:"percentSign"`
	CurrencyDecimal string `json:"currencyDecimal"`
	CurrencyGroup   string `json:"currencyGroup"`
}

type pattern struct {
	Standard string `json:"standard"`
}

func (g *generator) readLocale(name string) error {
	f := fields{}
	numbers, err := readPart(g.from, "cldr-numbers-full/main/"+name+"/numbers.json", "main", name, "numbers")
	if err != nil {
		return err
	}
	system := ""
	read(numbers, "defaultNumberingSystem", &system)
	f["system"] = system
	f["min"] = read(numbers, "minimumGroupingDigits", new(string))
	suffix := ""
	for _, of := range slices.Compact([]string{system, "latn"}) {
		var s symbols
		var decimal, percent, currency pattern
		read(numbers, "symbols-numberSystem-"+of, &s)
		read(numbers, "decimalFormats-numberSystem-"+of, &decimal)
		read(numbers, "percentFormats-numberSystem-"+of, &percent)
		read(numbers, "currencyFormats-numberSystem-"+of, &currency)
		f["signs"+suffix] = join(s.Decimal, s.Group, s.Minus, s.Percent, s.CurrencyDecimal, s.CurrencyGroup)
		f["patterns"+suffix] = join(decimal.Standard, percent.Standard, currency.Standard)
		suffix = "-latn"
	}
	if err := g.readCurrencies(name, f); err != nil {
		return err
	}
	if err := g.readDates(name, f); err != nil {
		return err
	}
	g.all[name] = f
	return nil
}

// readCurrencies reads the signs of currencies, with what some have of their own: the
// point, the sign between groups and the pattern.
func (g *generator) readCurrencies(name string, f fields) error {
	part, err := readPart(g.from, "cldr-numbers-full/main/"+name+"/currencies.json", "main", name, "numbers", "currencies")
	if err != nil {
		return err
	}
	for code := range part {
		var c struct {
			Symbol  string `json:"symbol"`
			Decimal string `json:"decimal"`
			Group   string `json:"group"`
			Pattern string `json:"pattern"`
		}
		read(part, code, &c)
		if c.Symbol == "" {
			c.Symbol = code
		}
		f[code] = strings.TrimRight(join(c.Symbol, c.Decimal, c.Group, c.Pattern), "\t")
	}
	return nil
}

func (g *generator) readDates(name string, f fields) error {
	part, err := readPart(g.from, "cldr-dates-full/main/"+name+"/ca-gregorian.json", "main", name, "dates", "calendars", "gregorian")
	if err != nil {
		return err
	}
	var months struct {
		Format, Alone struct{ Wide, Abbreviated map[string]string }
	}
	var both map[string]struct{ Wide, Abbreviated map[string]string }
	read(part, "months", &both)
	months.Format, months.Alone = both["format"], both["stand-alone"]
	var order []string
	for m := range 12 {
		order = append(order, fmt.Sprint(m+1))
	}
	f["months"] = pick(months.Format.Wide, order...)
	f["months-short"] = pick(months.Format.Abbreviated, order...)
	f["alone"] = pick(months.Alone.Wide, order...)
	f["alone-short"] = pick(months.Alone.Abbreviated, order...)
	read(part, "days", &both)
	f["days"] = pick(both["format"].Wide, "sun", "mon", "tue", "wed", "thu", "fri", "sat")
	read(part, "dayPeriods", &both)
	f["halves"] = pick(both["format"].Abbreviated, "am", "pm")
	var formats struct{ AvailableFormats map[string]string }
	read(part, "dateTimeFormats", &formats)
	f["with-year"] = join(letter(formats.AvailableFormats["yMMMM"]), letter(formats.AvailableFormats["yMMM"]))
	return nil
}

// letter is that of the months in a pattern: L for the form that stands alone, M for
// the form beside a day.
func letter(pattern string) string {
	if strings.Contains(pattern, "LLL") {
		return "L"
	}
	return "M"
}

// nameDates gives the names of months and days that are English to languages that have
// none in CLDR, and numbers there.
func (g *generator) nameDates() {
	keys := []string{"months", "months-short", "alone", "alone-short", "days"}
	none := maps.Clone(g.all[root])
	for _, f := range g.all {
		if f["months"] != none["months"] && f["alone"] != none["alone"] {
			for _, names := range [][2]string{{"months-short", "months"}, {"alone-short", "alone"}} {
				if f[names[0]] == none[names[0]] {
					f[names[0]] = f[names[1]]
				}
			}
			continue
		}
		for _, key := range keys {
			f[key] = g.all["en"][key]
		}
	}
}

// nameCurrencies gives the root each currency that a locale has, by its code where it has
// no sign of its own.
func (g *generator) nameCurrencies() {
	for _, f := range g.all {
		for key := range f {
			if g.all[root][key] == "" && isCurrency(key) {
				g.all[root][key] = key
			}
		}
	}
}

// readParents reads which locales take after others than their names say, and which
// script a locale without one has.
func (g *generator) readParents() error {
	part, err := readPart(g.from, "cldr-core/supplemental/parentLocales.json", "supplemental", "parentLocales")
	if err != nil {
		return err
	}
	read(part, "parentLocale", &g.parents)
	maps.DeleteFunc(g.parents, func(name, _ string) bool { return g.all[name] == nil })
	likely, err := readPart(g.from, "cldr-core/supplemental/likelySubtags.json", "supplemental", "likelySubtags")
	if err != nil {
		return err
	}
	scripts := map[string]string{}
	for from := range likely {
		scripts[from] = strings.Split(read(likely, from, new(string)), "-")[1]
	}
	for name := range maps.Clone(g.all) { // zh-Hant-HK is that of zh-HK
		parts := strings.Split(name, "-")
		if len(parts) != 3 || len(parts[1]) != 4 {
			continue
		}
		short := parts[0] + "-" + parts[2]
		script := scripts[parts[0]]
		if of, ok := scripts[short]; ok {
			script = of
		}
		if script == parts[1] && g.all[short] == nil {
			g.parents[short] = name
		}
	}
	for from, script := range scripts { // zh-Hant is that of zh-TW
		language, region, ok := strings.Cut(from, "-")
		if name := language + "-" + script; ok && len(region) < 4 && script != scripts[language] && g.all[from] == nil && g.parents[from] == "" && g.all[name] != nil {
			g.parents[from] = name
		}
	}
	return nil
}

// applyOwnCurrencies does what ICU does with currencies that have a pattern or a point of
// their own: such a pattern keeps the signs of the locale that has it first, and where
// the currency is that of the locale's region, every other currency is written like it.
// So en-DE writes €1,234.50 and CHF 1,234.50, while its numbers are 1.234,50.
func (g *generator) applyOwnCurrencies() error {
	data, err := readPart(g.from, "cldr-core/supplemental/currencyData.json", "supplemental", "currencyData")
	if err != nil {
		return err
	}
	regions := map[string][]map[string]struct {
		To     string `json:"_to"`
		Tender string `json:"_tender"`
	}{}
	read(data, "region", &regions)
	signs := map[string]string{} // as they are before any changes
	for name, f := range g.all {
		signs[name] = f["signs"]
	}
	for name, f := range g.all {
		for code := range f {
			own := strings.Split(f[code], "\t")
			if !isCurrency(code) || len(own) < 4 || own[1] != "" {
				continue
			}
			of := name
			for at := g.parent(name); strings.HasSuffix(g.all[at][code], "\t"+own[3]); at = g.parent(at) {
				of = at
			}
			own[1], own[2] = moneySigns(signs[of])
			f[code] = join(own...)
		}
	}
	for name, f := range g.all {
		region := name[strings.LastIndexByte(name, '-')+1:]
		for _, currencies := range regions[region] {
			for code, c := range currencies {
				if c.To == "" && c.Tender != "false" {
					applyCurrency(f, code)
				}
			}
		}
	}
	return nil
}

// applyCurrency has a locale write every currency as it writes one of them.
func applyCurrency(f fields, code string) {
	own := append(strings.Split(f[code], "\t"), "", "", "")
	all, patterns := strings.Split(f["signs"], "\t"), strings.Split(f["patterns"], "\t")
	if own[1] != "" {
		all[4] = own[1]
	}
	if own[2] != "" {
		all[5] = own[2]
	}
	if own[3] != "" {
		patterns[2] = own[3]
	}
	f["signs"], f["patterns"] = join(all...), join(patterns...)
}

// moneySigns are the point and the sign between groups that a locale's amounts have.
func moneySigns(signs string) (point, group string) {
	all := strings.Split(signs, "\t")
	return cmp.Or(all[4], all[0]), cmp.Or(all[5], all[1])
}

func isCurrency(key string) bool { return strings.ToUpper(key) == key }

// writeCommon writes what is of no locale: the digits of numbering systems, and how many
// of them currencies have behind the point.
func (g *generator) writeCommon() error {
	systems, err := readPart(g.from, "cldr-core/supplemental/numberingSystems.json", "supplemental", "numberingSystems")
	if err != nil {
		return err
	}
	g.out.WriteString(":systems\n")
	for _, name := range slices.Sorted(maps.Keys(systems)) {
		var s struct {
			Digits string `json:"_digits"`
		}
		if read(systems, name, &s); s.Digits != "" {
			fmt.Fprintf(&g.out, "%s\t%s\n", name, s.Digits)
		}
	}
	fractions, err := readPart(g.from, "cldr-core/supplemental/currencyData.json", "supplemental", "currencyData", "fractions")
	if err != nil {
		return err
	}
	g.out.WriteString(":digits\n")
	for _, code := range slices.Sorted(maps.Keys(fractions)) {
		var f struct {
			Digits string `json:"_digits"`
		}
		if read(fractions, code, &f); f.Digits != "2" {
			fmt.Fprintf(&g.out, "%s\t%s\n", code, f.Digits)
		}
	}
	return nil
}

// writeLocale writes what a locale says otherwise than the one that it takes after.
func (g *generator) writeLocale(name string) {
	fmt.Fprintf(&g.out, ":%s", name)
	if parent := g.parents[name]; parent != "" {
		fmt.Fprintf(&g.out, "\t%s", parent)
	}
	g.out.WriteByte('\n')
	f := g.all[name]
	for _, key := range slices.Sorted(maps.Keys(f)) {
		if inherited, ok := g.inherited(name, key); !ok || inherited != f[key] {
			fmt.Fprintf(&g.out, "%s\t%s\n", key, f[key])
		}
	}
}

func (g *generator) inherited(name, key string) (string, bool) {
	for name != root {
		name = g.parent(name)
		if text, ok := g.all[name][key]; ok {
			return text, true
		}
	}
	return "", false
}

func (g *generator) parent(name string) string {
	if parent := g.parents[name]; parent != "" {
		return parent
	}
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		return name[:at]
	}
	return root
}

// readPart reads the part of a file at a path of names.
func readPart(folder, name string, path ...string) (map[string]json.RawMessage, error) {
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	for _, step := range path {
		var part map[string]json.RawMessage
		if err := json.Unmarshal(text, &part); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text = part[step]
	}
	var part map[string]json.RawMessage
	if err := json.Unmarshal(text, &part); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return part, nil
}

// read reads one field of a part into v, which stays as it is where there is none.
func read[T any](part map[string]json.RawMessage, name string, v *T) T {
	if text, ok := part[name]; ok {
		if err := json.Unmarshal(text, v); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
	return *v
}

func pick(from map[string]string, keys ...string) string {
	var all []string
	for _, key := range keys {
		all = append(all, from[key])
	}
	return join(all...)
}

// join puts texts into one line.
func join(texts ...string) string {
	for _, text := range texts {
		if strings.ContainsAny(text, "\t\n") {
			log.Fatalf("%q has a sign that parts fields", text)
		}
	}
	return strings.Join(texts, "\t")
}
