package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldest is the first major version that has everything we ask of initdb and
// that still gets security fixes.
const oldest = 14

// Binaries is one installation of the Postgres server.
type Binaries struct {
	Dir   string // holds postgres and initdb
	Major int    // 14 or later
}

func (b Binaries) postgres() string { return filepath.Join(b.Dir, "postgres") }
func (b Binaries) initdb() string   { return filepath.Join(b.Dir, "initdb") }

// Find looks for Postgres server binaries: in explicit alone when it is not
// empty, else on PATH and where Debian, Red Hat, Alpine, Homebrew and
// Postgres.app put them, the newest version first. A cluster in dataDir can be
// run by its own major version only, so that one is looked for when there is a
// cluster. The error says how to install what is missing.
func Find(explicit, dataDir string) (Binaries, error) {
	want, err := clusterVersion(dataDir)
	if err != nil {
		return Binaries{}, err
	}
	f := finder{want: want, version: serverVersion, install: installCommand()}
	if explicit != "" {
		return f.explicit(explicit)
	}
	return f.search(usualPlaces())
}

// clusterVersion is 0 when dataDir holds no cluster yet.
func clusterVersion(dataDir string) (int, error) {
	dirs, err := layout(dataDir)
	if err != nil {
		return 0, err
	}
	raw, err := os.ReadFile(filepath.Join(dirs.cluster, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("data directory %s: %w; use the user that made it, or another --data-dir", dataDir, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(raw)))
}

func usualPlaces() []string {
	var dirs []string
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		// Alpine's and Homebrew's /bin entries are links into the directory
		// that also has what postgres needs beside it.
		if real, err := filepath.EvalSymlinks(filepath.Join(d, "postgres")); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/usr/libexec/postgresql*",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		found, _ := filepath.Glob(pattern) // fails on a malformed pattern only
		dirs = append(dirs, found...)
	}
	return dirs
}

type finder struct {
	want    int // major version, 0 for any
	version func(dir string) (int, error)
	install string
}

func (f finder) explicit(dir string) (Binaries, error) {
	major, err := f.version(dir)
	if err != nil {
		return Binaries{}, fmt.Errorf("--postgres-bin %s: %w; name the directory that holds postgres and initdb", dir, err)
	}
	if major < oldest {
		return Binaries{}, fmt.Errorf("--postgres-bin %s: Postgres %d is too old, want %d or later", dir, major, oldest)
	}
	if f.want != 0 && major != f.want {
		return Binaries{}, fmt.Errorf("--postgres-bin %s: this is Postgres %d, but the data directory was made by Postgres %d", dir, major, f.want)
	}
	return Binaries{Dir: dir, Major: major}, nil
}

func (f finder) search(dirs []string) (Binaries, error) {
	var found []Binaries
	for _, d := range dirs {
		if major, err := f.version(d); err == nil && major >= oldest {
			found = append(found, Binaries{Dir: d, Major: major})
		}
	}
	slices.SortStableFunc(found, func(a, b Binaries) int { return cmp.Compare(b.Major, a.Major) })
	for _, b := range found {
		if f.want == 0 || b.Major == f.want {
			return b, nil
		}
	}
	if f.want != 0 && len(found) > 0 {
		return Binaries{}, fmt.Errorf("the data directory was made by Postgres %d, but only version %d was found (%s): install version %d, name its directory with --postgres-bin, or take another --data-dir",
			f.want, found[0].Major, found[0].Dir, f.want)
	}
	return Binaries{}, fmt.Errorf("no Postgres server (version %d or later) was found; install one with `%s`, or name the directory of its binaries with --postgres-bin", oldest, f.install)
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// serverVersion asks the binary itself, which also shows that it can run here.
func serverVersion(dir string) (int, error) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return 0, err
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("run postgres --version: %w", err)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("postgres --version printed %q", out)
	}
	return strconv.Atoi(string(m[1]))
}
