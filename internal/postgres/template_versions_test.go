package postgres_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// keep stores a content as a version, in a turn of its own.
func (f *harness) keep(w platen.Workflow, content, spare string) (platen.TemplateVersion, bool) {
	f.T.Helper()
	d := w.Documents[0]
	turn, err := f.TemplateVersions.BeginTemplateChange(f.T.Context(), w.Owner, w.ID, d.ID, time.Minute)
	f.Must(err)
	kept, made, err := f.TemplateVersions.KeepTemplateVersion(f.T.Context(), turn, newVersion(w), []byte(content), spare)
	f.Must(err)
	f.Must(f.TemplateVersions.EndTemplateChange(f.T.Context(), d.ID, turn))
	return kept, made
}

func newVersion(w platen.Workflow) platen.TemplateVersion {
	return platen.TemplateVersion{ID: platen.NewID(platen.PrefixVersion), DocumentID: w.Documents[0].ID, Type: w.Documents[0].Type,
		Cause: platen.VersionKept, Note: "a note", CreatedAt: storetest.Now(), CreatedBy: w.Owner}
}

func TestAVersionIsReadAsItWasKeptAndIsEncryptedWhereItIsStored(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	kept, made := f.keep(w, storetest.Canary, "")
	if !made || kept.Number != 1 || kept.Size != int64(len(storetest.Canary)) {
		t.Errorf("got %+v, made %v", kept, made)
	}
	found, err := f.TemplateVersions.TemplateVersion(t.Context(), w.Owner, w.ID, w.Documents[0].ID, kept.ID)
	f.Must(err)
	if found != kept {
		t.Errorf("got %+v, want %+v", found, kept)
	}
	content, err := f.TemplateVersions.VersionContent(t.Context(), kept.ID)
	f.Must(err)
	if string(content) != storetest.Canary {
		t.Errorf("content: got %q", content)
	}
	var stored []byte
	f.Must(f.Owner.QueryRow(t.Context(), `SELECT content || data_key FROM template_versions`).Scan(&stored))
	if bytes.Contains(stored, []byte(storetest.Canary)) {
		t.Error("the content of a version is stored as it is")
	}
	again, made := f.keep(w, storetest.Canary, "")
	if made || again.ID != kept.ID {
		t.Errorf("the same contents: got %+v, made %v, want the version that is there", again, made)
	}
}

func TestTheOldestVersionGoesUnlessItIsBeingPutBack(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	first, _ := f.keep(w, "content 1", "")
	for i := 2; i <= platen.MaxVersions; i++ {
		f.keep(w, fmt.Sprint("content ", i), "")
	}
	numbers := func() (all []int) {
		found, err := f.TemplateVersions.TemplateVersions(t.Context(), w.Owner, w.ID, w.Documents[0].ID, platen.Page{})
		f.Must(err)
		for _, v := range found {
			all = append(all, v.Number)
		}
		return all
	}
	if got := numbers(); len(got) != 20 || got[0] != 1 {
		t.Fatalf("got %v, want twenty from the first on", got)
	}
	f.keep(w, "content 21", first.ID)
	if _, err := f.TemplateVersions.VersionContent(t.Context(), first.ID); err != nil {
		t.Errorf("the version that is being put back is gone: %v", err)
	}
	f.keep(w, "content 22", "")
	if got := numbers(); len(got) != 20 || got[0] != 3 || got[19] != 22 {
		t.Errorf("got %v, want those from 3 to 22", got)
	}
	_, err := f.TemplateVersions.VersionContent(t.Context(), first.ID)
	storetest.WantKind(t, "the content of a version that is gone", err, platen.KindNotFound, "version_not_found")
	page, err := f.TemplateVersions.TemplateVersions(t.Context(), w.Owner, w.ID, w.Documents[0].ID, platen.Page{Limit: 2})
	f.Must(err)
	rest, err := f.TemplateVersions.TemplateVersions(t.Context(), w.Owner, w.ID, w.Documents[0].ID, platen.Page{After: platen.Position{CreatedAt: page[1].CreatedAt, ID: page[1].ID}})
	f.Must(err)
	if len(page) != 2 || len(rest) != 18 {
		t.Errorf("a page of %d and a rest of %d, want 2 and 18", len(page), len(rest))
	}
}

