package markdown

import (
	"bufio"
	"bytes"
	"errors"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"github.com/platenhq/platen/internal/template/rich"
)

// ErrTooLarge: a text is longer than MaxSize, or takes too long to read.
var ErrTooLarge = errors.New("the Markdown is too large")

// maxCost is about what a processor reads in a quarter of a second.
const maxCost = 150_000_000

// Read reads a text.
func Read(source string) (rich.Document, error) {
	source = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(source)
	if len(source) > MaxSize || Cost(source) > maxCost {
		return nil, ErrTooLarge
	}
	r := &reader{source: []byte(flatten(source))}
	r.blocks(markdown.Parser().Parse(text.NewReader(r.source)), place{})
	return r.made, nil
}

// markdown is CommonMark with two extensions of GitHub's. It is safe for concurrent use.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.Table))

// Cost is about how long reading takes at worst. For each mark that may open something,
// a parser may look through the rest of its paragraph, and for each sign between cells
// through the rest of its line.
func Cost(source string) int {
	cost, marks, size := 0, 0, 0
	for line := range strings.Lines(source) {
		cells := strings.Count(line, "|")
		cost += cells * len(line)
		if strings.TrimSpace(line) == "" {
			cost, marks, size = cost+marks*size, 0, 0
			continue
		}
		size, marks = size+len(line), marks+min(cells, 1)
		for i := range len(line) {
			if strings.IndexByte("*_~[]!<&`\\", line[i]) >= 0 {
				marks++
			}
		}
	}
	return cost + marks*size + len(source)
}

