package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

const newScheduleBody = `{"name":"Monthly","cron":"0  6 1 * *","timeZone":"Europe/Berlin","url":"https://shop.example.com/due?open=1","secret":"hidden-7"}`

func TestAScheduleIsMadeChangedRunAndRemovedAndItsSecretNeverShown(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	all := x.newWorkflow(t, `{"name":"A"}`) + "/schedules"
	answer := x.do(t, "POST", all, newScheduleBody).is(http.StatusCreated)
	made := answer.object()
	if made["cron"] != "0 6 1 * *" || made["hasSecret"] != true || made["data"] != nil || made["last"] != nil || made["nextAt"] != "2026-02-01T05:00:00.000000+00:00" || strings.Contains(string(answer.body), "hidden") {
		t.Errorf("got %s", answer.body)
	}
	one := all + "/" + made["id"].(string)
	x.do(t, "PATCH", one, `{"url":"https://evil.example/due"}`).problem(http.StatusBadRequest, "invalid_body")
	if got := x.do(t, "PATCH", one, `{"url":"https://shop.example.com/other","timeZone":"UTC"}`).is(http.StatusOK).object(); got["hasSecret"] != true || got["nextAt"] != "2026-02-01T06:00:00.000000+00:00" {
		t.Errorf("changed to %v", got)
	}
	written := x.do(t, "PATCH", one, `{"url":null,"data":[{"Name":"Ada"},{"Name":"Bob"}],"paused":true}`).is(http.StatusOK).object()
	if list, ok := written["data"].([]any); !ok || len(list) != 2 || written["url"] != nil || written["hasSecret"] != false || written["nextAt"] != nil {
		t.Errorf("changed to %v, want the events in place of the address, and no secret", written)
	}
	if got := x.do(t, "POST", one+"/run", "").is(http.StatusAccepted).object(); got["requestedAt"] == nil {
		t.Errorf("asked to run: got %v", got)
	}
	x.do(t, "PATCH", one, `{"name":"B"}`, "If-Match", `"another"`).is(http.StatusPreconditionFailed)
	x.do(t, "DELETE", one, "", "If-Match", `"another"`).is(http.StatusPreconditionFailed)
	x.do(t, "DELETE", one, "").is(http.StatusNoContent)
	x.do(t, "GET", one, "").is(http.StatusForbidden)
	x.do(t, "POST", one+"/run", "").is(http.StatusForbidden)
}

func TestAScheduleHasBounds(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	all := x.newWorkflow(t, `{"name":"A"}`) + "/schedules"
	const who = `"name":"S","cron":"0 6 * * *","timeZone":"UTC"`
	for body, member := range map[string]string{
		`{"cron":"0 6 * * *","timeZone":"UTC","data":{}}`:                  "/name",
		`{"name":" S","cron":"0 6 * * *","timeZone":"UTC","data":{}}`:      "/name",
		`{"name":"S","timeZone":"UTC","data":{}}`:                          "/cron",
		`{"name":"S","cron":"*/30 * * * * *","timeZone":"UTC","data":{}}`:  "/cron",
		`{"name":"S","cron":"0 6 30 2 *","timeZone":"UTC","data":{}}`:      "/cron",
		`{"name":"S","cron":"0 6 * * *","data":{}}`:                        "/timeZone",
		`{"name":"S","cron":"0 6 * * *","timeZone":"Local","data":{}}`:     "/timeZone",
		`{"name":"S","cron":"0 6 * * *","timeZone":"Mars/Base","data":{}}`: "/timeZone",
		`{` + who + `}`: "/data",
		`{` + who + `,"data":{},"url":"https://a.example/x"}`:         "/url",
		`{` + who + `,"data":"x"}`:                                    "/data",
		`{` + who + `,"data":[]}`:                                     "/data",
		`{` + who + `,"data":[1]}`:                                    "/data",
		`{` + who + `,"data":[` + strings.Repeat("{},", 100) + `{}]}`: "/data",
		`{` + who + `,"data":{},"secret":"x"}`:                        "/secret",
		`{` + who + `,"data":{},"header":"X-Key"}`:                    "/header",
		`{` + who + `,"url":"https://a.example/x","header":"X-Key"}`:  "/secret",
		`{` + who + `,"url":"https://a.example/x","header":"Host"}`:   "/header",
		`{` + who + `,"url":"https://a.example/x","header":"a b"}`:    "/header",
		`{` + who + `,"url":"https://a.example/x","secret":"a\nb"}`:   "/secret",
		`{` + who + `,"url":"http://a.example/x"}`:                    "/url",
		`{` + who + `,"url":"https://api.test/v0/workflows/"}`:        "/url",
		`{` + who + `,"url":"https://ada:pw@a.example/x"}`:            "/url",
		`{` + who + `,"url":"file:///etc/passwd"}`:                    "/url",
		`{` + who + `,"data":{},"other":1}`:                           "/other",
	} {
		if got := x.do(t, "POST", all, body).problem(http.StatusBadRequest, "invalid_body"); !slices.Equal(got.pointers(), []string{member}) {
			t.Errorf("%s: got %v, want it to point to %s", body, got, member)
		}
	}
}

