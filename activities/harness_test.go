package activities_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// errCrash stands for the death of the worker at a call to the outside world.
var errCrash = errors.New("crashed")

// A harness is one automation with everything around it, in memory. It dies at
// the call with the number dieAt: before the call's effect, or after it, when
// the answer is lost.
type harness struct {
	mu       sync.Mutex
	calls    int
	dieAt    int
	dieAfter bool

	plan      platen.Plan
	data      string
	outputs   map[string]platen.Output
	versions  map[string]int          // of outputs
	events    map[string]platen.Event // by output
	files     map[string]stored
	nextID    int
	fills     map[string]int // how often a file was filled
	folders   map[platen.OutputFolder]platen.OutputFolder
	foreign   string          // an id that the drive takes from another account alone
	noFolders error           // of every folder that is to be made
	lags      bool            // lists show no folders yet
	looking   *sync.WaitGroup // who looks for a folder goes on when all do; nil: at once
	shared    map[string]platen.Sharing
	asked     map[string]int // how often each file was to be shared
	refuses   error          // of every sharing

	unmet     string           // why no PDF conforms to a profile; empty: all do
	unsealed  error            // why nothing is sealed just now; nil: all is
	findings  []platen.Finding // of every export
	downloads int              // of files' contents
	copiedAs  []string         // MIME types that appended templates were to have

	processes []*memory
	passed    time.Duration // since the event was accepted
	takes     time.Duration // each call
}

type stored struct {
	platen.File
	content string
}

func newHarness(document platen.Document, data string) *harness {
	w := &harness{
		data:     data,
		outputs:  map[string]platen.Output{"out_1": {ID: "out_1", AutomationID: "aut_1", DocumentID: document.ID, State: platen.OutputPending}},
		versions: map[string]int{},
		events:   map[string]platen.Event{},
		files:    map[string]stored{},
		fills:    map[string]int{},
		folders:  map[platen.OutputFolder]platen.OutputFolder{},
		shared:   map[string]platen.Sharing{},
		asked:    map[string]int{},
		plan: platen.Plan{
			AutomationID: "aut_1", WorkflowID: "wkf_1", WorkflowName: "Invoices", OwnerID: "usr_1",
			AcceptedAt: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC),
			Documents:  []platen.PlannedDocument{{OutputID: "out_1", Document: document}},
		},
	}
	w.files["template"] = stored{File: platen.File{ID: "template", Name: "T", Parent: "folder", MIMEType: platen.MIMEDocs}, content: "Dear {{Name}}, {{Unknown}}!"}
	return w
}

func (w *harness) documents() *activities.Documents {
	return &activities.Documents{
		Automations: w, Plans: w, Outputs: w.process(), Folders: w, Protector: w,
		Drives: func(context.Context, string) (activities.Drive, error) { return w, nil },
		Now:    func() time.Time { return w.plan.AcceptedAt.Add(w.passed) },
	}
}

// call runs an effect, or dies before or after it.
func (w *harness) call(effect func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	w.passed += w.takes
	die := w.calls == w.dieAt
	if die && !w.dieAfter {
		return w.die()
	}
	if err := effect(); err != nil {
		return err
	}
	if die {
		return w.die()
	}
	return nil
}

// die has every process forget what it remembered.
func (w *harness) die() error {
	for _, p := range w.processes {
		clear(p.rows)
	}
	return errCrash
}

func (w *harness) Plan(context.Context, string) (platen.Plan, error)       { return w.plan, nil }
func (w *harness) PinnedPlan(context.Context, string) (platen.Plan, error) { return w.plan, nil }
func (w *harness) OutputData(context.Context, string, string, int) ([]byte, error) {
	return []byte(w.data), nil
}
func (w *harness) FailAutomation(_ context.Context, id string, attempt int, _, _ string) (platen.AutomationState, error) {
	return platen.AutomationFailed, platen.CheckAttempt(id, attempt, w.plan.Attempt)
}
func (w *harness) EndAutomation(_ context.Context, id string, attempt int) (platen.AutomationState, error) {
	return platen.AutomationCompleted, platen.CheckAttempt(id, attempt, w.plan.Attempt)
}

// A memory is what one process remembers of outputs; its death forgets it.
type memory struct {
	*harness
	rows map[string]remembered
}

type remembered struct {
	version int // of the row that it is about
	o       platen.Output
}

