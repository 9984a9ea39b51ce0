package lang_test

import (
	"fmt"
	"strings"
	"testing"
)

// loose writes the tags of a line's blocks that have no partner in it.
func loose(t *testing.T, text string) string {
	t.Helper()
	line := evaluator(t, "{}").ReadLine(text)
	var all []string
	for _, c := range line.Loose {
		if text[c.Start:c.End] != c.Tag {
			t.Errorf("%s: %s is not at %d to %d", text, c.Tag, c.Start, c.End)
		}
		all = append(all, c.Tag)
	}
	return strings.Join(all, " ")
}

func TestBlocksThatDoNotBeginAndEndInALineAreLoose(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no tags":                                 "",
		"{{A}}":                                   "",
		"{{#if A}}x{{/if}}":                       "",
		"{{#if A}}x":                              "{{#if A}}",
		"x{{/if}}":                                "{{/if}}",
		"{{else}}":                                "{{else}}",
		"{{#if A}}x{{else}}y":                     "{{#if A}} {{else}}",
		"{{#if A}}{{#each L}}x{{/each}}":          "{{#if A}}",
		"{{#if A}}{{#each L}}x{{/if}}":            "{{#if A}} {{#each L}} {{/if}}", // an end that is not of the block it stands in
		"{{/each}}{{#if A}}x{{/if}}{{#each L}}":   "{{/each}} {{#each L}}",
		"{{#if A}}{{else if B}}{{else}}{{/if}}":   "",
		"{{#each L}}{{else}}{{/each}}":            "{{else}}",
		"{{#if A}}1{{#if B}}2{{else}}3{{#if C}}4": "{{#if A}} {{#if B}} {{else}} {{#if C}}",
		"{{#if A}}{{/if}}{{/if}}":                 "{{/if}}",
	} {
		if got := loose(t, text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestLooseTagsLeaveNothingAndWhatStandsAroundThemStays(t *testing.T) {
	t.Parallel()
	checkLines(t, `{"A": 1, "No": false}`, map[string]string{
		"a{{#if No}}b":                     "ab",
		"a{{/if}}b":                        "ab",
		"{{#each L}}{{A}}c":                "1c",
		"{{#if No}}x{{else}}y":             "xy",
		"{{#if No}}{{#if A}}x{{/if}}{{A}}": "x1",
	})
}

func TestALineSaysWhatShapesIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                      "false false",
		"text":                  "false false",
		"{{A}} {{= B}}":         "false false",
		"{{#if A}}x{{/if}}":     "true false",
		"{{#each L}}x{{/each}}": "true false",
		"{{/if}}":               "true false",
		"{{image A}}":           "false false",
		"{a} {{A}}":             "false true",
		"{{A}} }":               "false true",
		"{{A}}{{{B}}}":          "false true",
		"{{#if A}}{x{{/if}}":    "true true",
		"{{open":                "false true",
	} {
		line := evaluator(t, "{}").ReadLine(text)
		if got := fmt.Sprint(line.HasBlocks(), line.Braces); got != want {
			t.Errorf("%s: got blocks and braces %s, want %s", text, got, want)
		}
	}
}

func TestTheStatementsOfALineAreThoseThatShowValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a":                                  "",
		"{{A}} and {{= B}}":                  "{{A}} {{= B}}",
		"{{A}}{{A}}":                         "{{A}} {{A}}",
		"{{#if A}}{{B}}{{else}}{{C}}{{/if}}": "{{#if A}} {{B}} {{else}} {{C}}",
		"{{#each L}}{{B}}{{/each}}{{C}}":     "{{C}}", // a block of its own list aside
		"{{#if A}}{{#each L}}{{B}}{{/each}}{{/if}}": "{{#if A}}",
		"{{image A}}{{link B}}{{#section}}":         "{{image A}} {{link B}} {{#section}}",
		"{{/if}}{{A}}":                              "{{A}}",
	} {
		var got []string
		for _, s := range evaluator(t, "{}").ReadLine(text).Statements() {
			got = append(got, s.Tag)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %s, want %s", text, strings.Join(got, " "), want)
		}
	}
}

// Outside of rows and lists tags stay in the document, to be replaced wherever
// they stand; blocks are worked out in any case.
func TestTagsThatShowValuesAreKeptUntilTheyAreReplaced(t *testing.T) {
	t.Parallel()
	const body = `{"A": "1", "Yes": true, "L": [{"V": "x"}, {"V": "y"}]}`
	for text, want := range map[string]string{
		"a{{A}}b": "a{{A}}b",
		"{{#if Yes}}{{A}}{{else}}n{{/if}}{{= A}}": "{{A}}{{= A}}",
		"{{#each L}}{{V}}{{A}};{{/each}}{{A}}":    "x1;y1;{{A}}", // inside of a list they are not
		"{{link \"tel:1\", A}}":                   "1<tel:1>",
		"{{= 1 +}}x":                              "x",
	} {
		e := evaluator(t, body)
		line := e.ReadLine(text)
		spans := e.Fill(line, nil, true)
		if got := writeSpans(line, spans); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		for _, s := range spans {
			if kept := s.Kept != nil; kept != (!s.Value && strings.HasPrefix(line.Text[s.Start:s.End], "{{")) {
				t.Errorf("%s: the span at %d is kept %v", text, s.Start, kept)
			}
		}
	}
	e := evaluator(t, body)
	line := e.ReadLine("{{V}}{{A}}")
	if got := writeSpans(line, e.Fill(line, e.Items(read(e, "#each L"), nil)[1], true)); got != "y1" {
		t.Errorf("for an item: got %s, want y1", got)
	}
}

func TestSpansSayWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"A": "1", "L": [1, 2]}`)
	line := e.ReadLine("ab{{A}}{{#each L}}-{{this}}{{/each}}")
	var got []string
	for _, s := range e.Fill(line, nil, false) {
		got = append(got, fmt.Sprintf("%s=%v%q", line.Text[s.Start:s.End], s.Value, s.Text))
	}
	if want := `ab=false"" {{A}}=true"1" -=false"" {{this}}=true"1" -=false"" {{this}}=true"2"`; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}
