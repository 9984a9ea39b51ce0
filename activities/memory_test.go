package activities

import (
	"errors"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// A target that takes minutes for each large file keeps nobody else's from being stored.
func TestOneOwnersFilesNeverTakeAllMemory(t *testing.T) {
	t.Parallel()
	var m memory
	const most = platen.MaxTargetFile
	release, err := m.take(t.Context(), "usr_1", most/2+1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.take(t.Context(), "usr_1", most/2); !errors.Is(err, errTargetTurn) {
		t.Errorf("a second large file: got %v, want that it waits", err)
	}
	other, err := m.take(t.Context(), "usr_2", most)
	if err != nil {
		t.Fatalf("somebody else: %v", err)
	}
	release()
	again, err := m.take(t.Context(), "usr_1", most)
	if err != nil {
		t.Fatalf("after the first: %v", err)
	}
	again()
	other()
	if len(m.ofOwner) != 0 {
		t.Errorf("got %v, want nothing left", m.ofOwner)
	}
}
