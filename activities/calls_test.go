package activities_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/testkit/drivetest"
)

// calls counts the requests that a drive gets, by Google's names of methods.
type calls struct {
	mu sync.Mutex
	by map[string]int
}

func (c *calls) note(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by[methodOf(r)]++
}

// taken are the calls since it was asked before.
func (c *calls) taken() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	by := c.by
	c.by = map[string]int{}
	return by
}

// methodOf is how Google's reference calls what a request asks for.
func methodOf(r *http.Request) string {
	_, path, _ := strings.Cut(r.URL.Path, "/drive/v3/")
	if api, ok := strings.CutPrefix(r.URL.Path, "/v1/"); ok {
		kind, call, _ := strings.Cut(api, ":")
		if call == "" {
			call = "get"
		}
		return strings.Split(kind, "/")[0] + "." + call
	}
	parts := strings.Split(path, "/")
	switch last := parts[len(parts)-1]; {
	case last == "copy", last == "export", last == "generateIds":
		return "files." + last
	case r.Method == http.MethodDelete:
		return "files.delete"
	case r.Method == http.MethodPatch:
		return "files.update"
	case r.Method == http.MethodPost:
		return last + ".create"
	case len(parts)%2 == 1:
		return last + ".list"
	}
	return parts[len(parts)-2] + ".get"
}

// usage is what the calls count as at Google
// (https://developers.google.com/workspace/drive/api/guides/limits).
func usage(methods map[string]int) (u platen.Usage) {
	for method, n := range methods {
		api, call, _ := strings.Cut(method, ".")
		switch {
		case api == "documents" && call == "get":
			u[platen.DocsReads] += n
		case api == "documents":
			u[platen.DocsWrites] += n
		case api == "presentations" && call == "get":
			u[platen.SlidesReads] += n
		case api == "presentations":
			u[platen.SlidesWrites] += n
		default:
			u[platen.DriveUnits] += n * map[string]int{"get": 5, "generateIds": 5, "list": 100, "export": 200, "copy": 50, "create": 50, "delete": 50}[call]
		}
	}
	return u
}

// taken adds up what was reserved.
type taken struct{ asked platen.Usage }

func (q *taken) Reserve(ctx context.Context, _, _, _ string, asks, _ platen.Usage) (context.Context, func(bool), error) {
	q.asked = q.asked.Plus(asks)
	return ctx, func(bool) {}, nil
}

// The numbers are of an automation like others before it, made at once: of those
// Google's quotas decide how many there are. docs/production.md and docs/google.md
// have their sums.
func TestAnAutomationMakesTheseCallsToADriveLikeGoogleAndReservesThem(t *testing.T) {
	t.Parallel()
	document := map[string]int{"files.copy": 1, "documents.get": 1, "documents.batchUpdate": 1}
	presentation := map[string]int{"files.copy": 1, "presentations.get": 1, "presentations.batchUpdate": 1}
	exported := map[string]int{"files.export": 1, "files.create": 1}
	removed := map[string]int{"files.delete": 1}
	for name, s := range map[string]struct {
		template string
		set      func(*platen.Document)
		want     []map[string]int
		units    int // of Drive
	}{
		"a document":                         {examples.Letter, func(*platen.Document) {}, []map[string]int{document}, 50},
		"a document with rows":               {examples.Invoice, func(*platen.Document) {}, []map[string]int{document}, 50},
		"a presentation":                     {examples.Offer, func(*platen.Document) {}, []map[string]int{presentation}, 50},
		"a document with a PDF":              {examples.Letter, func(d *platen.Document) { d.CreatePDFCopy = true }, []map[string]int{document, exported}, 300},
		"a document as a PDF alone":          {examples.Letter, asPDF, []map[string]int{document, exported, removed}, 350},
		"a presentation as a PDF alone":      {examples.Offer, asPDF, []map[string]int{presentation, exported, removed}, 350},
		"a document in a folder of its own":  {examples.Letter, inLetters, []map[string]int{document, {"files.get": 2}}, 50 + 10},
		"a document that everybody may read": {examples.Letter, forEverybody, []map[string]int{document, {"permissions.list": 1, "permissions.create": 1}}, 50 + 150},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newCounted(t, s.template, s.set)
			a.run(t)
			methods, reserved := a.run(t)
			delete(methods, "files.generateIds") // one for twenty uploads
			want := map[string]int{}
			for _, part := range s.want {
				maps.Copy(want, part)
			}
			if diff := cmp.Diff(want, methods); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			used := usage(want)
			if used[platen.DriveUnits] != s.units {
				t.Errorf("got %d units of Drive, want %d", used[platen.DriveUnits], s.units)
			}
			if want["files.export"] > 0 {
				used[platen.DriveUnits] += 5 // for the ids, which some upload needs
			}
			if reserved != used {
				t.Errorf("reserved %v, want what is used: %v", reserved, used)
			}
		})
	}
}

