package repository

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// medianWords is what half of a document's sentences may exceed at most. Vale holds
// the longest to 30 words: test/tools/prose.
const medianWords = 16

// The median sentence of each document has 16 words at most. With -v it prints how
// long the sentences of each are.
func TestSentencesAreShort(t *testing.T) {
	t.Parallel()
	var all []int
	for _, file := range documents(t) {
		var words []int
		for _, sentence := range sentences(withoutCode(t, file)) {
			if n := len(word.FindAllString(sentence, -1)); n > 2 && !date.MatchString(sentence) {
				words = append(words, n)
			}
		}
		slices.Sort(words)
		if len(words) == 0 {
			t.Errorf("%s has no sentence", file)
			continue
		}
		all = append(all, words...)
		median := words[len(words)/2]
		t.Logf("%-38s %5d sentences, median %2d words, longest %2d", file, len(words), median, words[len(words)-1])
		if median > medianWords {
			t.Errorf("half of the sentences of %s have more than %d words, want %d at most", file, median, medianWords)
		}
	}
	slices.Sort(all)
	t.Logf("%-38s %5d sentences, median %2d words, longest %2d", "all", len(all), all[len(all)/2], all[len(all)-1])
}

func TestSentencesEndAtTheirStop(t *testing.T) {
	t.Parallel()
	got := sentences("# Not a heading\n\nOne is here, e.g. this. Two has 1.32.1\nwithin it; see [a link](x.md).\n\n| no | table |\n\n- Three is an item\n  of two lines.\n- Four\n")
	want := []string{"One is here, e.g. this.", "Two has 1.32.1 within it; see a link.", "Three is an item of two lines.", "Four"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

var (
	// date is that of a decision. It is no sentence, and neither are labels such as "Cure.".
	date = regexp.MustCompile(`^Date: `)

	word   = regexp.MustCompile(`\S*[\p{L}\p{N}]\S*`)
	stop   = regexp.MustCompile(`[.!?]["”)*_]*\s+(?:[^\p{Ll}\s]|x\b)`)
	item   = regexp.MustCompile(`^(?:[-*]|\d+\.)\s+`)
	linked = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// sentences are those of the paragraphs and items of a page without its code, which
// withoutCode leaves as one x each. Headings and tables have none.
func sentences(page string) []string {
	var out []string
	paragraph := ""
	flush := func() {
		for {
			at := stop.FindStringIndex(paragraph)
			if at == nil {
				break
			}
			end := strings.LastIndexAny(paragraph[:at[1]-1], " \t")
			out = append(out, strings.TrimSpace(paragraph[:end]))
			paragraph = strings.TrimSpace(paragraph[end:])
		}
		if word.MatchString(paragraph) {
			out = append(out, paragraph)
		}
		paragraph = ""
	}
	for line := range strings.Lines(linked.ReplaceAllString(page, "$1")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.ContainsRune("#|<", rune(line[0])) {
			flush()
			continue
		}
		if item.MatchString(line) {
			flush()
			line = item.ReplaceAllString(line, "")
		}
		paragraph = strings.TrimSpace(paragraph + " " + line)
	}
	flush()
	return out
}
