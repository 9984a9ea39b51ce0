package check_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
)

// spent is the processor time of this process so far: a crowded machine takes
// none of it.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Not parallel: what it counts is the processor time of all tests that run.
func TestACheckIsQuickWhateverSomebodyUploads(t *testing.T) {
	const size = 200_000
	many := func(piece string) []string { return []string{strings.Repeat(piece, size/len(piece))} }
	for name, lines := range map[string][]string{
		"braces":              many("{"),
		"broken tags":         many("{a "),
		"tags of others":      many("{name} "),
		"statements":          many("{% if a %}"),
		"statements unclosed": many("{% if a "),
		"dollars":             many("${a"),
		"plus signs":          many("+++a"),
		"angles":              many("<<a"),
		"guillemets":          many("«a"),
		"wide braces":         many("｛｛a"),
		"names":               many("{{n.n}}{{m}}"),
		"parted":              strings.SplitAfter(strings.Repeat("}} {{a\n", 20_000), "\n"),
		"different names":     {differentNames(20_000)},
		"links":               strings.SplitAfter(strings.Repeat("{{#each a}}\n → https://x/{{b}}\n", 2_000), "\n"),
		"links in blocks":     append(strings.SplitAfter(strings.Repeat("{{#if a}}\n", 4_000), "\n"), strings.SplitAfter(strings.Repeat("x → https://x/{{b}}%7B\n", 2_000), "\n")...),
		"blocks in a line":    many("{{#if a}}x"),
		"items in a line":     many("{{#if a}}{{this}}"),
		"a long link":         {"x → " + strings.Repeat("%7B%7Ba%7D%7D{{", 10_000)},
	} {
		var content []*docsapi.StructuralElement
		for _, line := range lines {
			text, address, _ := strings.Cut(line, " → ")
			run := &docsapi.TextRun{Content: text, TextStyle: &docsapi.TextStyle{Link: &docsapi.Link{Url: address}}}
			content = append(content, &docsapi.StructuralElement{Paragraph: &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{{TextRun: run}}}})
		}
		before := spent(t)
		template := ofDocument(&docsapi.Document{Body: &docsapi.Body{Content: content}})
		if _, err := find(template, []string{"a"}, []byte(`{"a": 1}`)); err != nil {
			t.Error(err)
		}
		found := spent(t) - before
		if _, err := template.Schema(); err != nil {
			t.Error(err)
		}
		took := spent(t) - before
		if t.Logf("%s: %v, with its schema %v", name, found, took); took > 5*time.Second {
			t.Errorf("%s: took %v of a processor", name, took)
		}
	}
}

func differentNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("{{n")
		b.WriteString(strings.Repeat("x", i%7))
		b.WriteByte(byte('a' + i%26))
		b.WriteByte(byte('a' + i/26%26))
		b.WriteByte(byte('a' + i/676%26))
		b.WriteString("}}")
	}
	return b.String()
}
