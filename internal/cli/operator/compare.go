package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/compare"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

type compareCommand struct {
	config.Compare
	Last     int    `default:"3" help:"How many outputs of each document, the newest first. Default: 3."`
	Limit    int    `default:"1000" help:"How many outputs of all. Default: 1000."`
	Workflow string `placeholder:"ID" help:"Those of this workflow alone (wkf_…)."`
	Owner    string `help:"Those of workflows of this owner alone: an id (usr_…) or e-mail address."`
	Output   string `placeholder:"DIR" help:"Folder for both PDFs of each output that looks different. They hold data of customers. Default: none is written."`
	JSON     bool   `name:"json" help:"One JSON object in each line, also for outputs that look the same."`
}

// Run fails if an output looks different.
func (c *compareCommand) Run(ctx context.Context, e *cli.Environment) error {
	if c.Last < 1 || c.Limit < 1 {
		return cli.Usage(errors.New("--last and --limit must be 1 or more"))
	}
	if c.Output != "" {
		if err := os.MkdirAll(c.Output, 0o700); err != nil {
			return cli.Usage(fmt.Errorf("--output: %w", err))
		}
	}
	var odd []compare.Result // without their PDFs
	count, done := map[compare.State]int{}, 0
	q := platen.LatestOutputQuery{Workflow: c.Workflow, Owner: c.Owner, Last: c.Last, Limit: c.Limit}
	failed := app.Compare(ctx, c.Compare, q, func(r compare.Result, number, all int) error {
		count[r.State]++
		done = number
		if e.Lively {
			fmt.Fprintf(e.Err, "\r%d of %d outputs compared", number, all)
		}
		if err := c.keep(r); err != nil {
			return err
		}
		r.Before, r.After = nil, nil
		if c.JSON {
			return json.NewEncoder(e.Out).Encode(lineOf(r))
		}
		if r.State != compare.Same {
			odd = append(odd, r)
		}
		return nil
	})
	if e.Lively && done > 0 {
		fmt.Fprintln(e.Err)
	}
	if !c.JSON && (done > 0 || failed == nil) {
		if err := c.print(e, odd, count); err != nil {
			return err
		}
	}
	switch n := count[compare.Different]; {
	case failed != nil && done > 0:
		return fmt.Errorf("stopped after %d outputs: %w", done, failed)
	case failed != nil:
		return failed
	case done == 0 && c.Workflow+c.Owner != "":
		return cli.Usage(errors.New("there is no output to compare: --workflow or --owner names none, or no PDF was made there"))
	case n > 0:
		return fmt.Errorf("%d of %d outputs look different", n, done)
	}
	return nil
}

// keep writes the PDFs of an output that looks different.
func (c *compareCommand) keep(r compare.Result) error {
	if c.Output == "" || r.State != compare.Different {
		return nil
	}
	for kind, pdf := range map[string][]byte{"before": r.Before, "after": r.After} {
		if pdf == nil { // it cannot be made now
			continue
		}
		if err := os.WriteFile(filepath.Join(c.Output, filepath.Base(r.ID)+"."+kind+".pdf"), pdf, 0o600); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	return nil
}

func (c *compareCommand) print(e *cli.Environment, odd []compare.Result, count map[compare.State]int) error {
	if len(odd) > 0 {
		err := tableTo(e.Out, "WORKFLOW\tDOCUMENT\tAUTOMATION\tOUTPUT\tPAGES\tRESULT", func(row func(...string)) error {
			for _, r := range odd {
				row(cli.Shown(r.Workflow), cli.Shown(r.Document), r.AutomationID, r.ID, pagesOf(r), cli.Shown(inWords(r)))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(e.Out, "%d look the same, %d different. %d were not compared.\n", count[compare.Same], count[compare.Different], count[compare.NotCompared])
	return err
}

func pagesOf(r compare.Result) string {
	switch {
	case r.PagesBefore == 0:
		return "-"
	case r.PagesBefore == r.PagesAfter:
		return strconv.Itoa(r.PagesBefore)
	}
	return fmt.Sprintf("%d → %d", r.PagesBefore, r.PagesAfter)
}

// inWords names the first pages that look different.
func inWords(r compare.Result) string {
	const most = 3
	if r.State == compare.NotCompared {
		return "not compared: " + r.Why
	}
	if r.Why != "" {
		return r.Why
	}
	var all []string
	for _, p := range r.Pages[:min(most, len(r.Pages))] {
		all = append(all, p.String())
	}
	if more := len(r.Pages) - most; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

func lineOf(r compare.Result) any {
	pages := r.Pages
	if pages == nil {
		pages = []compare.Page{}
	}
	return struct {
		WorkflowID   string         `json:"workflowId"`
		Workflow     string         `json:"workflow"`
		DocumentID   string         `json:"documentId"`
		Document     string         `json:"document"`
		AutomationID string         `json:"automationId"`
		OutputID     string         `json:"outputId"`
		State        compare.State  `json:"state"`
		Why          string         `json:"why,omitempty"`
		PagesBefore  int            `json:"pagesBefore"`
		PagesAfter   int            `json:"pagesAfter"`
		Pages        []compare.Page `json:"pages"`
	}{r.WorkflowID, r.Workflow, r.DocumentID, r.Document, r.AutomationID, r.ID, r.State, r.Why, r.PagesBefore, r.PagesAfter, pages}
}
