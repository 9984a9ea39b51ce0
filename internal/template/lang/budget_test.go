package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func objects(n int) string { return strings.TrimSuffix(strings.Repeat(`{"A":1},`, n), ",") }

// 4 MiB are 4,194,304 bytes.
func TestADocumentTakesFourMebibytesOfText(t *testing.T) {
	t.Parallel()
	body := `{"M": "` + strings.Repeat("x", 1<<20) + `", "Items": [` + objects(3) + `]}`
	e := evaluator(t, body)
	workWith(e, "{{M}}{{M}}{{M}}{{M}}")
	if e.TooMuch() || len(e.Findings()) > 0 {
		t.Errorf("4 MiB: got %+v", e.Findings())
	}
	workWith(e, "{{#each Items}}x{{/each}}")
	f := e.Findings()
	if !e.TooMuch() || len(f) != 1 || f[0].Code != "document_too_large" || !f[0].Data {
		t.Fatalf("4 MiB and 3 bytes: got %+v, want document_too_large", f)
	}
	if want := "The values for this document have more than 4 MiB together: send less data. The longest list, Items, has 3 items."; f[0].Message != want {
		t.Errorf("got %q, want %q", f[0].Message, want)
	}
}

func TestWhatLinksShowCountsAsText(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"M": "`+strings.Repeat("x", 1<<20)+`"}`)
	workWith(e, strings.Repeat(`{{link "https://x" M}}`, 4))
	if e.TooMuch() {
		t.Errorf("4 MiB: got %+v", e.Findings())
	}
	workWith(e, `{{link "https://x"}}`)
	if !e.TooMuch() {
		t.Error("4 MiB and 9 bytes: got nothing")
	}
}

func TestTextOfTheTemplateCountsOnlyWhereItIsWritten(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 3<<20)
	e := evaluator(t, `{"A": "a"}`)
	read := e.ReadLine(line + "{{A}}")
	for range 3 {
		e.Fill(read, nil, true) // it stays where it is
	}
	if e.TooMuch() {
		t.Errorf("what stays: got %+v", e.Findings())
	}
	for range 2 {
		e.Fill(read, nil, false)
	}
	if !e.TooMuch() {
		t.Error("6 MiB that are written: got nothing")
	}
}

// 1 + 2 takes four steps: the tag, the sum and its two numbers.
func TestADocumentTakesTwoMillionSteps(t *testing.T) {
	t.Parallel()
	for before, want := range map[int]string{2_000_000 - 4: "3", 2_000_000 - 3: ""} {
		e := evaluator(t, "{}")
		e.Spend(before, 0)
		got := workWith(e, "{{= 1 + 2}}")
		if got.text != want || e.TooMuch() != (want == "") {
			t.Errorf("after %d steps: got %q with findings %q, want %q", before, got.text, got.findings, want)
		}
		for _, f := range e.Findings() {
			if f.Code != "template_too_costly" || !f.Data {
				t.Errorf("after %d steps: got %+v, want template_too_costly, of the data", before, f)
			}
		}
	}
}

func TestEachItemOfAListTakesAStep(t *testing.T) {
	t.Parallel()
	body := `{"L": [` + strings.TrimSuffix(strings.Repeat("1,", 100), ",") + `], "Items": [` + objects(100) + `]}`
	for _, line := range []string{"{{= SUM(L)}}", "{{= COUNT(Items.A)}}", "{{= Items.A}}", "{{#each L}}x{{/each}}", "{{#each Items}}{{/each}}"} {
		e := evaluator(t, body)
		e.Spend(2_000_000-90, 0)
		workWith(e, line)
		if !e.TooMuch() {
			t.Errorf("%s: got nothing after 90 steps", line)
		}
	}
}

// Each part of the data that is looked at counts, up to 20,000,000.
func TestADocumentLooksAtTwentyMillionPartsOfTheData(t *testing.T) {
	t.Parallel()
	for before, want := range map[int]bool{20_000_000: true, 20_000_000 - 100: false} {
		e := evaluator(t, `{"A": {"B": 1}}`)
		e.Spend(0, before)
		workWith(e, "{{= A.B}}")
		if got := e.TooMuch(); got != want {
			t.Errorf("after %d: got that it is too much %v, want %v", before, got, want)
		}
	}
}

func TestTheLongestListOfADocumentIsNamed(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"Few": [`+objects(2)+`], "Many": [`+objects(5)+`], "Deep": {"Most": [`+objects(7)+`]}}`)
	for _, c := range []struct{ line, want string }{
		{"no list", ""},
		{"{{#each None}}{{/each}}", ""},
		{"{{#each Few}}x{{/each}}", " The longest list, Few, has 2 items."},
		{"{{#each Many}}x{{/each}}{{#each Few}}x{{/each}}", " The longest list, Many, has 5 items."},
		{"{{#each Deep.Most}}x{{/each}}", " The longest list, Deep.Most, has 7 items."},
	} {
		workWith(e, c.line)
		if got := e.Longest().String(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
	rows := evaluator(t, `{"Many": [`+objects(5)+`]}`)
	rows.Repeats(rows.ReadLine("{{Many.A}}").Statements(), nil)
	if got := rows.Longest(); got != (lang.LongList{Name: "Many", Items: 5}) {
		t.Errorf("a row: got %+v, want Many with 5", got)
	}
}

func TestNothingIsFilledBehindTheLimit(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"Items": [`+objects(100)+`]}`)
	e.Spend(2_000_000-150, 0)
	got := workWith(e, "{{#each Items}}x{{/each}} and more") // 100 for the items, and one for each part
	if !strings.HasPrefix(got.text, "xxx") || strings.Contains(got.text, "more") || fmt.Sprint(got.findings) != "[template_too_costly ]" {
		t.Errorf("got %s with findings %q, want to stop between the items with one finding", got.text, got.findings)
	}
	if again := workWith(e, "a{{Items.A}}"); again.text != "" {
		t.Errorf("afterwards: got %s, want nothing", again.text)
	}
}
