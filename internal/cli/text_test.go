package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// What somebody else wrote moves no cursor, turns no writing round and fills no screen.
func TestTextsFromOutsideAreText(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"Rechnung für Łódź, 日本": "Rechnung für Łódź, 日本",
		"a\x1b[31mb":            `a\x1b[31mb`,
		"a\u202egnp.exe":        `a\u202egnp.exe`,
		"two\nlines\ttabbed":    `two\nlines\ttabbed`,
		"\u200fx\ufeff\u009b":   `\u200fx\ufeff\u009b`,
		"bad\xffutf8":           "bad\ufffdutf8",
		"\U000e0041":            `\U000e0041`,
	} {
		if got := Shown(given); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}

func TestTablesFitIntoTheTerminalAndAreWholeElsewhere(t *testing.T) {
	t.Parallel()
	d := sit(t)
	printed := func(columns int) []string {
		t.Helper()
		out := &said{}
		d.Out = out
		if d.Columns = func() int { return columns }; columns < 0 {
			d.Columns = nil
		}
		table := newTable("NAME", "STATE", "WHY")
		table.row("日本", "COMPLETE", "")
		table.row("e\u0301", "X", strings.Repeat("y", 100))
		table.row(strings.Repeat("x", 200), "FAILED", "z")
		if err := table.print(d.Environment); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	}
	for columns, want := range map[int]struct{ name, state, why int }{
		-1:  {200, 202, 100}, // no terminal
		0:   {200, 202, 100}, // one that does not say how wide it is
		400: {200, 202, 100},
		250: {138, 140, 100},
		112: {50, 52, 50},
		40:  {24, 26, 24}, // too narrow: lines go on in the next one
	} {
		lines := printed(columns)
		for i, line := range lines {
			if at := columnsIn(line[:strings.Index(line, []string{"STATE", "COMPLETE", "X", "FAILED"}[i])]); at != want.state {
				t.Errorf("%d columns: the second cell of %q begins at %d, want %d", columns, line, at, want.state)
			}
		}
		name, why, _ := strings.Cut(lines[3], "  ")
		if columnsIn(name) != want.name || strings.HasSuffix(name, "…") != (want.name < 200) || !strings.HasSuffix(why, "z") {
			t.Errorf("%d columns: got %q, want a name of %d", columns, lines[3], want.name)
		}
		if why := lines[2][strings.Index(lines[2], "y"):]; columnsIn(why) != want.why {
			t.Errorf("%d columns: got %q, want a reason of %d", columns, lines[2], want.why)
		}
	}
	if strings.Contains(strings.Join(printed(80), ""), "\x1b") {
		t.Error("there are colours where nobody sees them")
	}
	d.Colors = true
	if got := d.colored("FAILED"); got != "\x1b[31mFAILED\x1b[0m" {
		t.Errorf("got %q, want it red", got)
	}
}

func TestColoursAreForTerminalsWhoseUserWantsThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		terminal      bool
		term, noColor string
		want          bool
	}{{true, "xterm", "", true}, {true, "", "", true}, {false, "xterm", "", false}, {true, "dumb", "", false}, {true, "xterm", "1", false}, {true, "xterm", "0", false}} {
		getenv := func(name string) string { return map[string]string{"TERM": c.term, "NO_COLOR": c.noColor}[name] }
		if got := colorful(c.terminal, getenv); got != c.want {
			t.Errorf("%+v: got %t", c, got)
		}
	}
}

func TestJSONHasTheSameTextsAndNothingThatATerminalActsOn(t *testing.T) {
	t.Parallel()
	d := sit(t)
	given := "a\x1b\u009b\u202e\U000e0041<é>日"
	if err := printJSON(d.out, given); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal([]byte(d.out.String()), &got); err != nil || got != given {
		t.Errorf("got %q, %v from %s", got, err, d.out)
	}
	if want := `"a\u001b\u009b\u202e\udb40\udc41<é>日"` + "\n"; d.out.String() != want {
		t.Errorf("got %s, want %s", d.out, want)
	}
}

func TestTailCutsAReasonToTheTerminalAlone(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]int{0: 200, 100: 100 - len("12:00:00  aut_1  FAILED     wkf_1  "), 30: narrowest} {
		d := sit(t)
		d.Columns, d.Colors = func() int { return columns }, true
		if err := (&tail{e: d.Environment}).print(line{ID: "aut_1", State: "FAILED", WorkflowID: "wkf_1", Why: strings.Repeat("y", 200)}); err != nil {
			t.Fatal(err)
		}
		said := strings.TrimSuffix(d.out.String(), "\n")
		if why := said[strings.Index(said, "y"):]; columnsIn(why) != want || !strings.Contains(said, "\x1b[31mFAILED\x1b[0m") {
			t.Errorf("%d columns: got %q, want a reason of %d", columns, said, want)
		}
	}
}