// flatten escapes a line that would nest quotes and lists deeper than anybody does: a
// parser takes the square of the time for them.
func flatten(source string) string {
	lines := strings.SplitAfter(source, "\n")
	for i, line := range lines {
		marks, at := 0, 0
		for at < len(line) && strings.IndexByte(" \t>-*+.)0123456789", line[at]) >= 0 {
			if strings.IndexByte(">-*+.)", line[at]) >= 0 {
				marks++
			}
			at++
		}
		isRule := strings.Trim(line[:at], " \t-*\n") == "" && strings.TrimSpace(line[at:]) == ""
		if marks > 4*maxDepth && !isRule {
			lines[i] = `\` + strings.TrimLeft(line, " \t")
		}
	}
	return strings.Join(lines, "")
}

// A reader collects the paragraphs of a text.
type reader struct {
	source []byte
	made   rich.Document
	lists  int
}

// A place is what stands around a block.
type place struct {
	quote int
	lists []rich.Level
}

func (r *reader) blocks(parent ast.Node, at place) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		r.block(n, at)
	}
}

func (r *reader) block(n ast.Node, at place) {
	switch n := n.(type) {
	case *ast.Heading:
		r.add(rich.Paragraph{Heading: n.Level, Runs: r.inline(n, rich.Run{}, nil)}, at)
	case *ast.Blockquote:
		at.quote = min(at.quote+1, maxDepth)
		r.blocks(n, at)
	case *ast.List:
		r.list(n, at)
	case *ast.ThematicBreak:
		r.add(rich.Paragraph{Rule: true}, at)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		r.add(rich.Paragraph{Runs: textRun(rich.Run{Text: r.lines(n), Code: true})}, at)
	case *ast.HTMLBlock:
		raw := r.lines(n)
		if n.HasClosure() {
			raw += "\n" + strings.TrimRight(string(n.ClosureLine.Value(r.source)), "\n")
		}
		r.add(rich.Paragraph{Runs: textRun(rich.Run{Text: strings.Trim(raw, "\n")})}, at)
	case *east.Table:
		r.table(n, at)
	default:
		if runs := r.inline(n, rich.Run{}, nil); len(runs) > 0 {
			r.add(rich.Paragraph{Runs: runs}, at)
		}
	}
}

// textRun is one run, or none without text.
func textRun(r rich.Run) []rich.Run {
	if r.Text == "" {
		return nil
	}
	return []rich.Run{r}
}

func (r *reader) add(p rich.Paragraph, at place) {
	p.Quote, p.Lists = at.quote, at.lists
	r.made = append(r.made, p)
}

// list reads a list. All of an entry that is no list itself is one paragraph: another one
// between entries would end the list, and its numbers would begin again.
func (r *reader) list(n *ast.List, at place) {
	if len(at.lists) < maxDepth {
		r.lists++
		at.lists = append(at.lists[:len(at.lists):len(at.lists)], rich.Level{ID: r.lists, Ordered: n.IsOrdered()})
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		entry := len(r.made)
		r.add(rich.Paragraph{}, at)
		for c := item.FirstChild(); c != nil; c = c.NextSibling() {
			if inner, is := c.(*ast.List); is {
				r.list(inner, at)
				continue
			}
			before := r.made
			r.made = nil
			r.block(c, at)
			own := r.made
			r.made = before
			if len(r.made) > entry+1 { // behind a nested list
				entry = len(r.made) - 1
			}
			r.made[entry].Runs = joinRuns(r.made[entry].Runs, own)
		}
		trimTabs(&r.made[entry])
	}
}

// joinRuns adds paragraphs to the text of one, each on a line of its own.
func joinRuns(runs []rich.Run, own []rich.Paragraph) []rich.Run {
	for _, p := range own {
		if len(runs) > 0 && len(p.Runs) > 0 {
			runs = append(runs, rich.Run{Text: "\n"})
		}
		for _, run := range p.Runs {
			run.Bold = run.Bold || p.Heading > 0
			runs = append(runs, run)
		}
	}
	return runs
}

// trimTabs takes tabs off the beginning: they say how deep an entry is nested.
func trimTabs(p *rich.Paragraph) {
	for len(p.Runs) > 0 {
		if p.Runs[0].Text = strings.TrimLeft(p.Runs[0].Text, "\t"); p.Runs[0].Text != "" {
			return
		}
		p.Runs = p.Runs[1:]
	}
}

// table reads a table as a paragraph for each row, with tabs between its cells.
func (r *reader) table(n *east.Table, at place) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		_, heads := row.(*east.TableHeader)
		var runs []rich.Run
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if cell != row.FirstChild() {
				runs = append(runs, rich.Run{Text: "\t"})
			}
			runs = r.inline(cell, rich.Run{Bold: heads}, runs)
		}
		r.add(rich.Paragraph{Runs: runs}, at)
	}
}

// lines are those of a block of code or HTML, as they were written.
func (r *reader) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(r.source))
	}
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), "\t", "    "), "\n")
}

// inline adds the text of a block's children, in this style.
func (r *reader) inline(parent ast.Node, style rich.Run, runs []rich.Run) []rich.Run {
	add := func(text string, style rich.Run) {
		if text == "" {
			return
		}
		if n := len(runs); n > 0 {
			last := runs[n-1]
			if last.Text = ""; last == style {
				runs[n-1].Text += text
				return
			}
		}
		style.Text = text
		runs = append(runs, style)
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		own := style
		switch n := n.(type) {
		case *ast.Text:
			add(r.written(n.Segment.Value(r.source), n.IsRaw()), own)
			switch {
			case n.HardLineBreak():
				add("\n", own)
			case n.SoftLineBreak():
				add(" ", own)
			}
		case *ast.String:
			add(string(n.Value), own)
		case *ast.Emphasis:
			own.Bold, own.Italic = own.Bold || n.Level > 1, own.Italic || n.Level == 1
			runs = r.inline(n, own, runs)
		case *east.Strikethrough:
			own.Strike = true
			runs = r.inline(n, own, runs)
		case *ast.CodeSpan:
			own.Code = true
			add(r.code(n), own)
		case *ast.Link:
			own.Link = html.UnescapeString(string(n.Destination))
			runs = r.inline(n, own, runs)
		case *ast.AutoLink:
			own.Link = html.UnescapeString(string(n.URL(r.source)))
			if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(own.Link), "mailto:") {
				own.Link = "mailto:" + own.Link
			}
			add(html.UnescapeString(string(n.Label(r.source))), own)
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				segment := n.Segments.At(i)
				add(strings.ReplaceAll(string(segment.Value(r.source)), "\n", " "), own)
			}
		default: // of a picture, what it shows
			runs = r.inline(n, own, runs)
		}
	}
	return runs
}

// code is a code span: what its line feeds were are spaces.
func (r *reader) code(n *ast.CodeSpan) string {
	var b bytes.Buffer
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, is := c.(*ast.Text); is {
			b.Write(t.Segment.Value(r.source))
		}
	}
	return strings.NewReplacer("\n", " ", "\t", "    ").Replace(b.String())
}

// written is what a text means: without the backslashes of escapes, with the characters
// of entities. The writer of HTML knows both, and what it escapes is undone.
func (r *reader) written(raw []byte, verbatim bool) string {
	if verbatim || bytes.IndexByte(raw, '\\') < 0 && bytes.IndexByte(raw, '&') < 0 {
		return strings.ReplaceAll(string(raw), "\t", " ")
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	ghtml.DefaultWriter.Write(w, raw)
	_ = w.Flush() // a buffer takes all
	return strings.ReplaceAll(html.UnescapeString(b.String()), "\t", " ")
}
