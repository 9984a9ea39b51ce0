package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
)

type schedulesCommand struct {
	List   schedulesList   `cmd:"" help:"List schedules, with what became of the last moment of each."`
	Show   schedulesShow   `cmd:"" help:"Show a schedule, without its secret."`
	Create schedulesCreate `cmd:"" help:"Start runs by the clock, with events of a file or of an address."`
	Update schedulesUpdate `cmd:"" help:"Change a schedule. What no flag names stays."`
	Files  schedulesFiles  `cmd:"" help:"List the files of the folder of a schedule, with what became of each."`
	Run    schedulesRun    `cmd:"" help:"Start the events of a schedule now, beside its moments."`
	Delete schedulesDelete `cmd:"" help:"Remove a schedule. What it started stays."`
}

type schedulesList struct {
	Access
	Listing
	Workflow WorkflowName `arg:"" optional:"" help:"Id of the workflow (wkf_…), or its name. Default: all that you see and that are not archived."`
	State    []string     `enum:"DONE,RETRY,FAILED" help:"Only those whose last moment is in these states: DONE, RETRY, FAILED."`
}

func (c *schedulesList) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	found := api.AllSchedules(ctx, client.ScheduleQuery{States: c.State})
	if c.Workflow != "" {
		id, err := c.Workflow.id(ctx, api)
		if err != nil {
			return err
		}
		all, err := api.Schedules(ctx, id)
		if err != nil {
			return err
		}
		found = c.listed(all)
	}
	return printList(e, c.Listing, found, []string{"ID", "WORKFLOW", "NAME", "CRON", "TIME ZONE", "NEXT", "LAST"}, func(s client.Schedule) []string {
		return []string{s.ID, s.WorkflowID, s.Name, s.Cron, s.TimeZone, nextText(s), lastText(s)}
	})
}

// listed yields those that are asked for.
func (c *schedulesList) listed(all []client.Schedule) iter.Seq2[client.Schedule, error] {
	return func(yield func(client.Schedule, error) bool) {
		for _, one := range all {
			if len(c.State) > 0 && (one.Last == nil || !slices.Contains(c.State, one.Last.State)) {
				continue
			}
			if !yield(one, nil) {
				return
			}
		}
	}
}

// OfSchedule names a schedule of a workflow.
type OfSchedule struct {
	OfWorkflow
	Schedule string `arg:"" help:"Id of the schedule (sch_…)."`
}

type schedulesShow struct {
	OfSchedule
	Showing
}

func (c *schedulesShow) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	s, err := api.Schedule(ctx, id, c.Schedule)
	if err != nil {
		return err
	}
	return printSchedule(e, c.Showing, s)
}

type schedulesFiles struct {
	OfSchedule
	Listing
	State []string `enum:"PENDING,TAKEN,FAILED,SKIPPED" help:"Only those in these states: PENDING, TAKEN, FAILED, SKIPPED."`
}

func (c *schedulesFiles) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	found := api.ScheduleFiles(ctx, id, c.Schedule, client.ScheduleFileQuery{States: c.State})
	return printList(e, c.Listing, found, []string{"ID", "NAME", "BYTES", "STATE", "RUN OR BATCH", "ENDED", "ERROR"}, func(f client.ScheduleFile) []string {
		made, ended := "", ""
		for _, id := range []*string{f.AutomationID, f.BatchID} {
			if id != nil {
				made = *id
			}
		}
		if f.EndedAt != nil {
			ended = f.EndedAt.UTC().Format(time.RFC3339)
		}
		return []string{f.ID, f.Name, strconv.Itoa(f.Size), f.State, made, ended, failure(f.Error)}
	})
}

// scheduleFlags are the settings of a schedule.
type scheduleFlags struct {
	Name         *string `help:"Its name, one of its own in the workflow. Runs have it as their reference."`
	Cron         *string `placeholder:"'M H D M W'" help:"Minute, hour, day of the month, month and day of the week, such as '0 6 1 * *'. A day of the month may be L, the last one."`
	TimeZone     *string `placeholder:"ZONE" help:"Time zone of the cron, such as Europe/Berlin."`
	Data         *string `placeholder:"FILE|{…}" help:"Event of each moment: a file with an object or a list of objects, or the JSON itself."`
	URL          *string `placeholder:"URL" help:"Address that is asked for the events of each moment, in place of --data."`
	Header       *string `help:"Header that carries the secret to the address of --url. Default: Authorization."`
	Folder       *string `placeholder:"ID|URL" help:"Folder of the drive, in place of --data: each new file in it is an event or a batch. It is looked into each minute, unless --cron says otherwise."`
	TakeExisting *bool   `negatable:"" help:"Take the files that are in the folder already."`
	SecretStdin  bool    `help:"Read what the header says from standard input, such as Bearer and a token."`
	Test         *bool   `negatable:"" help:"Make its events tests."`
	Paused       *bool   `negatable:"" help:"Start nothing for now."`
}

