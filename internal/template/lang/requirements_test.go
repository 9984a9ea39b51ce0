package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

// writeRequirement writes a requirement on one line: required names end with !, lists with [],
// numbers with #, and what is shown itself with *.
func writeRequirement(a *lang.Requirement) string {
	var b strings.Builder
	b.WriteString(a.Name)
	for _, mark := range []struct {
		is   bool
		text string
	}{{a.Required, "!"}, {a.List, "[]"}, {a.Number, "#"}, {a.Shown, "*"}} {
		if mark.is {
			b.WriteString(mark.text)
		}
	}
	if len(a.Parts) > 0 {
		var parts []string
		for _, p := range a.Parts {
			parts = append(parts, writeRequirement(p))
		}
		b.WriteString("(" + strings.Join(parts, " ") + ")")
	}
	return b.String()
}

func TestRequirementsTellWhatDataATemplateNeeds(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, want string
		texts      []string
	}{
		{"fields and objects", "(Name!* Customer!(Address!(City!*)))", []string{"{{Name}} {{name}} {{Customer.Address.City}} {{Timestamp}} {{workflow name}}"}},
		{"what only conditions ask for is not required", "(Paid A* B* Total#*)", []string{"{{#if Paid}}{{A}}{{/if}}{{= IF(B, Total * 2, 1)}}"}},
		{"blocks", "(Name!* Orders![](No!* Lines![](Part!*)))", []string{"{{Name}}{{#each Orders}}", "{{No}} {{Name}} {{@index}}", "{{#each Lines}}{{Part}}{{/each}}{{/each}}"}},
		{"the items of a list of values", "(Tags![]*)", []string{"{{#each Tags}}{{this}}{{/each}}"}},
		{"indexes", "(Items![](Name!*))", []string{"{{Items[0].Name}} {{Items.1.Name}}"}},
		{"rows may be lists", "(Items!(Name!* Price!#*))", []string{"{{Items.Name}}", "{{= SUM(Items.Price)}}"}},
		{"a list that is counted", "(Items![](Name!*))", []string{"{{= COUNT(Items)}} {{Items.Name}}"}},
		{"pictures and links", "(Logo!* Url!* Label!*)", []string{`{{image Logo 30mm}} {{link Url, Label}}`}},
		{"alternative texts", "(Photo!* Product!(Name!*))", []string{`{{image Photo 30mm alt "Photo of " & Product.Name}}`}},
		{"charts", "(Months![](Open Year# Name!* Revenue!#* Costs!#*))", []string{"{{chart Months where Open and Year > 2020: Name, Revenue, Costs}}"}},
		{"mistakes ask for nothing", "", []string{"{{= SUMM(A)}} {{#section}} {{/each}} {{a..b}}"}},
	}
	for _, c := range cases {
		if got := writeRequirement(lang.ReadRequirements(c.texts)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestWhatIsReckonedWithIsANumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{= A * B}}":                          "(A!#* B!#*)",
		"{{= A + 1}}{{= B - 1}}{{= C / 2}}":    "(A!#* B!#* C!#*)",
		"{{= -A}}{{= B%}}":                     "(A!#* B!#*)",
		"{{= not A}}{{= !B}}":                  "(A!* B!*)",
		"{{= A & B}}{{= A = B}}":               "(A!* B!*)",
		"{{= A < B}}{{= A and B or C}}":        "(A!* B!* C!*)",
		"{{= (A & B) * 2}}":                    "(A!* B!*)",
		"{{= A * 2 & B}}":                      "(A!#* B!*)",
		"{{= ROUND(A, B)}}{{= ABS(C)}}":        "(A!#* B!* C!#*)",
		"{{= NUMBER(A, 2, B)}}":                "(A!#* B!*)",
		"{{= CURRENCY(A, B)}}{{= PERCENT(C)}}": "(A!#* B!* C!#*)",
		"{{= SUM(A, B)}}{{= MAX(C; D)}}":       "(A!#* B!#* C!#* D!#*)",
		"{{= JOIN(A, B)}}{{= UPPER(C)}}":       "(A!* B!* C!*)",
		"{{= DATE(A)}}{{= ADD_DAYS(B, C)}}":    "(A!* B!* C!*)",
		"{{= ROUND(IF(A, B, C))}}":             "(A* B#* C#*)",
		"{{= ROUND(DEFAULT(A, B))}}":           "(A#* B#*)",
		"{{= TRUNCATE(A, B)}}":                 "(A!* B!*)",
		"{{A}}{{= A * 2}}":                     "(A!#*)",
		"{{= 2 * 3}}{{= \"x\"}}":               "",
	} {
		if got := writeRequirement(lang.ReadRequirements([]string{text})); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestOnlyWhatIsShownWhateverTheDataIsRequired(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{A}}": "(A!*)",
		"{{#if A}}{{B}}{{else if C}}{{D}}{{else}}{{E}}{{/if}}{{F}}": "(A B* C D* E* F!*)",
		"{{#if A}}{{A}}{{/if}}":                          "(A*)",
		"{{#if A}}{{/if}}{{A}}":                          "(A!*)",
		"{{A}}{{#if A}}{{/if}}":                          "(A!*)",
		"{{#if A > 1}}x{{/if}}":                          "(A#)",
		"{{= IF(A, B, C)}}":                              "(A* B* C*)",
		"{{= DEFAULT(A, B)}}":                            "(A* B*)",
		"{{#if X}}{{#each L}}{{A}}{{/each}}{{/if}}":      "(X L[](A*))",
		"{{#each L}}{{#if A}}{{B}}{{/if}}{{C}}{{/each}}": "(L![](A B* C!*))",
		"{{#if X}}{{A.B}}{{/if}}{{A.C}}":                 "(X A!(B* C!*))",
		"{{image A}}{{qr B}}{{link C, D}}":               "(A!* B!* C!* D!*)",
		"{{#if X}}{{image A}}{{/if}}":                    "(X A*)",
	} {
		got := writeRequirement(lang.ReadRequirements([]string{text}))
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestListsAreWhatBlocksGoThroughAndIndexesLeadInto(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{#each L}}{{/each}}":                                    "(L![])",
		"{{#each L}}{{A}}{{L.B}}{{this.C}}{{/each}}":              "(L![](A!* B!* C!*))",
		"{{#each L}}{{this}}{{@index}}{{@last}}{{/each}}":         "(L![]*)",
		"{{#each L}}{{#each M}}{{A}}{{/each}}{{B}}{{/each}}":      "(L![](M![](A!*) B!*))",
		"{{#each L}}{{#each L.M}}{{A}}{{/each}}{{/each}}":         "(L![](M![](A!*)))",
		"{{#each L}}{{#each this.M}}{{this.A}}{{/each}}{{/each}}": "(L![](M![](A!*)))",
		"{{#each A.B}}{{C}}{{/each}}":                             "(A!(B![](C!*)))",
		"{{#each L}}{{A}}{{/each}}{{A}}":                          "(L![] A!*)", // asked for outside: of the whole
		"{{A}}{{#each L}}{{A}}{{/each}}":                          "(A!* L![])",
		"{{#each L}}{{#each M}}{{L.A}}{{/each}}{{/each}}":         "(L![](M![] A!*))",
		"{{L[0]}}":            "(L![]*)",
		"{{L[0].A}}{{L.1.B}}": "(L![](A!* B!*))",
		"{{A.B[2].C}}":        "(A!(B![](C!*)))",
		"{{= COUNT(L)}}":      "(L![])",
		"{{= COUNT(L.A)}}":    "(L!(A!*))",
		"{{= SUM(L.A)}}":      "(L!(A!#*))",
		"{{L.A}}":             "(L!(A!*))", // a row may be filled for one object
		"{{#each l}}{{a}}{{/each}}{{= SUM(L.A)}}": "(l![](A!#*))",
	} {
		if got := writeRequirement(lang.ReadRequirements([]string{text})); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestNoBlockReachesFromOneStoryIntoAnother(t *testing.T) {
	t.Parallel()
	got := writeRequirement(lang.ReadRequirements([]string{"{{#each L}}", "{{A}}"}, []string{"{{B}}", "{{/each}}"}, []string{"{{#if X}}"}, []string{"{{C}}"}))
	if want := "(L![](A!*) B!* X C!*)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWhatHasNoNameAsksForNothing(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("a.", 32)
	for _, text := range []string{"", "no tags", "{{a..b}}", "{{.a}}", "{{a.}}", "{{Timestamp}}{{= workflow name}}{{automation id}}", "{{/if}}{{else}}{{/each}}", "{{= 1 +}}", "{{#each}}", "{{" + deep + "a}}"} {
		if got := writeRequirement(lang.ReadRequirements([]string{text})); got != "" {
			t.Errorf("%s: got %s, want nothing", text, got)
		}
	}
	if got := lang.ReadRequirements([]string{"{{" + deep[:62] + "a}}"}); len(got.Parts) != 1 {
		t.Errorf("32 steps: got %s, want a part", writeRequirement(got))
	}
}

// What somebody uploads must not take for ever: 2,000 names are returned.
func TestRequirementsAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2100 {
		fmt.Fprintf(&b, "{{n%d}}", i)
	}
	if got := len(lang.ReadRequirements([]string{b.String()}).Parts); got != 2000 {
		t.Errorf("got %d parts, want 2000", got)
	}
	if got := writeRequirement(lang.ReadRequirements([]string{strings.Repeat("{{#each L}}", 40) + "{{A}}"})); strings.Count(got, "L![]") > 33 {
		t.Errorf("lists inside one another: got %s", got)
	}
}
