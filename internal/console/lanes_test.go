package console

import (
	"testing"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

func TestStepsOfARunAreDrawnOnTheTimeThatItTook(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	started, name := at.Add(time.Second), "Invoice 17"
	p := runPage{AutomationDetail: client.AutomationDetail{Automation: client.Automation{AcceptedAt: at, StartedAt: &started}}}
	p.Rows = []outputRow{{Output: client.Output{State: "FAILED", Name: &name, CreatedAt: started, UpdatedAt: at.Add(4 * time.Second)}}}
	delivery := client.Delivery{Attempt: 1, At: at.Add(4 * time.Second), DurationMS: 0}
	p.Events = []event{{EventDetail: client.EventDetail{Deliveries: []client.Delivery{delivery}}}}
	got := lanesOf(catalog.Printer{}, p, at)
	want := []lane{
		{Text: "Waited for its turn", Took: "1.0 s", X: 0, Width: 250},
		{Text: "Could not make “Invoice 17”", Took: "3.0 s", X: 250, Width: 750, Bad: true},
		{Text: "Attempt 1 to tell the receiver", Took: "0 ms", X: laneWidth - thinnest, Width: thinnest, Bad: true},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v, want %d lanes", got, len(want))
	}
	for i, l := range got {
		l.from, l.to = time.Time{}, time.Time{}
		if l != want[i] {
			t.Errorf("got %+v, want %+v", l, want[i])
		}
	}
	waits := lanesOf(catalog.Printer{}, runPage{AutomationDetail: client.AutomationDetail{Automation: client.Automation{AcceptedAt: at}}}, at.Add(time.Minute))
	if len(waits) != 1 || !waits[0].Open || waits[0].Took != "1 min 0 s" || waits[0].Width != laneWidth {
		t.Errorf("one that waits: got %+v", waits)
	}
	// Days before, the first attempt failed and was told of.
	p.Attempt, p.AcceptedAt = 2, at.Add(-48*time.Hour)
	p.Rows[0].CreatedAt = p.AcceptedAt
	p.Events = append(p.Events, event{EventDetail: client.EventDetail{Deliveries: []client.Delivery{{Attempt: 1, At: p.AcceptedAt.Add(time.Minute), Delivered: true}}}})
	if again := lanesOf(catalog.Printer{}, p, at); len(again) != 2 || again[0].Took != "3.0 s" || again[0].Width != laneWidth {
		t.Errorf("the second attempt: got %+v, want its own two lanes", again)
	}
}