func (f scheduleFlags) change(ctx context.Context, e *Environment) (client.ScheduleChange, error) {
	c := client.ScheduleChange{Name: f.Name, Cron: f.Cron, TimeZone: f.TimeZone, URL: f.URL, Header: f.Header, Folder: f.Folder, TakeExisting: f.TakeExisting, Test: f.Test, Paused: f.Paused}
	switch {
	case f.Data != nil && f.URL != nil, f.Folder != nil && (f.Data != nil || f.URL != nil):
		return c, errors.New("give one of --data, --url and --folder: an event is written down, read from an address, or a file of a folder")
	case f.Folder != nil:
		c.Data, c.URL = []byte("null"), new(string)
	case f.Data != nil:
		data, err := readEvents(ctx, e.In, *f.Data)
		if err != nil {
			return c, err
		}
		c.Data, c.URL, c.Folder = data, new(string), new(string)
	case f.URL != nil:
		c.Data, c.Folder = []byte("null"), new(string)
	}
	if !f.SecretStdin {
		return c, nil
	}
	const most = 4 << 10
	secret, err := io.ReadAll(io.LimitReader(e.In, most+2))
	if err != nil {
		return c, fmt.Errorf("read the secret from standard input: %w", err)
	}
	text := strings.TrimRight(string(secret), "\r\n")
	if text == "" || len(text) > most {
		return c, errors.New("standard input is to have what the header says, of 4 KiB at most")
	}
	c.Secret = &text
	return c, nil
}

type schedulesCreate struct {
	OfWorkflow
	Showing
	scheduleFlags
}

func (c *schedulesCreate) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	change, err := c.change(ctx, e)
	if err != nil {
		return err
	}
	s, err := api.CreateSchedule(ctx, id, change)
	if err != nil {
		return err
	}
	return printSchedule(e, c.Showing, s)
}

type schedulesUpdate struct {
	OfSchedule
	Showing
	scheduleFlags
}

func (c *schedulesUpdate) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	change, err := c.change(ctx, e)
	if err != nil {
		return err
	}
	s, err := api.UpdateSchedule(ctx, id, c.Schedule, change)
	if err != nil {
		return err
	}
	return printSchedule(e, c.Showing, s)
}

type schedulesRun struct {
	OfSchedule
	Showing
}

func (c *schedulesRun) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	s, err := api.RunSchedule(ctx, id, c.Schedule)
	return printState(e, c.Showing, s, "A worker starts it within seconds. 'platen schedules show' says what became of it.", err)
}

type schedulesDelete struct {
	OfSchedule
	Yes bool `help:"Do not ask. Required without a terminal."`
}

func (c *schedulesDelete) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := e.Confirm(ctx, c.Yes, "Remove the schedule? It starts nothing any more, and its secret is erased.", "removed"); err != nil {
		return err
	}
	if err := api.DeleteSchedule(ctx, id, c.Schedule); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s is removed.\n", Shown(c.Schedule))
	return err
}

func printSchedule(e *Environment, how Showing, s client.Schedule) error {
	return printOne(e, how, s, func(row func(...string)) {
		row("schedule", s.ID)
		row("name", s.Name)
		row("cron", s.Cron)
		row("time zone", s.TimeZone)
		if s.Folder != nil && s.Files != nil {
			row("folder", *s.Folder)
			row("files", fmt.Sprintf("%s waiting, %s taken, %s failed, %s skipped", orMore(s.Files.Pending), orMore(s.Files.Taken), orMore(s.Files.Failed), orMore(s.Files.Skipped)))
		} else if s.URL != nil {
			row("url", *s.URL)
			row("header", s.Header)
			row("secret", yesNo(s.HasSecret))
		} else {
			row("data", string(s.Data))
		}
		row("test", yesNo(s.Test))
		row("next", nextText(s))
		row("last", lastText(s))
	})
}

func nextText(s client.Schedule) string {
	switch {
	case s.RequestedAt != nil && s.Last != nil && s.Last.State == "RETRY":
		return againText(s.Last)
	case s.RequestedAt != nil:
		return "now"
	case s.NextAt == nil:
		return "paused"
	}
	return s.NextAt.UTC().Format(time.RFC3339)
}

// againText says when another attempt is.
func againText(of *client.ScheduleOutcome) string {
	if of.NextAttemptAt == nil {
		return "tried again"
	}
	return "tried again at " + of.NextAttemptAt.UTC().Format(time.RFC3339)
}

// lastText says what became of the last moment.
func lastText(s client.Schedule) string {
	if s.Last == nil {
		return ""
	}
	text := s.Last.At.UTC().Format(time.RFC3339) + " " + s.Last.State
	if s.Last.State == "RETRY" && s.RequestedAt == nil {
		text += ", " + againText(s.Last)
	}
	if why := failure(s.Last.Error); why != "" {
		return text + ": " + why
	}
	return text + ", events: " + strconv.Itoa(s.Last.Events)
}

// orMore is a number of files, which the API counts up to 1,000.
func orMore(n int) string {
	if n >= 1000 {
		return strconv.Itoa(n) + " or more"
	}
	return strconv.Itoa(n)
}
