package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// A Schedule starts runs of a workflow by the clock.
type Schedule struct {
	ID         string `json:"id"`
	WorkflowID string `json:"workflowId"`
	Name       string `json:"name"`
	Cron       string `json:"cron"`     // minute, hour, day of the month, month, day of the week
	TimeZone   string `json:"timeZone"` // such as Europe/Berlin
	// Data is an event, or a list of events; null: they are read from URL. AllSchedules leaves
	// it out.
	Data   json.RawMessage `json:"data"`
	URL    *string         `json:"url"`
	Header string          `json:"header"` // that carries the secret; empty: Authorization
	// HasSecret: it has one, which is never shown.
	HasSecret bool `json:"hasSecret"`
	// Folder is the id of a folder of the drive. Each new file in it is an event or a batch.
	Folder *string `json:"folder"`
	// TakeExisting: files that were in it before are taken, too.
	TakeExisting bool                `json:"takeExisting"`
	Files        *ScheduleFileCounts `json:"files"` // nil: it has no folder
	Test         bool                `json:"test"`  // its events are tests
	Paused       bool                `json:"paused"`
	NextAt       *time.Time          `json:"nextAt"` // nil: it is paused
	// RequestedAt is when somebody asked for a run that a worker has not done yet.
	RequestedAt *time.Time       `json:"requestedAt"`
	Last        *ScheduleOutcome `json:"last"` // nil: it had no moment yet
	CreatedAt   time.Time        `json:"createdAt"`
	UpdatedAt   time.Time        `json:"updatedAt"`
}

// ScheduleFileCounts says how many files of a folder are in each state. Each is counted up to
// 1,000, which then means 1,000 or more.
type ScheduleFileCounts struct {
	Pending int `json:"pending"`
	Taken   int `json:"taken"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// A ScheduleFile is a file of a schedule's folder, and what became of it.
type ScheduleFile struct {
	ID           string     `json:"id"`
	Name         string     `json:"name"`
	Size         int        `json:"size"`
	State        string     `json:"state"`        // PENDING, TAKEN, FAILED, SKIPPED
	AutomationID *string    `json:"automationId"` // that its event is; nil: none
	BatchID      *string    `json:"batchId"`      // that its rows are; nil: none
	Error        *Failure   `json:"error"`        // why it was not taken, or waits
	NotedAt      time.Time  `json:"notedAt"`
	EndedAt      *time.Time `json:"endedAt"` // nil: it waits
}

// A ScheduleOutcome says what became of a moment of a schedule.
type ScheduleOutcome struct {
	At      time.Time `json:"at"`     // the moment
	State   string    `json:"state"`  // DONE, RETRY, FAILED
	Events  int       `json:"events"` // that were accepted
	Error   *Failure  `json:"error"`
	EndedAt time.Time `json:"endedAt"` // of the last attempt
	// NextAttemptAt is of RETRY; nil: there is no other attempt.
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
}

// A ScheduleChange is what a change sets; nil leaves it as it is. A new schedule needs Name,
// and Data or URL, with Cron and TimeZone, or Folder.
type ScheduleChange struct {
	Name     *string         `json:"name,omitempty"`
	Cron     *string         `json:"cron,omitempty"`
	TimeZone *string         `json:"timeZone,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"` // null: URL takes its place
	URL      *string         `json:"url,omitempty"`  // empty: Data takes its place
	Header   *string         `json:"header,omitempty"`
	Secret   *string         `json:"secret,omitempty"`
	// Folder is an id or an address; empty: Data or URL takes its place.
	Folder       *string `json:"folder,omitempty"`
	TakeExisting *bool   `json:"takeExisting,omitempty"`
	Test         *bool   `json:"test,omitempty"`
	Paused       *bool   `json:"paused,omitempty"`
}

func schedulesPath(workflowID string) string { return workflowPath(workflowID) + "schedules/" }

func schedulePath(workflowID, id string) string {
	return schedulesPath(workflowID) + url.PathEscape(id) + "/"
}

// Schedules lists those of a workflow, 10 at most.
func (c *Client) Schedules(ctx context.Context, workflowID string) ([]Schedule, error) {
	return get[[]Schedule](ctx, c, schedulesPath(workflowID))
}

// A ScheduleQuery asks for some schedules. The zero value asks for all.
type ScheduleQuery struct {
	States []string // of the last moment: DONE, RETRY, FAILED
}

// AllSchedules lists those of all workflows that the caller sees and that are not archived.
func (c *Client) AllSchedules(ctx context.Context, q ScheduleQuery) iter.Seq2[Schedule, error] {
	return list[Schedule](ctx, c, "/schedules/", values("state", q.States))
}

// Schedule reads a schedule.
func (c *Client) Schedule(ctx context.Context, workflowID, id string) (Schedule, error) {
	return get[Schedule](ctx, c, schedulePath(workflowID, id))
}

// A ScheduleFileQuery asks for some files of a schedule. The zero value asks for all.
type ScheduleFileQuery struct {
	States []string // PENDING, TAKEN, FAILED, SKIPPED
	Newest bool     // the newest first
}

// ScheduleFiles lists the files of a schedule's folder that are known, by when they were noted.
func (c *Client) ScheduleFiles(ctx context.Context, workflowID, id string, q ScheduleFileQuery) iter.Seq2[ScheduleFile, error] {
	return list[ScheduleFile](ctx, c, schedulePath(workflowID, id)+"files/", values("state", q.States, "order", q.Newest))
}

// CreateSchedule starts runs by the clock from then on.
func (c *Client) CreateSchedule(ctx context.Context, workflowID string, s ScheduleChange) (Schedule, error) {
	return post[Schedule](ctx, c, schedulesPath(workflowID), s)
}

// UpdateSchedule changes a schedule.
func (c *Client) UpdateSchedule(ctx context.Context, workflowID, id string, change ScheduleChange) (Schedule, error) {
	var s Schedule
	_, err := c.ask(ctx, request{method: http.MethodPatch, path: schedulePath(workflowID, id), body: change, repeatable: true}, &s)
	return s, err
}

// RunSchedule has a worker start the events of a schedule now, also while it is paused.
func (c *Client) RunSchedule(ctx context.Context, workflowID, id string) (Schedule, error) {
	return post[Schedule](ctx, c, schedulePath(workflowID, id)+"run/", nil)
}

// DeleteSchedule removes a schedule. What it started stays.
func (c *Client) DeleteSchedule(ctx context.Context, workflowID, id string) error {
	return remove(ctx, c, schedulePath(workflowID, id))
}
