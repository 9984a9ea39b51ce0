// Command fidelity converts a folder of office files to PDF and measures the
// pages against an office suite's. So real files judge a change of the layout,
// not taste.
//
// The folder holds docx/ and pptx/ with the files, ref/ with a PDF of each
// (its name and ".pdf"), and compare.py, which prints a line of figures for
// each file. What the figures mean is in docs/fidelity.md. The files are never
// part of the project, and nothing here knows any of them by name.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/alecthomas/kong"
)

type options struct {
	Corpus    string `arg:"" type:"existingdir" help:"The folder with docx/, pptx/, ref/ and compare.py."`
	Out       string `default:"fidelity-out" help:"Where the PDFs and the pictures go."`
	Only      string `placeholder:"REGEXP" help:"Files to convert and compare; without it all."`
	Templates string `default:"(?i)invoice|letter|form|template|_tpl|example" help:"Files whose names match it are templates, whose means are shown on their own."`
	Worst     int    `default:"10" help:"How many files to list as the worst."`
	Pages     int    `default:"12" help:"How many pages of each file to keep as pictures, 0 for none."`
	Fonts     string `type:"existingdir" placeholder:"DIR" help:"Fonts beside the embedded ones, as of PLATEN_DRIVE_FONTS."`
	Sheets    string `type:"existingdir" placeholder:"DIR" help:"Do not compare, but draw the pictures of that folder again: offer.docx-2.png is page 2 of the file, ours at the left."`
	Losses    bool   `help:"Do not compare, but count in the raw XML what each file holds, and tell what its PDF lacks without a finding."`
	Each      bool   `help:"Do not compare, but convert each file in a process of its own: none may crash, hang, or need more than 2 s and 400 MiB."`
	Mutants   int    `help:"Do not compare, but damage so many files at random and convert them: none may crash, or need more than 2 s and 512 MiB."`
	Seed      uint64 `default:"1" help:"What the damage is drawn from."`
	Python    string `default:"/usr/bin/python3" help:"The Python that has numpy and PIL."`
}

func main() {
	if kind := os.Getenv(childVariable); kind != "" {
		os.Exit(convertOne(kind))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	kong.Parse(&o, kong.Name("fidelity"), kong.Description("Measure our PDFs against an office suite's."))
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "fidelity: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.Mutants > 0 {
		return mutants(ctx, o)
	}
	if o.Sheets != "" {
		return sheets(ctx, o)
	}
	only, err := regexp.Compile(o.Only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	if o.Each {
		return each(ctx, o, only)
	}
	templates, err := regexp.Compile(o.Templates)
	if err != nil {
		return fmt.Errorf("--templates: %w", err)
	}
	fonts, err := fontsOf(o.Fonts)
	if err != nil {
		return fmt.Errorf("--fonts: %w", err)
	}
	if o.Losses {
		return losses(ctx, o, fonts, only)
	}
	for _, kind := range []string{"docx", "pptx"} {
		out := filepath.Join(o.Out, kind)
		if err := clear(out); err != nil {
			return err
		}
		converted, err := convert(fonts, filepath.Join(o.Corpus, kind), out, kind, only)
		if err != nil {
			return err
		}
		if len(converted) == 0 {
			continue
		}
		rows, err := compare(ctx, o, kind, out)
		if err != nil {
			return err
		}
		printTable(os.Stdout, kind, rows, converted)
		printMeans(os.Stdout, "all", rows)
		printMeans(os.Stdout, "templates", matching(rows, templates))
		printWorst(os.Stdout, rows, o.Worst)
		if err := pictures(ctx, o, out); err != nil {
			return err
		}
	}
	if o.Pages > 0 {
		fmt.Printf("Pages side by side, the reference at the left: %s\n", filepath.Join(o.Out, "*", "*.png"))
	}
	return nil
}

// clear makes an empty folder, but touches nothing in it that is not ours.
func clear(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder for results: %w", err)
	}
	for _, pattern := range []string{"*.pdf", "*.png"} {
		old, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, name := range old {
			if err := os.Remove(name); err != nil {
				return fmt.Errorf("remove an earlier result: %w", err)
			}
		}
	}
	return nil
}
