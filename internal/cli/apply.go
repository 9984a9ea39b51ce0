package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/manifest"
)

type applyCommand struct {
	Access
	File   []string `short:"f" default:"platen.yaml" placeholder:"FILE" help:"File that says what workflows there are, or a folder whose .yaml files do."`
	DryRun bool     `help:"Show the plan and change nothing. The exit code is 6 if there is anything to change."`
	Prune  bool     `help:"Also remove documents, outgoing webhooks, receivers, targets and schedules that the file leaves out, and archive those workflows of yours that no file names."`
	Yes    bool     `help:"Do not ask. Required without a terminal."`
}

// Run shows the plan before it asks.
func (c *applyCommand) Run(ctx context.Context, e *Environment) error {
	files, err := manifest.Reader{Getenv: e.Getenv, CheckTemplate: e.CheckTemplate}.Read(c.File)
	if err != nil {
		return err
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	plan, err := manifest.Make(ctx, api, files)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(e.Out, e.planText(plan, c.Prune)); err != nil {
		return err
	}
	made, changed := plan.Changes()
	senders := plan.SendersToChange()
	prunes := c.Prune && plan.Extra()
	switch {
	case made+changed+senders == 0 && !prunes:
		return nil
	case c.DryRun:
		return &exit{errors.New("the service is not as the files say"), ExitChanges}
	}
	question := fmt.Sprintf("Make %s and change %d?", count(made, "workflow"), changed)
	if senders > 0 {
		question = fmt.Sprintf("Set up %s, make %s and change %d?", count(senders, "mail sender"), count(made, "workflow"), changed)
	}
	if prunes {
		question = fmt.Sprintf("Make %s, change %d, and remove what the plan marks with a minus sign? Only the operator can bring an archived workflow back.", count(made, "workflow"), changed)
	}
	if err := e.Confirm(ctx, c.Yes, question, "changed"); err != nil {
		return err
	}
	run := manifest.Runner{API: api, Prune: c.Prune, Say: func(line string) { fmt.Fprintln(e.Out, Shown(line)) }}
	run.Warn = func(findings []client.TemplateFinding, unchecked *client.Failure) { warn(e, findings, unchecked) }
	return run.Run(ctx, plan)
}

// planText is a plan as people read it.
func (e *Environment) planText(p manifest.Plan, prune bool) string {
	var b strings.Builder
	minus, left := "- ", " (stays without --prune)"
	if prune {
		left = ""
	} else {
		minus = "  "
	}
	change := func(c manifest.Change, isNew bool) {
		before := cmp.Or(c.Before, "none") + " → "
		if isNew {
			before = ""
		}
		fmt.Fprintf(&b, "    %s: %s%s\n", Shown(c.Path), Shown(before), Shown(cmp.Or(c.After, "none")))
	}
	for _, s := range p.Senders {
		switch {
		case len(s.Changes) == 0:
			continue
		case s.ID == "":
			fmt.Fprintf(&b, "+ mail sender %s: to be made\n", Shown(s.Sender.Name))
		default:
			fmt.Fprintf(&b, "~ mail sender %s (%s)\n", Shown(s.Sender.Name), Shown(s.ID))
		}
		for _, c := range s.Changes {
			change(c, s.ID == "")
		}
	}
	for _, s := range p.Steps {
		switch {
		case s.ID == "":
			fmt.Fprintf(&b, "+ %s: to be made\n", Shown(s.Entry.Name))
		case len(s.Changes)+len(s.Extra) == 0:
			continue
		case s.Owner != "":
			fmt.Fprintf(&b, "~ %s (%s, which %s owns)\n", Shown(s.Entry.Name), Shown(s.ID), Shown(s.Owner))
		default:
			fmt.Fprintf(&b, "~ %s (%s)\n", Shown(s.Entry.Name), Shown(s.ID))
		}
		for _, c := range s.Changes {
			change(c, s.ID == "")
		}
		for _, extra := range s.Extra {
			fmt.Fprintf(&b, "  %s%s: in no file%s\n", minus, Shown(extra), left)
		}
	}
	for _, w := range p.Unlisted {
		if prune {
			fmt.Fprintf(&b, "- %s (%s): to be archived, in no file\n", Shown(w.Name), Shown(w.ID))
		}
	}
	made, changed := p.Changes()
	fmt.Fprintf(&b, "%d to be made, %d to be changed, %d as the files say", made, changed, len(p.Steps)-made-changed)
	if n := len(p.Unlisted); n > 0 && !prune {
		fmt.Fprintf(&b, "; %s of yours in no file", count(n, "workflow"))
	}
	b.WriteString(".\n")
	return b.String()
}

type exportCommand struct {
	Access
	Workflows []WorkflowName `arg:"" optional:"" name:"workflow" help:"Ids or names of the workflows. Default: those of yours that are not archived."`
	To        string         `default:"." placeholder:"DIR" help:"Folder for platen.yaml and its templates."`
	Overwrite bool           `help:"Write over a platen.yaml and templates that are there. What it refers to by variables of the environment is written out then, but for passwords."`
}

// Run writes platen.yaml last: with it, its templates are there.
func (c *exportCommand) Run(ctx context.Context, e *Environment) error {
	to := filepath.Join(c.To, manifest.File)
	if _, err := os.Stat(to); err == nil && !c.Overwrite {
		return Usage(fmt.Errorf("%s is there already: name another folder by --to, or give --overwrite", Shown(to)))
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	ids, err := c.ids(ctx, api)
	if err != nil {
		return err
	}
	files, variables, err := manifest.Export(ctx, api, ids)
	if err != nil {
		return err
	}
	names := []string{}
	for name := range files {
		if name != manifest.File {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		to := filepath.Join(c.To, filepath.FromSlash(name))
		if there, err := os.ReadFile(to); err == nil && !c.Overwrite && !bytes.Equal(there, files[name]) {
			return Usage(fmt.Errorf("%s is there already, with another content: name another folder by --to, or give --overwrite", Shown(to)))
		}
	}
	for _, name := range append(names, manifest.File) {
		if err := c.write(e, filepath.Join(c.To, filepath.FromSlash(name)), files[name]); err != nil {
			return err
		}
	}
	for _, name := range variables {
		fmt.Fprintf(e.Err, "set %s where you apply: it is a secret, which is not written out.\n", name)
	}
	return nil
}

// ids are those of the workflows in the order of their names, so that an export is the same
// elsewhere.
func (c *exportCommand) ids(ctx context.Context, api *client.Client) (ids []string, err error) {
	var found []client.Workflow
	for _, name := range c.Workflows {
		w, err := name.workflow(ctx, api)
		if err != nil {
			return nil, err
		}
		found = append(found, w)
	}
	if len(c.Workflows) == 0 {
		me, err := api.Me(ctx)
		if err != nil {
			return nil, err
		}
		for w, err := range api.Workflows(ctx, client.WorkflowQuery{Statuses: []string{"COMPLETE", "INCOMPLETE"}}) {
			if err != nil {
				return nil, err
			}
			if w.Owner.ID == me.User.ID {
				found = append(found, w)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b client.Workflow) int { return strings.Compare(a.Name, b.Name) })
	for _, w := range found {
		if !slices.Contains(ids, w.ID) {
			ids = append(ids, w.ID)
		}
	}
	return ids, nil
}

// write leaves a file that has the content already as it is.
func (c *exportCommand) write(e *Environment, to string, content []byte) error {
	if there, err := os.ReadFile(to); err == nil && bytes.Equal(there, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return writeWhole(e, to, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