func TestOneRequestAtATimeChangesATemplate(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	d := w.Documents[0]
	begin := func(lease time.Duration) (string, error) {
		return f.TemplateVersions.BeginTemplateChange(t.Context(), w.Owner, w.ID, d.ID, lease)
	}
	first, err := begin(time.Minute)
	f.Must(err)
	_, err = begin(time.Minute)
	storetest.WantKind(t, "a second turn", err, platen.KindUnavailable, "template_busy")
	f.Must(f.TemplateVersions.EndTemplateChange(t.Context(), d.ID, "another"))
	_, err = begin(time.Minute)
	storetest.WantKind(t, "after another turn was ended", err, platen.KindUnavailable, "template_busy")
	f.Must(f.TemplateVersions.EndTemplateChange(t.Context(), d.ID, first))
	// A process that dies leaves its turn to its lease.
	late, err := begin(-time.Second)
	f.Must(err)
	next, err := begin(time.Minute)
	f.Must(err)
	_, _, err = f.TemplateVersions.KeepTemplateVersion(t.Context(), late, newVersion(w), []byte("late"), "")
	storetest.WantKind(t, "in a turn that is over", err, platen.KindUnavailable, "template_busy")
	_, made, err := f.TemplateVersions.KeepTemplateVersion(t.Context(), next, newVersion(w), []byte("next"), "")
	if err != nil || !made {
		t.Errorf("in its turn: made %v, %v", made, err)
	}
}

func TestVersionsAreTheCallersAndGoWithTheirDocument(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, other := f.Workflow(f.User(nil)), f.Workflow(f.User(nil))
	d := w.Documents[0].ID
	kept, _ := f.keep(w, "x", "")
	f.keep(other, "x", "")
	for name, c := range map[string]struct {
		caller                      platen.User
		workflow, document, version string
		code                        string
	}{
		"another's workflow": {other.Owner, w.ID, d, kept.ID, "workflow_not_found"},
		"another's document": {other.Owner, other.ID, d, kept.ID, "document_not_found"},
		"another's version":  {other.Owner, other.ID, other.Documents[0].ID, kept.ID, "version_not_found"},
	} {
		_, err := f.TemplateVersions.TemplateVersion(t.Context(), c.caller, c.workflow, c.document, c.version)
		storetest.WantKind(t, name, err, platen.KindNotFound, c.code)
		if c.code != "version_not_found" {
			_, err = f.TemplateVersions.TemplateVersions(t.Context(), c.caller, c.workflow, c.document, platen.Page{})
			storetest.WantKind(t, name+", list", err, platen.KindNotFound, c.code)
			_, err = f.TemplateVersions.BeginTemplateChange(t.Context(), c.caller, c.workflow, c.document, time.Minute)
			storetest.WantKind(t, name+", turn", err, platen.KindNotFound, c.code)
		}
	}
	turn, err := f.TemplateVersions.BeginTemplateChange(t.Context(), w.Owner, w.ID, d, time.Minute)
	f.Must(err)
	_, err = f.Documents.RemoveDocument(t.Context(), w.Owner, w.ID, d, func(platen.Document) error { return nil })
	f.Must(err)
	if n := f.Count(`SELECT count(*) FROM template_versions WHERE document_id = '` + d + `'`); n != 0 {
		t.Errorf("%d versions stay without their document", n)
	}
	_, _, err = f.TemplateVersions.KeepTemplateVersion(t.Context(), turn, newVersion(w), []byte("y"), "")
	storetest.WantKind(t, "a version of a removed document", err, platen.KindUnavailable, "template_busy")
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), other.Owner, other.ID, nil))
	_, err = f.TemplateVersions.BeginTemplateChange(t.Context(), other.Owner, other.ID, other.Documents[0].ID, time.Minute)
	storetest.WantKind(t, "a turn of an archived workflow", err, platen.KindInvalid, "workflow_archived")
	if found, err := f.TemplateVersions.TemplateVersions(t.Context(), other.Owner, other.ID, other.Documents[0].ID, platen.Page{}); err != nil || len(found) != 1 {
		t.Errorf("versions of an archived workflow: got %v, %v, want the one", found, err)
	}
}

