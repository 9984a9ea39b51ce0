package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// scheduleJSON is what starts runs by the clock. Its secret is never shown.
type scheduleJSON struct {
	ID          string               `json:"id"`
	WorkflowID  string               `json:"workflowId"`
	Name        string               `json:"name"`
	Cron        string               `json:"cron"`
	TimeZone    string               `json:"timeZone"`
	Data        json.RawMessage      `json:"data,omitempty"` // absent from lists of all workflows
	URL         *string              `json:"url"`
	Header      string               `json:"header"`
	HasSecret   bool                 `json:"hasSecret"`
	Folder      *string              `json:"folder"`
	Existing    bool                 `json:"takeExisting"`
	Files       *scheduleFilesJSON   `json:"files"` // null: it has no folder
	Test        bool                 `json:"test"`
	Paused      bool                 `json:"paused"`
	NextAt      *string              `json:"nextAt"`
	RequestedAt *string              `json:"requestedAt"`
	Last        *scheduleOutcomeJSON `json:"last"`
	CreatedAt   string               `json:"createdAt"`
	UpdatedAt   string               `json:"updatedAt"`
}

// scheduleFilesJSON counts the files of a folder.
type scheduleFilesJSON struct {
	Pending int `json:"pending"`
	Taken   int `json:"taken"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

type scheduleOutcomeJSON struct {
	At      string               `json:"at"`
	State   platen.ScheduleState `json:"state"`
	Events  int                  `json:"events"`
	Error   *failureJSON         `json:"error"`
	EndedAt string               `json:"endedAt"`
	RetryAt *string              `json:"nextAttemptAt"`
}

func scheduleOf(s platen.Schedule) scheduleJSON {
	out := scheduleJSON{
		ID: s.ID, WorkflowID: s.WorkflowID, Name: s.Name, Cron: s.Cron, TimeZone: s.TimeZone, Data: orNullJSON(s.Data), URL: orNull(s.URL), Header: s.Header, HasSecret: s.Secret != "", Folder: orNull(s.Folder), Existing: s.TakeExisting, Test: s.Test, Paused: s.Paused,
		RequestedAt: moment(s.RequestedAt), CreatedAt: platen.Timestamp(s.CreatedAt), UpdatedAt: platen.Timestamp(s.UpdatedAt),
	}
	if s.Folder != "" {
		out.Files = &scheduleFilesJSON{s.Files[platen.FilePending], s.Files[platen.FileTaken], s.Files[platen.FileFailed], s.Files[platen.FileSkipped]}
	}
	if !s.Paused {
		out.NextAt = momentOf(s.NextAt)
	}
	if l := s.Last; l != nil {
		out.Last = &scheduleOutcomeJSON{At: platen.Timestamp(l.At), State: l.State, Events: l.Events, Error: failure(l.Code, l.Message), EndedAt: platen.Timestamp(l.EndedAt), RetryAt: moment(l.RetryAt)}
	}
	return out
}

// schedulePatch is what a request says of a schedule; what it leaves out stays.
type schedulePatch struct {
	name, cron, timeZone, url, header, secret, folder *string
	data                                              *[]byte
	existing, test, paused                            *bool
}

// readSchedule reads a body into changes of a schedule, which is new or as it is stored.
func (s *server) readSchedule(body []byte, of platen.Schedule) (platen.Schedule, error) {
	var in schedulePatch
	isNew := of.CreatedAt.IsZero()
	m := members{
		"id": skipValue, "workflowId": skipValue, "hasSecret": skipValue, "nextAt": skipValue, "requestedAt": skipValue, "files": skipValue, "last": skipValue, "createdAt": skipValue, "updatedAt": skipValue,
		"name":         text(&in.name, scheduleName),
		"cron":         text(&in.cron, scheduleCron),
		"timeZone":     text(&in.timeZone, timeZone),
		"data":         scheduleData(&in.data),
		"url":          orNone(&in.url, orEmptyOr(s.scheduleURL)),
		"header":       text(&in.header, orEmptyOr(scheduleHeader)),
		"secret":       text(&in.secret, orEmptyOr(headerValue)),
		"folder":       scheduleFolder(&in.folder),
		"takeExisting": flag(&in.existing),
		"test":         flag(&in.test),
		"paused":       flag(&in.paused),
	}
	var required []string
	if isNew {
		required = []string{"name"}
	}
	before := of
	err := decodeWith(body, m, func(d *decoder) {
		if len(d.faults) > 0 {
			return
		}
		in.apply(&of)
		if isNew {
			requireClock(d, in, &of)
		}
		if member, problem := of.Problem(); problem != "" {
			d.fault("/"+member, "%s", problem)
		}
		// Else a token that may change a schedule could have its secret sent elsewhere.
		if !isNew && in.secret == nil && before.Secret != "" && of.URL != "" && hostOf(of.URL) != hostOf(before.URL) {
			d.fault("/secret", "is required where the host of url changes")
		}
	}, required...)
	return of, err
}

// requireClock asks for a cron and a time zone. A folder is looked into each minute without.
func requireClock(d *decoder, in schedulePatch, of *platen.Schedule) {
	if of.Folder != "" && in.cron == nil {
		of.Cron = platen.DefaultFolderCron
	}
	if of.Folder != "" && in.timeZone == nil {
		of.TimeZone = platen.DefaultFolderZone
	}
	if of.Cron == "" {
		d.fault("/cron", "is required")
	}
	if of.TimeZone == "" {
		d.fault("/timeZone", "is required")
	}
}

func (in schedulePatch) apply(of *platen.Schedule) {
	set(&of.Name, in.name)
	set(&of.TimeZone, in.timeZone)
	set(&of.Data, in.data)
	set(&of.URL, in.url)
	set(&of.Header, in.header)
	set(&of.Folder, in.folder)
	set(&of.TakeExisting, in.existing)
	set(&of.Test, in.test)
	set(&of.Paused, in.paused)
	if in.cron != nil {
		of.Cron = strings.Join(strings.Fields(*in.cron), " ")
	}
	if in.secret != nil {
		of.Secret = platen.Secret(*in.secret)
	}
	if of.URL == "" && in.secret == nil { // nobody would be sent it
		of.Secret = ""
	}
	if of.URL == "" && in.header == nil {
		of.Header = ""
	}
}

// scheduleData reads an object or a list of objects, as it was sent; null is none.
func scheduleData(dst **[]byte) member {
	return func(d *decoder, pointer string) {
		switch d.tokens.PeekKind() {
		case 'n':
			skipValue(d, pointer)
			*dst = new([]byte)
			return
		case '{', '[':
		default:
			d.fault(pointer, "must be an object, or a list of objects")
			skipValue(d, pointer)
			return
		}
		value, err := d.tokens.ReadValue()
		if err != nil {
			d.fault(pointer, "could not be read")
			return
		}
		data := bytes.Clone(value)
		events, err := platen.ScheduleEvents(data)
		if refused, ok := errors.AsType[*platen.Error](err); ok {
			d.fault(pointer, "is no event: %s", strings.TrimSuffix(refused.Message, "."))
			return
		}
		if len(events) == 0 {
			d.fault(pointer, "must have an object: an empty list starts nothing")
			return
		}
		*dst = &data
	}
}

// scheduleFolder reads the id of a folder, or its address; null is none.
func scheduleFolder(dst **string) member {
	read := idIn(dst, folderID, folderIDIn)
	none := orNone(dst, folderID)
	return func(d *decoder, pointer string) {
		if d.tokens.PeekKind() == 'n' {
			none(d, pointer)
			return
		}
		read(d, pointer)
	}
}

// checkScheduleFolder refuses a folder that cannot be watched. The caller must be able to open
// it, for lists and runs show what is in it, and so must the workflow's owner, in whose drive
// workers read it. One that the schedule has already is left to workers: what was read can be
// sent back.
func (s *server) checkScheduleFolder(ctx context.Context, wf platen.Workflow, folder, had string) error {
	if folder == "" || folder == had {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.driveTimeout, errDriveTimeout)
	defer cancel()
	file, err := s.fileOf(ctx, caller(ctx).ID, folder)
	switch {
	case err != nil:
		return driveError(ctx, "/folder", err)
	case file.Trashed:
		return fileFault("drive_file_trashed", "/folder", "names a folder in the drive's trash: restore it or choose another")
	case file.MIMEType != platen.MIMEFolder:
		return fileFault("drive_file_not_found", "/folder", "names a file in place of a folder: set it to the id or the address of a folder")
	case wf.Owner.ID == caller(ctx).ID:
		return nil
	}
	if _, err = s.fileOf(ctx, wf.Owner.ID, folder); err != nil {
		return copyError(ctx, true, "/folder", err)
	}
	return nil
}

// scheduleName is the rule of a name, by which runs are found as by a reference.
func scheduleName(s string) string {
	if wrong := line(platen.MaxScheduleName)(s); wrong != "" {
		return wrong
	}
	if !platen.IsReference(s) {
		return "must have printable characters alone, without spaces at its ends"
	}
	return ""
}

func scheduleCron(s string) string {
	if _, err := platen.ParseCron(s); err != nil {
		return err.Error()
	}
	return ""
}

func timeZone(s string) string {
	if _, err := platen.LoadZone(s); err != nil {
		return err.Error()
	}
	return ""
}

// scheduleURL is the rule of an address that events are read from. Without TLS, only within a
// network of one's own.
func (s *server) scheduleURL(address string) string {
	if wrong := webhookURL(address); wrong != "" {
		return wrong
	}
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Fragment != "":
		return "must be an address without a fragment"
	case u.Scheme == "http" && !isNear(u.Hostname()):
		return "must begin with https://: events would be readable on the way. http:// is for hosts of a private network alone"
	case s.own(address):
		return "is an address of this installation of Platen"
	}
	return ""
}

// scheduleHeader is the rule of the name of a header that says who asks. Those that make up the
// request itself are not for others to set.
func scheduleHeader(s string) string {
	if wrong := headerName(s); wrong != "" {
		return wrong
	}
	switch http.CanonicalHeaderKey(s) {
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Accept-Encoding", "Platen-Moment":
		return "must be a header that says who asks, such as Authorization or X-Api-Key"
	}
	return ""
}

// headerValue is the rule of a secret that goes into a header.
func headerValue(s string) string {
	if len(s) > 4096 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return "must be one line of at most 4 KiB in ASCII"
	}
	return ""
}

func (s *server) listSchedules(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	found, err := s.Schedules.Schedules(r.Context(), caller(r.Context()), id)
	if err != nil {
		return err
	}
	all := make([]scheduleJSON, len(found))
	for i, one := range found {
		all[i] = scheduleOf(one)
	}
	return edge.WriteJSON(w, http.StatusOK, all)
}

// listCallersSchedules lists those of all of the caller's workflows.
func (s *server) listCallersSchedules(w http.ResponseWriter, r *http.Request) error {
	in := parametersOf(r)
	page, states := in.page(), anyOf(in, "state", platen.ScheduleStates()...)
	if err := in.err(); err != nil {
		return err
	}
	if page.Limit == 0 {
		page.Limit = defaultLimit
	}
	found, err := s.Schedules.CallersSchedules(r.Context(), caller(r.Context()), platen.ScheduleQuery{Page: oneMore(page), States: states})
	if err != nil {
		return err
	}
	return writePage(s, w, r, page, found, platen.Schedule.Position, func(of platen.Schedule) scheduleJSON {
		listed := scheduleOf(of)
		listed.Data = nil
		return listed
	})
}

// scheduleFileJSON is a file of the folder of a schedule, and what became of it.
type scheduleFileJSON struct {
	ID           string                   `json:"id"`
	Name         string                   `json:"name"`
	Size         int64                    `json:"size"`
	State        platen.ScheduleFileState `json:"state"`
	AutomationID *string                  `json:"automationId"`
	BatchID      *string                  `json:"batchId"`
	Error        *failureJSON             `json:"error"`
	NotedAt      string                   `json:"notedAt"`
	EndedAt      *string                  `json:"endedAt"`
}

// listScheduleFiles lists the files of the folder of a schedule that are known.
func (s *server) listScheduleFiles(w http.ResponseWriter, r *http.Request) error {
	workflowID, id, err := scheduleIDs(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	page, states := in.newestFirst(), anyOf(in, "state", platen.ScheduleFileStates()...)
	if err := in.err(); err != nil {
		return err
	}
	if page.Limit == 0 {
		page.Limit = defaultLimit
	}
	found, err := s.Schedules.ScheduleFiles(r.Context(), caller(r.Context()), workflowID, id, platen.ScheduleFileQuery{Page: oneMore(page), States: states})
	if err != nil {
		return err
	}
	return writePage(s, w, r, page, found, platen.ScheduleFile.Position, func(f platen.ScheduleFile) scheduleFileJSON {
		return scheduleFileJSON{f.ID, f.Name, f.Size, f.State, orNull(f.AutomationID), orNull(f.BatchID), failure(f.Code, f.Message), platen.Timestamp(f.NotedAt), moment(f.EndedAt)}
	})
}

func (s *server) getSchedule(w http.ResponseWriter, r *http.Request) error {
	found, err := s.findSchedule(r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, scheduleOf(found))
}

func (s *server) findSchedule(r *http.Request) (platen.Schedule, error) {
	workflowID, id, err := scheduleIDs(r)
	if err != nil {
		return platen.Schedule{}, err
	}
	return s.Schedules.Schedule(r.Context(), caller(r.Context()), workflowID, id)
}

// scheduleIDs are the ids in the path; what cannot be one is not looked for.
func scheduleIDs(r *http.Request) (workflow, schedule string, err error) {
	if workflow, err = workflowID(r); err != nil {
		return "", "", err
	}
	schedule = mux.Vars(r)["schedule"]
	if !platen.IsID(platen.PrefixSchedule, schedule) {
		return "", "", platen.ErrScheduleNotFound()
	}
	return workflow, schedule, nil
}

func (s *server) createSchedule(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err == nil {
		err = checkChangeable(wf)
	}
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	made, err := s.readSchedule(body, platen.Schedule{ID: platen.NewID(platen.PrefixSchedule), WorkflowID: wf.ID})
	if err == nil {
		err = s.checkScheduleFolder(r.Context(), wf, made.Folder, "")
	}
	if err != nil {
		return err
	}
	if made, err = s.Schedules.CreateSchedule(r.Context(), caller(r.Context()), made); err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusCreated, scheduleOf(made))
}

func (s *server) updateSchedule(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err == nil {
		err = checkChangeable(wf)
	}
	if err != nil {
		return err
	}
	_, id, err := scheduleIDs(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	before, err := s.Schedules.Schedule(r.Context(), caller(r.Context()), wf.ID, id)
	if err != nil {
		return err
	}
	if next, err := s.readSchedule(body, before); err == nil { // what is wrong with the body, the change says
		if err := s.checkScheduleFolder(r.Context(), wf, next.Folder, before.Folder); err != nil {
			return err
		}
	}
	check := requireUnchanged(r)
	changed, err := s.Schedules.UpdateSchedule(r.Context(), caller(r.Context()), wf.ID, id, func(stored *platen.Schedule) (err error) {
		if err = check(scheduleOf(*stored)); err == nil {
			*stored, err = s.readSchedule(body, *stored)
		}
		return err
	})
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, scheduleOf(changed))
}

func (s *server) deleteSchedule(w http.ResponseWriter, r *http.Request) error {
	found, err := s.findSchedule(r)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	err = s.Schedules.DeleteSchedule(r.Context(), caller(r.Context()), found.WorkflowID, found.ID, func(stored platen.Schedule) error { return check(scheduleOf(stored)) })
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// runSchedule has a worker start the events of a schedule now.
func (s *server) runSchedule(w http.ResponseWriter, r *http.Request) error {
	workflowID, id, err := scheduleIDs(r)
	if err != nil {
		return err
	}
	asked, err := s.Schedules.RunSchedule(r.Context(), caller(r.Context()), workflowID, id)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusAccepted, scheduleOf(asked))
}
