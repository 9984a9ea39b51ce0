package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
)

type targetsCommand struct {
	List   targetsList   `cmd:"" help:"List the targets of a workflow."`
	Show   targetsShow   `cmd:"" help:"Show a target, without its secret."`
	Create targetsCreate `cmd:"" help:"Have outputs stored at a target that are made from then on. Reads the secret from standard input."`
	Update targetsUpdate `cmd:"" help:"Change a target. What no flag names stays."`
	Test   targetsTest   `cmd:"" help:"Store a small file at a target and remove it."`
	Store  targetsStore  `cmd:"" help:"Store an output at a target again, or one that was made before the target. What the target has is not stored twice."`
	Delete targetsDelete `cmd:"" help:"Remove a target, with its credentials. Files that it has stay there."`
}

type targetsList struct {
	OfWorkflow
	JSON bool `help:"Print JSON."`
}

func (c *targetsList) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	all, err := api.Targets(ctx, id)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Out, all)
	}
	t := newTable("ID", "KIND", "NAME", "URL", "PATH")
	for _, one := range all {
		t.row(one.ID, one.Kind, one.Name, one.URL, one.Path)
	}
	return t.print(e)
}

// OfTarget names a target of a workflow.
type OfTarget struct {
	OfWorkflow
	Target string `arg:"" help:"Id of the target (tgt_…)."`
}

type targetsShow struct {
	OfTarget
	Showing
}

func (c *targetsShow) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	t, err := api.Target(ctx, id, c.Target)
	if err != nil {
		return err
	}
	return printTarget(e, c.Showing, t)
}

// targetFlags are the settings of a target.
type targetFlags struct {
	Name        *string `help:"Its name, one of its own in the workflow."`
	URL         *string `placeholder:"URL" help:"Folder below which files are stored, such as https://s3.example.com/bucket, https://account.blob.core.windows.net/container or sftp://files.example.com/in. Of drive the id or the link of a folder."`
	Path        *string `help:"Folders below it, with tags, such as Invoices/{{Customer}}."`
	When        *string `help:"Store only outputs of events for which this condition is true. Empty: each."`
	Office      *bool   `negatable:"" help:"Store the office file beside a PDF."`
	Sidecar     *bool   `negatable:"" help:"Store a file of JSON beside each file, which says what it is."`
	User        *string `help:"Access key of S3, storage account of Azure, or who signs in."`
	SecretStdin bool    `help:"Read the secret key, the password, the SAS token or the private key from standard input."`
	HostKey     *string `placeholder:"SHA256:…" help:"Fingerprint of the key of an SFTP server, as ssh-keygen -l prints it."`
	Region      *string `help:"Region of the bucket. Default: us-east-1."`
	Encryption  *string `placeholder:"AES256|aws:kms" help:"How S3 encrypts what is stored. Empty: as the bucket has it."`
	KMSKey      *string `name:"kms-key" help:"Key of aws:kms."`
	LockMode    *string `placeholder:"GOVERNANCE|COMPLIANCE" help:"Lock objects of S3 and Azure for --lock-days. Empty: as the bucket or the container has it."`
	LockDays    *int    `placeholder:"N" help:"Days of the lock."`
}

func (f targetFlags) change(e *Environment) (client.TargetChange, error) {
	c := client.TargetChange{
		Name: f.Name, URL: f.URL, Path: f.Path, When: f.When, Office: f.Office, Sidecar: f.Sidecar, User: f.User, HostKey: f.HostKey, Region: f.Region,
		Encryption: f.Encryption, KMSKey: f.KMSKey, LockMode: f.LockMode, LockDays: f.LockDays,
	}
	if !f.SecretStdin {
		return c, nil
	}
	text, err := secretOf(e)
	if strings.Contains(text, "\n") { // a private key ends with a line break
		text += "\n"
	}
	c.Secret = &text
	return c, err
}

