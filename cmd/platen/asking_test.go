package main

import (
	"context"
	"testing"

	"github.com/platenhq/platen/internal/cli"
)

func TestACommandWithALargeEffectAsksOnATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		yes, script  bool
		asked, goes  bool
	}{
		{name: "no", answer: "no", asked: true},
		{name: "yes", answer: " Yes", asked: true, goes: true},
		{name: "--yes", yes: true, goes: true},
		{name: "a script", script: true, goes: true},
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
	}
}
