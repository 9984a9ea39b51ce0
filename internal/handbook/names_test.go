package handbook

import (
	"slices"
	"testing"

	"github.com/yuin/goldmark/ast"
)

func TestHeadingsThatRepeatAreNumberedAsGitHubNumbersThem(t *testing.T) {
	t.Parallel()
	given := names{}
	var got []string
	for range 3 {
		got = append(got, string(given.Generate([]byte("A heading"), ast.KindHeading)))
	}
	if want := []string{"a-heading", "a-heading-1", "a-heading-2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
