package manifest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/platenhq/platen/client"
)

// A Receiver is what a file says of one. Its secret is made with it, and stands in no file.
type Receiver struct {
	Name   string             `json:"name"`
	URL    string             `json:"webhookUrl"`
	Events []client.EventType `json:"events,omitempty"`
	When   string             `json:"when,omitempty"`
}

// A Target is what a file says of one.
type Target struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	URL        string `json:"url"`
	Path       string `json:"path,omitempty"`
	When       string `json:"when,omitempty"`
	Office     bool   `json:"office,omitempty"`
	Sidecar    bool   `json:"sidecar,omitempty"`
	User       string `json:"user,omitempty"`
	Secret     string `json:"secret,omitempty"`
	HostKey    string `json:"hostKey,omitempty"`
	Region     string `json:"region,omitempty"`
	Encryption string `json:"encryption,omitempty"`
	KMSKey     string `json:"kmsKey,omitempty"`
	LockMode   string `json:"lockMode,omitempty"`
	LockDays   int    `json:"lockDays,omitempty"`
}

// A Schedule is what a file says of one.
type Schedule struct {
	Name         string          `json:"name"`
	Cron         string          `json:"cron,omitempty"`
	TimeZone     string          `json:"timeZone,omitempty"`
	Data         json.RawMessage `json:"data,omitempty"`
	URL          string          `json:"url,omitempty"`
	Header       string          `json:"header,omitempty"`
	Secret       string          `json:"secret,omitempty"`
	Folder       string          `json:"folder,omitempty"`
	TakeExisting bool            `json:"takeExisting,omitempty"`
	Test         bool            `json:"test,omitempty"`
	Paused       bool            `json:"paused,omitempty"`
}

// A part is a receiver, a target or a schedule: what its name tells from others of the workflow. No
// answer has its secret, so nothing tells whether a file has another one.
type part struct {
	name   string
	kind   string            // is given when it is made; empty: it has none
	fields map[string]string // by their pointers, as flat has them, but for the secret
	secret bool              // it has one
}

// withDefaults is a receiver as the service would answer it, with its events in the order of
// their names.
func (r Receiver) withDefaults() Receiver {
	r.When = strings.TrimSpace(r.When)
	if len(r.Events) == 0 {
		r.Events = []client.EventType{client.DocumentsCreated, client.DocumentFailed, client.BatchCompleted}
	}
	r.Events = slices.Sorted(slices.Values(r.Events))
	return r
}

// withDefaults is a target as the service would answer it.
func (t Target) withDefaults() Target {
	t.When = strings.TrimSpace(t.When)
	return t
}

// What the contract says of a schedule with a folder that leaves these out.
const (
	folderCron = "* * * * *"
	folderZone = "UTC"
)

// withDefaults is a schedule as the service would answer it.
func (s Schedule) withDefaults() Schedule {
	s.Cron = strings.Join(strings.Fields(s.Cron), " ")
	if s.Folder != "" {
		s.Cron, s.TimeZone = cmp.Or(s.Cron, folderCron), cmp.Or(s.TimeZone, folderZone)
	}
	return s
}

func (r Receiver) part() part { return part{name: r.Name, fields: flat(r)} }

func (t Target) part() part {
	secret := t.Secret != ""
	t.Secret = ""
	return part{t.Name, t.Kind, flat(t), secret}
}

func (s Schedule) part() part {
	secret, data := s.Secret != "", canonical(s.Data)
	s.Secret, s.Data = "", nil
	fields := flat(s)
	if data != "" {
		fields["/data"] = data
	}
	return part{s.Name, "", fields, secret}
}

// maxShown is how many bytes of an event a plan shows.
const maxShown = 200

