package handbook

import (
	"cmp"
	"html/template"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxQuery = 100 // bytes of a query that are looked at
	maxWords = 8
	maxHits  = 30
	// around is how many bytes of text stand on each side of the first word found.
	around = 90
)

// A hit is a section in which all words of a query are.
type hit struct {
	Path, ID, Page, Title string
	Text                  template.HTML // with the words marked
}

// problemType is what the type of an error of the API begins with. Whoever pastes one
// looks for its code.
const problemType = "urn:platen:problem:"

func (b *book) search(log *slog.Logger, w http.ResponseWriter, r *http.Request) {
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	words := strings.Fields(strings.ToLower(strings.TrimPrefix(query, problemType)))
	b.write(log, w, r, http.StatusOK, view{Title: "Search", Query: query, Searched: true, Found: b.find(words[:min(len(words), maxWords)])})
}

// find returns the sections that have all words, the best first.
func (b *book) find(words []string) (found []hit) {
	if len(words) == 0 {
		return nil
	}
	type scored struct {
		page    *page
		section *section
		score   int
	}
	var all []scored
	for _, p := range b.pages {
		for i := range p.sections {
			if score := p.score(&p.sections[i], words); score > 0 {
				all = append(all, scored{p, &p.sections[i], score})
			}
		}
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(b.score-a.score, strings.Compare(a.page.path, b.page.path), strings.Compare(a.section.ID, b.section.ID))
	})
	for _, one := range all[:min(len(all), maxHits)] {
		found = append(found, hit{Path: one.page.path, ID: one.section.ID, Page: one.page.title, Title: one.section.Title, Text: snippet(one.section.text, words)})
	}
	return found
}

// score is how well a section answers; 0: a word is missing. Words of a heading count most.
// A decision counts less than what it led to, and a flag of a command less than the page
// that explains it.
func (p *page) score(s *section, words []string) (sum int) {
	named := false
	for _, word := range words {
		score := min(strings.Count(s.lowerText, word), 3)
		if strings.Contains(s.lowerTitle, word) {
			score += 10
			named = true
		}
		if s.lowerTitle == word {
			score += 20
		}
		if score == 0 && !strings.Contains(p.lowerTitle, word) {
			return 0
		}
		sum += score
	}
	if strings.HasPrefix(p.path, "decisions/") || p.path == "commands" && !named {
		return (sum + 3) / 4
	}
	return sum * 2
}

// snippet is the text around the first word, with all words marked.
func snippet(text string, words []string) template.HTML {
	lower := strings.ToLower(text)
	first := -1
	for _, word := range words {
		if at := strings.Index(lower, word); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	if first < 0 || len(lower) != len(text) { // some letters change their length
		return template.HTML(template.HTMLEscapeString(clip(text, 0, 2*around)))
	}
	from := max(0, first-around)
	if space := strings.IndexByte(text[from:first+1], ' '); from > 0 && space >= 0 {
		from += space + 1
	}
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	part := clip(text, from, first+2*around)
	var b strings.Builder
	if from > 0 {
		b.WriteString("… ")
	}
	lower = strings.ToLower(part)
	for at := 0; at < len(part); {
		next, length := len(part), 0
		for _, word := range words {
			if i := strings.Index(lower[at:], word); i >= 0 && at+i < next {
				next, length = at+i, len(word)
			}
		}
		template.HTMLEscape(&b, []byte(part[at:next]))
		if length > 0 {
			b.WriteString("<mark>")
			template.HTMLEscape(&b, []byte(part[next:next+length]))
			b.WriteString("</mark>")
		}
		at = next + length
	}
	return template.HTML(b.String()) //nolint:gosec // all parts are escaped
}

// clip is text between two bytes, cut between words; a word that is longer than that at
// whole letters.
func clip(text string, from, to int) string {
	if to >= len(text) {
		to = len(text)
	} else if space := strings.LastIndexByte(text[from:to], ' '); space > 0 {
		to = from + space
	}
	for to < len(text) && to > from && !utf8.RuneStart(text[to]) {
		to--
	}
	if to == len(text) {
		return text[from:]
	}
	return text[from:to] + " …"
}
