package lang

import (
	"regexp"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// What people type in place of a word of the language. Names of fields begin with
// other words than the sure ones.
var (
	insertionWords = map[string]string{
		"qrcode": "qr", "code39": "code128", "img": "image", "imageurl": "image", "hyperlink": "link",
		"picture": "image", "pic": "image", "photo": "image", "logo": "image", "barcode": "code128", "ean": "ean13", "matrix": "datamatrix", "url": "link", "href": "link", "md": "markdown", "richtext": "markdown", "htm": "html",
	}
	sureWords     = []string{"qrcode", "img", "hyperlink"}
	functionWords = map[string]string{
		"formatdate": "DATE", "dateformat": "DATE", "formatnumber": "NUMBER", "numberformat": "NUMBER",
		"formatcurrency": "CURRENCY", "formatpercent": "PERCENT", "uppercase": "UPPER", "toupper": "UPPER", "lowercase": "LOWER", "tolower": "LOWER",
		"capitalize": "TITLE", "titlecase": "TITLE",
		"inwords": "WORDS", "towords": "WORDS", "numbertowords": "WORDS", "spellout": "WORDS", "trunc": "TRUNC", "floor": "TRUNC",
	}
	// sizeBehind is a name, and behind it what is meant as a size and is none.
	sizeBehind = regexp.MustCompile(`^(.+?)[ ,;]+([0-9]+(?:\.[0-9]+)?(?:[x×][0-9]+(?:\.[0-9]+)?)?) ?([\pL"″']*)$`)
	// otherwise is a name with a text for when it is empty, and filtered a name with a
	// filter, as other systems write them.
	otherwise = regexp.MustCompile(`^([^"'|?]+?)(?: or | ?\|\| ?| ?\?\? ?)("(?:[^"]|"")*"|'(?:[^']|'')*')$`)
	filtered  = regexp.MustCompile(`^([^"'|]+?) ?\| ?([\pL_]+) ?(?:: ?(.+)|\( ?(.*?) ?\)|)$`)
	sizeUnits = []string{"mm", "cm", "in", "pt", "px", "m", "em", "mi", "mil", "mils", "mile", "miles", "inch", "inches", "point", "points", "pixel", "pixels", "\"", "″"}
)

// findMeant says of a tag that nothing fills which word, function or size of the
// language was meant; nil where it may well be the name of a field. What it says
// without the fields of a source is sure.
func (in *inspector) findMeant(s *syntax.Statement, name string) *Finding {
	switch s.Kind {
	case syntax.Image, syntax.Code:
		return in.findSize(s, name)
	case syntax.Field:
	default:
		return nil
	}
	if f := findDefault(name); f != nil {
		return f
	}
	at := strings.IndexAny(name, " (")
	if at <= 0 {
		return nil
	}
	word, rest := name[:at], strings.TrimSpace(name[at:])
	if f := in.findInsertion(word, rest); f != nil {
		return f
	}
	return in.findFunction(word, rest, name[at] == '(')
}

// findDefault is for a text where a value is missing, and for a filter.
func findDefault(name string) *Finding {
	formula := FormulaFor(name)
	if formula == "" {
		return nil
	}
	f := findingf("unknown_word", "A tag is a name alone. What stands in place of an empty value, and what changes a value, is a formula.")
	f.Nearest = []string{"{{" + formula + "}}"}
	return f
}

// FormulaFor is the formula for a name with a text for an empty value, such as Name or
// "text", and for a name with a filter, such as Name | default: "text", as other systems
// write them; empty for another tag.
func FormulaFor(name string) string {
	of, function, arguments := "", "DEFAULT", ""
	if parts := otherwise.FindStringSubmatch(name); parts != nil {
		of, arguments = parts[1], parts[2]
	} else if parts := filtered.FindStringSubmatch(name); parts != nil {
		of, arguments = parts[1], parts[3]+parts[4]
		meant, ok := functionWords[string(syntax.Simplify(parts[2]))]
		if function = meant; !ok {
			function = strings.ToUpper(parts[2])
		}
	}
	if of == "" {
		return ""
	}
	known := &functions{}
	if _, ok := known.Signature(function); !ok {
		return ""
	}
	if text, ok := strings.CutPrefix(arguments, "'"); ok && strings.HasSuffix(text, "'") {
		arguments = `"` + strings.NewReplacer("''", "'", `"`, `""`).Replace(text[:len(text)-1]) + `"`
	}
	if arguments != "" {
		arguments = ", " + arguments
	}
	formula := function + "(" + of + arguments + ")"
	if _, wrong := syntax.ParseFormula(formula, known); wrong != nil {
		return ""
	}
	return "= " + formula
}

// findInsertion is for image, link and codes, mistyped or under another name.
func (in *inspector) findInsertion(word, rest string) *Finding {
	simple := string(syntax.Simplify(word))
	meant, ok := insertionWords[simple]
	sure := slices.Contains(sureWords, simple)
	for _, known := range []string{"image", "link", "markdown", "html", "include"} {
		if ok {
			break
		}
		switch off := syntax.Distance([]rune(simple), []rune(known), 2); {
		case sortedLetters(simple) == sortedLetters(known):
			meant, ok, sure = known, true, true
		case off == 1:
			meant, ok = known, true
		}
	}
	if !ok || rest == "" || !sure && !in.fills(meant+" "+rest) {
		return nil
	}
	f := findingf("unknown_word", "No tag begins with the word %.40s: there are image, link, markdown, html, include, qr, ean13, code128 and datamatrix.", word)
	f.Nearest = []string{"{{" + meant + " " + rest + "}}"}
	return f
}

// findFunction is for a function that is called without the sign of a formula.
func (in *inspector) findFunction(word, rest string, called bool) *Finding {
	meant, sure := functionWords[string(syntax.Simplify(word))]
	if !sure {
		meant = strings.ToUpper(word)
	}
	signature, ok := in.e.functions.Signature(meant)
	if !ok || rest == "" {
		return nil
	}
	formula := "= " + meant + "(" + strings.NewReplacer(` "`, `, "`, ` '`, `, '`).Replace(rest) + ")"
	if called {
		formula = "= " + meant + rest
	}
	read := in.e.ReadText(formula)
	if read.Kind != syntax.Formula {
		return nil
	}
	if !called && !sure && !strings.Contains(rest, `"`) && (in.fields == nil || !in.fills(formula)) {
		return nil
	}
	f := findingf("unknown_word", "%.40s is no word that a tag begins with. A formula begins with =, and its function is written %s.", word, signature.Usage)
	f.Nearest = []string{"{{" + formula + "}}"}
	return f
}

// findSize is for a size that is written as none is.
func (in *inspector) findSize(s *syntax.Statement, name string) *Finding {
	parts := sizeBehind.FindStringSubmatch(name)
	if parts == nil {
		return nil
	}
	unit := strings.ToLower(parts[3])
	if !slices.Contains(sizeUnits, unit) && !in.fills("image "+parts[1]) {
		return nil
	}
	if _, _, ok := syntax.ReadBox(parts[2] + unit); !ok {
		unit = "mm"
	}
	word := "image"
	if s.Kind == syntax.Code {
		word = string(s.Code)
	}
	f := findingf("picture_size", "%.40s is no size of a picture. Write it without a space and in mm, cm, in or pt, such as 40mm or 40x20mm.", strings.TrimSpace(parts[2]+" "+parts[3]))
	f.Nearest = []string{"{{" + word + " " + parts[1] + " " + parts[2] + unit + "}}"}
	return f
}

// fills tells whether the source has every field that a tag of this text names.
func (in *inspector) fills(text string) bool {
	if in.fields == nil {
		return false
	}
	s := in.e.ReadText(syntax.Canonical(text))
	if s.Kind == syntax.Faulty || s.Kind == syntax.Field {
		return false
	}
	names := syntax.NamesIn(s.Wording, true, in.isSigned, syntax.NamesIn(s.Formula, true, in.isSigned, nil))
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !in.isKnown(name, true) })
}

func sortedLetters(word string) string {
	letters := []rune(word)
	slices.Sort(letters)
	return string(letters)
}
