package worker

import (
	"errors"
	"maps"
	"strings"
	"testing"

	enums "go.temporal.io/api/enums/v1"

	"github.com/platenhq/platen/workflows"
)

// A namespace has search attributes; add decides what adding some does.
type namespace struct {
	has attributeTypes
	add func(attributeTypes) error
}

func (n *namespace) list() (attributeTypes, error) { return maps.Clone(n.has), nil }

func (n *namespace) ensure() error { return ensureAttributes(n.list, n.add) }

func TestMissingSearchAttributesAreAdded(t *testing.T) {
	t.Parallel()
	n := &namespace{has: attributeTypes{"PlatenOwner": enums.INDEXED_VALUE_TYPE_KEYWORD}}
	n.add = func(wanted attributeTypes) error {
		maps.Copy(n.has, wanted)
		return nil
	}
	if err := n.ensure(); err != nil {
		t.Fatal(err)
	}
	for _, name := range workflows.SearchAttributes() {
		if n.has[name] != enums.INDEXED_VALUE_TYPE_KEYWORD {
			t.Errorf("%s: got %v, want Keyword", name, n.has[name])
		}
	}
}

func TestAWorkerThatWasQuickerIsNoError(t *testing.T) {
	t.Parallel()
	n := &namespace{has: attributeTypes{}}
	n.add = func(wanted attributeTypes) error {
		maps.Copy(n.has, wanted)
		return errors.New("already exists")
	}
	if err := n.ensure(); err != nil {
		t.Fatal(err)
	}
}

func TestSearchAttributesThatCannotBeAddedAreNamed(t *testing.T) {
	t.Parallel()
	refused := errors.New("permission denied")
	n := &namespace{add: func(attributeTypes) error { return refused }}
	err := n.ensure()
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), strings.Join([]string{"PlatenOutcome", "PlatenOwner", "PlatenTeam", "PlatenWorkflowId"}, ", ")) {
		t.Errorf("got %v, want one that names all four and the reason", err)
	}
}

func TestASearchAttributeOfAnotherTypeIsAnError(t *testing.T) {
	t.Parallel()
	n := &namespace{has: attributeTypes{"PlatenTeam": enums.INDEXED_VALUE_TYPE_TEXT}}
	if err := n.ensure(); err == nil || !strings.Contains(err.Error(), "PlatenTeam") {
		t.Errorf("got %v, want one that names PlatenTeam", err)
	}
}
