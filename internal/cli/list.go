package cli

import (
	"context"
	"fmt"
	"iter"

	"github.com/platenhq/platen/client"
)

// Listing is how a command prints a list.
type Listing struct {
	Limit int  `default:"100" help:"Most that are listed."`
	JSON  bool `name:"json" help:"Print one JSON object a line."`
}

// printList prints as much of a list as is wanted, as it comes from the API or as a table.
func printList[T any](e *Environment, l Listing, all iter.Seq2[T, error], heading []string, cells func(T) []string) error {
	if l.Limit < 1 {
		return Usage(fmt.Errorf("--limit %d: give a number from 1 on", l.Limit))
	}
	t, n := newTable(heading...), 0
	for entry, err := range all {
		if err == nil && n == l.Limit {
			if e.Watched { // scripts asked for so many
				fmt.Fprintf(e.Err, "There are more than %d: --limit lists more.\n", l.Limit)
			}
			break
		}
		switch {
		case err != nil:
			return err
		case l.JSON:
			if err := printJSON(e.Out, entry); err != nil {
				return err
			}
		default:
			t.row(cells(entry)...)
		}
		n++
	}
	if l.JSON {
		return nil
	}
	return t.print(e)
}

// Showing is how a command prints one thing.
type Showing struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// printOne prints the fields of one thing, each as a row.
func printOne(e *Environment, s Showing, thing any, fields func(row func(...string))) error {
	if s.JSON {
		return printJSON(e.Out, thing)
	}
	t := newTable("WHAT", "IS")
	t.whole = true
	fields(t.row)
	return t.print(e)
}

// visited reads a list of each workflow, one after the other.
func visited[T any](ctx context.Context, api *client.Client, of func(workflowID string) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for w, err := range api.Workflows(ctx, client.WorkflowQuery{}) {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for entry, err := range of(w.ID) {
				if !yield(entry, err) || err != nil {
					return
				}
			}
		}
	}
}

func textOr(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func failure(f *client.Failure) string {
	if f == nil {
		return ""
	}
	return f.Message + " (" + f.Code + ")"
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
