package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/workflows"
)

// attributesTimeout bounds a look at the namespace, which nothing else does:
// the SDK has no time limit for these calls.
const attributesTimeout = 30 * time.Second

// EnsureSearchAttributes adds to the namespace what runs are found by, where
// it is missing. Without them no run can be started. Workers may do it side by
// side. A Temporal that does not let us add them (Temporal Cloud) needs an
// operator to do it; the error names them.
func EnsureSearchAttributes(ctx context.Context, c client.Client, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, attributesTimeout)
	defer cancel()
	err := ensureAttributes(func() (attributeTypes, error) {
		have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
		return have.GetCustomAttributes(), err
	}, func(missing attributeTypes) error {
		_, err := c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: missing})
		return err
	})
	var noNamespace *serviceerror.NamespaceNotFound
	if errors.As(err, &noNamespace) {
		return fmt.Errorf("temporal has no namespace %s; 'temporal operator namespace create --namespace %s --retention 72h' makes it: %w", namespace, namespace, err)
	}
	if err != nil {
		return fmt.Errorf("search attributes of Temporal's namespace %s: %w", namespace, err)
	}
	return nil
}

// MissingSearchAttributes names the search attributes that the namespace lacks, and
// adds none.
func MissingSearchAttributes(ctx context.Context, c client.Client, namespace string) ([]string, error) {
	missing, err := missingAttributes(func() (attributeTypes, error) {
		have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
		return have.GetCustomAttributes(), err
	})
	return slices.Sorted(maps.Keys(missing)), err
}

type attributeTypes = map[string]enums.IndexedValueType

func ensureAttributes(list func() (attributeTypes, error), add func(attributeTypes) error) error {
	missing, err := missingAttributes(list)
	if err != nil || len(missing) == 0 {
		return err
	}
	failed := add(missing)
	if failed == nil {
		return nil
	}
	// Another worker may have been quicker.
	if missing, err = missingAttributes(list); err == nil && len(missing) == 0 {
		return nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(missing)), ", ")
	return fmt.Errorf("add them by hand, type Keyword: %s: %w", names, errors.Join(failed, err))
}

func missingAttributes(list func() (attributeTypes, error)) (attributeTypes, error) {
	have, err := list()
	if err != nil {
		return nil, fmt.Errorf("list them: %w", err)
	}
	missing := attributeTypes{}
	for _, name := range workflows.SearchAttributes() {
		switch kind, ok := have[name]; {
		case !ok:
			missing[name] = enums.INDEXED_VALUE_TYPE_KEYWORD
		case kind != enums.INDEXED_VALUE_TYPE_KEYWORD:
			return nil, fmt.Errorf("%s is of type %s: remove it and add it again as Keyword, or use another namespace", name, kind)
		}
	}
	return missing, nil
}
