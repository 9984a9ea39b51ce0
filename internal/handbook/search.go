package handbook

import (
	"cmp"
	"html/template"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxQuery = 100 // bytes of a query that are looked at
	maxWords = 12
	maxHits  = 30
	// around is how many bytes of text stand on each side of the first word found.
	around = 90
)

// A hit is a section that answers a query.
type hit struct {
	Path, ID, Page, Title string
	Text                  template.HTML // with the words marked
}

// problemType is the prefix of the type of API errors. A search for a pasted type is a
// search for its code.
const problemType = "urn:platen:problem:"

func (b *book) search(log *slog.Logger, w http.ResponseWriter, r *http.Request) {
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	b.write(log, w, r, http.StatusOK, view{Title: "Search", Query: query, Searched: true, Found: b.find(strings.TrimPrefix(query, problemType))})
}

// A wanted is a word of a query: its term, and those that mean nearly the same.
type wanted struct {
	term  string
	alike []string
}

// wants reads a query. Words that every question has count only where there is no other.
func (b *book) wants(query string) (all []wanted) {
	query = spelled.Replace(query)
	words := wordsOf(query, b.vocabulary.of)
	words = words[:min(len(words), maxWords)]
	add := func(term string, alike ...string) {
		if !slices.ContainsFunc(all, func(w wanted) bool { return w.term == term }) {
			all = append(all, wanted{term, alike})
		}
	}
	for _, sparing := range []bool{true, false} {
		for i, one := range words {
			if sparing && common[strings.ToLower(query[one.from:one.to])] {
				continue
			}
			terms := one.terms[:1]
			if len(one.terms) > 1 && b.sections[one.terms[0]] == 0 { // a name that is nowhere
				terms = one.terms[1:]
			}
			for _, term := range terms {
				others := slices.Clone(alike[term])
				if i+1 < len(words) { // back up, log in
					joined := stem(query[one.from:one.to] + query[words[i+1].from:words[i+1].to])
					others = append(append(others, joined), alike[joined]...)
				}
				add(term, others...)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

type scored struct {
	page    *page
	section *section
	score   float64
}

// find returns the sections that answer a query, the best first.
func (b *book) find(query string) (found []hit) {
	wants := b.wants(query)
	if len(wants) == 0 {
		return nil
	}
	var all []scored
	for _, p := range b.pages {
		for i := range p.sections {
			if score := b.score(p, &p.sections[i], wants); score > 0 {
				all = append(all, scored{p, &p.sections[i], score})
			}
		}
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.page.path, b.page.path), strings.Compare(a.section.ID, b.section.ID))
	})
	for _, one := range all[:min(len(all), maxHits)] {
		found = append(found, hit{Path: one.page.path, ID: one.section.ID, Page: one.page.title, Title: one.section.Title, Text: snippet(one.section.text, b.vocabulary, wants)})
	}
	return found
}

const (
	// ofHeading and ofTitle are how much a word counts in a section's heading and in the
	// title of its page; in its text it counts 1 at most.
	ofHeading, ofTitle = 3.0, 1.0
	// ofAlike is how much a word counts that means nearly the same.
	ofAlike = 0.5
	// usual is how many words a section has.
	usual = 120
)

// weight is how much a word tells: one that few sections have tells most.
func (b *book) weight(term string) float64 {
	return math.Log(1 + float64(b.total)/float64(1+b.sections[term]))
}

// score is how well a section answers; 0: it lacks too much. A section with each of the
// words is better than one with some of them.
func (b *book) score(p *page, s *section, wants []wanted) float64 {
	var sum, has, of float64
	headed := 0
	for _, w := range wants {
		weight := b.weight(w.term)
		of += weight
		best := s.value(p, w.term) * weight
		if s.heads[w.term] {
			headed++
		}
		for _, other := range w.alike {
			best = max(best, ofAlike*s.value(p, other)*min(weight, b.weight(other)))
		}
		if best > 0 {
			sum += best
			has += weight
		}
	}
	if has < 0.6*of {
		return 0
	}
	sum *= (has / of) * (has / of)
	if headed == len(wants) && headed == len(s.heads) {
		sum *= 2 // it is what was asked for, word by word
	}
	return sum * p.counts(headed > 0, s == &p.sections[0] || slices.ContainsFunc(wants, func(w wanted) bool { return strings.Contains(w.term, "_") && s.heads[w.term] }))
}

// value is how much a section says of a term.
func (s *section) value(p *page, term string) float64 {
	n := float64(s.terms[term])
	v := n / (n + 0.5 + float64(s.length)/usual)
	if s.heads[term] {
		v += ofHeading / math.Sqrt(float64(max(1, len(s.heads))))
	}
	if p.heads[term] {
		v += ofTitle / math.Sqrt(float64(max(1, len(p.heads))))
	}
	return v
}

// counts is how much sections of a page count. A list for those who develop Platen
// counts less than a page for those who use it. An error counts less, too, if its code is not what
// was asked for. Pages that a program writes are not found, but a command by its name.
func (p *page) counts(named, coded bool) float64 {
	switch p.path {
	case "bad-inputs", "conformance":
		return 0
	case "commands":
		if !named {
			return 0
		}
		return 0.7
	case "benchmarks", "testing":
		return 0.5
	case "errors":
		if !coded {
			return 0.3
		}
	}
	return 1
}

// snippet is the text around the first word that was asked for, with all of them marked.
func snippet(text string, known vocabulary, wants []wanted) template.HTML {
	asked, near := map[string]bool{}, map[string]bool{}
	for _, w := range wants {
		asked[w.term] = true
		for _, other := range w.alike {
			near[other] = true
		}
	}
	words := wordsOf(text, known.of)
	at := func(of map[string]bool) int {
		return slices.IndexFunc(words, func(w word) bool { return slices.ContainsFunc(w.terms, func(t string) bool { return of[t] }) })
	}
	first := at(asked)
	if first < 0 {
		first = at(near)
	}
	if first < 0 {
		return template.HTML(template.HTMLEscapeString(clip(text, 0, 2*around)))
	}
	from := max(0, words[first].from-around)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	if space := strings.IndexByte(text[from:words[first].from+1], ' '); from > 0 && space >= 0 {
		from += space + 1
	}
	return marked(text, from, clipEnd(text, from, words[first].from+2*around), words, func(w word) bool {
		return slices.ContainsFunc(w.terms, func(t string) bool { return asked[t] || near[t] })
	})
}

// marked is a part of a text with words in it marked.
func marked(text string, from, to int, words []word, is func(word) bool) template.HTML {
	var b strings.Builder
	if from > 0 {
		b.WriteString("… ")
	}
	at := from
	for _, w := range words {
		if w.from < from || w.to > to || !is(w) {
			continue
		}
		template.HTMLEscape(&b, []byte(text[at:w.from]))
		b.WriteString("<mark>")
		template.HTMLEscape(&b, []byte(text[w.from:w.to]))
		b.WriteString("</mark>")
		at = w.to
	}
	template.HTMLEscape(&b, []byte(text[at:to]))
	if to < len(text) {
		b.WriteString(" …")
	}
	return template.HTML(b.String()) //nolint:gosec // all parts are escaped
}

// clip is text between two bytes, as clipEnd ends it.
func clip(text string, from, to int) string {
	to = clipEnd(text, from, to)
	if to == len(text) {
		return text[from:]
	}
	return text[from:to] + " …"
}

// clipEnd is where a text that is to end at a byte is cut: between words, and a word that
// is longer than that at whole letters.
func clipEnd(text string, from, to int) int {
	if to >= len(text) {
		return len(text)
	}
	if space := strings.LastIndexByte(text[from:to], ' '); space > 0 {
		to = from + space
	}
	for to > from && !utf8.RuneStart(text[to]) {
		to--
	}
	return to
}