// process is a process that remembers nothing yet.
func (w *harness) process() *memory {
	m := &memory{harness: w, rows: map[string]remembered{}}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes = append(w.processes, m)
	return m
}

// known is the output as it is stored, with what a process noted of it since.
func (w *harness) known() platen.Output {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.outputs["out_1"]
	for _, p := range w.processes {
		if r, ok := p.rows["out_1"]; ok && r.version == w.versions["out_1"] && !reflect.DeepEqual(r.o, w.outputs["out_1"]) {
			o = clone(r.o)
		}
	}
	return o
}

// set is a change by another process.
func (w *harness) set(o platen.Output) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.versions[o.ID]++
	w.outputs[o.ID] = o
}

// current is the row, with what was noted of it as it is.
func (m *memory) current(id string) platen.Output {
	r, ok := m.rows[id]
	if !ok || r.version != m.versions[id] {
		r = remembered{version: m.versions[id], o: m.outputs[id]}
		m.rows[id] = r
	}
	return clone(r.o)
}

func (m *memory) Output(_ context.Context, id string) (o platen.Output, err error) {
	err = m.call(func() error { o = m.current(id); return nil })
	return o, err
}

func (m *memory) RememberedOutput(ctx context.Context, id string) (platen.Output, error) {
	m.mu.Lock()
	r, ok := m.rows[id]
	m.mu.Unlock()
	if ok {
		return clone(r.o), nil
	}
	return m.Output(ctx, id)
}

func (m *memory) UpdateOutput(_ context.Context, id string, change func(*platen.Output) error) (o platen.Output, err error) {
	err = m.call(func() error {
		for range 2 { // the first call is on a row that another execution changes
			o = m.current(id)
			if err := change(&o); err != nil {
				return err
			}
		}
		return m.store(id, o)
	})
	return clone(o), err
}

// store refuses to change an output that has ended.
func (m *memory) store(id string, o platen.Output) error {
	before := m.outputs[id]
	if reflect.DeepEqual(before, o) {
		return nil
	}
	if before.State != platen.OutputPending {
		return platen.Errorf(platen.KindConflict, "output_ended", "ended")
	}
	m.versions[id]++
	m.outputs[id] = clone(o)
	m.rows[id] = remembered{version: m.versions[id], o: clone(o)}
	return nil
}

func (m *memory) WriteNotes(ctx context.Context, id string) error {
	m.mu.Lock()
	r, ok := m.rows[id]
	noted := ok && (r.version != m.versions[id] || !reflect.DeepEqual(r.o, m.outputs[id]))
	m.mu.Unlock()
	if !noted {
		return nil
	}
	_, err := m.UpdateOutput(ctx, id, func(*platen.Output) error { return nil })
	return err
}

