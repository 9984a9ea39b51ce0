package platen

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestACronNamesItsMoments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cron, zone, after, next string }{
		{"0 6 1 * *", "Europe/Berlin", "2026-11-30T10:00:00Z", "2026-12-01T05:00:00Z"},
		{"0 6 1 * *", "Europe/Berlin", "2026-12-01T05:00:00Z", "2027-01-01T05:00:00Z"},
		{"* * * * *", "UTC", "2026-11-30T10:00:00Z", "2026-11-30T10:01:00Z"},
		{"* * * * *", "UTC", "2026-11-30T10:00:59.5Z", "2026-11-30T10:01:00Z"},
		{"*/15 9-17 * * MON-FRI", "UTC", "2026-11-27T17:45:00Z", "2026-11-30T09:00:00Z"},
		{"5/20 * * * *", "UTC", "2026-11-30T10:25:00Z", "2026-11-30T10:45:00Z"},
		{"0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"0 0 L * *", "UTC", "2027-02-01T00:00:00Z", "2027-02-28T00:00:00Z"},
		{"0 0 15,L * *", "UTC", "2027-02-01T00:00:00Z", "2027-02-15T00:00:00Z"},
		{"0 0 13 * 5", "UTC", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z"},
		{"0 0 * * 7", "UTC", "2026-11-30T00:00:00Z", "2026-12-06T00:00:00Z"},
		{"@monthly", "Pacific/Auckland", "2026-11-30T10:59:59Z", "2026-11-30T11:00:00Z"},
		{"0 0 * * *", "Asia/Kathmandu", "2026-11-30T10:00:00Z", "2026-11-30T18:15:00Z"},
	} {
		cron, err := ParseCron(c.cron)
		if err != nil {
			t.Errorf("%s: %v", c.cron, err)
			continue
		}
		after, _ := time.Parse(time.RFC3339Nano, c.after)
		if got := cron.Next(after, zoneOf(t, c.zone)).UTC().Format(time.RFC3339); got != c.next {
			t.Errorf("%s in %s after %s: got %s, want %s", c.cron, c.zone, c.after, got, c.next)
		}
	}
}

func TestACronThatIsNoneSaysWhichFieldIsWrong(t *testing.T) {
	t.Parallel()
	for cron, want := range map[string]string{
		"": "five fields", "0 6 * *": "five fields", "0 0 6 1 * *": "five fields", "@often": "five fields",
		"60 * * * *": "minute", "* 24 * * *": "hour", "* * 0 * *": "day of the month", "* * * 13 *": "month", "* * * * 8": "day of the week",
		"5-1 * * * *": "minute", "*/0 * * * *": "minute", "1,,2 * * * *": "minute", "* * L-1 * *": "day of the month", "-1 * * * *": "minute",
		"0 0 0 6 1 * *": "and has 7", "0 1,25 * * *": `25 is no number from 0 to 23`, "0 0 * FEB-XYZ *": "neither a number from 1 to 12 nor a name from JAN to DEC", "0 22-2 * * *": "22-23,0-2",
		"0 0 * * FRI-MON": "FRI-SAT,SUN-MON", "1,2/60 * * * *": "2/60", "0 0 * * 1,,2": "an empty part",
		"0 0 30 2 *": "no year", strings.Repeat("1,", 200) + "1 * * * *": "five fields",
	} {
		if _, err := ParseCron(cron); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want it to say %q", cron, err, want)
		}
	}
}

