package platen_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestADerivedIDIsThatOfItsPartsAlone(t *testing.T) {
	t.Parallel()
	first := platen.DerivedID(platen.PrefixOutput, "aut_1", "doc_1")
	if again := platen.DerivedID(platen.PrefixOutput, "aut_1", "doc_1"); again != first {
		t.Errorf("got %s, then %s, want one id", first, again)
	}
	if random := platen.NewID(platen.PrefixOutput); !platen.IsID(platen.PrefixOutput, first) || len(first) != len(random) {
		t.Errorf("got %q, want the form and length of %q", first, random)
	}
	// It stands in drives and with receivers for ever.
	if want := "out_RhOf1L6HZNJ07vWv"; first != want {
		t.Errorf("got %s, want %s as ever", first, want)
	}
	seen := map[string][]string{first: {"aut_1", "doc_1"}}
	for _, parts := range [][]string{{"aut_1", "doc_2"}, {"aut_2", "doc_1"}, {"doc_1", "aut_1"}, {"aut_1doc_1"}, {"aut_1/doc_1x"}, {}} {
		id := platen.DerivedID(platen.PrefixOutput, parts...)
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q have the id %s", parts, other, id)
		}
		seen[id] = parts
	}
	if event := platen.DerivedID(platen.PrefixEvent, "aut_1", "doc_1"); event[len(platen.PrefixEvent):] == first[len(platen.PrefixOutput):] {
		t.Errorf("got %s and %s, want the kind to be a part of the id", event, first)
	}
}
