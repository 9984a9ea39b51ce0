package console

import (
	"testing"

	"github.com/platenhq/platen/client"
)

func TestARequestIDOfTheConsoleIsNoName(t *testing.T) {
	for id, want := range map[string]string{"again-0123456789abcdef01234567": "", "again-Kiel": "again-Kiel"} {
		if got := nameOf(client.Automation{RequestID: id}); got != want {
			t.Errorf("the run of %q is called %q", id, got)
		}
	}
}
