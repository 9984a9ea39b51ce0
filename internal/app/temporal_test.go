package app

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/testkit"
)

// A namespace that is not there stands for one whose attributes nobody may look at.
func TestSearchAttributesAreLeftAloneWhereASettingSaysSo(t *testing.T) {
	t.Parallel()
	stack, log := testkit.Running(t), slog.New(slog.DiscardHandler)
	for flags, want := range map[string]string{
		"":                           "temporal has no namespace nowhere",
		"--temporal-skip-attributes": "",
	} {
		var c config.Temporal
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(strings.Fields("--temporal-address " + stack.TemporalAddress + " --temporal-namespace nowhere " + flags)); err != nil {
			t.Fatal(err)
		}
		temporal, err := dial(t.Context(), c, log, pulses{})
		if temporal != nil {
			temporal.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", flags, err, want)
		}
	}
}
