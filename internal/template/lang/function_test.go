package lang

import (
	"os"
	"strings"
	"testing"
)

func TestEveryFunctionIsWholeAndInTheSpecification(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	all := new(functions).all()
	if len(all) < 20 {
		t.Fatalf("got %d functions", len(all))
	}
	for name, f := range all {
		if name != strings.ToUpper(name) || !strings.HasPrefix(f.usage, name+"(") || f.min < 1 || f.max < f.min || f.apply == nil {
			t.Errorf("%s: got %+v", name, f)
		}
		if !strings.Contains(string(page), name+"(") {
			t.Errorf("%s is not in docs/templates.md", name)
		}
	}
}
