package main

import (
	"context"
	"encoding/json"
	"fmt"
)

// findSecrets runs gitleaks over every commit. Uncommitted files are not scanned.
func findSecrets(ctx context.Context, _ options) ([]finding, error) {
	out, err := tool(ctx, ".", "gitleaks", "git", ".", "--no-banner", "--log-level", "error", "--exit-code", "0",
		"--redact", "--report-format", "json", "--report-path", "-")
	if err != nil {
		return nil, err
	}
	var leaks []struct {
		RuleID    string
		File      string
		StartLine int
		Commit    string
	}
	if err := json.Unmarshal(out, &leaks); err != nil {
		return nil, fmt.Errorf("read what gitleaks says: %w", err)
	}
	var found []finding
	for _, l := range leaks {
		found = append(found, finding{Rule: l.RuleID, Where: l.File, Text: fmt.Sprintf("line %d of commit %.8s", l.StartLine, l.Commit)})
	}
	return found, nil
}
