package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// end stands where an action of a template begins, ends or divides a text.
const end = "\ue000"

var (
	action = regexp.MustCompile(`(?s)\{\{-?\s*((?:"[^"]*"|[^"])*?)\s*-?\}\}`)
	choice = regexp.MustCompile(`^(if|with|range|else|end|define|block|template)\b|^/\*|:=`)
	words  = regexp.MustCompile(`\pL{2}.*\s|\s.*\pL{2}`) // more than a name
	plain  = strings.NewReplacer("*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;")

	scriptComment = regexp.MustCompile(`(?m)^\s*//.*$`)
	scriptLiteral = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`")
	scriptValue   = regexp.MustCompile(`\$\{(?:[^{}"]|"[^"]*")*\}`)
)

// within are elements that stand inside a sentence.
var within = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Strong: true, atom.Em: true, atom.Code: true, atom.Span: true, atom.Bdi: true, atom.Time: true, atom.Br: true,
}

// page prints the texts of a page, which may be a template: each element's, and those
// of attributes that are shown or read out.
func page(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, text := range textsOfPage(string(raw)) {
		show(path, text)
	}
	return nil
}

func textsOfPage(source string) (all []string) {
	keep := func(text string) {
		for part := range strings.SplitSeq(text, end) {
			if words.MatchString(part) {
				all = append(all, plain.Replace(strings.TrimSpace(part)))
			}
		}
	}
	z := html.NewTokenizer(strings.NewReader(action.ReplaceAllStringFunc(source, func(do string) string {
		if do = action.FindStringSubmatch(do)[1]; choice.MatchString(do) {
			return end
		}
		return "{value}"
	})))
	text, isCode := "", false
	for {
		kind, t := z.Next(), z.Token()
		switch {
		case kind == html.ErrorToken:
			keep(text)
			return all
		case kind == html.TextToken && !isCode:
			text += t.Data
		case kind == html.StartTagToken, kind == html.SelfClosingTagToken, kind == html.EndTagToken:
			isCode = kind == html.StartTagToken && (t.DataAtom == atom.Script || t.DataAtom == atom.Style)
			if !within[t.DataAtom] {
				keep(text)
				text = ""
			}
			for _, a := range t.Attr {
				if slices.Contains([]string{"aria-label", "title", "alt", "placeholder"}, a.Key) {
					keep(a.Val)
				}
			}
		}
	}
}

// script prints the texts of a script: literals with words and spaces on one line;
// those of several are styles.
func script(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, literal := range scriptLiteral.FindAllString(scriptComment.ReplaceAllString(string(raw), ""), -1) {
		if text := scriptValue.ReplaceAllString(literal[1:len(literal)-1], "{value}"); words.MatchString(text) && !strings.Contains(text, "\n") {
			show(path, plain.Replace(text))
		}
	}
	return nil
}

// literals prints the texts with words and spaces of a program that writes pages.
func literals(path string, set *token.FileSet, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field: // a field's tag
			return false
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && words.MatchString(text) {
				show(fmt.Sprintf("%s:%d", path, set.Position(n.Pos()).Line), plain.Replace(text))
			}
		}
		return true
	})
}
