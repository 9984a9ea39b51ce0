package edge

import (
	"net/http"
	"testing"
	"time"
)

func TestTheFirstWaitThatIsPreferredCounts(t *testing.T) {
	t.Parallel()
	const none = -1
	for _, c := range []struct {
		fields []string
		want   time.Duration
	}{
		{nil, none},
		{[]string{"wait=30"}, 30},
		{[]string{`Wait = "7"`}, 7},
		{[]string{"wait=0"}, 0},
		{[]string{"respond-async, wait=10"}, 10},
		{[]string{"return=minimal", "wait=10;foo=bar, wait=20", "wait=3"}, 10},
		{[]string{"wait=51"}, 50},
		{[]string{"wait=99999999999999999999999999"}, 50},
		{[]string{"wait"}, none},
		{[]string{"wait="}, none},
		{[]string{"wait=-1"}, none},
		{[]string{"wait=+1"}, none},
		{[]string{"wait=1.5"}, none},
		{[]string{"wait=soon, wait=5"}, none},
		{[]string{"waiting=5"}, none},
	} {
		got, asked := PreferredWait(http.Header{"Prefer": c.fields})
		if asked != (c.want != none) || asked && got != c.want*time.Second {
			t.Errorf("%q: got %v, %v; want %d s", c.fields, got, asked, c.want)
		}
	}
}
