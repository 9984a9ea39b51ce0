package cli

import (
	"strings"
	"testing"
)

func TestASchedulesEventsAreGivenOrReadFromAnAddress(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["POST /workflows/wkf_1/schedules/"] = object{"id": "sch_1", "name": "Monthly", "cron": "0 6 1 * *", "timeZone": "Europe/Berlin", "nextAt": "2026-12-01T05:00:00Z"}
	d.answers["PATCH /workflows/wkf_1/schedules/sch_1/"] = object{"id": "sch_1", "paused": true}
	d.answers["POST /workflows/wkf_1/schedules/sch_1/run/"] = object{"id": "sch_1"}
	d.answers["GET /workflows/wkf_1/schedules/"] = []object{{"id": "sch_1", "name": "Monthly", "nextAt": "2026-12-01T05:00:00Z", "last": object{"at": "2026-11-01T05:00:00Z", "state": "FAILED", "error": object{"code": "schedule_url_refused", "message": "The URL answers 404."}}}}
	run := func(args ...string) {
		t.Helper()
		if err := d.run(t.Context(), d.loggedIn(append([]string{"schedules"}, args...)...)...); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	body := func(want string, what string) {
		t.Helper()
		if got := string(d.bodies[what]); strings.TrimSpace(got) != want {
			t.Errorf("%s was sent %s, want %s", what, got, want)
		}
	}
	run("create", "wkf_1", "--name", "Monthly", "--cron", "0 6 1 * *", "--time-zone", "Europe/Berlin", "--data", `[{"a":1},{"a":2}]`)
	body(`{"name":"Monthly","cron":"0 6 1 * *","timeZone":"Europe/Berlin","data":[{"a":1},{"a":2}],"url":"","folder":""}`, "POST /workflows/wkf_1/schedules/")
	d.In = strings.NewReader("Bearer hidden\n")
	run("create", "wkf_1", "--name", "Monthly", "--cron", "0 6 1 * *", "--time-zone", "Europe/Berlin", "--url", "https://a.example", "--secret-stdin")
	body(`{"name":"Monthly","cron":"0 6 1 * *","timeZone":"Europe/Berlin","data":null,"url":"https://a.example","secret":"Bearer hidden","folder":""}`, "POST /workflows/wkf_1/schedules/")
	run("create", "wkf_1", "--name", "Inbox", "--folder", "1Zc4VbN7", "--take-existing")
	body(`{"name":"Inbox","data":null,"url":"","folder":"1Zc4VbN7","takeExisting":true}`, "POST /workflows/wkf_1/schedules/")
	d.answers["GET /workflows/wkf_1/schedules/sch_1/"] = object{"id": "sch_1", "folder": "1Zc4VbN7", "files": object{"pending": 3, "taken": 2, "failed": 1}}
	run("show", "wkf_1", "sch_1")
	d.answers["GET /workflows/wkf_1/schedules/sch_1/files/"] = []object{{"id": "f1", "name": "orders.csv", "state": "TAKEN", "batchId": "bat_1", "endedAt": "2026-11-01T05:00:00Z"}, {"id": "f2", "name": "no.json", "state": "FAILED", "error": object{"code": "schedule_not_json", "message": "No."}}}
	run("files", "wkf_1", "sch_1", "--state", "TAKEN", "--state", "FAILED")
	for _, want := range []string{"3 waiting, 2 taken, 1 failed", "bat_1", "2026-11-01T05:00:00Z", "No. (schedule_not_json)"} {
		if got := d.out.String(); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	run("update", "wkf_1", "sch_1", "--paused")
	body(`{"paused":true}`, "PATCH /workflows/wkf_1/schedules/sch_1/")
	run("run", "wkf_1", "sch_1")
	run("list", "wkf_1")
	if got := d.out.String(); !strings.Contains(got, "The URL answers 404. (schedule_url_refused)") || !strings.Contains(got, "2026-12-01T05:00:00Z") {
		t.Errorf("got %s", got)
	}
	before := len(d.out.String())
	run("list", "wkf_1", "--state", "DONE")
	if got := d.out.String()[before:]; strings.Contains(got, "sch_1") {
		t.Errorf("got %s, want no schedule whose moment failed", got)
	}
	d.answers["GET /schedules/"] = []object{{"id": "sch_2", "workflowId": "wkf_2"}}
	run("list", "--state", "FAILED")
	if got := d.out.String(); !strings.Contains(got, "wkf_2") {
		t.Errorf("got %s, want the schedule of another workflow", got)
	}
	if err := d.run(t.Context(), d.loggedIn("schedules", "create", "wkf_1", "--data", "{}", "--url", "https://a.example")...); err == nil || !strings.Contains(err.Error(), "give one of") {
		t.Errorf("got %v, want it refused", err)
	}
}
