package operator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/cli"
)

func TestACommandWithALargeEffectAsksOrWantsYes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		yes, script  bool
		asked, goes  bool
	}{
		{name: "no", answer: "no", asked: true},
		{name: "yes", answer: " Yes", asked: true, goes: true},
		{name: "--yes", yes: true, goes: true},
		{name: "a script", script: true},
		{name: "a script with --yes", yes: true, script: true, goes: true},
	} {
		asked := false
		e := &cli.Environment{Ask: func(context.Context, string, bool) (string, error) {
			asked = true
			return c.answer, nil
		}}
		if c.script {
			e.Ask = nil
		}
		err := asking{Yes: c.yes}.confirm(t.Context(), e, "Sure?")
		if asked != c.asked || (err == nil) != c.goes {
			t.Errorf("%s: asked %t, %v; want asked %t, goes on %t", c.name, asked, err, c.asked, c.goes)
		}
		if c.script && !c.yes && !strings.Contains(fmt.Sprint(err), "give --yes") {
			t.Errorf("%s: got %v, want the cure", c.name, err)
		}
	}
}
