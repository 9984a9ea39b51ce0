package lifecycle

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/installation"
	"github.com/platenhq/platen/internal/testkit/program"
)

// Two automations are erased, one because somebody asks and one by its age, and a third
// one stays. The commands are those of docs/data.md and docs/restore.md.
func TestWhatIsErasedIsInNoFileOfPostgresAndARestoreErasesItAgain(t *testing.T) {
	t.Parallel()
	dir := program.Dir(t, "platen-erasure")
	g := newCluster(t, dir)
	s := newService(t, installation.Options{Dir: dir, Stack: g.stack, Settings: []string{"PLATEN_ERASURES_FILE=" + filepath.Join(dir, "erasures.jsonl"), "PLATEN_SWEEP_AFTER=1s", "PLATEN_RETENTION_DATA=24h", "PLATEN_RETENTION_OUTPUTS=168h"}})
	s.install(t, []string{"drive"}, []string{"serve-1", "serve-2", "worker"})
	var answer atomic.Value
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answer.Load().(string))
	}))
	t.Cleanup(receiver.Close)
	s.configure(t, receiver.URL, object{"outputName": "Letter {{Name}}"}, object{"outputName": "Paper {{Name}}", "createPdfCopy": true, "removeOutput": true})
	accept := func() canary {
		c := canary{name: "Name" + rand.Text(), data: "Data" + rand.Text(), answer: "Answer" + rand.Text()}
		answer.Store(c.answer)
		s.accept(t, &c)
		return c
	}
	kept, asked, aged := accept(), accept(), accept()

	installation.Execute(t, s.Database, "ANALYZE", "CHECKPOINT")
	readable := map[string][]byte{}
	for _, c := range []canary{kept, asked, aged} {
		readable[c.data], readable[c.answer] = []byte(c.data), []byte(c.answer)
	}
	if found := g.find(t, readable); len(found) > 0 {
		t.Errorf("data can be read in files of Postgres before it is erased: %v", found)
	}
	of := map[string][]byte{}
	for label, c := range map[string]canary{"asked": asked, "aged": aged} {
		for what, trace := range s.traces(t, c) {
			of[label+": "+what] = trace
		}
	}
	before := g.find(t, of)
	for _, label := range []string{"asked", "aged"} {
		for _, what := range []string{"name", "key", "source data", "payload", "answer", "bytes of Letter", "bytes of Paper"} {
			if len(before[label+": "+what]) == 0 {
				t.Errorf("before the erasure, %s: %s is in no file; what it is looked for by is wrong", label, what)
			}
		}
	}
	s.Shell(t, `pg_dump --format=custom --file=platen.dump "$PLATEN_DATABASE_URL"`)

	s.call(t, 0, http.MethodDelete, "/workflows/"+s.workflow+"/automations/"+asked.automation+"/", nil, nil)
	requested := s.awaitErased(t, asked, aged)
	g.wantGone(t, s, of, "after the erasure")
	if found := g.find(t, map[string][]byte{"": []byte(kept.name)}); len(found) == 0 {
		t.Error("what is kept is gone, too")
	}

	s.Stop(t, "serve-1", "serve-2", "worker", "drive")
	s.Typed(t, "restore.md", "Put Postgres back")
	s.Start(t, "drive", "serve-1", "serve-2", "worker")
	if again := s.awaitErased(t, asked, aged); !again.Equal(requested) {
		t.Errorf("erased again: got %v as the time of the request, want %v", again, requested)
	}
	g.wantGone(t, s, of, "after the restore")
}

// wantGone does what docs/data.md tells an operator who wants nothing left, and looks.
func (g *cluster) wantGone(t *testing.T, s *service, of map[string][]byte, when string) {
	t.Helper()
	// The drive looks when it starts. Between its looks an hour goes by.
	for range 2 {
		installation.Execute(t, s.Database, "UPDATE drive.contents SET orphaned_at = orphaned_at - interval '2 hours'", "UPDATE drive.files SET trashed_at = trashed_at - interval '60 days' WHERE explicitly_trashed")
		s.Stop(t, "drive")
		s.Start(t, "drive")
		installation.Eventually(t, "the drive's sweep", func() error {
			var unswept int
			installation.Query(t, s.Database, `SELECT count(*) FROM drive.contents c WHERE NOT EXISTS (SELECT FROM drive.files f WHERE f.sha256 = c.sha256) AND coalesce(orphaned_at < now() - interval '1 hour', true)`, nil, &unswept)
			if unswept > 0 {
				return fmt.Errorf("%d contents", unswept)
			}
			return nil
		})
	}
	s.Typed(t, "data.md", "Out of the files of Postgres")
	found := g.find(t, of)
	for _, what := range slices.Sorted(maps.Keys(found)) {
		t.Errorf("%s: %s is still in %s", when, what, strings.Join(found[what], ", "))
	}
}