// What became of the last moment has a code and a cure.
func TestAScheduleSaysWhatBecameOfItsLastMoment(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	w := x.newWorkflow(t, `{"name":"A"}`)
	made := x.do(t, "POST", w+"/schedules", newScheduleBody).is(http.StatusCreated).object()
	id := made["id"].(string)
	x.store.EndSchedule(strings.Split(w, "/")[3], id, platen.ScheduleOutcome{State: platen.ScheduleFailed, Code: platen.CodeScheduleRefused, Message: "The URL answers 404."})
	last := x.do(t, "GET", w+"/schedules/"+id, "").is(http.StatusOK).object()["last"].(map[string]any)
	if last["state"] != "FAILED" || last["error"].(map[string]any)["code"] != platen.CodeScheduleRefused {
		t.Errorf("got %v", last)
	}
}

// Bob and Cyd are a team, and the workflow is Bob's. Lists and runs show what is in a folder.
func TestNobodyWatchesAFolderThatTheyCannotOpen(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	folder := func(id string) platen.File { return platen.File{ID: id, MIMEType: platen.MIMEFolder} }
	x.cloud.Files["bobs-folder"], x.cloud.Files["shared-folder"] = folder("bobs-folder"), folder("shared-folder")
	x.cloud.Files["trashed-folder"] = platen.File{ID: "trashed-folder", MIMEType: platen.MIMEFolder, Trashed: true}
	x.others["usr_00000000000003"] = &memory.Drive{Fails: map[string]error{}, Files: map[string]platen.File{"cyds-folder": folder("cyds-folder"), "shared-folder": folder("shared-folder")}}
	all := "/v0/workflows/" + x.as(t, memory.BobToken, "POST", "/v0/workflows/", `{"name":"W"}`).is(201).object()["id"].(string) + "/schedules"
	one := all + "/" + x.as(t, memory.BobToken, "POST", all, `{"name":"Inbox","folder":"bobs-folder"}`).is(201).object()["id"].(string)
	refuses := func(token, folder, code string) {
		t.Helper()
		for method, at := range map[string]string{"POST": all, "PATCH": one} {
			p := x.as(t, token, method, at, `{"name":"Other","folder":"`+folder+`"}`).problem(400, code)
			if got := p.pointers(); len(got) != 1 || got[0] != "/folder" {
				t.Errorf("%s %s: got %+v, want it to point to /folder", method, folder, p)
			}
		}
	}
	refuses(memory.BobToken, "nowhere", "drive_file_not_found")
	refuses(memory.BobToken, "trashed-folder", "drive_file_trashed")
	refuses(memory.BobToken, "docs-file", "drive_file_not_found")
	refuses(memory.CydToken, "cyds-folder", "drive_file_forbidden")
	x.as(t, memory.CydToken, "POST", all, `{"name":"Other","folder":"bobs-folder"}`).problem(400, "drive_file_not_found")
	x.as(t, memory.CydToken, "PATCH", one, `{"folder":"bobs-folder","paused":true}`).is(200) // what was read can be sent back
	x.as(t, memory.CydToken, "PATCH", one, `{"folder":"shared-folder"}`).is(200)
	x.as(t, memory.CydToken, "PATCH", one, `{"folder":"bobs-folder"}`).problem(400, "drive_file_not_found")
}

