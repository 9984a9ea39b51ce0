package rich_test

import (
	"testing"

	"github.com/platenhq/platen/internal/template/rich"
)

// Numbers of a contract's clauses are part of what it says, also where no list can be.
func TestAListInALineKeepsItsNumbers(t *testing.T) {
	t.Parallel()
	entry := func(text string, lists ...rich.Level) rich.Paragraph {
		return rich.Paragraph{Lists: lists, Runs: []rich.Run{{Text: text}}}
	}
	outer, inner, bullets := rich.Level{ID: 1, Ordered: true}, rich.Level{ID: 2, Ordered: true}, rich.Level{ID: 3}
	marked, letters := rich.Level{ID: 4, Ordered: true, Marked: true}, rich.Level{ID: 5, Ordered: true, Letter: true}
	five := entry("five", marked)
	five.Mark = "5."
	d := rich.Document{
		entry("one", outer), entry("inner", outer, inner), entry("two", outer), entry("point", bullets), five,
		entry("A", letters), {Runs: []rich.Run{{Text: "end"}}},
	}
	got := ""
	for _, r := range d.Inline() {
		got += r.Text
	}
	if want := "1. one\na. inner\n2. two\npoint\n5. five\nA. A\nend"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
