package pdf

import "testing"

// ISO 32000-1, 9.3.4: Tz is in hundredths of a letter's width and holds on.
func TestAStretchHoldsForItsTextAlone(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		content string
		texts   []changedText
		out     string
	}{
		{"q\nBT\na\nET\nQ\n", nil, "q\nBT\na\nET\nQ\n"},
		{"q\nBT\na\nET\nQ\n", []changedText{{text: 0, stretch: 1.5}}, "q\nBT\n150.00 Tz\na\n100 Tz\nET\nQ\n"},
		{"BT\na\nET\nBT\nb\nET\n", []changedText{{text: 1, stretch: 0.333}}, "BT\na\nET\nBT\n33.30 Tz\nb\n100 Tz\nET\n"},
		{"BT\na\nET\nBT\nb\nET\n", []changedText{{text: 0, stretch: 2}}, "BT\n200.00 Tz\na\n100 Tz\nET\nBT\nb\nET\n"},
		{"BT\na\nET\nBT\nb\nET\nBT\nc\nET\n", []changedText{{text: 0, stretch: 2}, {text: 2, stretch: 3}},
			"BT\n200.00 Tz\na\n100 Tz\nET\nBT\nb\nET\nBT\n300.00 Tz\nc\n100 Tz\nET\n"},
		// A text that is not there loses nothing.
		{"BT\na\nET\n", []changedText{{text: 1, stretch: 2}}, "BT\na\nET\n"},
		{"BT\na\n", []changedText{{text: 0, stretch: 2}}, "BT\na\n"},
	} {
		if got := string(changeTexts([]byte(want.content), want.texts)); got != want.out {
			t.Errorf("%q %v:\ngot  %q\nwant %q", want.content, want.texts, got, want.out)
		}
	}
}
