package soffice

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/drive/soffice/cell"
)

// pdfOf is what a fake answers with.
const pdfOf = `{ printf '%%PDF-1.7 of '; cat "$file"; } > "$pdf"` + "\n"

func TestAFileComesBackAsPDFAndNothingOfItStays(t *testing.T) {
	bothWays(t, func(t *testing.T, unconfined bool) {
		p := open(t, Options{Unconfined: unconfined, Seats: 1, Program: fake(t, pdfOf)})
		for _, ext := range []string{".docx", ".pptx", ".docx"} {
			got, err := p.PDF(t.Context(), []byte("words"), ext)
			if err != nil || string(got) != "%PDF-1.7 of words" {
				t.Errorf("%s: got %q, %v", ext, got, err)
			}
		}
		left, err := filepath.Glob(filepath.Join(p.directory.path, "*", "*"))
		if err != nil || len(left) != 0 {
			t.Errorf("got %v, %v; want no files of documents", left, err)
		}
		if _, err := p.PDF(t.Context(), []byte("words"), ".odt"); err == nil {
			t.Error("another type than Word's and PowerPoint's was converted")
		}
		if err := p.Close(); err != nil || exists(p.directory.path) {
			t.Errorf("after Close: got %v, and the directory is there: %v", err, exists(p.directory.path))
		}
		p.free <- nil // what Close took
		if _, err := p.PDF(t.Context(), nil, ".docx"); !errors.Is(err, ErrBusy) {
			t.Errorf("of a closed pool: got %v, want %v", err, ErrBusy)
		}
	})
}

func TestConversionsRunSideBySideEachInAProfileOfItsOwn(t *testing.T) {
	t.Parallel()
	// Each waits until the other has begun.
	meeting := t.TempDir()
	p := open(t, Options{Seats: 2, Unconfined: true, Program: fake(t, `
echo "$1" > "`+meeting+`/$(cat "$file")"
while [ "$(ls "`+meeting+`" | wc -l)" -lt 2 ]; do sleep 0.01; done
`+pdfOf)})
	var all sync.WaitGroup
	for _, name := range []string{"one", "two"} {
		all.Go(func() {
			got, err := p.PDF(t.Context(), []byte(name), ".docx")
			if err != nil || !strings.HasSuffix(string(got), " of "+name) {
				t.Errorf("%s: got %q, %v", name, got, err)
			}
		})
	}
	all.Wait()
	one, err1 := os.ReadFile(filepath.Join(meeting, "one"))
	two, err2 := os.ReadFile(filepath.Join(meeting, "two"))
	if err := errors.Join(err1, err2); err != nil || bytes.Equal(one, two) || !strings.HasPrefix(string(one), "-env:UserInstallation=file://"+p.directory.path) {
		t.Errorf("got the profiles %s and %s, %v; want two below %s", one, two, err, p.directory.path)
	}
}

func TestAConversionThatIsCancelledOrTooSlowLeavesNoProcess(t *testing.T) {
	bothWays(t, func(t *testing.T, unconfined bool) {
		for want, timeout := range map[error]time.Duration{context.Canceled: time.Hour, ErrTimeout: time.Second} {
			t.Run(want.Error(), func(t *testing.T) {
				t.Parallel()
				// Like soffice, it leaves the work to a process of its own.
				p := open(t, Options{Unconfined: unconfined, Seats: 1, Timeout: timeout, Program: fake(t, `
(trap '' TERM HUP INT; while :; do sleep 60; done) & touch begun; wait`)})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan error)
				go func() {
					_, err := p.PDF(ctx, []byte("words"), ".docx")
					ended <- err
				}()
				if want == context.Canceled {
					eventually(t, "the program begins", func() bool { return hasBegun(p.directory.path) })
					cancel()
				}
				if err := <-ended; !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
				if got := running(t, p.directory.path); len(got) != 0 {
					t.Errorf("still running:\n%s", strings.Join(got, "\n"))
				}
				if left, _ := filepath.Glob(filepath.Join(p.directory.path, "*", "work")); len(left) != 0 {
					t.Errorf("the document is still in %v", left)
				}
			})
		}
	})
}

