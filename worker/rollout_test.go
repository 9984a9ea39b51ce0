package worker

import (
	"testing"
	"time"
)

func TestABuildBecomesCurrentWhenItsTurnComes(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	build := func(id string, state BuildState, age time.Duration) Build {
		return Build{ID: id, State: state, FirstSeen: start.Add(-age)}
	}
	old, fresh := build("old", BuildCurrent, time.Hour), build("own", BuildNew, 0)
	for name, c := range map[string]struct {
		builds        []Build
		manual, alone bool
		lastSeen      time.Duration // of the current build, after start
		now           time.Duration // after start
		want          bool
	}{
		"first of all":                              {builds: nil, want: true},
		"first of all, by hand":                     {builds: nil, manual: true, want: true},
		"workers without builds before":             {builds: []Build{fresh}, want: true},
		"a release":                                 {builds: []Build{fresh, old}, want: true},
		"a release, by hand":                        {builds: []Build{fresh, old}, manual: true, want: false},
		"not registered yet":                        {builds: []Build{old}, want: true},
		"current already":                           {builds: []Build{build("own", BuildCurrent, 0), build("old", BuildDraining, time.Hour)}, want: false},
		"rolled back":                               {builds: []Build{build("own", BuildDraining, 0), old}, lastSeen: 2 * time.Minute, now: comeback + lookEvery, want: false},
		"a worker of the build before starts late":  {builds: []Build{build("new", BuildCurrent, 0), build("own", BuildNew, time.Hour)}, now: time.Minute, want: false},
		"the current build is gone":                 {builds: []Build{build("new", BuildCurrent, 0), build("own", BuildDrained, time.Hour)}, now: comeback + lookEvery, want: true},
		"the current build is gone, this one began": {builds: []Build{build("new", BuildCurrent, 0), build("own", BuildDrained, time.Hour)}, now: comeback, want: false},
		"the current build is gone, by hand":        {builds: []Build{build("new", BuildCurrent, 0), build("own", BuildDrained, time.Hour)}, manual: true, now: comeback + lookEvery, want: false},
		"the current build was seen":                {builds: []Build{build("new", BuildCurrent, 0), build("own", BuildDrained, time.Hour)}, lastSeen: 2 * time.Minute, now: comeback + lookEvery, want: false},
		"nobody else can be there":                  {builds: []Build{build("new", BuildCurrent, 0), build("own", BuildDrained, time.Hour)}, alone: true, want: true},
		"Temporal forgot who polls, a moment ago":   {builds: []Build{build("new", BuildCurrent, 0), build("own", BuildDrained, time.Hour)}, now: 10 * time.Second, want: false},
		"another build is ramping, this one is new": {builds: []Build{fresh, build("ramp", BuildRamping, time.Minute), old}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Rollout{Build: "own", Manual: c.manual, Alone: c.alone}
			r.presence.note(nil, start)
			// Looks succeed every few seconds; the current build polls last at lastSeen.
			for at := time.Duration(0); at <= c.now; at += lookEvery {
				current, _ := findCurrent(c.builds)
				r.presence.note(map[string]time.Time{current: start.Add(min(at, c.lastSeen))}, start.Add(at))
			}
			if got := r.turn(c.builds, start.Add(c.now)); got != c.want {
				t.Errorf("its turn: got %t, want %t", got, c.want)
			}
		})
	}
}
