package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/render/pdf"
)

// What one file may take, however it was damaged.
const (
	mutantTime   = 2 * time.Second // of the processor
	mutantMemory = 512 << 20       // bytes, the whole process
)

// childVariable says that this process converts one file and ends: a file that
// crashes it, or needs too much, does so on its own.
const childVariable = "FIDELITY_CONVERT"

// What the child's exit status says.
const (
	converted = 0
	refused   = 3 // with a message for the uploader
	failed    = 4 // with an error that nobody was to see
)

// mutants damages files of the corpus at random, converts each in a process of
// its own, and fails when one crashes, or needs more than it may.
func mutants(ctx context.Context, o options) error {
	files, err := filesOf(o.Corpus)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	counts, worst, largest, faults := map[int]int{}, time.Duration(0), int64(0), 0
	for i := range o.Mutants {
		random := rand.New(rand.NewPCG(o.Seed, uint64(i)))
		name := files[random.IntN(len(files))]
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read the corpus: %w", err)
		}
		damaged, how := mutate(random, data)
		r, err := convertApart(ctx, self, damaged, filepath.Ext(name)[1:])
		if err != nil {
			return err
		}
		counts[r.status]++
		worst, largest = max(worst, r.cpu), max(largest, r.memory)
		if fault := r.fault(mutantTime, mutantMemory); fault != "" {
			faults++
			kept := filepath.Join(o.Out, fmt.Sprintf("mutant-%d-%d%s", o.Seed, i, filepath.Ext(name)))
			if err := os.MkdirAll(o.Out, 0o755); err != nil {
				return fmt.Errorf("make the folder for results: %w", err)
			}
			if err := os.WriteFile(kept, damaged, 0o644); err != nil {
				return fmt.Errorf("keep a mutant: %w", err)
			}
			fmt.Printf("%s of %s (%s): %s\n", kept, filepath.Base(name), how, fault)
		}
	}
	fmt.Printf("%d mutants of seed %d: %d converted, %d refused, %d faults; at most %v of the processor and %d MiB\n",
		o.Mutants, o.Seed, counts[converted], counts[refused], faults, worst.Round(time.Millisecond), largest>>20)
	if faults > 0 {
		return fmt.Errorf("%d of %d mutants did what no file may", faults, o.Mutants)
	}
	return nil
}

func filesOf(corpus string) (files []string, err error) {
	for _, kind := range []string{"docx", "pptx"} {
		names, err := filepath.Glob(filepath.Join(corpus, kind, "*."+kind))
		if err != nil {
			return nil, err
		}
		files = append(files, names...)
	}
	if len(files) == 0 {
		return nil, errors.New("the corpus has no files")
	}
	return files, nil
}

// outcome is what became of one file.
type outcome struct {
	status int
	cpu    time.Duration
	memory int64
	said   string
}

// fault says what no file may do, "" if it did none of it.
func (o outcome) fault(longest time.Duration, most int64) string {
	switch {
	case o.status != converted && o.status != refused:
		return fmt.Sprintf("ended with %d: %s", o.status, o.said)
	case o.cpu > longest:
		return fmt.Sprintf("took %v of the processor, more than %v", o.cpu, longest)
	case o.memory > most:
		return fmt.Sprintf("took %d MiB, more than %d", o.memory>>20, most>>20)
	}
	return ""
}

// convertApart has program, which is this one, convert a file.
func convertApart(ctx context.Context, program string, data []byte, kind string) (outcome, error) {
	const longest = 2 * time.Minute // however busy the machine is
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	// A child that does not end says where it stands.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), childVariable+"="+kind)
	cmd.Stdin = bytes.NewReader(data)
	var said, peak bytes.Buffer
	cmd.Stderr, cmd.Stdout = &said, &peak
	err := cmd.Run()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) && !errors.Is(err, syscall.EPIPE) && ctx.Err() == nil {
		return outcome{}, fmt.Errorf("convert a file apart: %w", err)
	}
	state := cmd.ProcessState
	const most = 8000
	text := said.String()
	out := outcome{status: state.ExitCode(), cpu: state.UserTime() + state.SystemTime(), said: text[:min(len(text), most)]}
	if kib, err := strconv.ParseInt(strings.TrimSpace(peak.String()), 10, 64); err == nil {
		out.memory = kib << 10
	}
	return out, nil
}

// peakMemory is the most that this process had in memory, in KiB, 0 where the
// system does not say. What wait(2) tells counts the process that it came from, too.
func peakMemory() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0
	}
	return kib
}

// each converts each file of the corpus as it is, in a process of its own, and fails when
// one crashes, hangs, or needs more than a file may.
func each(ctx context.Context, o options, only *regexp.Regexp) error {
	const most = 400 << 20 // bytes
	files, err := filesOf(o.Corpus)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	counts, faults := map[int]int{}, 0
	var slowest, largest outcome
	for _, name := range files {
		if !only.MatchString(filepath.Base(name)) {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read the corpus: %w", err)
		}
		r, err := convertApart(ctx, self, data, filepath.Ext(name)[1:])
		if err != nil {
			return err
		}
		counts[r.status]++
		if r.cpu > slowest.cpu {
			slowest = r
		}
		if r.memory > largest.memory {
			largest = r
		}
		if fault := r.fault(mutantTime, most); fault != "" {
			faults++
			fmt.Printf("%s: %s\n", name, fault)
		}
	}
	fmt.Printf("%d converted, %d refused, %d faults; at most %v of the processor and %d MiB\n",
		counts[converted], counts[refused], faults, slowest.cpu.Round(time.Millisecond), largest.memory>>20)
	if faults > 0 {
		return fmt.Errorf("%d files did what no file may", faults)
	}
	return nil
}

// convertOne is the child: it reads a file of a kind, converts it and says on
// its standard output how much memory that took.
func convertOne(kind string) int {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return failed
	}
	_, _, err = pdfOf(pdf.EmbeddedFonts(), data, "mutant", kind)
	fmt.Println(peakMemory())
	var format *opc.FormatError
	switch {
	case errors.As(err, &format):
		return refused
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return failed
	}
	return converted
}