// The first output of a folder pays for it, and the first of a template with rows for
// finding out that it has some.
func TestTheFirstAutomationMakesTheFolderAndReadsTheTemplateTwice(t *testing.T) {
	t.Parallel()
	a := newCounted(t, examples.Invoice, inLetters)
	got, _ := a.run(t)
	want := map[string]int{
		"files.get": 1, "files.list": 1, "files.generateIds": 1, "files.create": 1, // the folder
		"files.copy": 1, "documents.get": 2, "documents.batchUpdate": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// docs/google.md has the sum.
func TestAnAppendedTemplateMakesTheseCallsAndReservesThem(t *testing.T) {
	t.Parallel()
	a := newCounted(t, examples.Letter, func(d *platen.Document) { d.CreatePDFCopy, d.Appendices = true, []string{d.File.ID} })
	a.run(t)
	got, reserved := a.run(t)
	delete(got, "files.generateIds")
	want := map[string]int{"files.copy": 2, "documents.get": 2, "documents.batchUpdate": 2, "files.export": 2, "files.create": 1, "files.get": 1, "files.delete": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	used := usage(got)
	if behind := used[platen.DriveUnits] - 300; behind != 305 {
		t.Errorf("got %d units of Drive for what is appended, want 305", behind)
	}
	reserved[platen.DriveUnits] += 5 // the look at the file is asked for by itself
	if !reserved.Covers(used) {
		t.Errorf("reserved %v, want what is used: %v", reserved, used)
	}
}

func asPDF(d *platen.Document) { d.CreatePDFCopy, d.RemoveOutput = true, true }

func inLetters(d *platen.Document) { d.OutputFolder = "Letters" }

func forEverybody(d *platen.Document) { d.OutputSharing = platen.SharingAnyone }

// A counted automation of one document runs on a drive like Google's.
type counted struct {
	*harness
	calls     *calls
	quotas    *taken
	documents *activities.Documents
	document  platen.Document
}

func newCounted(t *testing.T, template string, set func(*platen.Document)) *counted {
	t.Helper()
	e, err := examples.Get(template)
	if err != nil {
		t.Fatal(err)
	}
	a := &counted{calls: &calls{by: map[string]int{}}, quotas: &taken{}}
	d := drivetest.ServeWith(t, &drive.GoogleLike{Speed: 10_000}, a.calls.note)
	a.document = platen.Document{ID: "doc_1", File: platen.File{ID: d.Upload(t, e.Title, e.MIMEType, e.Template), MIMEType: e.MIMEType}, OutputName: "Output"}
	if e.MIMEType == platen.MIMESlides {
		a.document.Type = platen.TypeSlides
	}
	set(&a.document)
	a.harness = newHarness(a.document, string(e.Event))
	a.documents = a.harness.documents()
	a.documents.Drives = func(context.Context, string) (activities.Drive, error) { return d.Client, nil }
	a.documents.Readings, a.documents.Quotas = fill.NewReadings(), a.quotas
	a.calls.taken()
	return a
}

// run makes the document of an automation, and returns the calls and what was reserved
// for them.
func (a *counted) run(t *testing.T) (map[string]int, platen.Usage) {
	t.Helper()
	a.set(platen.Output{ID: "out_1", AutomationID: "aut_1", DocumentID: a.document.ID, State: platen.OutputPending})
	a.quotas.asked = platen.Usage{}
	all := steps(a.documents)
	some := all[:2:2]
	if a.document.CreatePDFCopy {
		some = append(some, all[2])
	}
	if a.document.RemoveOutput {
		some = append(some, all[3])
	}
	for i, s := range append(some, all[4]) {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	return a.calls.taken(), a.quotas.asked
}
