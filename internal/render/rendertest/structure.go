package rendertest

import (
	"strings"
	"testing"
)

// Structure is what poppler reads of a PDF's structure, and of its text by that: an element
// is "P(text)", one in another "TR(TD(a) TD[ColSpan 2](b))". The document itself is left out.
func Structure(t *testing.T, pdf []byte) string {
	t.Helper()
	var out strings.Builder
	var open []int // the indents of elements
	closeTo := func(indent int) {
		for len(open) > 0 && open[len(open)-1] >= indent {
			out.WriteString(")")
			open = open[:len(open)-1]
		}
	}
	for line := range strings.Lines(Tool(t, pdf, "pdfinfo", "-struct-text", "FILE")) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		switch {
		case text == "" || text == "Document":
		case strings.HasPrefix(text, "/"):
			before := strings.TrimSuffix(out.String(), "(")
			out.Reset()
			out.WriteString(before + "[" + strings.Join(strings.Fields(strings.ReplaceAll(text, "/", "")), " ") + "](")
		case strings.HasPrefix(text, `"`):
			closeTo(indent)
			out.WriteString(strings.TrimSuffix(text[1:], `"`))
		default:
			closeTo(indent)
			if s := out.String(); s != "" && !strings.HasSuffix(s, "(") {
				out.WriteString(" ")
			}
			out.WriteString(strings.Fields(strings.TrimSuffix(text, ":"))[0] + "(")
			open = append(open, indent)
		}
	}
	closeTo(0)
	return out.String()
}

// WantStructure wants the structure of a PDF that qpdf has nothing to say against.
func WantStructure(t *testing.T, pdf []byte, want string) {
	t.Helper()
	Tool(t, pdf, "qpdf", "--check", "FILE")
	if got := Structure(t, pdf); got != want {
		t.Errorf("got the structure\n  %s\nwant\n  %s", got, want)
	}
}
