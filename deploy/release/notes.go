package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var toolVersions = regexp.MustCompile(`(?m)^\s*(go\.temporal\.io/server) (v\S+)`)

// notes say what is there, how to see that it is whole, and what an upgrade may skip.
func (r *release) notes(ctx context.Context) error {
	modules, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	temporal := toolVersions.FindSubmatch(modules)
	if temporal == nil {
		return fmt.Errorf("go.mod does not name the Temporal that is tested with")
	}
	migrations, err := filepath.Glob("internal/postgres/migrations/*.sql")
	if err != nil || len(migrations) == 0 {
		return fmt.Errorf("there are no migrations: %v", err)
	}
	newest, _, _ := strings.Cut(filepath.Base(slices.Max(migrations)), "_")
	since, changes := "", ""
	if before, err := output(ctx, "git", "describe", "--tags", "--abbrev=0", "--match=v*", "HEAD^"); err == nil {
		since = before
		if changes, err = output(ctx, "git", "log", "--reverse", "--format=- %s", before+"..HEAD"); err != nil {
			return err
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# Platen %s\n\nBuilt from commit %s of %s with %s, without C.\n", r.version, r.commit, r.at.Format("2 January 2006"), r.compiler)
	fmt.Fprintf(&text, "\n## Check what you have\n\n    sha256sum --check --ignore-missing SHA256SUMS\n    platen --version\n\n`*.cdx.json` list the modules that each program is made of.\n")
	fmt.Fprintf(&text, `
## Upgrade

1. Run `+"`platen migrate`"+` of this release, which brings the database to migration %s. Programs of the previous release go on meanwhile.
2. Start the new drive, then `+"`serve`"+`, then the workers.

Releases that are next to each other work side by side, so go through each release in turn. To go back, start the programs of the previous release: migrations work beside them.

Tested with Temporal %s, and with Postgres 15.
`, newest, temporal[2])
	if changes != "" {
		fmt.Fprintf(&text, "\n## Changes since %s\n\n%s\n", since, changes)
	}
	r.files = append(r.files, "NOTES.md")
	return os.WriteFile(filepath.Join(r.out, "NOTES.md"), []byte(text.String()), 0o644)
}
