package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// findDangers has gosec read the code that is shipped; tests and what is built are not.
// https://github.com/securego/gosec#available-rules
func findDangers(ctx context.Context, _ options) ([]finding, error) {
	var found []finding
	for _, dir := range ours {
		here, err := findDangersIn(ctx, dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		found = append(found, here...)
	}
	return found, nil
}

// findDangersIn looks at the module in a folder, without those below it and without stubs,
// which are names alone.
func findDangersIn(ctx context.Context, dir string) ([]finding, error) {
	args := []string{"-quiet", "-no-fail", "-fmt", "json", "-exclude-generated", "-exclude-dir=test", "-exclude-dir=bin", "-exclude-dir=.upgrade", "-exclude-dir=stubs"}
	if dir == "." {
		for _, below := range ours[1:] {
			args = append(args, "-exclude-dir="+below)
		}
	}
	out, err := tool(ctx, dir, "gosec", append(args, "./...")...)
	if err != nil {
		return nil, err
	}
	var report struct {
		Errors map[string]any `json:"Golang errors"`
		Issues []struct {
			Rule    string `json:"rule_id"`
			Details string `json:"details"`
			File    string `json:"file"`
			Line    string `json:"line"`
		} `json:"Issues"`
	}
	if len(out) == 0 { // it prints nothing where it finds nothing
		return nil, nil
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return nil, fmt.Errorf("read what gosec says: %w", err)
	}
	if len(report.Errors) > 0 {
		return nil, fmt.Errorf("gosec could not read %v", report.Errors)
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, i := range report.Issues {
		file, err := filepath.Rel(root, i.File)
		if err != nil {
			return nil, err
		}
		found = append(found, finding{Rule: i.Rule, Where: filepath.ToSlash(file), Text: fmt.Sprintf("line %s: %s", i.Line, i.Details)})
	}
	return found, nil
}
