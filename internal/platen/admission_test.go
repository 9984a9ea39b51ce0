package platen_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestAWorkerHasRoomForWhatItCarriesWithinWhatAllMayHave(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by        platen.Claimer
		open, own int
		others    platen.Others
		room      int
		tight     bool
	}{
		"alone":                             {by: platen.Claimer{Carries: 12}, room: 12},
		"alone and full":                    {by: platen.Claimer{Carries: 12}, open: 12, own: 12, room: 0, tight: true},
		"places for new owners":             {by: platen.Claimer{Carries: 12}, open: 9, own: 9, room: 3, tight: true},
		"its own are taken":                 {by: platen.Claimer{Carries: 6}, open: 6, own: 6, others: platen.Others{Workers: 1, Carried: 6}, room: 0, tight: true},
		"others are full":                   {by: platen.Claimer{Carries: 6}, open: 6, own: 0, others: platen.Others{Workers: 1, Carried: 6}, room: 6},
		"runs of a worker that died":        {by: platen.Claimer{Carries: 6}, open: 10, own: 0, room: 0, tight: true},
		"a ceiling":                         {by: platen.Claimer{Carries: 12, Most: platen.PlacesFor(8, 1, 1)}, open: 5, own: 5, room: 3},
		"a ceiling above all":               {by: platen.Claimer{Carries: 12, Most: platen.PlacesFor(80, 1, 1)}, room: 12},
		"crowded":                           {by: platen.Claimer{Carries: 12, Crowded: true}, others: platen.Others{Workers: 1, Carried: 12}, room: 4},
		"crowded, with a third of it taken": {by: platen.Claimer{Carries: 12, Crowded: true}, open: 4, own: 4, others: platen.Others{Workers: 1, Carried: 12}, room: 0, tight: true},
		"crowded on one place":              {by: platen.Claimer{Carries: 1, Crowded: true}, room: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := c.by.Occupancy(c.open, c.own, c.others)
			if seen.Room() != c.room || seen.IsTight() != c.tight {
				t.Errorf("got room for %d, tight %t; want %d, %t (%+v)", seen.Room(), seen.IsTight(), c.room, c.tight, seen)
			}
		})
	}
}