// A canary is what is in one automation alone.
type canary struct{ automation, name, data, answer string }

// accept sends an event, and returns when its documents have been announced.
func (s *service) accept(t *testing.T, c *canary) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"Name": c.name, "Customer Name": c.name, "Data": c.data})
	if err != nil {
		t.Fatal(err)
	}
	if status, answer, err := send(t, http.MethodPost, s.hooks[0]+s.source, body, nil); err != nil || status != http.StatusOK {
		t.Fatalf("send an event: got %d, %v: %s", status, err, answer)
	}
	installation.Query(t, s.Database, `SELECT id FROM automations ORDER BY accepted_at DESC LIMIT 1`, nil, &c.automation)
	installation.Eventually(t, "the documents of "+c.name, func() error {
		var delivered int
		installation.Query(t, s.Database, `SELECT count(*) FROM events WHERE automation_id = $1 AND state = 'DELIVERED'`, []any{c.automation}, &delivered)
		if delivered != len(s.documents) {
			return fmt.Errorf("got %d events delivered, want %d", delivered, len(s.documents))
		}
		return nil
	})
}

// traces are what an automation can be told by in files: words in clear, ends of what
// is encrypted, and bytes of its documents that another one does not have.
func (s *service) traces(t *testing.T, c canary) map[string][]byte {
	t.Helper()
	const enough = 24 // bytes, to be nothing else
	all := map[string][]byte{"name": []byte(c.name)}
	var key, data, payload, answer []byte
	installation.Query(t, s.Database, `
		SELECT a.data_key::bytea, a.body, e.payload, d.answer
		FROM automations a
		JOIN events e ON e.automation_id = a.id
		JOIN deliveries d ON d.event_id = e.id
		WHERE a.id = $1
		LIMIT 1`, []any{c.automation}, &key, &data, &payload, &answer)
	for what, sealed := range map[string][]byte{"key": key, "source data": data, "payload": payload, "answer": answer} {
		if len(sealed) < enough {
			t.Fatalf("%s: got %d bytes", what, len(sealed))
		}
		all[what] = sealed[len(sealed)-enough:]
	}
	for _, document := range []string{"Letter", "Paper"} {
		own, others := s.content(t, document, c)
		at := 0
		for at+enough < len(own) && bytes.Contains(others, own[at:at+enough]) {
			at++
		}
		all["bytes of "+document] = own[at : at+enough]
	}
	return all
}

// content is what the drive stores of a document, and of all others.
func (s *service) content(t *testing.T, document string, c canary) (own, others []byte) {
	t.Helper()
	installation.Query(t, s.Database, `
		SELECT c.body, (SELECT string_agg(body, '') FROM drive.contents o WHERE o.sha256 <> c.sha256)
		FROM drive.files f
		JOIN drive.contents c USING (sha256)
		WHERE f.name LIKE $1 AND NOT f.explicitly_trashed`, []any{document + " " + c.name + "%"}, &own, &others)
	return own, others
}

// awaitErased makes one automation old, and returns when both are erased, with the time
// at which somebody asked for the other.
func (s *service) awaitErased(t *testing.T, asked, aged canary) (requested time.Time) {
	t.Helper()
	installation.Execute(t, s.Database, "UPDATE automations SET finished_at = finished_at - interval '30 days' WHERE id = '"+aged.automation+"'")
	s.Stop(t, "worker")
	s.Start(t, "worker") // which looks at ages when it starts
	installation.Eventually(t, "the erasure", func() error {
		var erased int
		installation.Query(t, s.Database, `SELECT count(*) FROM automations WHERE id = ANY($1) AND erased_at IS NOT NULL`, []any{[]string{asked.automation, aged.automation}}, &erased)
		if erased < 2 {
			return errors.New("one is not erased")
		}
		return nil
	})
	installation.Query(t, s.Database, `SELECT erase_requested_at FROM automations WHERE id = $1`, []any{asked.automation}, &requested)
	return requested
}