// What a request noted before it died is swept; a workflow that was stored keeps its
// templates.
func TestTheTemplateOfAWorkflowThatWasNotStoredIsFoundByTheSweep(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	lost, stored := platen.NewID(platen.PrefixDocument), storetest.NewWorkflow(u)
	for _, id := range []string{lost, stored.Documents[0].ID} {
		f.Must(f.OrphanedTemplates.NoteTemplate(t.Context(), id, u.ID))
	}
	f.Must(f.Workflows.CreateWorkflow(t.Context(), stored))
	f.Exec(`UPDATE preview_copies SET created_at = now() - interval '2 hours'`)
	found, err := f.Previews.PreviewCopies(t.Context(), time.Hour, platen.PreviewCopy{})
	f.Must(err)
	if !slices.EqualFunc(found, []string{lost}, func(c platen.PreviewCopy, key string) bool { return c.Key == key && c.OwnerID == u.ID }) {
		t.Errorf("got %v, want %s alone", found, lost)
	}
}

func TestALostTemplateGetsAnotherFileInItsTurnAndARetryTakesIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	d := w.Documents[0]
	p := f.Planned(w)
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Failed, storetest.EventFor)
	f.Must(err)
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.Must(err)

	turn, err := f.TemplateVersions.BeginTemplateChange(t.Context(), w.Owner, w.ID, d.ID, time.Minute)
	f.Must(err)
	file := platen.File{ID: "new-file", Name: "N", URL: "https://drive.test/new", MIMEType: d.File.MIMEType}
	for what, c := range map[string]struct{ turn, gone string }{"another turn": {"other", d.File.ID}, "another file": {turn, "another"}} {
		_, err := f.TemplateVersions.SetTemplateFile(t.Context(), w.Owner, c.turn, w.ID, d.ID, c.gone, file)
		storetest.WantKind(t, what, err, platen.KindUnavailable, "template_busy")
	}
	_, err = f.TemplateVersions.SetTemplateFile(t.Context(), f.User(nil), turn, w.ID, d.ID, d.File.ID, file)
	storetest.WantKind(t, "a stranger", err, platen.KindNotFound, "workflow_not_found")
	set, err := f.TemplateVersions.SetTemplateFile(t.Context(), w.Owner, turn, w.ID, d.ID, d.File.ID, file)
	f.Must(err)
	now, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID)
	f.Must(err)
	if set.File.ID != file.ID || now.Documents[0].File.URL != file.URL || now.Documents[0].OutputName != d.OutputName {
		t.Errorf("got %+v and %+v, want the new file and the settings of before", set, now.Documents[0])
	}

	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.Must(err)
	again, err := f.Plans.Plan(t.Context(), p.AutomationID)
	f.Must(err)
	want := p.Documents[0].Document
	want.File = file
	if got := again.Documents[0].Document; got.File.ID != file.ID || got.File.URL != file.URL || got.OutputName != want.OutputName || len(again.Documents) != 1 {
		t.Errorf("the plan of the retry has %+v, want %+v", got, want)
	}
}

func TestWhatATemplateWasMadeOfIsKnown(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	s, id := f.TemplateVersions, w.Documents[0].ID
	if got, err := s.UploadOf(t.Context(), id); err != nil || got != (platen.TemplateUpload{}) {
		t.Errorf("before an upload: got %+v, %v", got, err)
	}
	u := platen.TemplateUpload{SHA256: strings.Repeat("ab", 32), ModifiedAt: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)}
	f.Must(s.NoteUpload(t.Context(), id, u))
	if got, err := s.UploadOf(t.Context(), id); err != nil || got.SHA256 != u.SHA256 || !got.ModifiedAt.Equal(u.ModifiedAt) {
		t.Errorf("got %+v, %v, want %+v", got, err, u)
	}
}
