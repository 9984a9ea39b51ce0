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

// A formula that names a list takes a step for each of its items.
func TestADocumentTakesTwoMillionSteps(t *testing.T) {
	t.Parallel()
	body := `{"Items": [` + objects(1000) + `]}`
	e := evaluator(t, body)
	for range 300 {
		workWith(e, "{{= SUM(Items.A)}}") // 1,000 items, each with a step or two
	}
	if e.TooMuch() {
		t.Errorf("300,000 items: got %+v", e.Findings())
	}
	for range 2000 {
		workWith(e, "{{= SUM(Items.A)}}")
	}
	f := e.Findings()
	if !e.TooMuch() || f[0].Code != "template_too_costly" || !f[0].Data {
		t.Fatalf("2,300,000 items: got %+v, want template_too_costly", f)
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
	e := evaluator(t, `{"Items": [`+objects(3000)+`]}`)
	got := workWith(e, "{{#each Items}}{{#each Items}}x{{/each}}{{/each}} and more")
	if len(got.text) > 2_100_000 || strings.Contains(got.text, "more") || fmt.Sprint(got.findings) != "[template_too_costly ]" {
		t.Errorf("got %d bytes with findings %q, want to stop with one finding", len(got.text), got.findings)
	}
	if again := workWith(e, "{{Items.A}}"); again.text != "" {
		t.Errorf("afterwards: got %.20q, want nothing", again.text)
	}
}
