package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

var idOfSchedule = regexp.MustCompile(`sch_[0-9A-Za-z]+`)

func TestAScheduleIsAddedRunChangedAndRemovedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(path, "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	b.get(page+"data/").is(200).shows("By the clock", "Start runs by the clock")

	form := url.Values{"name": {"Monthly"}, "cron": {"0 6 1 *"}, "timeZone": {"Europe/Berlin"}, "data": {`{"Name":`}}
	b.open("POST", page+"schedules/", form).is(http.StatusBadRequest).shows("The event is no JSON")
	form.Set("data", `{"Name":"Ada"}`)
	b.open("POST", page+"schedules/", form).is(http.StatusBadRequest).shows("Not saved", "The time must have five fields", `value="0 6 1 *"`)
	form.Set("cron", "0 6 1 * *")
	added := b.get(b.open("POST", page+"schedules/", form).is(http.StatusSeeOther).header.Get("Location")).is(200).shows("The schedule is added.", "0 6 1 * *", "Europe/Berlin", "Next:")
	id := idOfSchedule.FindString(added.body)

	b.get(b.open("POST", page+"schedules/"+id+"/run", nil).is(http.StatusSeeOther).header.Get("Location")).is(200).shows("It starts within seconds.")
	b.get(page+"data/?form=schedule-"+id).is(200).shows(`action="`+page+"schedules/"+id+`/change"`, "{&#34;Name&#34;:&#34;Ada&#34;}")
	form = url.Values{"name": {"Monthly"}, "cron": {"0 6 1 * *"}, "timeZone": {"UTC"}, "url": {"https://shop.example.com/due"}, "secret": {"k3y-7"}, "test": {"on"}}
	b.open("POST", page+"schedules/"+id+"/change", form).is(http.StatusSeeOther)
	x.store.EndSchedule(strings.Split(path, "/")[3], id, platen.ScheduleOutcome{At: time.Now(), State: platen.ScheduleRetry, Code: platen.CodeScheduleUnavailable, Message: "The URL answers 503."})
	b.get(page+"data/?done=schedule&of="+id).is(200).shows("The schedule is saved.", "https://shop.example.com/due", "Its events are tests.", "The URL answers 503.", "It is tried again.").lacks("k3y-7")

	b.open("POST", page+"schedules/"+id+"/remove", url.Values{}).is(http.StatusBadRequest).shows("Tick the box first")
	b.get(b.open("POST", page+"schedules/"+id+"/remove", url.Values{"certain": {"on"}}).is(http.StatusSeeOther).header.Get("Location")).is(200).shows("The schedule is removed.").lacks("shop.example.com")
	b.open("POST", page+"schedules/sch_0000000000000000/run", nil).is(http.StatusNotFound)
	x.store.Scope(memory.AdaToken, "read")
	b.get(page + "data/").is(200).lacks(page + "schedules/")
}

// A schedule that started nothing is on Today until a later moment is carried out.
func TestTheFirstPageTellsOfSchedulesThatStartedNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(path, "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	added := b.open("POST", page+"schedules/", url.Values{"name": {"<Monthly>"}, "cron": {"0 6 1 * *"}, "timeZone": {"UTC"}, "url": {"https://shop.example.com/due"}}).is(http.StatusSeeOther)
	id := idOfSchedule.FindString(b.get(added.header.Get("Location")).is(200).body)
	ends := func(state platen.ScheduleState, code, message string) {
		x.store.EndSchedule(strings.Split(path, "/")[3], id, platen.ScheduleOutcome{At: time.Now(), State: state, Code: code, Message: message})
	}
	const title = "Schedules that started nothing the last time"
	ends(platen.ScheduleRetry, platen.CodeScheduleUnavailable, "The URL answers 503.")
	b.get("/").is(200).lacks(title)
	ends(platen.ScheduleFailed, platen.CodeScheduleRefused, "The URL answers 404.")
	b.get("/").is(200).shows(title, "&lt;Monthly&gt;", "The URL answers 404.", `href="`+page+`data/#of-`+id+`"`)
	ends(platen.ScheduleDone, "", "")
	b.get("/").is(200).lacks(title)
}

func TestAFolderIsWatchedFromTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(path, "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	form := url.Values{"name": {"Inbox"}, "folder": {"My letters"}}
	b.open("POST", page+"schedules/", form).is(http.StatusBadRequest).shows("Not saved", "not its name", `value="My letters"`)
	x.drive.Files["1Zc4VbN7mQwE2rTy"] = platen.File{ID: "1Zc4VbN7mQwE2rTy", MIMEType: platen.MIMEFolder}
	form.Set("folder", "https://drive.google.com/drive/folders/1Zc4VbN7mQwE2rTy")
	form.Set("takeExisting", "on")
	added := b.get(b.open("POST", page+"schedules/", form).is(http.StatusSeeOther).header.Get("Location")).is(200).shows("1Zc4VbN7mQwE2rTy", "* * * * *", "0 files wait")
	id, workflow := idOfSchedule.FindString(added.body), strings.Split(path, "/")[3]
	for i, state := range []platen.ScheduleFileState{platen.FileTaken, platen.FileTaken, platen.FileFailed} {
		x.store.PutScheduleFile(workflow, id, platen.ScheduleFile{File: platen.File{ID: string(rune('a' + i))}, State: state})
	}
	x.store.EndSchedule(workflow, id, platen.ScheduleOutcome{At: time.Now(), State: platen.ScheduleFailed, Code: platen.CodeFilesFailed, Message: `1 files of the folder were not taken. The last one is "<b>.json": No.`})
	b.get(page+"data/").is(200).shows("2 are taken", "1 has failed", "&lt;b&gt;.json")
	b.get(page+"data/?form=schedule-"+id).is(200).shows(`value="1Zc4VbN7mQwE2rTy"`, `name="takeExisting" checked`)
	b.open("POST", page+"schedules/"+id+"/change", url.Values{"name": {"Inbox"}, "cron": {"0 6 * * *"}, "timeZone": {"UTC"}, "data": {"{}"}}).is(http.StatusSeeOther)
	b.get(page+"data/").is(200).lacks("1Zc4VbN7mQwE2rTy", "files wait")
}

func TestThePageOfAWorkflowListsTheFilesOfAFolder(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(path, "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	x.drive.Files["1Zc4VbN7mQwE2rTy"] = platen.File{ID: "1Zc4VbN7mQwE2rTy", MIMEType: platen.MIMEFolder}
	added := b.get(b.open("POST", page+"schedules/", url.Values{"name": {"Inbox"}, "folder": {"1Zc4VbN7mQwE2rTy"}}).is(http.StatusSeeOther).header.Get("Location")).is(200).lacks("Newest files")
	id, workflow := idOfSchedule.FindString(added.body), strings.Split(path, "/")[3]
	at := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	put := func(name string, f platen.ScheduleFile) {
		at = at.Add(time.Minute)
		f.File, f.NotedAt = platen.File{ID: name, Name: name}, at
		if f.State != platen.FilePending {
			f.EndedAt = &f.NotedAt
		}
		x.store.PutScheduleFile(workflow, id, f)
	}
	put("<wrong>.json", platen.ScheduleFile{State: platen.FileFailed, Code: "invalid_body", Message: "It is no JSON."})
	for i := range 15 {
		put("old-"+string(rune('a'+i))+".csv", platen.ScheduleFile{State: platen.FileTaken, BatchID: "bat_0000000000000001"})
	}
	put("one.json", platen.ScheduleFile{State: platen.FileTaken, AutomationID: memory.AutomationID})
	put("next.json", platen.ScheduleFile{State: platen.FilePending})
	b.get(page+"data/").is(200).shows("Newest files", "&lt;wrong&gt;.json", "It is no JSON.", `<span class="state bad">failed</span>`,
		`<span class="state plain">waits</span>`, "one.json", `href="`+page+`runs/`+memory.AutomationID+`/"`, `<span class="state good">taken</span>`, `href="`+page+`batches/bat_0000000000000001/"`, "2026-01-02 03:17:00 UTC",
		`action="`+page+"schedules/"+id+`/run"><button class="quiet">Try again</button>`).lacks("old-a.csv")
	b.open("POST", page+"schedules/"+id+"/run", nil).is(http.StatusSeeOther)
	b.get(page + "data/").is(200).lacks("Try again") // it begins within seconds
	x.store.Scope(memory.AdaToken, "read")
	b.get(page + "data/").is(200).shows("one.json").lacks("Try again")
}
