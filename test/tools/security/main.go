// Command security looks at the product from outside, with programs of other people.
// It runs govulncheck for known vulnerabilities, gosec for dangerous code, gitleaks
// for secrets, and go-licenses for licences. It runs cyclonedx-gomod for the bill of
// materials of each program that is shipped.
//
// Each finding is fixed, or has its reason in explained.txt. Any other finding fails
// the run, as does a reason without a finding. No rule of our own is here.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

type options struct {
	Only string `help:"One part alone: ${parts}."`
	Out  string `default:"security-out" help:"Directory for the bills of materials and the list of licences."`
	Copy string `type:"existingdir" placeholder:"DIR" help:"Write vulnerabilities.jsonl from the folder data/osv of a copy of the vulnerability database, and stop."`
}

// A part is one program's view. It returns what it found.
type part struct {
	name  string
	about string
	find  func(ctx context.Context, o options) ([]finding, error)
}

// A finding is something that a program of other people objects to.
type finding struct {
	// Rule is the program's own name for it: GO-2025-3420, G304, generic-api-key.
	Rule string
	// Where is a file of the repository, a module or a licence.
	Where string
	// Text is what the program says of it, with the line if there is one.
	Text string
}

var parts = []part{
	{"vulnerabilities", "known vulnerabilities in what the programs call (govulncheck)", findVulnerabilities},
	{"code", "dangerous code (gosec)", findDangers},
	{"secrets", "secrets in files and in the history (gitleaks)", findSecrets},
	{"licences", "licences of everything that is shipped (go-licenses)", findLicences},
	{"materials", "bills of materials, CycloneDX (cyclonedx-gomod)", writeMaterials},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.name
	}
	var o options
	kong.Parse(&o, kong.Name("security"), kong.Description("Have programs of other people look for what is dangerous."),
		kong.Vars{"parts": strings.Join(names, ", ")})
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "security: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.Copy != "" {
		return copyDatabase(ctx, o.Copy)
	}
	chosen := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return o.Only != "" && p.name != o.Only })
	if len(chosen) == 0 {
		return fmt.Errorf("--only: there is no part %q", o.Only)
	}
	explanations, err := readExplanations(explainedFile)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return err
	}

	var wrong int
	for _, p := range chosen {
		fmt.Printf("%s: %s ...\n", p.name, p.about)
		found, err := p.find(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		open, unused := explanations.judge(p.name, found)
		for _, f := range open {
			fmt.Printf("  %s %s: %s\n", f.Rule, f.Where, f.Text)
		}
		for _, e := range unused {
			fmt.Printf("  %s:%d explains nothing that was found: take it away\n", explainedFile, e.line)
		}
		fmt.Printf("  %d found, %d of them explained\n", len(found), len(found)-len(open))
		wrong += len(open) + len(unused)
	}
	if wrong > 0 {
		return errors.New("cure what was found, or explain it in " + explainedFile)
	}
	return nil
}
