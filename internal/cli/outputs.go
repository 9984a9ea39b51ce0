package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/platenhq/platen/client"
)

type outputsCommand struct {
	List outputsList `cmd:"" help:"List outputs, the newest first. Those of a customer: --name 'kiel 17'."`
	Get  outputsGet  `cmd:"" help:"Save the PDF of an output, or a zip of several, and print the file's name."`
}

type outputsList struct {
	OfWorkflow
	Listing
	State []string `enum:"PENDING,DONE,FAILED" help:"Only those in these states: PENDING, DONE, FAILED."`
	Name  string   `help:"Only finished ones whose name has all of these words."`
	Since Ago      `placeholder:"1d" help:"Only those begun so long ago at most, such as 7d or 12h, or since a time such as 2026-01-02T03:04:05Z."`
}

func (c *outputsList) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	found := api.Outputs(ctx, id, client.OutputQuery{States: c.State, Name: c.Name, Since: c.Since.time(), Newest: true})
	return printList(e, c.Listing, found, []string{"ID", "STATE", "BEGUN", "AUTOMATION", "NAME", "WHY"}, func(o client.Output) []string {
		name := ""
		if len(o.Files) > 0 {
			name = o.Files[0].Name
		}
		return []string{o.ID, o.State, stamp(o.CreatedAt), o.AutomationID, name, failure(o.Error)}
	})
}

type outputsGet struct {
	OfWorkflow
	Outputs []string `arg:"" help:"Ids of outputs (out_…), up to 100."`
	To      string   `placeholder:"FILE" help:"Where to save it. Default: here, under its own name."`
	Open    bool     `help:"Open it."`
}

func (c *outputsGet) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	p := progress{e: e}
	p.tell("Reading …")
	var file client.Content
	if len(c.Outputs) == 1 {
		file, err = api.OutputPDF(ctx, id, c.Outputs[0])
	} else {
		file, err = api.ZipOutputs(ctx, id, c.Outputs)
	}
	p.end()
	if err != nil {
		return err
	}
	to := c.To
	if to == "" {
		// Whatever a server calls it, it is a file of this folder.
		if to = filepath.Base(filepath.Clean("/" + file.Name)); strings.Trim(to, `./\`) == "" {
			to = c.Outputs[0] + ".pdf"
		}
	}
	if err := os.WriteFile(to, file.Content, 0o600); err != nil {
		return err
	}
	if c.Open {
		openOrSay(e, to)
	}
	_, err = fmt.Fprintln(e.Out, Shown(to))
	return err
}
