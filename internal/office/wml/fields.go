package wml

import (
	"cmp"
	"strings"
	"time"
	"unicode"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/template/locale"
)

func (r *resolver) readFieldChar(run *Run, e *etree.Element) {
	kind, _ := wAttr(e, "fldCharType")
	n := len(r.fields)
	switch kind {
	case "begin":
		if n < opc.MaxNesting {
			f := &field{begin: &run.RunProperties, language: run.Lang}
			if box := wPath(e, "ffData", "checkBox"); box != nil && !run.Hidden {
				run.Items = append(run.Items, Item{Text: readCheckBox(box), Elem: e})
			}
			f.entry = chosenEntry(wPath(e, "ffData", "ddList"))
			r.fields = append(r.fields, f)
		}
	case "separate":
		if n > 0 {
			f := r.fields[n-1]
			f.isInResult = true
			r.openField(f)
			if f.link != nil && run.Link == nil && isWholeRun(e) {
				run.Link = f.link
			}
		}
	case "end":
		if n == 0 {
			return
		}
		f := r.fields[n-1]
		r.fields = r.fields[:n-1]
		if !f.isInResult {
			r.openField(f)
		}
		if f.entry != "" && !f.isShown && !run.Hidden && !r.isInInstruction() && r.findLiveField() == nil {
			run.Items = append(run.Items, Item{Text: f.entry, Elem: e})
		}
		if f.live != TextItem && !f.isShown && !run.Hidden && !r.isInInstruction() && r.findLiveField() == nil {
			run.Items = append(run.Items, f.item(e, ""))
		}
	}
}

// isWholeRun tells whether the field whose result begins at e begins and ends its run.
func isWholeRun(e *etree.Element) bool {
	siblings := e.Parent().Child
	for i := e.Index() - 1; i >= 0; i-- {
		before, ok := siblings[i].(*etree.Element)
		if !ok || before.Tag == "instrText" {
			continue
		}
		if kind, _ := wAttr(before, "fldCharType"); kind != "begin" && before.Tag != "rPr" {
			return false // looked at no further for each of many fields
		}
	}
	open := 1
	for _, t := range siblings[e.Index()+1:] {
		behind, ok := t.(*etree.Element)
		if !ok {
			continue
		}
		if open == 0 {
			return false
		}
		switch kind, _ := wAttr(behind, "fldCharType"); kind {
		case "begin":
			open++
		case "end":
			open--
		}
	}
	return open == 0
}

func readCheckBox(box *etree.Element) string {
	checked := wChild(box, "checked")
	if checked == nil {
		checked = wChild(box, "default")
	}
	if checked != nil && isOn(checked) {
		return "☒"
	}
	return "☐"
}

// chosenEntry is what a drop-down field shows: the entry that was chosen, else the one
// that it begins with, else the first (ECMA-376 part 1, 17.16.9).
func chosenEntry(list *etree.Element) string {
	var entries []string
	dml.EachChild(list, func(e *etree.Element) {
		if e.Tag == "listEntry" {
			entries = append(entries, wVal(e))
		}
	})
	for _, tag := range []string{"result", "default"} {
		if i, ok := wInt(wChild(list, tag), "val"); ok && i >= 0 && i < len(entries) {
			return entries[i]
		}
	}
	if len(entries) == 0 {
		return ""
	}
	return entries[0]
}

// openField decides what a field is once its instruction is complete. Numbers of pages and
// sections are live, so are days and times where there is a clock, hyperlinks lead
// somewhere, all others show their last result.
func (r *resolver) openField(f *field) {
	words := splitInstruction(f.instr.String())
	if len(words) == 0 {
		return
	}
	f.number = readNumberFormat(words[1:])
	switch strings.ToUpper(words[0]) {
	case "PAGE":
		f.live = PageFieldItem
	case "NUMPAGES":
		f.live = PageCountItem
	case "SECTIONPAGES":
		f.live = SectionCountItem
	case "SECTION":
		f.live = SectionItem
	case "DATE", "TIME":
		if !r.now.IsZero() {
			f.live, f.moment = DateItem, momentOf(words, cmp.Or(f.language, r.doc.Language), r.now)
		}
	case "REF", "PAGEREF", "NOTEREF":
		f.format = f.begin
	case "HYPERLINK":
		f.link = readFieldLink(words[1:])
	}
}

