package check

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A form is how tags are written that look like ours, or that are another
// system's: what it is called, and what it would be here, "" where nothing is.
type form struct {
	pattern *regexp.Regexp
	code    string
	message string
	cure    func(parts []string) string
	// shy forms also occur in texts that mean no tag: they count only in a
	// template without a tag of ours, or where they name a source field.
	shy bool
}

// forms are tried from the first to the last; a place is explained once.
func forms() []form {
	return []form{
		{pattern: regexp.MustCompile(`\{\s+\{\s*([^{}]{1,200}?)\s*\}\s*\}|\{\{\s*([^{}]{1,200}?)\s*\}\s+\}`), code: "tag_broken",
			message: "White space parts the braces of this tag: nothing would fill it.", cure: writeTag},
		{pattern: regexp.MustCompile(`(?:｛\s?[｛{]|\{｛)\s*([^{}｛｝]{1,200}?)\s*[｝}]\s?[｝}]`), code: "tag_broken",
			message: "These are full-width braces: nothing would fill this tag.", cure: writeTag},
		{pattern: regexp.MustCompile(`\{\{\s*([^{}]{1,200}?)\s*\}(?:[^}]|$)`), code: "tag_not_closed",
			message: "This tag is closed by one brace instead of two.", cure: writeTag},
		{pattern: regexp.MustCompile(`\{\s*([^{}]{1,200}?)\s*\}\}`), code: "tag_not_opened",
			message: "This tag is opened by one brace instead of two.", cure: writeTag},
		{pattern: regexp.MustCompile(`\{%[-+]?\s*(?:(?:tr|tc|p|r)\s+)?([^{}%]{1,200}?)\s*[-+]?%\}`), code: "foreign_tag",
			message: "This is a statement of Jinja, as docxtpl has them; here it would stay as it is.", cure: ofJinja},
		{pattern: regexp.MustCompile(`\{#[^{}#]{0,200}#\}`), code: "foreign_tag",
			message: "This is a comment of Jinja; here it would stay in every output: take it out."},
		{pattern: regexp.MustCompile(`\+\+\+\s*([^+\n]{1,200}?)\s*\+\+\+`), code: "foreign_tag",
			message: "This is a command of docx-templates; here it would stay as it is.", cure: ofCommand},
		{pattern: regexp.MustCompile(`\$\{\s*([^{}]{1,200}?)\s*\}`), code: "foreign_tag",
			message: "This is a placeholder of another system, such as XDocReport or PHPWord; here it would stay as it is.", cure: writeTag},
		{pattern: regexp.MustCompile(`<<\[?\s*([\pL_/][^<>]{0,200}?)\s*\]?>>`), code: "foreign_tag",
			message: "This is a field of another system, such as Aspose or Docmosis; here it would stay as it is.", cure: writeTag, shy: true},
		{pattern: regexp.MustCompile(`(?i)\{ MERGEFIELD\s*"?([^"\\{}]{1,200}?)"?\s*(?:\\[^{}]{0,200})?\}`), code: "foreign_tag",
			message: "This is a merge field of a word processor's mail merge; here its last result would stay in every output.", cure: writeTag},
		{pattern: regexp.MustCompile(`(?i)\{ (?:ADDRESSBLOCK|GREETINGLINE|MERGEREC|MERGESEQ|DATABASE)\b[^{}]{0,400}\}`), code: "foreign_tag",
			message: "This is a field of a word processor's mail merge; here its last result would stay in every output: write the text with tags."},
		{pattern: regexp.MustCompile(`«([A-Za-z_][A-Za-z0-9_]*)»`), code: "foreign_tag",
			message: "This is a merge field of a word processor's mail merge; here it would stay as it is.", cure: writeTag, shy: true},
		{pattern: regexp.MustCompile(`\{([dc])\.([^{}]{1,200}?)\}`), code: "foreign_tag",
			message: "This is a tag of Carbone; here it would stay as it is.", cure: ofCarbone},
		{pattern: regexp.MustCompile(`\{([#/^@%])\s*([\pL_$][\pL\pN_.$ -]{0,100}?)\s*\}`), code: "foreign_tag",
			message: "This is a tag of docxtemplater; here it would stay as it is.", cure: ofDocxtemplater},
		{pattern: regexp.MustCompile(`\{\s*([\pL_$][\pL\pN_.$]{0,100})\s*\}`), code: "foreign_tag",
			message: "This looks like a tag of another system, such as docxtemplater; here it would stay as it is.", cure: writeTag, shy: true},
	}
}

// writeTag writes the name that was found as a tag of ours.
func writeTag(parts []string) string {
	for _, p := range parts {
		if p != "" {
			return "{{" + p + "}}"
		}
	}
	return ""
}