func TestAFolderTakesThePlaceOfEvents(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	x.cloud.Files["1Zc4VbN7mQwE2rTy"] = platen.File{ID: "1Zc4VbN7mQwE2rTy", MIMEType: platen.MIMEFolder}
	workflow := x.newWorkflow(t, `{"name":"A"}`)
	all := workflow + "/schedules"
	made := x.do(t, "POST", all, `{"name":"Inbox","folder":"https://drive.google.com/drive/folders/1Zc4VbN7mQwE2rTy?usp=sharing","takeExisting":true}`).is(http.StatusCreated).object()
	if made["folder"] != "1Zc4VbN7mQwE2rTy" || made["cron"] != "* * * * *" || made["timeZone"] != "UTC" || made["takeExisting"] != true || made["data"] != nil || made["url"] != nil {
		t.Errorf("got %v", made)
	}
	one := all + "/" + made["id"].(string)
	for body, member := range map[string]string{
		`{"data":{}}`:                   "/folder",
		`{"url":"https://a.example/x"}`: "/folder",
		`{"folder":null}`:               "/data",
		`{"folder":"My letters"}`:       "/folder",
		`{"secret":"x"}`:                "/secret",
		`{"header":"X-Key"}`:            "/header",
		`{"takeExisting":"yes"}`:        "/takeExisting",
	} {
		if got := x.do(t, "PATCH", one, body).problem(http.StatusBadRequest, "invalid_body"); !slices.Contains(got.pointers(), member) {
			t.Errorf("%s: got %v, want it to point to %s", body, got, member)
		}
	}
	id := strings.Split(workflow, "/")[3]
	noted := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	x.store.PutScheduleFile(id, made["id"].(string), platen.ScheduleFile{File: platen.File{ID: "f1", Name: "a.csv", Size: 7}, State: platen.FileTaken, BatchID: "bat_1", NotedAt: noted, EndedAt: &noted})
	x.store.PutScheduleFile(id, made["id"].(string), platen.ScheduleFile{File: platen.File{ID: "f2", Name: "b.json"}, State: platen.FileFailed, Code: platen.CodeScheduleNotJSON, Message: "No.", NotedAt: noted})
	if got := x.do(t, "GET", one, "").is(http.StatusOK).object()["files"].(map[string]any); got["taken"] != 1.0 || got["failed"] != 1.0 || got["pending"] != 0.0 {
		t.Errorf("got %v", got)
	}
	lists := func(query, want string) {
		t.Helper()
		if got := string(x.do(t, "GET", one+"/files/"+query, "").is(http.StatusOK).body); strings.Count(got, `"notedAt"`) != 1 || !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want one file with %s", query, got, want)
		}
	}
	lists("?state=FAILED", `"code":"`+platen.CodeScheduleNotJSON+`"`)
	lists("?limit=1&order=oldest", `"batchId":"bat_1"`)
	x.do(t, "GET", one+"/files/?state=LOST", "").is(http.StatusBadRequest)
	x.do(t, "GET", all+"/sch_0000000000000000/files/", "").is(http.StatusForbidden)
	if got := x.do(t, "PATCH", one, `{"folder":null,"data":{}}`).is(http.StatusOK).object(); got["folder"] != nil || got["files"] != nil {
		t.Errorf("got %v", got)
	}
}
