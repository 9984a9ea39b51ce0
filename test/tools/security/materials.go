package main

import (
	"context"
	"path/filepath"
)

// writeMaterials writes what each program in bin/ is made of, as CycloneDX 1.6 in JSON:
// its modules with their versions and checksums, and the version of Go.
// https://cyclonedx.org/docs/1.6/json/
func writeMaterials(ctx context.Context, o options) ([]finding, error) {
	for _, program := range shipped {
		_, err := tool(ctx, ".", "cyclonedx-gomod", "bin", "-json", "-output-version", "1.6",
			"-output", filepath.Join(o.Out, program+".cdx.json"), filepath.Join("bin", program))
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}
