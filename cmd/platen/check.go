package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/platenhq/platen/internal/check"
)

type checkCommand struct {
	File   string `arg:"" type:"existingfile" help:"A template, .docx or .pptx."`
	Data   string `type:"existingfile" xor:"what" help:"A JSON object such as the source will send. With it, names and values are checked too."`
	JSON   bool   `help:"Print the findings as JSON."`
	Schema bool   `xor:"what" help:"Print the JSON Schema of the data that the template asks for, and check nothing."`
}

// Run prints every mistake of the template, and fails if there are any.
func (c checkCommand) Run() error {
	content, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	var data []byte
	if c.Data != "" {
		if data, err = os.ReadFile(c.Data); err != nil {
			return err
		}
	}
	template, err := check.OfFile(content)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if c.Schema {
		return printSchema(os.Stdout, template)
	}
	findings, err := template.Findings(nil, data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if err := c.print(os.Stdout, findings); err != nil {
		return err
	}
	if len(findings) > 0 {
		return fmt.Errorf("%s: %d findings", c.File, len(findings))
	}
	return nil
}

func (c checkCommand) print(to io.Writer, findings []check.Finding) error {
	if !c.JSON {
		for _, f := range findings {
			fmt.Fprintf(to, "%s: %s\n", c.File, f)
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
