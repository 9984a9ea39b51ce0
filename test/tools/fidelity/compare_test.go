package main

import (
	"regexp"
	"testing"
)

// Two lines as compare.py prints them, the second one's name cut at 60 bytes, and its means.
const printed = `a letter (1).docx.pdf (2, 3) bag 0.978 seq 0.844 same 0.736 p2 0.069 p10 0.094 ssim 0.392
Open-XML-SDK__570776__Business_Plan_for_a_Startup_Business_J (29, 29) bag 0.971 seq 0.970 same 0.967 p2 0.862 p10 0.881 ssim 0.969
N 2 pages equal 1 mean bag 0.975 seq 0.907 samepage 0.852 pos2 0.466 pos10 0.488 ssim 0.681 exact text 0
`

func TestFiguresOfTheComparisonAreRead(t *testing.T) {
	t.Parallel()
	rows, err := parse([]byte(printed))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 {
		t.Fatalf("got %d rows, want 2: %v", len(rows), rows)
	}
	if r := rows[0]; r.file != "a letter (1).docx" || r.ref != 2 || r.ours != 3 || r.figures["p10"] != 0.094 {
		t.Errorf("the first row is %+v", r)
	}
	for _, c := range columns {
		if rows[1].figures[c] == 0 {
			t.Errorf("the second row has no %s", c)
		}
	}
	if got := matching(rows, regexp.MustCompile("letter")); len(got) != 1 || got[0].file != rows[0].file {
		t.Errorf("the rows that are letters are %v", got)
	}
}

func TestAFileThatCannotBeComparedIsAnError(t *testing.T) {
	t.Parallel()
	if rows, err := parse([]byte("x.docx.pdf ERR TimeoutExpired(...)\n")); err == nil {
		t.Errorf("got %v, want an error", rows)
	}
}
