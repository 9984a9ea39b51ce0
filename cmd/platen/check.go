package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/platenhq/platen/internal/check"
)

type checkCommand struct {
	File string `arg:"" type:"existingfile" help:"A template, .docx or .pptx."`
	Data string `type:"existingfile" help:"A JSON object such as the source will send. With it, names and values are checked too."`
	JSON bool   `help:"Print the findings as JSON."`
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
	findings, err := check.File(content, data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if c.JSON {
		if findings == nil {
			findings = []check.Finding{}
		}
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(findings); err != nil {
			return err
		}
	} else {
		for _, f := range findings {
			fmt.Printf("%s: %s\n", c.File, f)
		}
	}
	if len(findings) > 0 {
		return fmt.Errorf("%s: %d findings", c.File, len(findings))
	}
	return nil
}
