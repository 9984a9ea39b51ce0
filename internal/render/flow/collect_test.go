package flow

import (
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
)

func TestCollectListsChildrenWithTheirNeighbours(t *testing.T) {
	t.Parallel()
	a, b, c, table := &wml.Paragraph{}, &wml.Paragraph{}, &wml.Paragraph{}, &wml.Table{}
	got := collect([]wml.Block{a, b, table, c})
	want := []child{
		{paragraph: a, next: b},
		{paragraph: b, previous: a},
		{table: table, previous: b, next: c},
		{paragraph: c, isLast: true},
	}
	if !slices.EqualFunc(got, want, isSameChild) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := collect(nil); len(got) != 0 {
		t.Errorf("got %+v of nothing", got)
	}
}

func isSameChild(a, b child) bool {
	return a.paragraph == b.paragraph && slices.Equal(a.textFrame, b.textFrame) && a.table == b.table &&
		a.previous == b.previous && a.next == b.next && a.isEmpty == b.isEmpty && a.isLast == b.isLast
}

// Paragraphs whose w:framePr are the same stand in one frame (ECMA-376 part 1,
// 17.3.1.11).
func TestCollectGathersTheParagraphsOfAFrame(t *testing.T) {
	t.Parallel()
	framed := func(width float64) *wml.Paragraph {
		p := &wml.Paragraph{}
		p.Frame = &wml.Frame{Width: width}
		return p
	}
	before, a, b, other, behind := &wml.Paragraph{}, framed(10), framed(10), framed(20), &wml.Paragraph{}
	got := collect([]wml.Block{before, a, b, other, behind})
	want := []child{
		{paragraph: before, next: a},
		{textFrame: []*wml.Paragraph{a, b}, previous: before, next: other},
		{textFrame: []*wml.Paragraph{other}, previous: b, next: behind},
		{paragraph: behind, previous: other, isLast: true},
	}
	if !slices.EqualFunc(got, want, isSameChild) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := collect([]wml.Block{a, &wml.Table{}, b}); len(got) != 3 {
		t.Errorf("a table between them: got %d children, want 3", len(got))
	}
}

func TestTheParagraphsOfAFrameAreNeighbours(t *testing.T) {
	t.Parallel()
	before, a, b, c, behind := &wml.Paragraph{}, &wml.Paragraph{}, &wml.Paragraph{}, &wml.Paragraph{}, &wml.Paragraph{}
	group := child{textFrame: []*wml.Paragraph{a, b, c}, previous: before, next: behind}
	want := []child{{paragraph: a, previous: before, next: b}, {paragraph: b, previous: a, next: c}, {paragraph: c, previous: b, next: behind}}
	if got := group.paragraphs(); !slices.EqualFunc(got, want, isSameChild) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	single := child{paragraph: a, previous: before, isLast: true}
	if got := single.paragraphs(); !slices.EqualFunc(got, []child{single}, isSameChild) {
		t.Errorf("of one paragraph got %+v, want itself", got)
	}
}

func TestAParagraphThatOnlyEndsItsSectionIsEmpty(t *testing.T) {
	t.Parallel()
	text := &wml.Paragraph{}
	ends := &wml.Paragraph{EndsSection: true}
	written := &wml.Paragraph{EndsSection: true, Runs: []*wml.Run{{}}}
	framed := &wml.Paragraph{EndsSection: true}
	framed.Frame = &wml.Frame{}
	for name, c := range map[string]struct {
		blocks []wml.Block
		want   bool
	}{
		"behind others":       {[]wml.Block{text, ends}, true},
		"with text":           {[]wml.Block{text, written}, false},
		"alone in a section":  {[]wml.Block{ends}, false},
		"any other":           {[]wml.Block{text, text}, false},
		"in a frame, neither": {[]wml.Block{text, framed}, true},
	} {
		children := collect(c.blocks)
		if got := children[len(children)-1]; got.isEmpty != c.want || got.textFrame != nil {
			t.Errorf("%s: got %+v, want empty: %t", name, got, c.want)
		}
	}
}
