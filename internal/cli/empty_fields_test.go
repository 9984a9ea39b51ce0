package cli

import (
	"strings"
	"testing"
)

func TestFieldsThatStayedEmptyAreSaidWithWhatWasMeant(t *testing.T) {
	t.Parallel()
	d := sit(t)
	automation := object{"id": "aut_1", "workflowId": "wkf_1", "state": "COMPLETED", "missingFields": []string{"line_items.prise", "note"},
		"unknownFields": []object{{"name": "line_items.prise", "nearest": []string{"line_items.price"}}}}
	d.answers["GET /automations/"] = []object{automation, {"id": "aut_2", "state": "COMPLETED", "missingFields": []string{"note"}}, {"id": "aut_3", "state": "RUNNING", "missingFields": []string{"x", "y", "z"}}}
	d.answers["GET /workflows/wkf_1/"] = object{"id": "wkf_1", "name": "W"}
	d.answers["GET /workflows/wkf_1/automations/"] = []object{automation}
	d.answers["GET /workflows/wkf_1/automations/aut_1/"] = automation
	const meant = "line_items.prise: no such field in the event; did you mean line_items.price?"
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"automations list", []string{"2 fields empty", "1 field empty"}},
		{"automations show wkf_1 aut_1", []string{"2 fields empty", meant, "Correct the tag in the template", "missing field"}},
		{"workflows show wkf_1", []string{"empty in the last run", meant}},
	} {
		before := len(d.out.String())
		if err := d.run(t.Context(), d.loggedIn(strings.Fields(c.command)...)...); err != nil {
			t.Fatalf("%s: %v", c.command, err)
		}
		got := d.out.String()[before:]
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %q in it", c.command, got, want)
			}
		}
		if strings.Contains(got, "3 fields") {
			t.Errorf("%s: got %s, want nothing of a run that is under way", c.command, got)
		}
	}
}