func TestNoFileIsConvertedWithoutAWholeProfile(t *testing.T) {
	t.Parallel()
	p := open(t, Options{Unconfined: true, Seats: 1, Program: fake(t, `
test -s "${1#-env:UserInstallation=file://}/user/registrymodifications.xcu" && `+pdfOf)})
	s := <-p.free
	p.free <- s
	// A file in the place of the directory of all seats stands for a full disk.
	// The directory itself stays as it is, for it is locked.
	aside := filepath.Join(public(t), "aside")
	if err := errors.Join(os.RemoveAll(s.dir), os.Rename(p.directory.path, aside), os.WriteFile(p.directory.path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := p.PDF(t.Context(), []byte("words"), ".docx"); err == nil {
			t.Error("a file was converted without a profile")
		}
	}
	if err := errors.Join(os.Remove(p.directory.path), os.Rename(aside, p.directory.path), os.MkdirAll(s.profile(), 0o700)); err != nil { // half a profile
		t.Fatal(err)
	}
	if got, err := p.PDF(t.Context(), []byte("words"), ".docx"); err != nil || string(got) != "%PDF-1.7 of words" {
		t.Errorf("when there is room again: got %q, %v", got, err)
	}
}

func TestWaitingForASeatEndsWithItsTimeAndWithItsContext(t *testing.T) {
	t.Parallel()
	p := open(t, Options{Seats: 1, Wait: time.Millisecond, Program: fake(t, pdfOf)})
	taken := <-p.free
	if _, err := p.PDF(t.Context(), nil, ".docx"); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v, want %v", err, ErrBusy)
	}
	p.options.Wait = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.PDF(ctx, nil, ".docx"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	waiting := make(chan error)
	go func() {
		_, err := p.PDF(t.Context(), []byte("words"), ".docx")
		waiting <- err
	}()
	p.free <- taken
	if err := <-waiting; err != nil {
		t.Errorf("after a seat became free: got %v", err)
	}
}

func TestFailuresAreToldApart(t *testing.T) {
	bothWays(t, func(t *testing.T, unconfined bool) {
		for script, check := range map[string]func(error) bool{
			`echo "Error: source file could not be loaded" >&2`:         func(err error) bool { return errors.Is(err, ErrUnreadable) },
			`echo "Error: source file could not be loaded" >&2; exit 1`: func(err error) bool { return errors.Is(err, ErrUnreadable) },
			`head -c 2000 /dev/zero > "$pdf"`:                           func(err error) bool { return errors.Is(err, ErrTooLarge) },
			`echo no PDF > "$pdf"`:                                      isCrash("no PDF"),
			`echo soffice.bin: cannot open libmergedlo.so; exit 127`:    isCrash("status 127: soffice.bin: cannot open libmergedlo.so"),
			`kill -SEGV $$`: isCrash("status 139"),
			`exit 0`:        isCrash("status 0"),
		} {
			t.Run(script, func(t *testing.T) {
				t.Parallel()
				p := open(t, Options{Unconfined: unconfined, Seats: 1, MaxBytes: 1000, Program: fake(t, script)})
				if _, err := p.PDF(t.Context(), nil, ".docx"); !check(err) {
					t.Errorf("got %v", err)
				}
			})
		}
	})
}

func isCrash(words string) func(error) bool {
	return func(err error) bool {
		known := []error{ErrUnreadable, ErrLinked, ErrProgram, ErrBusy, ErrTimeout, ErrTooLarge}
		return err != nil && strings.Contains(err.Error(), words) && !slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) })
	}
}

func TestAFileIsLookedThroughInASeatAndItsTime(t *testing.T) {
	t.Parallel()
	file := drawn(t, "a.svg", svg(`<image href="file:///etc/picture.png"/>`))
	p := open(t, Options{Seats: 1, Wait: time.Millisecond, Program: fake(t, pdfOf)})
	taken := <-p.free
	if _, err := p.PDF(t.Context(), file, ".docx"); !errors.Is(err, ErrBusy) {
		t.Errorf("without a seat: got %v, want %v", err, ErrBusy)
	}
	p.free <- taken
	if _, err := p.PDF(t.Context(), file, ".docx"); !errors.Is(err, ErrLinked) {
		t.Errorf("in a seat: got %v, want %v", err, ErrLinked)
	}
	p = open(t, Options{Seats: 1, Timeout: time.Nanosecond, Program: fake(t, pdfOf)})
	if _, err := p.PDF(t.Context(), file, ".docx"); !errors.Is(err, ErrTimeout) {
		t.Errorf("when its time is over: got %v, want %v", err, ErrTimeout)
	}
}

func TestWhatOneConversionLeavesTheNextDoesNotSee(t *testing.T) {
	bothWays(t, func(t *testing.T, unconfined bool) {
		p := open(t, Options{Unconfined: unconfined, Seats: 1, Program: fake(t, `
profile=${1#-env:UserInstallation=file://}
[ -e "$profile/left" -o -e "$HOME/left" ] && exit 77
touch "$profile/left" "$HOME/left"; `+pdfOf)})
		for range 2 {
			if _, err := p.PDF(t.Context(), []byte("words"), ".docx"); err != nil {
				t.Errorf("got %v, want a new profile each time", err)
			}
		}
	})
}

