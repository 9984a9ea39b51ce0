package platen

import (
	"slices"
	"strings"
	"testing"
)

func TestCorrectedFieldsNamesWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after string
		want          []string
	}{
		{`{"a":1,"b":{"c":"x"}}`, `{"b":{"c":"x"},"a":1}`, nil},
		{`{"a":1}`, `{"a":1.0,"b":2}`, []string{"a", "b"}},
		{`{"a":[{"p":1},{"p":2}],"gone":0}`, `{"a":[{"p":1},{"p":3}]}`, []string{"a[2].p", "gone"}},
		{`{"a":[1]}`, `{"a":[1,2]}`, []string{"a"}},
		{"\ufeff" + `{"a":null}`, `{"a":{}}`, []string{"a"}},
	} {
		if got, err := CorrectedFields([]byte(c.before), []byte(c.after)); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s to %s: got %v (%v), want %v", c.before, c.after, got, err, c.want)
		}
	}
	many := `{"a":[` + strings.TrimSuffix(strings.Repeat("1,", 200), ",") + `]}`
	got, err := CorrectedFields([]byte(many), []byte(strings.ReplaceAll(many, "1", "2")))
	if err != nil || len(got) != MaxCorrectedFields || got[len(got)-1] != more {
		t.Errorf("got %d names ending with %v (%v), want %d and that there are more", len(got), got[max(0, len(got)-1):], err, MaxCorrectedFields)
	}
}
