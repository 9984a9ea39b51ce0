package fill_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/testkit/property"
)

// drawTemplate makes lines of a template that has no findings.
func drawTemplate(t *rapid.T) string { return drawTemplateWith(t, true) }

// drawTemplateWith draws one with pictures in its lines, or without, as slides
// cannot have them there.
func drawTemplateWith(t *rapid.T, pictured bool) string {
	inline := rapid.SampledFrom([]string{"text", "{{A}}", "{{B}}", "{", "}", "{{= A & B}}", "{{#if A}}yes{{else}}{{B}}{{/if}}", "{{#each L}}{{X}}{{Y}},{{/each}}", "{{L.X}}", "{{Gone}}", " ", "𝒳", `{{link U "see " & A}}`, "{{markdown R}}"})
	pictures := []string{"{{image P}}", "{{qr A}}", "{{#each L}}{{qr X}}{{/each}}"}
	if !pictured {
		pictures = nil
	}
	inline = rapid.OneOf(inline, inline, inline, rapid.SampledFrom(append(pictures, "{{A}}")))
	line := func() string { return strings.Join(rapid.SliceOfN(inline, 0, 4).Draw(t, "line"), "") }
	row := rapid.SampledFrom([]string{"| {{L.X}} | {{L.Y}} {{A}}", "| {{A}} | b", "| {{#if B}}{{A}} | {{/if}}", "| {{#each L}}{{X}} | {{M.Z}}{{/each}}", "| {{L.M.Z}} | {{L.X}}"})
	var lines []string
	for range rapid.IntRange(1, 5).Draw(t, "blocks") {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			lines = append(lines, rapid.SliceOfN(row, 1, 3).Draw(t, "rows")...)
			lines = append(lines, "after")
		case 1:
			lines = append(lines, "* {{L.X}} "+line())
		case 2:
			lines = append(lines, "{{#each L}}", line(), "{{X}}", "{{#each M}}", "{{Z}}"+line(), "{{/each}}", "{{/each}}")
		case 4:
			if !pictured {
				continue // a table on a slide is no part of a text
			}
			lines = append(lines, rapid.SampledFrom([]string{"{{#each L}}", "{{#each L where Y}}", "{{#each L limit 2}}", "{{#each L where X limit 1}}"}).Draw(t, "each"))
			if rapid.Bool().Draw(t, "before") {
				lines = append(lines, line())
			}
			lines = append(lines, rapid.SliceOfN(rapid.SampledFrom([]string{"| {{X}} | {{Y}}{{A}}", "| {{#each M}}{{Z}} | {{X}}{{/each}}", "| {{M.Z}} // {{X}} | b", "| {{#if Y}}{{X}} | {{/if}}", "| {{qr X}} | {"}), 1, 3).Draw(t, "rows")...)
			if rapid.Bool().Draw(t, "behind") {
				lines = append(lines, line(), "{{#if Y}}", "| {{Y}} | {{A}}", "{{/if}}")
			}
			lines = append(lines, "{{/each}}", rapid.SampledFrom([]string{"after", "| {{A}} | b"}).Draw(t, "after"))
		case 3:
			lines = append(lines, "{{#if B}}", line(), "{{else}}", line(), "* b", "{{/if}}")
		default:
			lines = append(lines, line())
		}
	}
	return strings.Join(lines, "\n")
}