// canonical is JSON without white space and with its members in the order of their names, or
// the hash of a long one; empty: there is none.
func canonical(data json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var read any
	if decoder.Decode(&read) != nil || read == nil {
		return ""
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(read) // it was decoded
	text := strings.TrimSpace(b.String())
	if len(text) > maxShown {
		return digest(hash([]byte(text)))
	}
	return text
}

// A tagged part is one as an installation has it.
type tagged struct{ id, etag string }

// A partKind is what receivers, targets and schedules differ in.
type partKind struct {
	noun, member string
	// of are those of a workflow.
	of func(Workflow) []part
	// observe reads those of a workflow into what a file would say of it.
	observe func(ctx context.Context, api *client.Client, workflowID string, said *Workflow) ([]tagged, error)
	// save makes or changes the one at an index; an empty id makes it.
	save func(ctx context.Context, api *client.Client, said Workflow, index int, workflowID, id string) (part, []client.TemplateFinding, error)
	// remove takes one away.
	remove func(api *client.Client, ctx context.Context, workflowID, id string) error
}

var partKinds = []partKind{
	{
		noun: "receiver", member: "receivers",
		of:      func(w Workflow) []part { return each(w.Receivers, Receiver.part) },
		observe: observeReceivers, save: saveReceiver, remove: (*client.Client).DeleteReceiver,
	},
	{
		noun: "target", member: "targets",
		of:      func(w Workflow) []part { return each(w.Targets, Target.part) },
		observe: observeTargets, save: saveTarget, remove: (*client.Client).DeleteTarget,
	},
	{
		noun: "schedule", member: "schedules",
		of:      func(w Workflow) []part { return each(w.Schedules, Schedule.part) },
		observe: observeSchedules, save: saveSchedule, remove: (*client.Client).DeleteSchedule,
	},
}

func each[T any](all []T, of func(T) part) []part {
	parts := make([]part, len(all))
	for i, one := range all {
		parts[i] = of(one)
	}
	return parts
}

// hiddenIf stands for a secret that is there.
func hiddenIf(has bool) string {
	if has {
		return hidden
	}
	return ""
}

func receiverOf(r client.Receiver) Receiver {
	return Receiver{Name: r.Name, URL: r.URL, Events: r.Events, When: r.When}.withDefaults()
}

func observeReceivers(ctx context.Context, api *client.Client, workflowID string, said *Workflow) ([]tagged, error) {
	listed, err := api.Receivers(ctx, workflowID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(listed, func(a, b client.Receiver) int { return strings.Compare(a.Name, b.Name) })
	var all []tagged
	for _, r := range listed {
		tag := tagged{id: r.ID}
		if r, err = api.Receiver(client.WithETag(ctx, &tag.etag), workflowID, r.ID); err != nil {
			return nil, err
		}
		said.Receivers, all = append(said.Receivers, receiverOf(r)), append(all, tag)
	}
	return all, nil
}

func saveReceiver(ctx context.Context, api *client.Client, said Workflow, index int, workflowID, id string) (part, []client.TemplateFinding, error) {
	r := said.Receivers[index]
	change := client.ReceiverChange{Name: &r.Name, URL: &r.URL, Events: r.Events, When: &r.When}
	var saved client.Receiver
	var err error
	if id == "" {
		saved, err = api.CreateReceiver(ctx, workflowID, change)
	} else {
		saved, err = api.UpdateReceiver(ctx, workflowID, id, change)
	}
	return receiverOf(saved).part(), saved.Findings, err
}

func targetOf(t client.Target) Target {
	return Target{
		Name: t.Name, Kind: t.Kind, URL: t.URL, Path: t.Path, When: t.When, Office: t.Office, Sidecar: t.Sidecar, User: t.User, Secret: hiddenIf(t.HasSecret),
		HostKey: t.HostKey, Region: t.Region, Encryption: t.Encryption, KMSKey: t.KMSKey, LockMode: t.LockMode, LockDays: t.LockDays,
	}
}

func observeTargets(ctx context.Context, api *client.Client, workflowID string, said *Workflow) ([]tagged, error) {
	listed, err := api.Targets(ctx, workflowID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(listed, func(a, b client.Target) int { return strings.Compare(a.Name, b.Name) })
	var all []tagged
	for _, t := range listed {
		tag := tagged{id: t.ID}
		if t, err = api.Target(client.WithETag(ctx, &tag.etag), workflowID, t.ID); err != nil {
			return nil, err
		}
		said.Targets, all = append(said.Targets, targetOf(t)), append(all, tag)
	}
	return all, nil
}

func saveTarget(ctx context.Context, api *client.Client, said Workflow, index int, workflowID, id string) (part, []client.TemplateFinding, error) {
	t := said.Targets[index]
	change := client.TargetChange{
		Name: &t.Name, URL: &t.URL, Path: &t.Path, When: &t.When, Office: &t.Office, Sidecar: &t.Sidecar, User: &t.User,
		HostKey: &t.HostKey, Region: &t.Region, Encryption: &t.Encryption, KMSKey: &t.KMSKey, LockMode: &t.LockMode, LockDays: &t.LockDays,
	}
	if t.Secret != "" || id != "" {
		change.Secret = &t.Secret
	}
	var saved client.Target
	var err error
	if id == "" {
		change.Kind = t.Kind
		saved, err = api.CreateTarget(ctx, workflowID, change)
	} else {
		saved, err = api.UpdateTarget(ctx, workflowID, id, change)
	}
	return targetOf(saved).part(), saved.Findings, err
}

func scheduleOf(s client.Schedule) Schedule {
	if s.URL != nil || s.Folder != nil {
		s.Data = nil // it is null, which no file says
	}
	return Schedule{
		Name: s.Name, Cron: s.Cron, TimeZone: s.TimeZone, Data: s.Data, URL: orZero(s.URL), Header: s.Header, Secret: hiddenIf(s.HasSecret),
		Folder: orZero(s.Folder), TakeExisting: s.TakeExisting, Test: s.Test, Paused: s.Paused,
	}
}

func observeSchedules(ctx context.Context, api *client.Client, workflowID string, said *Workflow) ([]tagged, error) {
	listed, err := api.Schedules(ctx, workflowID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(listed, func(a, b client.Schedule) int { return strings.Compare(a.Name, b.Name) })
	var all []tagged
	for _, s := range listed {
		tag := tagged{id: s.ID}
		if s, err = api.Schedule(client.WithETag(ctx, &tag.etag), workflowID, s.ID); err != nil {
			return nil, err
		}
		said.Schedules, all = append(said.Schedules, scheduleOf(s)), append(all, tag)
	}
	return all, nil
}

func saveSchedule(ctx context.Context, api *client.Client, said Workflow, index int, workflowID, id string) (part, []client.TemplateFinding, error) {
	s := said.Schedules[index]
	change := client.ScheduleChange{
		Name: &s.Name, Cron: &s.Cron, TimeZone: &s.TimeZone, Data: s.Data, URL: &s.URL, Header: &s.Header,
		Folder: &s.Folder, TakeExisting: &s.TakeExisting, Test: &s.Test, Paused: &s.Paused,
	}
	if len(s.Data) == 0 {
		change.Data = json.RawMessage("null")
	}
	if s.Secret != "" || id != "" {
		change.Secret = &s.Secret
	}
	var saved client.Schedule
	var err error
	if id == "" {
		saved, err = api.CreateSchedule(ctx, workflowID, change)
	} else {
		saved, err = api.UpdateSchedule(ctx, workflowID, id, change)
	}
	return scheduleOf(saved).part(), nil, err
}

// A partChanges is what differs of a part.
type partChanges struct {
	kind     partKind
	index    int // of the entry's
	current  int // of those that are there; -1: it is to be made
	settings []Change
}

func (c partChanges) pointer() string { return fmt.Sprintf("/%s/%d", c.kind.member, c.index) }

// An extraPart is there and in no file.
type extraPart struct {
	kind    partKind
	current int
	name    string
}

func (x extraPart) String() string { return x.kind.noun + " " + x.name }

// compareParts finds what differs in receivers, targets and schedules, which their names tell apart.
func compareParts(e Entry, o observed) (changed []partChanges, extra []extraPart, err error) {
	for _, kind := range partKinds {
		want, have := kind.of(e.Workflow), kind.of(o.said)
		for i, p := range want {
			found := partChanges{kind: kind, index: i, current: slices.IndexFunc(have, func(h part) bool { return h.name == p.name })}
			var now part
			if found.current >= 0 {
				if now = have[found.current]; now.kind != p.kind {
					return nil, nil, fmt.Errorf("%s: workflows.%s.%s is given when a %s is made, and is %s: write that, or give the %s another name",
						e.at(found.pointer()+"/kind"), e.Name, dotted(found.pointer()+"/kind"), kind.noun, now.kind, kind.noun)
				}
			}
			found.settings = e.between(found.pointer(), now.fields, p.fields)
			if p.secret != now.secret {
				found.settings = append(found.settings, Change{dotted(found.pointer() + "/secret"), hiddenIf(now.secret), hiddenIf(p.secret)})
			}
			changed = append(changed, found)
		}
		for j, h := range have {
			if !slices.ContainsFunc(want, func(p part) bool { return p.name == h.name }) {
				extra = append(extra, extraPart{kind, j, h.name})
			}
		}
	}
	return changed, extra, nil
}

// part makes or changes a receiver, a target or a schedule.
func (r Runner) part(ctx context.Context, s Step, of partChanges) error {
	if len(of.settings) == 0 {
		return nil
	}
	pointer, there := of.pointer(), tagged{}
	save := func(ctx context.Context) error {
		saved, findings, err := of.kind.save(ctx, r.API, s.Entry.Workflow, of.index, s.ID, there.id)
		r.Warn(findings, nil)
		if err == nil {
			r.sayKept(s.Entry, pointer, saved.fields, of.kind.of(s.Entry.Workflow)[of.index].fields)
		}
		return err
	}
	if of.current >= 0 {
		there = s.base.parts[of.kind.member][of.current]
		return r.unchanged(ctx, s, pointer, there.etag, save)
	}
	err := save(ctx)
	if client.CodeOf(err) == of.kind.noun+"_name_taken" {
		return conflict(pointer)
	}
	return s.Entry.placed(err, pointer)
}

// partNow is the entity tag that a part has now; false: what files say of it is not what it
// was. That of a schedule changes with each moment.
func (o observed) partNow(now observed, kind partKind, index int) (etag string, same bool) {
	at := slices.IndexFunc(now.parts[kind.member], func(t tagged) bool { return t.id == o.parts[kind.member][index].id })
	if at < 0 {
		return "", false
	}
	return now.parts[kind.member][at].etag, reflect.DeepEqual(kind.of(o.said)[index], kind.of(now.said)[at])
}

// removePart removes what no file names, unless somebody changed it after the plan was made.
func (r Runner) removePart(ctx context.Context, s Step, x extraPart) error {
	now, err := observe(ctx, r.API, s.caller, s.ID)
	if err != nil {
		return err
	}
	etag, same := s.base.partNow(now, x.kind, x.current)
	if !same {
		return conflict(x.String())
	}
	if err := x.kind.remove(r.API, client.WithIfMatch(ctx, etag), s.ID, s.base.parts[x.kind.member][x.current].id); err != nil {
		return fmt.Errorf("remove %s: %w", x, err)
	}
	r.Say(s.Entry.Name + ": " + x.String() + " is removed")
	return nil
}
