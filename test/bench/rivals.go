package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// rivalVariable names the folder whose node_modules has docxtemplater.
const rivalVariable = "PLATEN_DOCXTEMPLATER"

// warmFiles is how many files a converter that is running is asked for.
const warmFiles = 20

// rivals are the programs of other people that are installed here. The path of
// one that is not is empty.
type rivals struct {
	soffice, qpdf, node string
	templater           string // the folder of docxtemplater
	dir                 string // for their files, and the office suite's profile
	fillers             []*templater
}

func findRivals(ctx context.Context) (r *rivals, err error) {
	r = &rivals{soffice: findInstalled("soffice", "libreoffice"), qpdf: findInstalled("qpdf"), node: findInstalled("node"), templater: os.Getenv(rivalVariable)}
	if r.dir, err = os.MkdirTemp("", "platen-bench-"); err != nil {
		return nil, fmt.Errorf("make a folder for other programs: %w", err)
	}
	return r, nil
}

func findInstalled(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func (r *rivals) close() error {
	var err error
	for _, f := range r.fillers {
		err = errors.Join(err, f.close())
	}
	return errors.Join(err, os.RemoveAll(r.dir))
}

// export is how the office suite makes a PDF when it is running already: what
// one call with many copies of the file takes longer than a call with one.
func (r *rivals) export(f file) round {
	if r.soffice == "" {
		return nil
	}
	started := false
	return func(ctx context.Context, _ time.Duration) (once, error) {
		if !started { // for the first time: with making its profile
			if _, err := r.convert(ctx, f, 1); err != nil {
				return once{}, err
			}
			started = true
		}
		alone, err := r.convert(ctx, f, 1)
		if err != nil {
			return once{}, err
		}
		many, err := r.convert(ctx, f, 1+warmFiles)
		return once{cpu: (many.cpu - alone.cpu) / warmFiles, clock: (many.clock - alone.clock) / warmFiles}, err
	}
}

// convert has the office suite convert so many copies in one call, and returns
// what all of it took.
func (r *rivals) convert(ctx context.Context, f file, copies int) (took once, err error) {
	in, out := filepath.Join(r.dir, "in"), filepath.Join(r.dir, "out")
	defer func() { err = errors.Join(err, os.RemoveAll(in), os.RemoveAll(out)) }()
	if err := os.Mkdir(in, 0o755); err != nil {
		return once{}, err
	}
	args := []string{"-env:UserInstallation=file://" + filepath.Join(r.dir, "profile"), "--headless", "--convert-to", "pdf", "--outdir", out}
	for n := range copies {
		name := filepath.Join(in, fmt.Sprintf("%d%s", n, f.kind))
		if err := os.WriteFile(name, f.data, 0o644); err != nil {
			return once{}, err
		}
		args = append(args, name)
	}
	used, clock, err := run(ctx, r.soffice, args...)
	if err != nil {
		return once{}, err
	}
	made, err := filepath.Glob(filepath.Join(out, "*.pdf"))
	if err == nil && len(made) != copies {
		err = fmt.Errorf("%s made %d PDFs of %d files", r.soffice, len(made), copies)
	}
	return mean(used, clock, 1), err
}

// encrypt is qpdf, from its start to its end.
func (r *rivals) encrypt(pdf []byte) (round, error) {
	if r.qpdf == "" {
		return nil, nil
	}
	in, out := filepath.Join(r.dir, "plain.pdf"), filepath.Join(r.dir, "encrypted.pdf")
	if err := os.WriteFile(in, pdf, 0o644); err != nil {
		return nil, err
	}
	return roundOf(func(ctx context.Context) (time.Duration, error) {
		used, _, err := run(ctx, r.qpdf, "--encrypt", password, "owner", "256", "--extract=n", "--", in, out)
		return used, err
	}), nil
}

// run runs a program to its end, and says what it and its children took.
func run(ctx context.Context, program string, args ...string) (cpu, clock time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	// soffice is a script that starts the suite: end both.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	begun := time.Now()
	said, err := cmd.CombinedOutput()
	clock = time.Since(begun)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", program, err, said[max(0, len(said)-2000):])
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), clock, nil
}