// drawData makes data whose values are hostile when evil, or words of their own
// in the same places; back turns these words into the values once more.
func drawData(t *rapid.T) (evil, harmless string, back *strings.Replacer) {
	var words []string
	values := rapid.SampledFrom([]string{"", "x", "{{A}}", "{{B}}", "{{", "}}", "{", "{{#if A}}", "{{/if}}", "{{/each}}", "<w:p/>", "a\nb", "&amp;", "\"}]}", "{{L.X}}"})
	var plain func(v any) any
	plain = func(v any) any {
		switch v := v.(type) {
		case string:
			if v == "" {
				return ""
			}
			word := fmt.Sprintf("w%dw", len(words))
			words = append(words, word, strings.ReplaceAll(v, "\n", "\v"))
			return word
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
	fixed := func(v any) any {
		v.(map[string]any)["R"] = "# r\n\n**s** `t`\n\n1. u\n   - v\n2. [w](https://e.com)\n\n> x"
		v.(map[string]any)["U"], v.(map[string]any)["P"] = "https://example.com/?a=1&b=2", "4x4"
		return v
	}
	write := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	evil, harmless = write(fixed(data)), write(fixed(plain(data)))
	return evil, harmless, strings.NewReplacer(words...)
}

// kinds are the requests of a batch without what they write, and without those
// that replace tags and placeholders.
func kinds(t *rapid.T, file []byte, data string) string {
	d, err := wml.ReadDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := lang.ParseData([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	e := lang.NewEvaluator(parsed, lang.Builtins{})
	e.ObtainWith(obtained())
	requests, err := fill.ComposeDocument(resource, e, "QQQQQQQQQQ")
	if err != nil {
		t.Fatalf("compose: %v", err)
	}
	var all []string
	for _, r := range requests {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if kind, _, _ := strings.Cut(string(text), ":"); kind != `{"replaceAllText"` {
			all = append(all, kind)
		}
	}
	return strings.Join(all, " ")
}

var elementXML = regexp.MustCompile(`<(w:[A-Za-z]+|wp:[A-Za-z]+)[ />]`)

// elements counts the elements of a filled document, without those of text
// itself: a value may have line feeds.
func elements(t *rapid.T, file []byte) string {
	p, err := opc.ReadPackage(file)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, part := range []string{"word/document.xml", "word/header1.xml"} {
		text, _ := p.Part(part)
		for _, m := range elementXML.FindAllStringSubmatch(string(text), -1) {
			counts[m[1]]++
		}
	}
	for _, own := range []string{"w:t", "w:br", "w:r"} {
		delete(counts, own)
	}
	return fmt.Sprint(counts)
}

// manyTimes makes several hundred checks of rapid's hundred.
func manyTimes(t *testing.T, hundreds int, check func(*rapid.T)) {
	property.Check(t, func(rt *rapid.T) {
		for range hundreds {
			check(rt)
		}
	})
}

func TestNoValueAddsATagAnElementOrARequest(t *testing.T) {
	t.Parallel()
	manyTimes(t, 5, func(rt *rapid.T) {
		template := drawTemplate(rt)
		evil, harmless, back := drawData(rt)
		file := docx(t, drawn(template), "{{A}}", "")
		if got, want := kinds(rt, file, evil), kinds(rt, file, harmless); got != want {
			rt.Fatalf("requests %s for %s, %s for %s\n%s", got, evil, want, harmless, template)
		}
		first, _, err := filledFile(t, file, evil)
		if err != nil {
			rt.Fatal(err)
		}
		again, _, err := filledFile(t, file, evil)
		if err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(first, again) {
			rt.Fatalf("filled twice from the same, the files differ:\n%s\n%s", bodyText(rt, first), bodyText(rt, again))
		}
		plainly, _, err := filledFile(t, file, harmless)
		if err != nil {
			rt.Fatal(err)
		}
		if got, want := elements(rt, first), elements(rt, plainly); got != want {
			rt.Fatalf("elements %s\nwith harmless values %s\ntemplate:\n%s\ndata: %s", got, want, template, evil)
		}
		a, c := bodyText(rt, first), bodyText(rt, plainly)
		for _, tag := range syntax.Parse(c) {
			rt.Fatalf("%s is left in\n%s\ntemplate:\n%s", tag.Text, c, template)
		}
		if want := back.Replace(c); a != want {
			rt.Fatalf("got\n%s\nwant\n%s\ntemplate:\n%s\ndata: %s", a, want, template, evil)
		}
	})
}

// Each check has three templates.
func TestTheOrderOfDocumentsAndWorkersDoesNotMatter(t *testing.T) {
	t.Parallel()
	manyTimes(t, 2, func(rt *rapid.T) {
		evil, _, _ := drawData(rt)
		var files [3][]byte
		for i := range files {
			files[i] = docx(t, drawn(drawTemplate(rt)), "{{A}}", "")
		}
		data := parse(t, evil) // one for all, as the documents of an event have it
		fill := func(file []byte) string {
			d, err := wml.ReadDocument(file)
			if err != nil {
				return err.Error()
			}
			resource, err := docs.Get(d, "id", "title", "1")
			if err != nil {
				return err.Error()
			}
			e := lang.NewEvaluator(data, lang.Builtins{})
			e.ObtainWith(obtained())
			requests, err := fill.ComposeDocument(resource, e, nonce)
			if err != nil {
				return err.Error()
			}
			text, err := json.Marshal(requests)
			return fmt.Sprint(string(text), err, e.Missing())
		}
		var forth, back, beside [len(files)]string
		for i := range files {
			forth[i] = fill(files[i])
		}
		for i := len(files) - 1; i >= 0; i-- {
			back[i] = fill(files[i])
		}
		var workers sync.WaitGroup
		for i := range files {
			workers.Go(func() { beside[i] = fill(files[i]) })
		}
		workers.Wait()
		if forth != back || forth != beside {
			rt.Fatalf("batches differ:\n%s\n%s\n%s", forth, back, beside)
		}
	})
}

func TestNoValueAddsATagOrAParagraphToSlides(t *testing.T) {
	t.Parallel()
	property.Check(t, func(rt *rapid.T) {
		template := drawTemplateWith(rt, false)
		evil, harmless, back := drawData(rt)
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
		if want := back.Replace(c); a != want {
			rt.Fatalf("got\n%s\nwant\n%s\ntemplate:\n%s\ndata: %s", a, want, template, evil)
		}
		if tags := syntax.Parse(c); len(tags) > 0 {
			rt.Fatalf("something is left in\n%s\nand\n%s\ntemplate:\n%s", a, c, template)
		}
	})
}

// Slides for the items of lists, with notes, among other slides.
func TestNoValueAddsATagOrASlide(t *testing.T) {
	t.Parallel()
	manyTimes(t, 2, func(rt *rapid.T) {
		slide := func() []string { return asShapes(drawTemplateWith(rt, false)) }
		note := rapid.SampledFrom([]string{"", "say {{X}}{{A}}", "{{#each M}}\n{{Z}}\n{{/each}}\nend", "* {{M.Z}}\n{ {{Y}} }", "{{#if Y}}{{X}}{{else}}none{{/if}}\n{{L.X}}"})
		open := rapid.SampledFrom([]string{"{{#each L}}", "{{#each L where Y}}", "{{#each L limit 2}}", "{{#if B}}"}).Draw(rt, "open")
		end := "{{/each}}"
		if open == "{{#if B}}" {
			end = "{{/if}}"
		}
		deck := [][]string{slide(), append([]string{open}, slide()...)}
		for range rapid.IntRange(0, 2).Draw(rt, "slides") {
			deck = append(deck, slide())
		}
		if rapid.Bool().Draw(rt, "nested") {
			deck = append(deck, append(slide(), "{{#each M}}", "{{Z}} of {{X}}", "{{/each}}"))
		}
		deck[len(deck)-1] = append(deck[len(deck)-1], end)
		notes := make([]string, len(deck))
		for i := range notes {
			notes[i] = note.Draw(rt, "note")
		}
		evil, harmless, back := drawData(rt)
		file := pptxWithNotes(t, append(deck, slide()), notes)
		fill := func(data string) string {
			filled, err := fillPresentation(t, file, data)
			if err != nil {
				rt.Fatal(err)
			}
			var all []string
			for i, shapes := range shownSlides(filled) {
				all = append(all, strings.Join(shapes, "\n--\n")+"\nnotes: "+shownNotes(filled.Slides[i]))
			}
			return strings.Join(all, "\n---\n")
		}
		a, c := fill(evil), fill(harmless)
		if want := back.Replace(c); a != want {
			rt.Fatalf("got\n%s\nwant\n%s\ndeck:\n%q\nnotes: %q\ndata: %s", a, want, deck, notes, evil)
		}
		if tags := syntax.Parse(c); len(tags) > 0 {
			rt.Fatalf("something is left in\n%s\ndeck:\n%q", c, deck)
		}
	})
}
