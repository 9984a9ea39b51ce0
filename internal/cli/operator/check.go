package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
)

type checkCommand struct {
	File   string `arg:"" help:"A template, .docx or .pptx."`
	Data   string `xor:"what" placeholder:"FILE" help:"File with one JSON object such as the source will send, -: standard input, or the object itself. With it, names and values are checked too."`
	JSON   bool   `help:"Print the findings as JSON."`
	Schema bool   `xor:"what" help:"Print the JSON Schema of the data that the template asks for, and check nothing."`
}

// Run prints every mistake of the template, or how much was checked, and fails
// if there are mistakes.
func (c checkCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c checkCommand) run(ctx context.Context, to io.Writer) error {
	content, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	data, err := c.readData(ctx)
	if err != nil {
		return err
	}
	template, err := check.ReadFile(content)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if c.Schema {
		return printSchema(to, template)
	}
	findings, err := template.FindingsAtDesk(data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	findings = append(findings, template.BarriersAtDesk()...)
	if err := c.print(to, findings); err != nil {
		return err
	}
	if n := check.Mistakes(findings); n > 0 {
		return fmt.Errorf("%s: %s in %s", c.File, count(n, "mistake"), count(template.Tags(), "tag"))
	}
	if c.JSON {
		return nil
	}
	more := ""
	if data == nil {
		more = "; give --data to check names and values, too"
	}
	_, err = fmt.Fprintf(to, "%s: %s, no mistakes%s\n", c.File, count(template.Tags(), "tag"), more)
	return err
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// readData returns the object that --data names, nil without one.
func (c checkCommand) readData(ctx context.Context) ([]byte, error) {
	if c.Data == "" {
		return nil, nil
	}
	data, err := cli.ReadObject(ctx, os.Stdin, c.Data)
	if err != nil {
		return nil, err
	}
	if _, err := platen.SourceFields(data); err != nil { // valid, and an object: there is one fault left
		return nil, fmt.Errorf("%s: it has objects and lists inside each other on more than %d levels; sources do not take that", c.Data, platen.MaxSourceDepth)
	}
	return data, nil
}

func (c checkCommand) print(to io.Writer, findings []check.Finding) error {
	if !c.JSON {
		for _, f := range findings {
			fmt.Fprintf(to, "%s: %s\n", c.File, cli.Shown(f.String()))
		}
		return nil
	}
	if findings == nil {
		findings = []check.Finding{}
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(findings)
}

func printSchema(to io.Writer, template *check.Template) error {
	schema, err := template.Schema()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, schema, "", "  "); err != nil {
		return err
	}
	_, err = fmt.Fprintln(to, out.String())
	return err
}
