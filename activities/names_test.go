package activities_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/platenhq/platen/activities"
)

// Histories have these names for as long as a run or a delivery may go on.
func TestArgumentsAndResultsKeepTheirNamesInHistories(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]any{
		`{"EventID":"evt_1","Attempt":3,"Before":2,"InRun":true,"Waited":1000}`: activities.SendInput{
			EventID: "evt_1", Attempt: 3, Before: 2, InRun: true, Waited: time.Microsecond,
		},
		`{"Delivered":true,"Ended":true,"Held":true,"Postponed":true,"Wait":1000,"Status":200}`: activities.SendResult{
			Delivered: true, Ended: true, Held: true, Postponed: true, Wait: time.Microsecond, Status: 200,
		},
		`{"EventID":"evt_1","Orphans":true}`: activities.RecordResult{EventID: "evt_1", Orphans: true},
		`{"Requests":2,"Missing":1}`:         activities.FillResult{Requests: 2, Missing: 1},
		`{"Files":1,"Kept":2}`:               activities.OrphansResult{Files: 1, Kept: 2},
	} {
		if got, err := json.Marshal(value); err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}
