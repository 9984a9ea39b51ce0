package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestUsageIsListedMonthByMonth(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	if got := x.do(t, "GET", "/v0/usage/", "").is(200).body; strings.TrimSpace(got) != "[]" {
		t.Errorf("got %s, want an empty list", got)
	}
	me := fmt.Sprint(x.do(t, "GET", "/v0/me/", "").is(200).object()["user"].(map[string]any)["id"])
	for month := range 3 {
		x.store.Used = append(x.store.Used, platen.MonthUsage{OwnerID: me, Month: time.Date(2026, 1+time.Month(month), 1, 0, 0, 0, 0, time.UTC), Documents: int64(month + 1), Pages: 5, Bytes: 6, Mails: 7})
	}
	x.store.Used = append(x.store.Used, platen.MonthUsage{OwnerID: "usr_0000000000000009", Month: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Documents: 1000})
	months := func(path string) (got []string, next string) {
		a := x.do(t, "GET", path, "").is(200)
		for _, m := range a.entries() {
			got = append(got, fmt.Sprint(m["month"], ":", m["documents"], ",", m["pages"], ",", m["bytes"], ",", m["mails"]))
		}
		_, link, _ := strings.Cut(a.header.Get("Link"), "<")
		link, _, _ = strings.Cut(link, ">")
		if _, path, ok := strings.Cut(link, "/v0"); ok {
			next = "/v0" + path
		}
		return got, next
	}
	if got, _ := months("/v0/usage/"); fmt.Sprint(got) != "[2026-01:1,5,6,7 2026-02:2,5,6,7 2026-03:3,5,6,7]" {
		t.Errorf("got %v, want three months", got)
	}
	first, next := months("/v0/usage/?limit=2")
	if rest, end := months(next); len(first) != 2 || fmt.Sprint(rest) != "[2026-03:3,5,6,7]" || end != "" {
		t.Errorf("got %v and %v, want the third month on the second page", first, rest)
	}
	if got, _ := months("/v0/usage/?order=newest&limit=1"); fmt.Sprint(got) != "[2026-03:3,5,6,7]" {
		t.Errorf("got %v, want the newest month", got)
	}
	limit := func() string {
		return fmt.Sprint(x.do(t, "GET", "/v0/me/", "").is(200).object()["limits"])
	}
	if got := limit(); got != "map[documents:<nil>]" {
		t.Errorf("got limits %s, want none", got)
	}
	x.store.Limits = map[string]int64{me: 1000, "usr_0000000000000009": 5}
	if got := limit(); got != "map[documents:1000]" {
		t.Errorf("got limits %s, want those of the caller", got)
	}
	x.do(t, "GET", "/v0/usage/?month=2026-01", "").problem(400, "invalid_parameter")
}