// readNumberFormat reads the format of a number (ECMA-376 part 1, 17.16.4.3.1) as one of
// ST_NumberFormat; "" where there is none.
func readNumberFormat(words []string) string {
	for i, w := range words {
		name, ok := strings.CutPrefix(w, `\*`)
		if ok && name == "" && i+1 < len(words) {
			name = words[i+1]
		}
		if !ok || name == "" {
			continue
		}
		isUpper := unicode.IsUpper(rune(name[0]))
		switch strings.ToLower(name) {
		case "arabic":
			return "decimal"
		case "roman":
			if isUpper {
				return "upperRoman"
			}
			return "lowerRoman"
		case "alphabetic":
			if isUpper {
				return "upperLetter"
			}
			return "lowerLetter"
		case "arabicdash":
			return "numberInDash"
		case "ordinal":
			return "ordinal"
		}
	}
	return ""
}

// momentOf is what DATE and TIME show (ECMA-376 part 1, 17.16.5.16 and 17.16.5.69): the
// moment by the picture behind \@, else the day or the time as the language writes it in
// short. A picture of a language that nobody knows has English names.
func momentOf(words []string, language string, now time.Time) string {
	picture := ""
	for i, w := range words {
		if rest, ok := strings.CutPrefix(w, `\@`); ok {
			if picture = rest; picture == "" && i+1 < len(words) {
				picture = words[i+1]
			}
			break
		}
	}
	if picture == "" {
		picture = shortPicture(strings.ToUpper(words[0]) == "TIME", language)
	}
	l, err := locale.Find(language)
	if err != nil {
		if l, err = locale.Find("en-US"); err != nil {
			return ""
		}
	}
	return formatDate(now, picture, l.Calendar())
}

// shortPicture is how a language writes a day or a time in short, as Word does where no
// picture is given; ISO 8601 for languages that are not listed.
func shortPicture(isTime bool, language string) string {
	base, _, _ := strings.Cut(language, "-")
	switch {
	case isTime && strings.EqualFold(language, "en-US"):
		return "h:mm am/pm"
	case isTime:
		return "HH:mm"
	case strings.EqualFold(language, "en-US"):
		return "M/d/yyyy"
	}
	switch strings.ToLower(base) {
	case "de", "pl", "cs", "ru", "uk", "tr", "fi", "nb", "nn", "no", "da", "ro":
		return "dd.MM.yyyy"
	case "en", "fr", "es", "it", "pt", "el", "vi":
		return "dd/MM/yyyy"
	case "nl":
		return "d-M-yyyy"
	}
	return "yyyy-MM-dd"
}

// brokenInWord is what Word says of a reference whose target is not there.
const brokenInWord = "Error! Reference source not found."

// brokenReference is the field whose result, in a text element, says that its target is
// not there; else nil.
func (r *resolver) brokenReference(e *etree.Element) *field {
	n := len(r.fields)
	if n == 0 || r.fields[n-1].format == nil || e.Tag != "t" || readText(e) != brokenInWord {
		return nil
	}
	return r.fields[n-1]
}

// splitInstruction splits an instruction at white space and at quotation marks; what
// stands between two marks is one word.
func splitInstruction(instruction string) []string {
	var words []string
	var word strings.Builder
	quoted := false
	finish := func() {
		if word.Len() > 0 || quoted {
			words = append(words, strings.TrimSpace(word.String()))
		}
		word.Reset()
	}
	for _, c := range instruction {
		switch {
		case strings.ContainsRune(`"“”`, c):
			finish()
			quoted = !quoted
		case unicode.IsSpace(c) && !quoted:
			finish()
		default:
			word.WriteRune(c)
		}
	}
	finish()
	return words
}

// readFieldLink reads what follows HYPERLINK (ECMA-376 part 1, 17.16.5.25).
func readFieldLink(words []string) *Link {
	link := &Link{}
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == `\l` && i+1 < len(words):
			i++
			link.Bookmark = words[i]
		case w == `\o`, w == `\t`, w == `\*`:
			i++ // the tip, the window or the format
		case strings.HasPrefix(w, `\`):
		case link.URL == "":
			link.URL = w
		}
	}
	if link.URL == "" && link.Bookmark == "" {
		return nil
	}
	if link.URL != "" && link.Bookmark != "" {
		link.URL += "#" + link.Bookmark
	}
	return link
}

// isInInstruction says whether some open field is still before its result, where
// nothing is shown.
func (r *resolver) isInInstruction() bool {
	for _, f := range r.fields {
		if !f.isInResult {
			return true
		}
	}
	return false
}

// findLiveField returns the outermost open field that computes its own result.
func (r *resolver) findLiveField() *field {
	for _, f := range r.fields {
		if f.live != TextItem {
			return f
		}
	}
	return nil
}
