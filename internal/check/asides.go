package check

import (
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/merge"
)

// An aside belongs to a passage and stands beside its text: the address of a
// link, the description of a picture.
type aside struct {
	// first and passage are the numbers of the passages that its paragraph
	// begins and ends with.
	first, passage int
	where, text    string
	// stays says why nothing fills the tags in it; empty where they are filled.
	stays string
}

const (
	notReplaced = "Nothing fills the tags in a description. A picture is replaced by another where its description is one tag and nothing else, such as {{image Logo}}, and it stands in the line of text or on a slide."
	notInFrames = "Nothing fills the address of a link here; of text in the body, a table, a header, a footer, a footnote and on a slide it is filled."
	// maxAround is how many of the blocks around an aside are looked at.
	maxAround = 8
)

// behind is the position of an aside: after what stands in its passage.
func (s story) behind(n int, a aside, offset int) position {
	before := 0
	if a.passage < len(s.passages) {
		before = len(s.passages[a.passage].text)
	}
	return position{n, a.passage, before + 1 + offset}
}

// beside are the mistakes of a story's asides. Names in an address may be those
// of the items of blocks around it, so it is inspected inside of their tags.
func (f *foreigners) beside(s story, n int) []Finding {
	var findings []Finding
	blocks := s.blocksAround()
	for i, a := range s.asides {
		if len(findings) >= maxFindings {
			break
		}
		if a.stays != "" {
			if tags := merge.Parse(a.text); len(tags) > 0 {
				issue := merge.Issue{Around: excerpt(a.text, tags[0].Start), Fault: merge.Fault{Code: "tag_not_filled", Tag: tags[0].Text, Message: a.stays}}
				findings = append(findings, found(issue, a.where, s.behind(n, a, tags[0].Start)))
			}
			continue
		}
		issues, explained := f.in([]string{a.text})
		for _, issue := range merge.Inspect([]string{blocks[i].open, a.text, blocks[i].end}, f.fields) {
			if issue.Text != 1 || f.fields == nil && issue.Code == "unknown_field" {
				continue
			}
			if issue.Text = 0; !isExplained(issue, explained) {
				issues = append(issues, cured(issue))
			}
		}
		for _, issue := range issues {
			findings = append(findings, found(issue, a.where, s.behind(n, a, issue.Offset)))
		}
	}
	return findings
}

// around are the tags that open the blocks around a place, and that end them.
type around struct{ open, end string }

// blocksAround are, for each aside, the blocks that stand around the whole of
// its paragraph, or go on behind it: one that begins and ends in the paragraph
// gives no names to addresses.
func (s story) blocksAround() []around {
	all := make([]around, len(s.asides))
	outer := make([][]opened, len(s.asides))
	e := merge.NewEvaluator(nil, merge.Builtins{})
	var open []opened
	begun, done := 0, 0
	for i := 0; done < len(s.asides); i++ {
		for ; begun < len(s.asides) && s.asides[begun].first <= i; begun++ {
			outer[begun] = slices.Clone(open[max(0, len(open)-maxAround):])
		}
		if i < len(s.passages) {
			open = readBlocks(e, open, s.passages[i].text, i)
		}
		for ; done < begun && s.asides[done].passage <= i; done++ {
			from, _ := slices.BinarySearchFunc(open, s.asides[done].first, func(o opened, first int) int { return o.passage - first })
			all[done] = tagsOf(append(outer[done], open[max(from, len(open)-maxAround):]...))
		}
	}
	return all
}

// opened is a block that is open, and the passage in which it began.
type opened struct {
	*merge.Statement
	passage int
}

func readBlocks(e *merge.Evaluator, open []opened, text string, passage int) []opened {
	for _, tag := range merge.Parse(text) {
		st := e.Read(tag)
		switch last := len(open) - 1; {
		case st.Opens():
			open = append(open, opened{st, passage})
		case st.Ends() && last >= 0 && st.Closes(open[last].Statement):
			open = open[:last]
		}
	}
	return open
}

func tagsOf(blocks []opened) around {
	var a around
	for _, o := range blocks {
		a.open += o.Tag
		if o.Kind == merge.Each {
			a.end = "{{/each}}" + a.end
		} else {
			a.end = "{{/if}}" + a.end
		}
	}
	return a
}

// asked are the texts that data is asked for by: those of the passages, and of
// the asides that are filled, inside tags of the blocks around them.
func (s story) asked() []string {
	texts := s.texts()
	for i, a := range s.blocksAround() {
		if s.asides[i].stays == "" {
			texts = append(texts, a.open+s.asides[i].text+a.end)
		}
	}
	return texts
}

// linked is what stands at an address of the template that has braces, as
// filling reads it.
func linked(address string) (text string, ok bool) {
	line, _ := merge.NewEvaluator(nil, merge.Builtins{}).Target(address)
	if line == nil {
		return "", false
	}
	return line.Text, true
}

// described is an aside for a description that is not replaced as a whole.
func described(where string, texts ...string) []aside {
	for _, text := range texts {
		if strings.Contains(text, "{{") {
			return []aside{{where: where + ", description of a picture", text: text, stays: notReplaced}}
		}
	}
	return nil
}
