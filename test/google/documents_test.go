package google_test

import (
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/test/google/referee"
)

var (
	corpus   = flag.String("corpus", "", "a folder with answers of documents.get (doc*.json or doc*.json.gz) and presentations.get (slides*.json or slides*.json.gz)")
	taggings = flag.Int("taggings", 6, "how many taggings of each answer and transformation are filled")
	only     = flag.String("only", "", "a part of the names of the transformations to try; empty: all")
	seed     = flag.Uint64("seed", 1, "of the first tagging")
)

// answers are the files of the corpus that begin with a text.
func answers(t testing.TB, prefix string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	if *corpus == "" {
		return out
	}
	paths, err := filepath.Glob(filepath.Join(*corpus, prefix+"*.json*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var r io.Reader = f
		if strings.HasSuffix(path, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		_ = f.Close()
		out[filepath.Base(path)] = data
	}
	return out
}

// documents are the answers to tag: the corpus, or else small ones made here.
func documents(t testing.TB) map[string][]byte {
	t.Helper()
	all := answers(t, "doc")
	if *corpus != "" && len(all) == 0 {
		t.Fatalf("the folder %s has no answers of documents.get", *corpus)
	}
	if len(all) == 0 {
		all["small"] = []byte(smallDocument)
	}
	return all
}

func read(t testing.TB, answer []byte) *referee.Document {
	t.Helper()
	d, err := referee.ReadDocument(answer)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// judge fills a tagged document over the wire, and compares in every interpretation.
func (w *wire) judge(t testing.TB, client *google.Client, tagged, want *referee.Document) error {
	t.Helper()
	body, out, err := w.fillFile(t, client, document{tagged}, platen.MIMEDocs)
	if err != nil {
		return fmt.Errorf("%w; findings %v", err, out.Findings)
	}
	for _, interpretation := range referee.Interpretations() {
		after := tagged
		if body != nil {
			if _, after, err = tagged.Apply(body, interpretation); err != nil {
				return fmt.Errorf("in %+v: %w", interpretation, err)
			}
		}
		if at := referee.Difference(after, want); at != "" {
			return fmt.Errorf("in %+v: %s", interpretation, at)
		}
	}
	return nil
}

func TestDocumentsOfGoogleAreFilledAsExpected(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	client := w.client(t)
	kinds, accepted := map[string]int{}, 0
	for name, answer := range documents(t) {
		for _, change := range transformations() {
			if !strings.Contains(change.name, *only) {
				continue
			}
			base := read(t, answer)
			change.do(base, rand.New(rand.NewPCG(*seed, 0)))
			for n := range *taggings {
				r := rand.New(rand.NewPCG(*seed+uint64(n), 1))
				tagged, want, found := tagDocument(base, r, often(base, r))
				if len(found) == 0 {
					continue
				}
				if err := w.judge(t, client, tagged, want); err != nil {
					t.Errorf("%s, %s, tagging %d: %.2000v", name, change.name, n, err)
					continue
				}
				accepted++
				for kind, count := range found {
					kinds[kind] += count
				}
			}
		}
	}
	t.Logf("%d taggings of documents are accepted, with these tags and places:", accepted)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("%6d %s", kinds[kind], kind)
	}
}

// often is the part of all places that get a tag: a few to a few dozen.
func often(d *referee.Document, r *rand.Rand) float64 {
	places := 0
	for _, s := range d.Segments {
		for _, u := range s.Units {
			if u.Is('\n') {
				places++
			}
		}
	}
	return min(float64(1+r.IntN(30))/float64(places), 0.5)
}

func TestAnswersOfDocumentsAreReadWhole(t *testing.T) {
	t.Parallel()
	for name, answer := range documents(t) {
		d := read(t, answer)
		again := read(t, d.JSON())
		if at := referee.Difference(again, d); at != "" {
			t.Errorf("%s, read, written and read again: %s", name, at)
		}
	}
}

// suggestible are the kinds of units that can be suggested, and their names.
var suggestible = map[referee.Kind]string{referee.Char: "text", referee.Object: "object", referee.TableStart: "table", referee.RowStart: "row", referee.CellStart: "cell"}

// suggest has one unit of a kind be suggested to be inserted or deleted, somewhere.
func suggest(d *referee.Document, kind referee.Kind, r *rand.Rand) bool {
	ids := []string{"suggestedInsertionIds", "suggestedDeletionIds"}[r.IntN(2)]
	var all []*referee.Unit
	for _, s := range d.Segments {
		contents := 0
		for i := range s.Units {
			switch u := &s.Units[i]; {
			case u.Kind == referee.ContentsStart:
				contents++
			case u.Kind == referee.ContentsEnd:
				contents--
			case contents == 0 && u.Kind == kind && !u.Is('\n'):
				all = append(all, u)
			}
		}
	}
	if len(all) == 0 {
		return false
	}
	u := all[r.IntN(len(all))]
	suggested := func(o map[string]any) map[string]any {
		o = maps.Clone(o)
		o[ids] = []any{"suggest.1"}
		return o
	}
	switch kind {
	case referee.Char:
		u.Style = fmt.Sprintf(`{%q:["suggest.1"],"textStyle":{}}`, ids)
	case referee.Object:
		u.Raw = maps.Clone(u.Raw)
		for key, value := range u.Raw {
			u.Raw[key] = suggested(value.(map[string]any))
		}
	default:
		u.Raw = suggested(u.Raw)
	}
	return true
}

// tagPlainly puts one tag in front of the first paragraph of a document.
func tagPlainly(base *referee.Document) *referee.Document {
	d := base.Clone()
	s := d.Segments[0]
	first := slices.IndexFunc(s.Units, func(u referee.Unit) bool { return u.Kind == referee.Char })
	s.Units = slices.Insert(s.Units, first, referee.Text("{{Name}} ", `{"textStyle":{}}`, nil)...)
	return d
}

func TestDocumentsOfGoogleWithSuggestionsAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	client := w.client(t)
	tried := map[string]int{}
	for name, answer := range documents(t) {
		for n := range *taggings {
			for kind, word := range suggestible {
				r := rand.New(rand.NewPCG(*seed+uint64(n), 3))
				base := read(t, answer)
				eachSegment(addElements)(base, r)
				tagged, _, _ := tagDocument(base, r, often(base, r))
				// A document with plain tags alone is filled from a selection of its fields.
				for _, d := range []*referee.Document{tagged, tagPlainly(base)} {
					if !suggest(d, kind, r) {
						continue
					}
					tried[word]++
					body, out, err := w.fillFile(t, client, document{d}, platen.MIMEDocs)
					if body != nil || !slices.Contains(codes(out.Findings), "template_has_suggestions") {
						t.Errorf("%s, tagging %d, %q: got %v, findings %q and %d bytes of requests, want the finding template_has_suggestions and none", name, n, word, err, codes(out.Findings), len(body))
					}
				}
			}
		}
	}
	t.Logf("suggestions are seen: %v", tried)
}
