package drive

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/drive/store"
)

func TestFullTextFindsWhatFilesSay(t *testing.T) {
	h := newHarness(t)
	a, other := h.account("Ada"), h.account("Bob")
	letter := a.document("letter", "Dear Zoë, the rent of Rosewood Lane is due.")
	note := a.text(&driveapi.File{Name: "note.txt"}, "Call the plumber about Rosewood Lane")
	other.document("theirs", "Rosewood Lane")
	named := a.text(&driveapi.File{Name: "Rosewood.bin", MimeType: store.BinaryType}, "plumber")
	for query, want := range map[string][]string{
		"rosewood":          {letter.Id, note.Id, named.Id},
		"rosewood plumber":  {note.Id},
		"ZOË":               {letter.Id},
		`"rosewood lane"`:   {letter.Id, note.Id},
		`"lane rosewood"`:   nil,
		"rosewood -missing": nil,
		"wood":              nil, // no part of a word
		"plumber":           {note.Id},
	} {
		q := fmt.Sprintf("fullText contains '%s'", query)
		found := must[*driveapi.FileList](t)(a.files.List().Q(q).Fields("files(id),incompleteSearch").Do())
		if got := idsOf(found.Files); !sameIDs(got, want) || found.IncompleteSearch {
			t.Errorf("%s: got %q (incomplete: %v), want %q", q, got, found.IncompleteSearch, want)
		}
	}
	// What a document says now counts.
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(letter.Id, batchOf("", replaceAll("Rosewood", "Elm"))).Do())
	found := must[*driveapi.FileList](t)(a.files.List().Q("fullText contains 'elm' and not fullText contains 'rosewood'").Do())
	if got := idsOf(found.Files); !sameIDs(got, []string{letter.Id}) {
		t.Errorf("after an edit: got %q, want %q", got, letter.Id)
	}
}

func TestASearchThatHasNotReadAllFilesSaysSo(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	for i := range maxReadForSearch + 1 {
		a.document(fmt.Sprintf("d%d", i), fmt.Sprintf("apple number%d", i))
	}
	search := func() *driveapi.FileList {
		return must[*driveapi.FileList](t)(a.files.List().Q("fullText contains 'apple'").PageSize(1000).Fields("files(id),incompleteSearch").Do())
	}
	if got := search(); len(got.Files) != maxReadForSearch || !got.IncompleteSearch {
		t.Errorf("the first search: got %d files (incomplete: %v), want %d of an incomplete search", len(got.Files), got.IncompleteSearch, maxReadForSearch)
	}
	if got := search(); len(got.Files) != maxReadForSearch+1 || got.IncompleteSearch {
		t.Errorf("the second search: got %d files (incomplete: %v), want all %d", len(got.Files), got.IncompleteSearch, maxReadForSearch+1)
	}
}

func TestABrokenFileEndsNoSearch(t *testing.T) {
	for name, read := range map[string]func() (string, error){
		"an error": func() (string, error) { return "", errors.New("canary") },
		"a panic":  func() (string, error) { panic("canary") },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			good := h.formats.document.text
			var broken atomic.Int32
			h.formats.document.text = func(content []byte) (string, error) {
				if strings.Contains(string(content), "broken") {
					broken.Add(1)
					return read()
				}
				return good(content)
			}
			h.url = h.serve()
			a := h.account("Ada")
			letter := a.document("letter", "Rosewood Lane")
			a.document("newest, so read first", "Rosewood broken")
			for range 2 {
				found := must[*driveapi.FileList](t)(a.files.List().Q("fullText contains 'rosewood'").Fields("files(id),incompleteSearch").Do())
				if got := idsOf(found.Files); !sameIDs(got, []string{letter.Id}) || found.IncompleteSearch {
					t.Errorf("got %q (incomplete: %v), want the other file", got, found.IncompleteSearch)
				}
			}
			if n := broken.Load(); n != 1 {
				t.Errorf("the broken file was read %d times, want once", n)
			}
		})
	}
}

func TestASearchReadsAFileWhenItsTurnHasCome(t *testing.T) {
	h := newHarness(t)
	h.timeout = time.Millisecond
	h.url = h.serve()
	a := h.account("Ada")
	note := a.text(&driveapi.File{Name: "note.txt"}, "Rosewood")
	var end func()
	for more, ok := h.server.turns.TryTake("others"); ok; more, ok = h.server.turns.TryTake("others") {
		end = more
	}
	_, err := a.files.List().Q("fullText contains 'rosewood'").Do()
	if refused, ok := errors.AsType[*googleapi.Error](err); !ok || refused.Code != http.StatusServiceUnavailable {
		t.Errorf("while others work on files: got %v, want 503", err)
	}
	end()
	found := must[*driveapi.FileList](t)(a.files.List().Q("fullText contains 'rosewood'").Do())
	if got := idsOf(found.Files); !sameIDs(got, []string{note.Id}) {
		t.Errorf("later: got %q, want %q", got, note.Id)
	}
}

func idsOf(files []*driveapi.File) []string {
	var ids []string
	for _, f := range files {
		ids = append(ids, f.Id)
	}
	return ids
}

// sameIDs reports whether the ids are the same in any order.
func sameIDs(a, b []string) bool {
	counts := map[string]int{}
	for _, id := range a {
		counts[id]++
	}
	for _, id := range b {
		counts[id]--
	}
	for _, n := range counts {
		if n != 0 {
			return false
		}
	}
	return true
}