func ofJinja(parts []string) string {
	word, rest, _ := strings.Cut(parts[0], " ")
	switch word {
	case "for":
		if _, list, ok := strings.Cut(rest, " in "); ok {
			return "{{#each " + strings.TrimSpace(list) + "}}"
		}
	case "if":
		return "{{#if " + rest + "}}"
	case "elif":
		return "{{else if " + rest + "}}"
	case "else":
		return "{{else}}"
	case "endif":
		return "{{/if}}"
	case "endfor":
		return "{{/each}}"
	}
	return ""
}

func ofCommand(parts []string) string {
	word, rest, _ := strings.Cut(parts[0], " ")
	switch strings.ToUpper(word) {
	case "INS", "=":
		return "{{" + rest + "}}"
	case "FOR":
		if _, list, ok := strings.Cut(rest, " IN "); ok {
			return "{{#each " + strings.TrimSpace(list) + "}}"
		}
	case "IF":
		return "{{#if " + rest + "}}"
	case "END-IF":
		return "{{/if}}"
	case "END-FOR":
		return "{{/each}}"
	case "IMAGE":
		return "{{image " + rest + "}}"
	}
	return ""
}

func ofCarbone(parts []string) string {
	name, _, _ := strings.Cut(parts[1], ":")
	name = strings.NewReplacer("[i]", "", "[i+1]", "").Replace(name)
	return "{{" + strings.TrimSpace(name) + "}}"
}

func ofDocxtemplater(parts []string) string {
	switch name := parts[1]; parts[0] {
	case "#":
		return "{{#each " + name + "}}"
	case "^":
		return "{{#if not " + name + "}}"
	case "%":
		return "{{image " + name + "}}"
	case "/":
		return "{{/each}}"
	default:
		return "{{" + name + "}}"
	}
}

// A stretch of a passage that is explained.
type stretch struct{ passage, from, to int }

// foreigners finds what looks like a tag and is none of ours.
type foreigners struct {
	forms  []form
	fields []string        // nil: not known
	empty  []string        // those that have nothing in them
	known  map[string]bool // the fields in one case
	own    bool            // the template has tags of ours
	asked  int             // names that were looked for among the fields
	number func(series string) (int64, bool)
}

// maxAsked bounds the search for nearest names.
const maxAsked = 100

func newForeigners(t *Template, fields, empty []string) *foreigners {
	f := &foreigners{forms: forms(), fields: fields, empty: empty, known: map[string]bool{}, number: t.number()}
	for _, name := range fields {
		f.known[simplify(name)] = true
	}
	for _, s := range t.stories {
		// A setting such as the output's name has tags of ours by default.
		f.own = f.own || !s.added && slices.ContainsFunc(s.passages, func(p passage) bool { return len(syntax.Parse(p.text)) > 0 })
	}
	return f
}

func simplify(name string) string { return strings.ToLower(syntax.Canonical(name)) }

// findForeign looks through a story and returns what it found with the
// stretches that are explained by it.
func (f *foreigners) findForeign(texts []string) (findings []lang.Finding, explained []stretch) {
	for i, text := range texts {
		if len(findings) >= maxFindings {
			break
		}
		if !strings.ContainsAny(text, "{}｛｝«+<") {
			continue
		}
		covered := f.findTags(i, text, &findings)
		if s, ok := f.findParted(i, texts, &findings); ok {
			covered = append(covered, s[0])
			explained = append(explained, s[1])
		}
		// What is ours, or explained, is nothing else.
		rest := []byte(text)
		blank := func(from, to int) {
			for at := from; at < to; at++ {
				rest[at] = 0
			}
		}
		for _, tag := range syntax.Parse(text) {
			blank(tag.Start, tag.End)
		}
		for _, s := range append(covered, explained...) {
			if s.passage == i {
				blank(s.from, s.to)
			}
		}
		for _, form := range f.forms {
			for _, at := range form.pattern.FindAllSubmatchIndex(rest, maxFindings) {
				if found, ok := f.recognize(i, text, rest, at, form); ok {
					findings = append(findings, found)
					covered = append(covered, stretch{i, at[0], at[1]})
				}
			}
			for _, s := range covered {
				blank(s.from, s.to)
			}
		}
		explained = append(explained, covered...)
	}
	return findings, explained
}

