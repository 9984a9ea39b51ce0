package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/platenhq/platen/client"
)

// A WorkflowName names a workflow by its id, or by its name where one workflow has it.
type WorkflowName string

const workflowPrefix = "wkf_"

// id asks the API only for a name.
func (n WorkflowName) id(ctx context.Context, c *client.Client) (string, error) {
	if strings.HasPrefix(string(n), workflowPrefix) {
		return string(n), nil
	}
	w, err := n.workflow(ctx, c)
	return w.ID, err
}

func (n WorkflowName) workflow(ctx context.Context, c *client.Client) (client.Workflow, error) {
	if strings.HasPrefix(string(n), workflowPrefix) {
		return c.Workflow(ctx, string(n))
	}
	var found []client.Workflow
	for w, err := range c.Workflows(ctx, client.WorkflowQuery{Statuses: []string{"COMPLETE", "INCOMPLETE"}}) {
		if err != nil {
			return w, err
		}
		if strings.EqualFold(w.Name, string(n)) {
			found = append(found, w)
		}
	}
	switch len(found) {
	case 0:
		return client.Workflow{}, fmt.Errorf("no workflow is called %q: 'platen workflows list' shows their ids and names", cut(Shown(string(n)), widest))
	case 1:
		return found[0], nil
	}
	text := fmt.Sprintf("%d workflows are called %q; name one by its id:", len(found), cut(Shown(string(n)), widest))
	for _, w := range found {
		text += "\n  " + Shown(w.ID)
	}
	return client.Workflow{}, errors.New(text)
}

// OfWorkflow is what a command is about.
type OfWorkflow struct {
	Access
	Workflow WorkflowName `arg:"" help:"Id of the workflow (wkf_…), or its name."`
}

func (c *OfWorkflow) open(ctx context.Context, e *Environment) (api *client.Client, id string, err error) {
	if api, err = c.client(e); err != nil {
		return nil, "", err
	}
	id, err = c.Workflow.id(ctx, api)
	return api, id, err
}

// maxEvent is the most that is read for a source, in bytes. What the service takes, it says.
const maxEvent = 64 << 20

// readInput reads a file, or standard input for "-".
func readInput(ctx context.Context, e *Environment, name string) ([]byte, error) {
	if name != "-" {
		return os.ReadFile(name)
	}
	content, err := interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(e.In, maxEvent+1)) })
	if err == nil && len(content) > maxEvent {
		err = fmt.Errorf("standard input has more than %d bytes", maxEvent)
	}
	return content, err
}