func TestATimeZoneThatIsNoneIsToldByAnother(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"europe/berlin": "Europe/Berlin", "EUROPE/BERLIN": "Europe/Berlin", "America/New York": "America/New_York", "america/port-au-prince": "America/Port-au-Prince", "africa/dar_es_salaam": "Africa/Dar_es_Salaam",
		"utc": "UTC", "cet": "CET", "W. Europe Standard Time": "Europe/Berlin", "eastern standard time": "America/New_York", "PST": "America/Los_Angeles", "CEST": "Europe/Berlin", "Berlin": "Europe/Berlin", "tokyo": "Asia/Tokyo",
	} {
		if _, err := LoadZone(name); err == nil || !strings.Contains(err.Error(), "try "+want+"?") && !strings.Contains(err.Error(), "such as "+want+",") {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
		if _, err := LoadZone(want); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, name := range []string{"", "Local", "+01:00", "GMT+1", "Nowhere/Else", strings.Repeat("x", 65)} {
		if _, err := LoadZone(name); err == nil || !strings.Contains(err.Error(), "such as Europe/Berlin") {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

// moments are the next n of a cron in Berlin, as its clock shows them.
func moments(t *testing.T, cron, after string, n int) (shown []string) {
	t.Helper()
	c, err := ParseCron(cron)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, after)
	if err != nil {
		t.Fatal(err)
	}
	zone := zoneOf(t, "Europe/Berlin")
	for range n {
		at = c.Next(at, zone)
		shown = append(shown, at.In(zone).Format("02 15:04 MST"))
	}
	return shown
}

func TestADayWithoutOrWithTwiceAnHourHasItsMomentOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cron, after string
		want        string
	}{
		// On 28 March 2027 the clock goes from 02:00 to 03:00, on 31 October from 03:00 to 02:00.
		{"30 2 * * *", "2027-03-27T12:00:00Z", "28 03:00 CEST, 29 02:30 CEST"},
		{"0,30 2 * * *", "2027-03-27T12:00:00Z", "28 03:00 CEST, 29 02:00 CEST"},
		{"0 3 * * *", "2027-03-27T12:00:00Z", "28 03:00 CEST, 29 03:00 CEST"},
		{"30 2 * * *", "2027-10-30T12:00:00Z", "31 02:30 CEST, 01 02:30 CET"},
		{"30 2,3 * * *", "2027-10-30T12:00:00Z", "31 02:30 CEST, 31 03:30 CET"},
		{"30 * * * *", "2027-03-28T00:00:00Z", "28 01:30 CET, 28 03:30 CEST"},
		{"30 * * * *", "2027-10-31T00:00:00Z", "31 02:30 CEST, 31 02:30 CET, 31 03:30 CET"},
		{"0 * * * *", "2027-10-30T23:30:00Z", "31 02:00 CEST, 31 02:00 CET, 31 03:00 CET"},
	} {
		want := strings.Split(c.want, ", ")
		if got := strings.Join(moments(t, c.cron, c.after, len(want)), ", "); got != c.want {
			t.Errorf("%s after %s: got %s, want %s", c.cron, c.after, got, c.want)
		}
	}
}

// Each minute, the clock of the zone is looked at: what Next works out is what was seen. Clocks
// are put on by half an hour (Lord Howe), at midnight (Santiago, Beirut), and by a whole day
// (Apia, in 2011).
func TestMomentsAreThoseOfAClockThatIsLookedAtEachMinute(t *testing.T) {
	t.Parallel()
	for _, in := range []struct{ zone, from string }{
		{"Europe/Berlin", "2027-03-26"},
		{"Europe/Berlin", "2027-10-29"},
		{"America/New_York", "2027-03-12"},
		{"America/New_York", "2027-11-05"},
		{"Australia/Lord_Howe", "2027-04-02"},
		{"Australia/Lord_Howe", "2027-10-01"},
		{"America/Santiago", "2027-04-02"},
		{"America/Santiago", "2027-09-03"},
		{"Asia/Beirut", "2027-03-26"},
		{"Pacific/Apia", "2011-12-28"},
		{"Europe/Dublin", "2027-10-29"},
	} {
		from, err := time.Parse(time.DateOnly, in.from)
		if err != nil {
			t.Fatal(err)
		}
		zone := zoneOf(t, in.zone)
		for _, text := range []string{"*/10 * * * *", "30 * * * *", "*/15 0-3 * * *", "10 2 * * *", "15 2,3 * * *", "0 0 * * *", "59 23 * * *", "45 1 * * SAT,SUN", "0 6 30 * *"} {
			cron, err := ParseCron(text)
			if err != nil {
				t.Fatal(err)
			}
			want := seen(cron, zone, from, from.AddDate(0, 0, 4))
			var got []time.Time
			for at := cron.Next(from.Add(-time.Nanosecond), zone); at.Before(from.AddDate(0, 0, 4)) && !at.IsZero(); at = cron.Next(at, zone) {
				got = append(got, at.UTC())
			}
			if !slices.EqualFunc(got, want, time.Time.Equal) {
				t.Errorf("%s in %s from %s:\ngot  %v\nwant %v", text, in.zone, in.from, got, want)
			}
		}
	}
}

// seen are the moments of a cron by the clock of a zone.
func seen(c Cron, zone *time.Location, from, until time.Time) (moments []time.Time) {
	wall := func(at time.Time) time.Time { return at.Add(offset(at, zone)) }
	fits := func(shown time.Time) bool {
		return c.onDay(shown.Truncate(24*time.Hour)) && c.hours&(1<<shown.Hour()) != 0 && c.minutes&(1<<shown.Minute()) != 0
	}
	last := wall(from.Add(-time.Minute)) // the latest time that the clock has shown
	for at := from; at.Before(until); at = at.Add(time.Minute) {
		now := wall(at)
		is := fits(now) && (c.everyHour() || now.After(last))
		for skipped := last.Add(time.Minute); skipped.Before(now) && !c.everyHour(); skipped = skipped.Add(time.Minute) {
			is = is || fits(skipped)
		}
		if is {
			moments = append(moments, at)
		}
		if now.After(last) {
			last = now
		}
	}
	return moments
}
