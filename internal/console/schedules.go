package console

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// The forms of a schedule: of one to be added, and with an id of one that is there.
const (
	formSchedule       = "schedule"
	formScheduleRemove = "remove-schedule"
)

// A scheduleRow is a schedule on the page of a workflow.
type scheduleRow struct {
	client.Schedule
	// Newest are files of its folder, the newest first, and before them those that were not taken.
	Newest []client.ScheduleFile
}

// Changes is the name of its form.
func (s scheduleRow) Changes() string { return formSchedule + "-" + s.ID }

// Removes is the name of the form that removes it.
func (s scheduleRow) Removes() string { return formScheduleRemove + "-" + s.ID }

// Begins tells whether a run that somebody asked for begins within seconds; else none is asked
// for, or an attempt failed.
func (s scheduleRow) Begins() bool {
	return s.RequestedAt != nil && (s.Last == nil || s.Last.State != "RETRY")
}

// Address is where its events are read; empty: they are written down.
func (s scheduleRow) Address() string {
	if s.URL == nil {
		return ""
	}
	return *s.URL
}

// Events are those that are written down, as the form takes them.
func (s scheduleRow) Events() string {
	if s.URL != nil || s.Folder != nil {
		return ""
	}
	return string(s.Data)
}

// IsCounted tells whether its numbers are exact.
func (s scheduleRow) IsCounted() bool {
	return s.Files == nil || max(s.Files.Pending, s.Files.Taken, s.Files.Failed) < platen.MaxFilesCounted
}

// In is the folder whose files are its events; empty: it has none.
func (s scheduleRow) In() string {
	if s.Folder == nil {
		return ""
	}
	return *s.Folder
}

// scheduleForm is a form of a schedule, with the page that it stands on.
type scheduleForm struct {
	scheduleRow
	Page workflowPage
	At   string // where it is sent
	Name string // of the form
}

// ScheduleForm is the form that changes a schedule, or adds one.
func (p workflowPage) ScheduleForm(s scheduleRow, at string) scheduleForm {
	if s.ID == "" {
		return scheduleForm{s, p, at + "schedules/", formSchedule}
	}
	return scheduleForm{s, p, at + "schedules/" + s.ID + "/change", s.Changes()}
}

// NewSchedule is what the form of one to be added shows.
func (p workflowPage) NewSchedule() scheduleRow { return scheduleRow{} }

// MayAddSchedule tells whether there is room for another.
func (p workflowPage) MayAddSchedule() bool { return len(p.Schedules) < platen.MaxSchedules }

// readSchedules reads what starts runs by the clock.
func (r request) readSchedules(ctx context.Context, p *workflowPage) error {
	all, err := r.api.Schedules(ctx, r.workflowID())
	if err != nil {
		return err
	}
	for _, s := range all {
		row := scheduleRow{Schedule: s}
		if p.Tab == tabData {
			if row.Newest, err = r.filesOf(ctx, s); err != nil {
				return err
			}
		}
		p.Schedules = append(p.Schedules, row)
	}
	return nil
}

// onSchedule is how many files of a folder a page shows that were not taken, and how many others.
const onSchedule = 10

// filesOf are the files of a schedule's folder that a page shows.
func (r request) filesOf(ctx context.Context, s client.Schedule) (all []client.ScheduleFile, err error) {
	if s.Files == nil {
		return nil, nil
	}
	ctx = client.WithPage(ctx, &client.Page{Limit: onSchedule})
	if s.Files.Failed > 0 {
		if all, err = client.Collect(r.api.ScheduleFiles(ctx, r.workflowID(), s.ID, client.ScheduleFileQuery{States: some("FAILED"), Newest: true})); err != nil {
			return nil, err
		}
	}
	others, err := client.Collect(r.api.ScheduleFiles(ctx, r.workflowID(), s.ID, client.ScheduleFileQuery{States: []string{"PENDING", "TAKEN", "SKIPPED"}, Newest: true}))
	return append(all, others...), err
}

// setSchedule adds a schedule, or changes the one of the path. Each moment changes what a
// schedule is, so that its form does not say what that was.
func (s *site) setSchedule(ctx context.Context, r request) error {
	change, err := r.scheduleTyped()
	if err != nil {
		return err
	}
	if id := r.PathValue("schedule"); id != "" {
		_, err = r.api.UpdateSchedule(ctx, r.workflowID(), id, change)
		return err
	}
	_, err = r.api.CreateSchedule(ctx, r.workflowID(), change)
	return err
}

// scheduleTyped is what a form says of a schedule. A secret that was not typed in stays.
func (r request) scheduleTyped() (change client.ScheduleChange, err error) {
	name, cron, zone, url, header, folder := r.typed("name"), r.typed("cron"), r.typed("timeZone"), r.typed("url"), r.typed("header"), r.typed("folder")
	test, paused, existing := r.PostForm.Has("test"), r.PostForm.Has("paused"), r.PostForm.Has("takeExisting")
	change = client.ScheduleChange{Name: &name, Cron: &cron, TimeZone: &zone, Header: &header, Folder: &folder, TakeExisting: &existing, Test: &test, Paused: &paused}
	if folder != "" { // each minute unless something else is said
		change.Cron, change.TimeZone = orDefault(cron, platen.DefaultFolderCron), orDefault(zone, platen.DefaultFolderZone)
	}
	data := r.typed("data")
	switch {
	case data != "" && !json.Valid([]byte(data)):
		return change, refusedField("data", r.Text("The event is no JSON: type in one object, or a list of objects."))
	case data != "":
		change.Data = json.RawMessage(data)
	case url != "" || folder != "":
		change.Data = json.RawMessage("null")
	}
	change.URL = &url
	if secret := strings.TrimSpace(r.PostForm.Get("secret")); secret != "" {
		change.Secret = &secret
	}
	return change, nil
}

// orDefault is what was typed, or else a default.
func orDefault(typed, otherwise string) *string {
	typed = cmp.Or(typed, otherwise)
	return &typed
}

func (s *site) runSchedule(ctx context.Context, r request) error {
	_, err := r.api.RunSchedule(ctx, r.workflowID(), r.PathValue("schedule"))
	return err
}

func (s *site) removeSchedule(ctx context.Context, r request) error {
	if err := r.certain(); err != nil {
		return err
	}
	return r.api.DeleteSchedule(ctx, r.workflowID(), r.PathValue("schedule"))
}
