// Command release builds what is given out of one commit: archives of both programs
// for four platforms, Debian packages of the production program, bills of materials,
// checksums and notes. The same commit gives the same bytes.
//
// It runs in the repository's folder, as `make release` does. What the programs are made
// of is examined by test/security; where they run, by the tests of deploy.
package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// programs are in each archive; packages have the first.
var programs = []string{"platen", "platen-dev"}

var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

type platform struct{ OS, Arch string }

func (p platform) String() string { return p.OS + "_" + p.Arch }

type options struct {
	Out      string   `default:"release-out" placeholder:"DIR" help:"Where to put it (default: ${default}); what is there is removed."`
	Platform []string `placeholder:"OS_ARCH" help:"Of the platforms, build these alone: linux_amd64, linux_arm64, darwin_amd64, darwin_arm64."`
}

// A release is what is built of one commit.
type release struct {
	out      string
	version  string    // as the programs say it: v1.2.3, or what Go makes of a commit without a tag
	commit   string    // in full
	at       time.Time // the commit's time, which all files get
	compiler string
	files    []string // given out, below out
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	kong.Parse(&o, kong.Name("release"), kong.Description("Build archives, Debian packages, bills of materials, checksums and notes of the commit that is checked out."))
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	wanted := platforms
	if len(o.Platform) > 0 {
		wanted = slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool { return !slices.Contains(o.Platform, p.String()) })
		if len(wanted) < len(o.Platform) {
			return fmt.Errorf("--platform: got %q, want some of %v", o.Platform, platforms)
		}
	}
	r, err := prepare(ctx, o.Out)
	if err != nil {
		return err
	}
	for _, p := range wanted {
		if err := r.build(ctx, p); err != nil {
			return err
		}
		if err := r.archive(p); err != nil {
			return err
		}
		if p.OS == "linux" {
			if err := r.debian(ctx, p); err != nil {
				return err
			}
		}
	}
	if err := r.materials(ctx, wanted[0]); err != nil {
		return err
	}
	if err := r.notes(ctx); err != nil {
		return err
	}
	if err := r.checksums(); err != nil {
		return err
	}
	say("%s is in %s", r.version, r.out)
	return os.RemoveAll(r.built())
}

// prepare refuses what could not be built a second time.
func prepare(ctx context.Context, out string) (*release, error) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		return nil, errors.New("dpkg-deb is needed for the Debian packages: apt-get install dpkg, or brew install dpkg")
	}
	changed, err := output(ctx, "git", "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changed != "" {
		return nil, fmt.Errorf("the working tree is not as it was committed, so nobody could build the same again: commit or remove\n%s", changed)
	}
	commit, err := output(ctx, "git", "show", "--no-patch", "--format=%H %ct", "HEAD")
	if err != nil {
		return nil, err
	}
	r := &release{out: out}
	var seconds string
	r.commit, seconds, _ = strings.Cut(commit, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the time of %s: %w", r.commit, err)
	}
	r.at = time.Unix(unix, 0).UTC()
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	return r, os.MkdirAll(r.built(), 0o755)
}

// built is where programs lie until the release is complete.
func (r *release) built() string { return filepath.Join(r.out, "built") }

func (r *release) program(p platform, name string) string {
	return filepath.Join(r.built(), p.String(), name)
}

func (r *release) build(ctx context.Context, p platform) error {
	for _, name := range programs {
		say("building %s for %s/%s", name, p.OS, p.Arch)
		c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s", "-o", r.program(p, name), "./cmd/"+name)
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch)
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("build %s for %s: %w", name, p, err)
		}
		info, err := buildinfo.ReadFile(r.program(p, name))
		if err != nil {
			return err
		}
		if r.version != "" && info.Main.Version != r.version {
			return fmt.Errorf("%s for %s says that it is %s, want %s as the others", name, p, info.Main.Version, r.version)
		}
		if !strings.HasPrefix(info.Main.Version, "v") {
			return fmt.Errorf("%s for %s says that it is %s: Go found no version in the repository's history", name, p, info.Main.Version)
		}
		r.version, r.compiler = info.Main.Version, info.GoVersion
	}
	return nil
}

// materials writes what each program is made of, as CycloneDX 1.6 in JSON.
func (r *release) materials(ctx context.Context, p platform) error {
	for _, name := range programs {
		file := fmt.Sprintf("%s_%s.cdx.json", name, r.version)
		say("%s", file)
		_, err := output(ctx, "go", "tool", "-modfile=test/security/tools/go.mod", "cyclonedx-gomod", "bin", "-json",
			"-output-version", "1.6", "-noserial", "-output", filepath.Join(r.out, file), r.program(p, name))
		if err != nil {
			return err
		}
		r.files = append(r.files, file)
	}
	return nil
}

// checksums are as sha256sum writes and checks them.
func (r *release) checksums() error {
	slices.Sort(r.files)
	var all strings.Builder
	for _, name := range r.files {
		file, err := os.Open(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
		fmt.Fprintf(&all, "%x  %s\n", hash.Sum(nil), name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(all.String()), 0o644)
}

// output is what a program prints, without space around it.
func output(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	var faults strings.Builder
	c.Stderr = &faults
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, strings.TrimSpace(faults.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "release: "+format+"\n", args...) }