// recognize says what a form found, unless it is no tag of any system: one around
// nothing is none.
func (f *foreigners) recognize(i int, text string, rest []byte, at []int, form form) (lang.Finding, bool) {
	if slices.Contains(rest[at[0]:at[1]], 0) {
		return lang.Finding{}, false
	}
	parts := make([]string, 0, len(at)/2)
	for n := 2; n < len(at); n += 2 {
		part := ""
		if at[n] >= 0 {
			part = text[at[n]:at[n+1]]
		}
		parts = append(parts, part)
	}
	if len(parts) > 0 && !slices.ContainsFunc(parts, func(p string) bool { return syntax.Canonical(p) != "" }) {
		return lang.Finding{}, false
	}
	name := ""
	if len(parts) > 0 {
		name = parts[len(parts)-1]
	}
	if form.shy && f.own && !f.known[simplify(name)] {
		return lang.Finding{}, false
	}
	found := lang.Finding{Code: form.code, Tag: text[at[0]:at[1]], Message: form.message, Place: lang.PlaceIn(text, i, at[0])}
	if form.cure != nil {
		found.Nearest = f.findCure(form.cure(parts))
	}
	return found, true
}

// findCure returns the cure, with the source's name in place of one that it does not
// have.
func (f *foreigners) findCure(cure string) []string {
	name := strings.TrimSuffix(strings.TrimPrefix(cure, "{{"), "}}")
	if cure == "" {
		return nil
	}
	if f.fields == nil || f.known[simplify(name)] || strings.ContainsAny(name[:1], "#/=") || f.asked >= maxAsked {
		return []string{cure}
	}
	f.asked++
	for _, found := range lang.MatchNames([]string{cure}, f.fields) {
		if !found.Filled && len(found.Nearest) > 0 {
			return []string{"{{" + found.Nearest[0] + "}}"}
		}
	}
	return []string{cure}
}

var docxtplTag = regexp.MustCompile(`^(?:r|p|tr|tc) [\pL_]\S*$`)

// findTags looks at tags that are written as ours and mean something elsewhere.
func (f *foreigners) findTags(i int, text string, findings *[]lang.Finding) (covered []stretch) {
	for _, tag := range syntax.Parse(text) {
		if f.known[simplify(tag.Name)] {
			continue
		}
		from, to, message, cure := tag.Start, tag.End, "", ""
		switch {
		case from > 0 && text[from-1] == '{' && to < len(text) && text[to] == '}':
			from, to = from-1, to+1
			message, cure = "Three braces leave one on each side of the value: two are enough.", tag.Text
		case strings.ContainsAny(tag.Name[:1], "^>!&~*"):
			message, cure = "This is a tag of Mustache or Handlebars and means nothing here.", ofMustache(tag.Name)
		case tag.Name[0] != '=' && tag.Name[0] != '#' && strings.Contains(tag.Name, "|"):
			name, _, _ := strings.Cut(tag.Name, "|")
			message, cure = "There are no filters here, as Jinja and Liquid have them: write a formula with a function.", "{{"+cmp.Or(lang.FormulaFor(tag.Name), strings.TrimSpace(name))+"}}"
		case docxtplTag.MatchString(tag.Name):
			_, name, _ := strings.Cut(tag.Name, " ")
			message, cure = "This is a tag of docxtpl: the letters before the name mean nothing here.", "{{"+name+"}}"
		default:
			continue
		}
		*findings = append(*findings, lang.Finding{
			Code: "foreign_tag", Tag: text[from:to], Message: message, Nearest: f.findCure(cure),
			Place: lang.PlaceIn(text, i, from),
		})
		covered = append(covered, stretch{i, from, to})
	}
	return covered
}

func ofMustache(name string) string {
	rest := strings.TrimSpace(name[1:])
	switch {
	case name[0] == '^' && rest != "":
		return "{{#if not " + rest + "}}"
	case name[0] == '&' && rest != "":
		return "{{" + rest + "}}"
	}
	return ""
}

// findParted finds the tag that begins in a passage and ends in the next one: a
// break, a picture or a field stands inside it.
func (f *foreigners) findParted(i int, texts []string, findings *[]lang.Finding) (covered [2]stretch, ok bool) {
	if i+1 == len(texts) {
		return covered, false
	}
	text, next := texts[i], texts[i+1]
	open, end := strings.LastIndex(text, "{{"), strings.Index(next, "}}")
	if open < 0 || end < 0 || strings.Contains(text[open:], "}") || strings.ContainsAny(next[:end], "{}") {
		return covered, false
	}
	whole := strings.TrimSpace(text[open:]) + " " + strings.TrimSpace(next[:end+2])
	if len(syntax.Parse(whole)) != 1 {
		return covered, false
	}
	*findings = append(*findings, lang.Finding{
		Code: "tag_broken", Tag: text[open:], Nearest: f.findCure("{{" + syntax.Canonical(strings.Trim(whole, "{}")) + "}}"),
		Message: "This tag is broken in two, by a line or paragraph break, a picture or a field inside it: nothing would fill it.",
		Place:   lang.PlaceIn(text, i, open),
	})
	return [2]stretch{{i, open, len(text)}, {i + 1, 0, end + 2}}, true
}
