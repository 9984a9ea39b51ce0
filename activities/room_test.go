package activities

import (
	"context"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestLargeAppendicesWaitForEachOther(t *testing.T) {
	t.Parallel()
	var r room
	scans := []platen.Appendix{{Size: platen.MaxAppendedSize / 2}, {Size: platen.MaxAppendedSize}}
	leave, err := r.enter(t.Context(), scans)
	if err != nil {
		t.Fatal(err)
	}
	nothing, err := r.enter(t.Context(), nil)
	if err != nil {
		t.Fatalf("what appends nothing: got %v", err)
	}
	nothing()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.enter(gone, []platen.Appendix{{CopyID: "copy"}}); err == nil {
		t.Error("there is room for a template beside what fills it")
	}
	leave()
	for range 2 { // half and half
		if _, err := r.enter(t.Context(), scans[:1]); err != nil {
			t.Errorf("two that have room together: got %v", err)
		}
	}
}
