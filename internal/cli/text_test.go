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

func TestTablesCutLongTextsAndLineUpWideOnes(t *testing.T) {
	t.Parallel()
	d := sit(t)
	long := newTable("NAME", "STATE")
	long.row("日本", "COMPLETE")
	long.row("e\u0301", "X")
	long.row(strings.Repeat("x", 10_000), "FAILED")
	long.row("", "Y")
	if err := long.print(d.Environment); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(d.out.String(), "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[3], strings.Repeat("x", widest-1)+"…  FAILED") || !strings.HasPrefix(lines[4], "- ") {
		t.Errorf("got\n%s", d.out)
	}
	for _, line := range lines[:5] {
		if at := columnsIn(line[:strings.LastIndex(line, " ")+1]); at != widest+2 {
			t.Errorf("the second column of %q begins at %d, want %d", line, at, widest+2)
		}
	}
	if strings.Contains(d.out.String(), "\x1b") {
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
