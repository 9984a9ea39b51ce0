package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/lang"
)

func TestAFindingReadsAsOneLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		finding check.Finding
		want    string
	}{
		{check.Finding{Message: "It is wrong."}, "It is wrong."},
		{check.Finding{Where: "slide 2", Message: "It is wrong."}, "slide 2: It is wrong."},
		{check.Finding{Where: "slide 2", Tag: "{{A}}", Message: "It is wrong."}, "slide 2: {{A}}: It is wrong."},
		{check.Finding{Tag: "{{/if}}", Message: "{{/if}} has no block."}, "{{/if}} has no block."}, // the message names its tag
		{check.Finding{Message: "It is wrong.", Nearest: []string{"B", "C"}}, "It is wrong. Did you mean B?"},
		{check.Finding{Message: "It is wrong.", Tag: "{{A}}", Around: "text {{A}} text"}, `{{A}}: It is wrong. At "text {{A}} text".`},
		{check.Finding{Message: "It is wrong.", Tag: "{{A}}", Around: "{{A}}"}, "{{A}}: It is wrong."}, // nothing stands around it
		{check.Finding{Message: "m", Tag: strings.Repeat("x", 100)}, strings.Repeat("x", 80) + ": m"},
	} {
		if got := c.finding.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestWhatFillingMetIsAddedInItsPlaceUnlessItWasFound(t *testing.T) {
	t.Parallel()
	template := ofDocument(linking("a {{= A / B}}", "b {{Gone}} c", "us → https://x.at/{{= C / D}}"))
	template.Add("outputName", "{{= A / B}}")
	before := template.Findings([]string{"A", "B", "C", "D"})
	met := []lang.Finding{
		{Code: "document_too_large", Message: "It is too large."}, // of the whole file
		{Code: "division_by_zero", Tag: "{{= C / D}}", Message: "zero"},
		{Code: "division_by_zero", Tag: "{{= A / B}}", Message: "zero", Nearest: []string{"n"}},
		{Code: "unknown_field", Tag: "{{Gone}}", Message: "found before"},
	}
	got := template.With(before, met)
	var places []string
	for _, f := range got {
		places = append(places, f.Where+" "+f.Code+" "+f.Around)
	}
	want := []string{
		"paragraph 1 division_by_zero a {{= A / B}}", "paragraph 2 unknown_field b {{Gone}} c",
		"paragraph 3, address of a link division_by_zero https://x.at/{{= C / D}}", " document_too_large ",
	}
	if !slices.Equal(places, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(places, "\n"), strings.Join(want, "\n"))
	}
	if got[1].Message == "found before" || !slices.Equal(got[0].Nearest, []string{"n"}) {
		t.Errorf("got %+v", got[:2])
	}
}

func TestAMistakeOfTheFileAndOfItsNameAreTwo(t *testing.T) {
	t.Parallel()
	template := ofDocument(linking("{{Gone}}"))
	template.Add("outputName", "{{Gone}} {{Gone}}")
	if got, want := placesOf(template), []string{"paragraph 1", "outputName", "outputName"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAtMostTwoHundredMistakesAreFound(t *testing.T) {
	t.Parallel()
	lines := slices.Repeat([]string{"{{Gone}}{{= 1 +}}"}, 150)
	if got := placesOf(ofDocument(linking(lines...))); len(got) != 200 || got[0] != "paragraph 1" || got[199] != "paragraph 100" {
		t.Errorf("got %d findings from %s to %s, want 200 to paragraph 100", len(got), got[0], got[len(got)-1])
	}
}

func TestWhatStandsAroundAMistakeIsQuotedInWholeCharacters(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"x", "ä", "日", "😀"} {
		text := strings.Repeat(letter, 100)
		findings := ofDocument(linking(text + "{Gone}" + text)).Findings([]string{"Gone"})
		want := strings.Repeat(letter, 30) + "{Gone}" + strings.Repeat(letter, 54) // 30 before, 60 from its beginning
		if len(findings) != 1 || findings[0].Around != want {
			t.Errorf("got %+v, want one finding around %s", findings, want)
		}
	}
}
