package chaos

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/program"
)

// TestTheClockOfASkewedProgramIsOff: what its log says that the time is.
func TestTheClockOfASkewedProgramIsOff(t *testing.T) {
	t.Parallel()
	binary := skewedProgram(t)
	if binary == "" {
		t.Skip("make bin/platen-skewed builds it, for make chaos")
	}
	for skew, want := range map[string]time.Duration{"": 0, "2m": 2 * time.Minute, "-2m": -2 * time.Minute} {
		c := exec.CommandContext(t.Context(), binary, "drive")
		c.Env = program.Environment(skewVariable+"="+skew, "PLATEN_DATABASE_URL=postgres://127.0.0.1:1/none", "PLATEN_DRIVE=127.0.0.1:0", "PLATEN_START_WAIT=1s", "PLATEN_LOG_LEVEL=debug")
		out, _ := c.CombinedOutput() // it finds no database, and says so at once
		var line struct {
			Time time.Time `json:"time"`
		}
		for text := range strings.Lines(string(out)) {
			if json.Unmarshal([]byte(text), &line) == nil && !line.Time.IsZero() {
				break
			}
		}
		if off := time.Until(line.Time) - want; off.Abs() > 30*time.Second {
			t.Errorf("skew %q: the log says %v, which is %v from what it should be: %s", skew, line.Time, off, out)
		}
	}
}