// No parallel test may see the variable.
// LibreOffice owns the directory above its PDF and may put a link in its place.
func TestADirectoryThatBecomesALinkGivesNoFileOfAnother(t *testing.T) {
	bothWays(t, func(t *testing.T, unconfined bool) {
		another := public(t)
		if err := os.WriteFile(filepath.Join(another, "document.pdf"), []byte("%PDF-another's"), 0o600); err != nil {
			t.Fatal(err)
		}
		script := `work="${file%/*}"; mv "$work" "$work.old" && ln -s ` + another + ` "$work"`
		p := open(t, Options{Seats: 1, Program: fake(t, script), Unconfined: unconfined})
		pdf, err := p.PDF(t.Context(), []byte("a"), ".docx")
		if err == nil || pdf != nil {
			t.Errorf("got %q, %v; want no file", pdf, err)
		}
	})
}

func TestLibreOfficeGetsNoneOfOurSecrets(t *testing.T) {
	t.Setenv("PLATEN_SECRET_KEYS", "hunter2")
	p := open(t, Options{Seats: 1, Program: fake(t, `{ printf '%%PDF-'; env; } > "$pdf"`)})
	got, err := p.PDF(t.Context(), nil, ".docx")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(got), "PLATEN") || strings.Contains(string(got), "hunter2") || !strings.Contains(string(got), "HOME="+p.directory.path) {
		t.Errorf("LibreOffice sees\n%s", got)
	}
}

func TestWhatLibreOfficeMayUseIsBoundedWithoutACell(t *testing.T) {
	t.Parallel()
	p := open(t, Options{Seats: 1, Unconfined: true, Program: fake(t, `echo "%PDF-" $(ulimit -c) $(ulimit -f) $(ulimit -d) > "$pdf"`)})
	got, err := p.PDF(t.Context(), nil, ".docx")
	if err != nil || string(got) != "%PDF- 0 2097152 4194304\n" {
		t.Errorf("got %s, %v; want limits on core files, the size of a file and memory", got, err)
	}
}

// helperVariable makes the test's program a process to be killed: one that
// converts a file with a program that does not end.
const helperVariable, unconfinedVariable = "SOFFICE_TEST_PROGRAM", "SOFFICE_TEST_UNCONFINED"

// tried is what this program does in LibreOffice's place; nil where there are no cells.
var tried func(file string) error

func TestMain(m *testing.M) {
	cell.Enter()
	if tried != nil && len(os.Args) > 2 && strings.HasPrefix(os.Args[1], "-env:") {
		if err := tried(os.Args[len(os.Args)-1]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	program := os.Getenv(helperVariable)
	if program == "" {
		os.Exit(m.Run())
	}
	p, err := Open(Options{Seats: 1, Program: program, Unconfined: os.Getenv(unconfinedVariable) == "true"})
	if err == nil {
		fmt.Println(p.directory.path)
		_, err = p.PDF(context.Background(), []byte("words"), ".docx")
	}
	fmt.Println(err)
	os.Exit(1)
}

// hasBegun tells whether a program made the file begun beside its document.
func hasBegun(pool string) bool {
	found, _ := filepath.Glob(filepath.Join(pool, "*", "work", "begun"))
	return len(found) == 1
}

func TestNothingOutlivesUs(t *testing.T) {
	bothWays(t, func(t *testing.T, unconfined bool) {
		helper := exec.Command(os.Args[0])
		helper.Env = append(os.Environ(), "TMPDIR="+public(t), helperVariable+"="+fake(t, `(sleep 1000; :) & touch begun; wait`), fmt.Sprintf("%s=%v", unconfinedVariable, unconfined))
		said, err := helper.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := helper.Start(); err != nil {
			t.Fatal(err)
		}
		var dir string
		if _, err := fmt.Fscanln(said, &dir); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the program begins", func() bool { return hasBegun(dir) })
		if len(running(t, dir)) == 0 {
			t.Fatalf("nothing runs in %s", dir)
		}
		if err := helper.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = helper.Wait() // it was killed
		eventually(t, "what it ran ends", func() bool { return len(running(t, dir)) == 0 })
		eventually(t, "the document is removed", func() bool { return !exists(filepath.Join(dir, "0", "work")) })
	})
}

func TestAPathThatIsWrongIsReported(t *testing.T) {
	t.Parallel()
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none"), "no-such-program"} {
		if _, err := Open(Options{Program: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want an error that names %s", err, path)
		}
	}
}