// secretOf reads a secret from standard input, without the line break at its end.
func secretOf(e *Environment) (string, error) {
	const most = 16 << 10
	secret, err := io.ReadAll(io.LimitReader(e.In, most+1))
	if err != nil {
		return "", fmt.Errorf("read the secret from standard input: %w", err)
	}
	if len(secret) == 0 || len(secret) > most {
		return "", errors.New("standard input is to have the secret, of 16 KiB at most")
	}
	return strings.TrimRight(string(secret), "\r\n"), nil
}

type targetsCreate struct {
	OfWorkflow
	Showing
	Kind string `arg:"" enum:"s3,webdav,sftp,azure,drive" help:"What it speaks: s3, webdav, sftp, azure; or drive, for another folder of the drive."`
	targetFlags
}

func (c *targetsCreate) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	change, err := c.change(e)
	if err != nil {
		return err
	}
	change.Kind = c.Kind
	t, err := api.CreateTarget(ctx, id, change)
	if err != nil {
		return err
	}
	warn(e, t.Findings, nil)
	return printTarget(e, c.Showing, t)
}

type targetsUpdate struct {
	OfTarget
	Showing
	targetFlags
}

func (c *targetsUpdate) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	change, err := c.change(e)
	if err != nil {
		return err
	}
	t, err := api.UpdateTarget(ctx, id, c.Target, change)
	if err != nil {
		return err
	}
	warn(e, t.Findings, nil)
	return printTarget(e, c.Showing, t)
}

type targetsTest struct {
	OfTarget
	Showing
}

func (c *targetsTest) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	result, err := api.TestTarget(ctx, id, c.Target)
	if err != nil {
		return err
	}
	if result.Error != nil && !c.JSON {
		what := "no file could be stored"
		if result.Stored {
			what = result.Key + " was stored, and could not be removed"
		}
		return fmt.Errorf("%s: %s", what, failure(result.Error))
	}
	return printState(e, c.Showing, result, "A file was stored, and removed.", nil)
}

type targetsStore struct {
	OfWorkflow
	Showing
	Output string `arg:"" help:"Id of the output (out_…)."`
	Target string `arg:"" help:"Id of the target (tgt_…)."`
}

func (c *targetsStore) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	o, err := api.StoreOutput(ctx, id, c.Output, c.Target)
	said := ""
	for _, p := range o.Targets {
		if p.TargetID == c.Target {
			said = placementText(p)
		}
	}
	return printState(e, c.Showing, o, said, err)
}

// placementText says what a target has of an output.
func placementText(p client.Placement) string {
	text := p.Name + ": " + p.State
	if why := failure(p.Error); why != "" {
		text += ": " + why
	}
	if next := p.NextAttemptAt; next != nil {
		text += " Next attempt: " + next.Format(time.RFC3339) + "."
	}
	return text
}

type targetsDelete struct {
	OfTarget
	Yes bool `help:"Do not ask. Required without a terminal."`
}

func (c *targetsDelete) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := e.Confirm(ctx, c.Yes, "Remove the target? Outputs are not stored there any more, and its secret is erased.", "removed"); err != nil {
		return err
	}
	if err := api.DeleteTarget(ctx, id, c.Target); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s is removed.\n", Shown(c.Target))
	return err
}

func printTarget(e *Environment, how Showing, t client.Target) error {
	return printOne(e, how, t, func(row func(...string)) {
		row("target", t.ID)
		row("name", t.Name)
		row("kind", t.Kind)
		row("url", t.URL)
		row("path", t.Path)
		row("condition", t.When)
		row("office file", yesNo(t.Office))
		row("sidecar", yesNo(t.Sidecar))
		row("user", t.User)
		row("secret", yesNo(t.HasSecret))
		row("host key", t.HostKey)
		if t.LockMode != "" {
			row("lock", fmt.Sprintf("%s for %d days", t.LockMode, t.LockDays))
		}
		row("encryption", cmp.Or(strings.TrimSpace(t.Encryption+" "+t.KMSKey), "as the target has it"))
	})
}
