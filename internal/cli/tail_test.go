package cli

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestTailTellsEachChangeOnce(t *testing.T) {
	t.Parallel()
	d := sit(t)
	at := time.Now().Add(-time.Hour)
	old := object{"id": "aut_old", "workflowId": "wkf_1", "state": "RUNNING", "acceptedAt": at.Add(-time.Minute)}
	// Each look finds the next of these; the last one stays.
	automations := [][]object{{old}}
	output := []object{{"id": "out_1"}}
	for _, a := range []object{{"state": "RUNNING"}, {"state": "RUNNING"}, {"state": "COMPLETED", "outputs": output}} {
		a["id"], a["workflowId"], a["acceptedAt"] = "aut_1", "wkf_1", at
		automations = append(automations, []object{a, old})
	}
	failed := object{"id": "aut_2", "workflowId": "wkf_1", "state": "FAILED", "acceptedAt": at.Add(time.Second), "error": object{"code": "data_unusable", "message": "Bad\u202e"}}
	automations = append(automations, append([]object{failed}, automations[3]...))
	looks, asked := 0, 0
	d.answers["GET /automations/"] = func() any { looks++; return automations[min(looks-1, len(automations)-1)] }
	d.answers["GET /workflows/wkf_1/events/"] = func() any {
		asked++
		states := []string{"PENDING", "PENDING", "DELIVERED"}
		return []object{{"id": "evt_1", "type": "DOCUMENTS_CREATED", "state": states[min(asked, len(states))-1]}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- d.run(ctx, d.loggedIn("tail")...) }()
	eventually(t, func() bool {
		return strings.Contains(d.out.String(), "DELIVERED") && strings.Contains(d.out.String(), "FAILED")
	})
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("an interrupt is its good end: got %v", err)
	}
	var got []string
	for line := range strings.Lines(d.out.String()) {
		got = append(got, strings.Join(strings.Fields(line)[1:], " "))
	}
	want := []string{"aut_1 RUNNING wkf_1", "aut_1 COMPLETED wkf_1", "evt_1 PENDING aut_1 DOCUMENTS_CREATED", `aut_2 FAILED wkf_1 Bad\u202e (data_unusable)`, "evt_1 DELIVERED aut_1 DOCUMENTS_CREATED"}
	for i, line := range want {
		if n := strings.Count(strings.Join(got, "\n")+"\n", line+"\n"); n != 1 {
			t.Errorf("%q was printed %d times, want once; line %d of\n%s", line, n, i+1, d.out)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d lines, want %d:\n%s", len(got), len(want), d.out)
	}
}
