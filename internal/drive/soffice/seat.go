package soffice

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A seat is a directory for one LibreOffice at a time. Each conversion has a process
// and a profile of its own there: what one document does to LibreOffice, the next does
// not see. A new profile costs some 0.2 s of processor time.
type seat struct {
	options Options
	pool    string // directory of all seats
	dir     string // of this one
}

// furnish makes the profile and the directory of one conversion.
func (s *seat) furnish() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove a profile of LibreOffice: %w", err)
	}
	if err := writeProfile(s.profile()); err != nil {
		return err
	}
	if err := os.Mkdir(s.work(), 0o700); err != nil {
		return fmt.Errorf("make a directory for LibreOffice: %w", err)
	}
	return nil
}

func (s *seat) profile() string { return filepath.Join(s.dir, "profile") }
func (s *seat) work() string    { return filepath.Join(s.dir, "work") }

func (s *seat) convert(ctx context.Context, content []byte, ext, filter string) (pdf []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer func() {
		if err := os.RemoveAll(s.dir); err != nil {
			s.options.Log.Error("a seat of LibreOffice could not be tidied up", "error", err)
		}
	}()
	if err := s.furnish(); err != nil {
		return nil, err
	}
	file := filepath.Join(s.work(), "document"+ext)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return nil, fmt.Errorf("hand the file to LibreOffice: %w", err)
	}
	if !s.options.Unconfined {
		if err := give(s.dir); err != nil {
			return nil, err
		}
	}
	said, status, err := s.run(ctx, file, filter)
	if err != nil {
		return nil, err
	}
	pdf, err = s.read()
	if !errors.Is(err, fs.ErrNotExist) {
		return pdf, err
	}
	// The text of its message, which is English in every language; the status
	// has changed between releases.
	if strings.Contains(said, "source file could not be loaded") {
		return nil, ErrUnreadable
	}
	return nil, fmt.Errorf("LibreOffice made no PDF and ended with status %d: %s", status, cmp.Or(said, "it printed nothing"))
}

// run has LibreOffice convert a file, and returns when nothing of it runs any
// more, with the last of what it printed.
func (s *seat) run(ctx context.Context, file, filter string) (said string, status int, err error) {
	log, err := os.Create(filepath.Join(s.work(), "log"))
	if err != nil {
		return "", 0, fmt.Errorf("start LibreOffice: %w", err)
	}
	defer log.Close()
	profile := url.URL{Scheme: "file", Path: s.profile()}
	args := []string{
		s.options.Program, "-env:UserInstallation=" + profile.String(),
		"--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard",
	}
	if filter != "" {
		args = append(args, "--infilter="+filter)
	}
	args = append(args, "--convert-to", "pdf", "--outdir", s.work(), file)
	l := launch{cell: s.confined(), dir: s.work(), mortal: s.pool, environment: environment(s.dir, s.work()), log: log}
	if l.cell != nil {
		l.mortal = s.work() // all that can be removed from within
	}
	g, err := l.start(args...)
	if err != nil {
		return "", 0, err
	}
	defer g.end()
	select {
	case <-g.ended:
		return lastWords(log), g.status(), nil
	case <-ctx.Done():
		return "", 0, context.Cause(ctx)
	}
}

// read returns the PDF; fs.ErrNotExist when there is none.
func (s *seat) read() ([]byte, error) {
	own, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, fmt.Errorf("read the PDF of LibreOffice: %w", err)
	}
	defer own.Close()
	// What LibreOffice left there, or the directory itself, may be a link out of
	// the seat, or a pipe.
	f, err := own.OpenFile("work/document.pdf", os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("read the PDF of LibreOffice: %w", err)
	}
	defer f.Close()
	pdf, err := io.ReadAll(io.LimitReader(f, s.options.MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the PDF of LibreOffice: %w", err)
	case int64(len(pdf)) > s.options.MaxBytes:
		return nil, ErrTooLarge
	case !bytes.HasPrefix(pdf, []byte("%PDF-")):
		return nil, fmt.Errorf("LibreOffice wrote %d bytes that are no PDF", len(pdf))
	}
	return pdf, nil
}

// lastWords are the end of a log, on one line.
func lastWords(log *os.File) string {
	const most = 1000
	var text [most]byte
	size, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return ""
	}
	n, err := log.ReadAt(text[:], max(0, size-most))
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return strings.Join(strings.Fields(string(text[:n])), " ")
}

// environment is all that LibreOffice gets to know of ours: where programs and
// fonts are. Secrets are in the environment of our own.
func environment(home, temporary string) []string {
	const dead = "http://" + deadHost + ":" + deadPort
	env := []string{
		"HOME=" + home, "TMPDIR=" + temporary, "LANG=C.UTF-8", "SAL_USE_VCLPLUGIN=svp", // no display
		"http_proxy=" + dead, "https_proxy=" + dead, "ftp_proxy=" + dead, "all_proxy=" + dead, "no_proxy=",
	}
	for _, name := range []string{"PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
