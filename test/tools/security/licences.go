package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// allowed are licences that require attribution only.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense", "Zlib"}

// findLicences lists the licence of each module in the programs, and writes the list to
// licences.csv: package, address, licence.
func findLicences(ctx context.Context, o options) ([]finding, error) {
	var found []finding
	for _, program := range shipped {
		out, err := tool(ctx, ".", "go-licenses", "report", "./cmd/"+program, "--ignore", "github.com/platenhq/platen")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(o.Out, program+"-licences.csv"), out, 0o644); err != nil {
			return nil, err
		}
		rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
		if err != nil {
			return nil, fmt.Errorf("read what go-licenses says: %w", err)
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("go-licenses names no licence of %s", program)
		}
		for _, row := range rows {
			if !slices.Contains(allowed, row[2]) {
				found = append(found, finding{Rule: row[2], Where: row[0], Text: "its licence is not among " + strings.Join(allowed, ", ")})
			}
		}
	}
	return found, nil
}