func (m *memory) NoteOutput(ctx context.Context, id string, change func(*platen.Output) error) (platen.Output, error) {
	if _, err := m.RememberedOutput(ctx, id); err != nil {
		return platen.Output{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.rows[id]
	o := clone(r.o)
	if err := change(&o); err != nil {
		return o, err
	}
	if r.o.State != platen.OutputPending && !reflect.DeepEqual(o, r.o) {
		return o, platen.Errorf(platen.KindConflict, "output_ended", "ended")
	}
	r.o = clone(o)
	m.rows[id] = r
	return o, nil
}

func (m *memory) RecordOutput(_ context.Context, id string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (o platen.Output, eventID string, err error) {
	err = m.call(func() error {
		if o = m.current(id); o.State == platen.OutputPending {
			if err := change(&o); err != nil {
				return err
			}
			e, err := event(o)
			if err != nil {
				return err
			}
			m.events[id] = e
			if err := m.store(id, o); err != nil {
				return err
			}
		}
		eventID = m.events[id].ID
		delete(m.rows, id)
		return nil
	})
	return o, eventID, err
}

// clone is an output whose lists and files are its own.
func clone(o platen.Output) platen.Output {
	o.PDFHashes, o.ThrownAway, o.MissingFields, o.Findings = slices.Clone(o.PDFHashes), slices.Clone(o.ThrownAway), slices.Clone(o.MissingFields), slices.Clone(o.Findings)
	o.Appendices = slices.Clone(o.Appendices)
	for _, f := range []**platen.File{&o.Copy, &o.PDF} {
		if *f != nil {
			its := **f
			*f = &its
		}
	}
	return o
}

func (w *harness) id() string {
	w.nextID++
	return fmt.Sprintf("file%d", w.nextID)
}

func (w *harness) Copy(_ context.Context, fileID, name, key string) (platen.File, error) {
	return w.copied(w.parentOf(fileID), fileID, name, key, platen.ProtectionNone)
}

func (w *harness) CopyProtected(_ context.Context, fileID, name, key string) (platen.File, error) {
	return w.copied(w.parentOf(fileID), fileID, name, key, platen.ProtectionCredentials)
}

func (w *harness) CopyInto(_ context.Context, folderID, fileID, name, key string, p platen.Protection) (platen.File, error) {
	return w.copied(folderID, fileID, name, key, p)
}

func (w *harness) CopyAs(_ context.Context, mimeType, folderID, fileID, name, key string, p platen.Protection) (platen.File, error) {
	w.mu.Lock()
	w.copiedAs = append(w.copiedAs, mimeType)
	w.mu.Unlock()
	return w.copied(folderID, fileID, name, key, p)
}

func (w *harness) parentOf(fileID string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files[fileID].Parent
}

func (w *harness) copied(folderID, fileID, name, key string, protection platen.Protection) (f platen.File, err error) {
	err = w.call(func() error {
		if _, ok := w.files[fileID]; !ok {
			return platen.Errorf(platen.KindNotFound, "drive_file_not_found", "no file %s", fileID)
		}
		f = platen.File{ID: w.id(), Name: name, Parent: folderID, MIMEType: platen.MIMEDocs, Properties: map[string]string{
			platen.PropertyKey: key, platen.PropertyProtection: string(protection),
		}}
		w.files[f.ID] = stored{File: f, content: w.files[fileID].content}
		return nil
	})
	return f, err
}

func (w *harness) FindByKey(_ context.Context, key string) (found []platen.File, err error) {
	err = w.call(func() error {
		for _, id := range slices.Sorted(maps.Keys(w.files)) {
			if w.files[id].Properties[platen.PropertyKey] == key {
				found = append(found, w.files[id].File)
			}
		}
		return nil
	})
	return found, err
}

// EditDocument shows the content as a document of one paragraph.
func (w *harness) EditDocument(_ context.Context, fileID string, _ platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	var f stored
	var revision int
	read := func() error {
		var ok bool
		if f, ok = w.files[fileID]; !ok {
			return platen.Errorf(platen.KindNotFound, "drive_file_not_found", "no file %s", fileID)
		}
		revision = w.fills[fileID]
		return nil
	}
	if err := w.call(read); err != nil {
		return 0, err
	}
	before := f.content
	end := int64(len(f.content)) + 1
	requests, err := compose(&docs.Document{Body: &docs.Body{Content: []*docs.StructuralElement{{EndIndex: end, Paragraph: &docs.Paragraph{
		Elements: []*docs.ParagraphElement{{EndIndex: end, TextRun: &docs.TextRun{Content: f.content + "\n"}}},
	}}}}})
	if err != nil || len(requests) == 0 {
		return 0, err
	}
	filled := revision
	return len(requests), w.call(func() error {
		if err := read(); err != nil {
			return err
		}
		if revision != filled || f.content != before {
			return platen.Errorf(platen.KindConflict, "drive_revision_stale", "changed")
		}
		for _, r := range requests {
			switch {
			case r.InsertText != nil:
				at := r.InsertText.Location.Index
				f.content = f.content[:at] + r.InsertText.Text + f.content[at:]
			case r.DeleteContentRange != nil:
				f.content = f.content[:r.DeleteContentRange.Range.StartIndex] + f.content[r.DeleteContentRange.Range.EndIndex:]
			case r.ReplaceAllText != nil:
				f.content = strings.ReplaceAll(f.content, r.ReplaceAllText.ContainsText.Text, r.ReplaceAllText.ReplaceText)
			}
		}
		w.files[fileID] = f
		w.fills[fileID]++
		return nil
	})
}

func (w *harness) EditPresentation(context.Context, string, platen.Reading, func(*slides.Presentation) ([]*slides.Request, error)) (int, error) {
	return 0, errors.New("this harness has documents only")
}

func (w *harness) ExportOffice(_ context.Context, fileID, _ string) (content []byte, err error) {
	err = w.call(func() error { content = []byte(w.files[fileID].content); return nil })
	return content, err
}

func (w *harness) ExportPDFWithFindings(_ context.Context, fileID string) (pdf []byte, findings []platen.Finding, err error) {
	err = w.call(func() error {
		f, ok := w.files[fileID]
		if !ok {
			return platen.Errorf(platen.KindNotFound, "drive_file_not_found", "no file %s", fileID)
		}
		pdf = []byte("%PDF " + f.content)
		return nil
	})
	return pdf, w.findings, err
}

func (w *harness) NewFileID(context.Context) (id string, err error) {
	err = w.call(func() error { id = w.id(); return nil })
	return id, err
}

func (w *harness) Upload(_ context.Context, file platen.File, data []byte) (platen.File, error) {
	return file, w.call(func() error {
		if _, taken := w.files[file.ID]; taken {
			return platen.Errorf(platen.KindConflict, "drive_file_exists", "taken")
		}
		w.files[file.ID] = stored{File: file, content: string(data)}
		return nil
	})
}

func (w *harness) File(_ context.Context, fileID string) (f platen.File, err error) {
	err = w.call(func() error {
		s, ok := w.files[fileID]
		if !ok {
			return platen.Errorf(platen.KindNotFound, "drive_file_not_found", "no file %s", fileID)
		}
		f = s.File
		return nil
	})
	return f, err
}

func (w *harness) Download(_ context.Context, fileID string) (data []byte, err error) {
	err = w.call(func() error { w.downloads++; data = []byte(w.files[fileID].content); return nil })
	return data, err
}

func (w *harness) Delete(_ context.Context, fileID string) error {
	return w.call(func() error { delete(w.files, fileID); return nil })
}

// Trash takes a file out of what the drive lists.
func (w *harness) Trash(ctx context.Context, fileID string) error { return w.Delete(ctx, fileID) }

// Protect never gives the same bytes twice, as real encryption does.
func (w *harness) Protect(pdf []byte, password string, _ bool) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Appendf(nil, "locked with %s, salt %d: %s", password, w.calls, pdf), nil
}

// Append marks where a part begins.
func (w *harness) Append(pdf []byte, parts []platen.AppendedPDF) ([]byte, []platen.Finding, error) {
	for _, part := range parts {
		if !bytes.HasPrefix(part.Content, []byte("%PDF")) {
			return nil, nil, platen.Errorf(platen.KindInvalid, platen.CodeAppendixDamaged, "damaged: %q", part.Name)
		}
		pdf = fmt.Appendf(pdf, " + %s: %s", part.Name, part.Content)
	}
	return pdf, nil, nil
}

func (w *harness) Mark(pdf []byte, word string) ([]byte, error) {
	return fmt.Appendf(nil, "marked %s: %s", word, pdf), nil
}

func (w *harness) Archive(pdf []byte, a platen.Archive) ([]byte, error) {
	if w.unmet != "" {
		return nil, platen.Errorf(platen.KindInvalid, platen.CodeProfileUnmet, "%s", w.unmet)
	}
	out := fmt.Appendf(nil, "%s of %s: %s", a.Profile, a.At.UTC().Format(time.DateOnly), pdf)
	for _, f := range a.Files {
		out = fmt.Appendf(out, " %s (%s): %s", f.Name, f.Relationship, f.Content)
	}
	for _, s := range a.Schemas {
		out = fmt.Appendf(out, " %s: %s", s.Prefix, s.Properties[len(s.Properties)-1].Value)
	}
	return out, nil
}

// Seal never gives the same bytes twice, as real signatures do.
func (w *harness) Seal(_ context.Context, pdf []byte, at time.Time) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unsealed != nil {
		return nil, w.unsealed
	}
	return fmt.Appendf(nil, "%s + sealed at %s, salt %d", pdf, at.UTC().Format(time.DateOnly), w.calls), nil
}

func (w *harness) ProtectAndSeal(ctx context.Context, pdf []byte, password string, preventCopy bool, at time.Time) ([]byte, error) {
	locked, err := w.Protect(pdf, password, preventCopy)
	if err != nil {
		return nil, err
	}
	return w.Seal(ctx, locked, at)
}

// Pages are as many as a PDF has letters.
func (w *harness) Pages(pdf []byte) int { return len(pdf) }

func (w *harness) Opens(pdf []byte, password string) error {
	if !bytes.HasPrefix(pdf, []byte("locked with "+password+",")) {
		return errors.New("does not open")
	}
	return nil
}
