package worker

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"github.com/platenhq/platen/workflows"
)

// A namespace has search attributes; add decides what adding some does.
type namespace struct {
	client.Client
	operatorservice.OperatorServiceClient
	has map[string]enums.IndexedValueType
	add func(map[string]enums.IndexedValueType) error
}

func (n *namespace) OperatorService() operatorservice.OperatorServiceClient { return n }

func (n *namespace) ListSearchAttributes(context.Context, *operatorservice.ListSearchAttributesRequest, ...grpc.CallOption) (*operatorservice.ListSearchAttributesResponse, error) {
	return &operatorservice.ListSearchAttributesResponse{CustomAttributes: maps.Clone(n.has)}, nil
}

func (n *namespace) AddSearchAttributes(_ context.Context, in *operatorservice.AddSearchAttributesRequest, _ ...grpc.CallOption) (*operatorservice.AddSearchAttributesResponse, error) {
	return nil, n.add(in.GetSearchAttributes())
}

func TestMissingSearchAttributesAreAdded(t *testing.T) {
	t.Parallel()
	n := &namespace{has: map[string]enums.IndexedValueType{"PlatenOwner": enums.INDEXED_VALUE_TYPE_KEYWORD}}
	n.add = func(wanted map[string]enums.IndexedValueType) error {
		maps.Copy(n.has, wanted)
		return nil
	}
	if err := EnsureSearchAttributes(t.Context(), n, "default"); err != nil {
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
	n := &namespace{has: map[string]enums.IndexedValueType{}}
	n.add = func(wanted map[string]enums.IndexedValueType) error {
		maps.Copy(n.has, wanted)
		return errors.New("already exists")
	}
	if err := EnsureSearchAttributes(t.Context(), n, "default"); err != nil {
		t.Fatal(err)
	}
}

func TestSearchAttributesThatCannotBeAddedAreNamed(t *testing.T) {
	t.Parallel()
	refused := errors.New("permission denied")
	n := &namespace{add: func(map[string]enums.IndexedValueType) error { return refused }}
	err := EnsureSearchAttributes(t.Context(), n, "default")
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), strings.Join([]string{"PlatenOutcome", "PlatenOwner", "PlatenTeam", "PlatenWorkflowId"}, ", ")) {
		t.Errorf("got %v, want one that names all four and the reason", err)
	}
}

func TestASearchAttributeOfAnotherTypeIsAnError(t *testing.T) {
	t.Parallel()
	n := &namespace{has: map[string]enums.IndexedValueType{"PlatenTeam": enums.INDEXED_VALUE_TYPE_TEXT}}
	if err := EnsureSearchAttributes(t.Context(), n, "default"); err == nil || !strings.Contains(err.Error(), "PlatenTeam") {
		t.Errorf("got %v, want one that names PlatenTeam", err)
	}
}
