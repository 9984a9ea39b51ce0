package platen_test

import (
	"testing"

	"github.com/platenhq/platen"
)

func TestHopsAreTheLargestNumberAndGarbageIsNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []string
		want   int
	}{
		{nil, 0}, {[]string{""}, 0}, {[]string{"0"}, 0}, {[]string{" 3 "}, 3}, {[]string{"1", "4", "2"}, 4}, {[]string{"2, 5,x"}, 5},
		{[]string{"6"}, 6}, {[]string{"7000"}, 6}, {[]string{"99999999999999999999999999"}, 6}, {[]string{"4294967296"}, 6},
		{[]string{"-7"}, 0}, {[]string{"5.9"}, 0}, {[]string{"0x10"}, 0}, {[]string{"+3"}, 0}, {[]string{"1_0"}, 0}, {[]string{"\x80"}, 0},
	} {
		if got := platen.Hops(c.values); got != c.want {
			t.Errorf("%q: got %d, want %d", c.values, got, c.want)
		}
	}
}
