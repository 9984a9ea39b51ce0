package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/office"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/merge/plan"
)

// drawTemplate makes lines of a template that has no faults.
func drawTemplate(t *rapid.T) string {
	inline := rapid.SampledFrom([]string{"text", "{{A}}", "{{B}}", "{", "}", "{{= A & B}}", "{{#if A}}yes{{else}}{{B}}{{/if}}", "{{#each L}}{{X}}{{Y}},{{/each}}", "{{L.X}}", "{{Gone}}", " ", "𝒳"})
	line := func() string { return strings.Join(rapid.SliceOfN(inline, 0, 4).Draw(t, "line"), "") }
	row := rapid.SampledFrom([]string{"| {{L.X}} | {{L.Y}} {{A}}", "| {{A}} | b", "| {{#if B}}{{A}} | {{/if}}", "| {{#each L}}{{X}} | {{M.Z}}{{/each}}", "| {{L.M.Z}} | {{L.X}}"})
	var lines []string
	for range rapid.IntRange(1, 5).Draw(t, "blocks") {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			lines = append(lines, rapid.SliceOfN(row, 1, 3).Draw(t, "rows")...)
			lines = append(lines, "after")
		case 1:
			lines = append(lines, "* {{L.X}} "+line())
		case 2:
			lines = append(lines, "{{#each L}}", line(), "{{X}}", "{{#each M}}", "{{Z}}"+line(), "{{/each}}", "{{/each}}")
		case 3:
			lines = append(lines, "{{#if B}}", line(), "{{else}}", line(), "* b", "{{/if}}")
		default:
			lines = append(lines, line())
		}
	}
	return strings.Join(lines, "\n")
}

// drawData makes data whose values are hostile when evil, or harmless ones of
// the same shape.
func drawData(t *rapid.T) (evil, harmless string) {
	values := rapid.SampledFrom([]string{"", "x", "{{A}}", "{{B}}", "{{", "}}", "{", "{{#if A}}", "{{/if}}", "{{/each}}", "<w:p/>", "a\nb", "&amp;", "\"}]}", "{{L.X}}"})
	var plain func(v any) any
	plain = func(v any) any {
		switch v := v.(type) {
		case string:
			if v == "" {
				return ""
			}
			return "w"
		case []any:
			out := []any{}
			for _, item := range v {
				out = append(out, plain(item))
			}
			return out
		case map[string]any:
			out := map[string]any{}
			for key, item := range v {
				out[key] = plain(item)
			}
			return out
		}
		return v
	}
	items := []any{}
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		inner := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "inner") {
			inner = append(inner, map[string]any{"Z": values.Draw(t, "Z")})
		}
		items = append(items, map[string]any{"X": values.Draw(t, "X"), "Y": values.Draw(t, "Y"), "M": inner})
	}
	data := map[string]any{"A": values.Draw(t, "A"), "B": values.Draw(t, "B"), "L": items}
	write := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	return write(data), write(plain(data))
}

// shape is the requests without what they write.
func shape(t *rapid.T, file []byte, data string) string {
	d, err := office.ReadDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := merge.ParseData([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	requests, err := plan.Document(resource, merge.NewEvaluator(parsed, merge.Builtins{}), "QQQQQQQQQQ")
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	edits := 0
	for _, r := range requests {
		if r.ReplaceAllText == nil {
			edits++
		}
	}
	return fmt.Sprint(edits)
}

func TestNoValueAddsATagAParagraphOrARequest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		template := drawTemplate(rt)
		evil, harmless := drawData(rt)
		file := docx(t, drawn(template), "{{A}}", "")
		if got, want := shape(rt, file, evil), shape(rt, file, harmless); got != want {
			rt.Fatalf("%s requests for %s, %s for %s\n%s", got, evil, want, harmless, template)
		}
		first, _, err := fillDocument(t, file, evil)
		if err != nil {
			rt.Fatal(err)
		}
		again, _, err := fillDocument(t, file, evil)
		if err != nil {
			rt.Fatal(err)
		}
		plainly, _, err := fillDocument(t, file, harmless)
		if err != nil {
			rt.Fatal(err)
		}
		a, b, c := shown(first.Body.Content), shown(again.Body.Content), shown(plainly.Body.Content)
		if a != b {
			rt.Fatalf("filled twice from the same:\n%s\n%s", a, b)
		}
		if strings.Count(a, "\n") != strings.Count(c, "\n") || strings.Count(a, "|") != strings.Count(c, "|") {
			rt.Fatalf("values changed the shape:\n%s\nwith harmless ones:\n%s\ntemplate:\n%s\ndata: %s", a, c, template, evil)
		}
		for _, tag := range merge.Parse(c) {
			rt.Fatalf("%s is left in\n%s\ntemplate:\n%s", tag.Text, c, template)
		}
		if strings.Contains(a, nonce) {
			rt.Fatalf("a placeholder is left in\n%s", a)
		}
	})
}

func TestNoValueAddsATagOrAParagraphToSlides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		template := drawTemplate(rt)
		evil, harmless := drawData(rt)
		file := pptx(t, asShapes(template))
		fill := func(data string) string {
			filled, err := fillPresentation(t, file, data)
			if err != nil {
				rt.Fatal(err)
			}
			return strings.Join(shownSlides(filled)[0], "\n---\n")
		}
		a, c := fill(evil), fill(harmless)
		if again := fill(evil); again != a {
			rt.Fatalf("filled twice from the same:\n%s\n%s", a, again)
		}
		if strings.Count(a, "\n") != strings.Count(c, "\n") || strings.Count(a, "|") != strings.Count(c, "|") {
			rt.Fatalf("values changed the shape:\n%s\nwith harmless ones:\n%s\ntemplate:\n%s\ndata: %s", a, c, template, evil)
		}
		if tags := merge.Parse(c); len(tags) > 0 || strings.Contains(a, nonce) {
			rt.Fatalf("something is left in\n%s\nand\n%s\ntemplate:\n%s", a, c, template)
		}
	})
}
