package wml

import (
	"testing"
)

func TestAWrapWithoutAKindWrapsNothing(t *testing.T) {
	t.Parallel()
	a := readAnchor(element(t, `<wp:anchor><wp:wrap wrapText="left"/></wp:anchor>`))
	if a.Wrap != "none" || a.Side != "bothSides" {
		t.Errorf("got %q, %q; want none, bothSides", a.Wrap, a.Side)
	}
}
