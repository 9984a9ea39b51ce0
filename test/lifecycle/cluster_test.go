package lifecycle

import (
	"bytes"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/program"
)

// A cluster is a Postgres of its own, with the databases of the service, of its drive
// and of Temporal.
type cluster struct {
	*program.Instance
	stack testkit.Stack
}

func newCluster(t *testing.T, dir string) *cluster {
	t.Helper()
	at := filepath.Join(dir, "cluster")
	if err := os.Mkdir(at, 0o711); err != nil {
		t.Fatal(err)
	}
	g := &cluster{Instance: program.NewInstance(t, at, "--log-level", "warn")}
	c, err := g.Command(program.Built(t, "platen-dev"))
	if err != nil {
		t.Fatal(err)
	}
	life, err := program.Start(c, filepath.Join(at, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = life.Signal(syscall.SIGTERM) // it may have ended
		<-life.Ended
	})
	eventually(t, "the cluster", func() (err error) {
		g.stack, err = g.Ready()
		return err
	})
	return g
}

// find returns in which files of the instance each of these is: in all of Postgres, its
// log of writes included.
func (g *cluster) find(t *testing.T, wanted map[string][]byte) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(g.DataDir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // Postgres has removed it meanwhile
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for what, wanted := range wanted {
			if bytes.Contains(raw, wanted) {
				at, _ := filepath.Rel(g.DataDir, path)
				found[what] = append(found[what], at)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range found {
		slices.Sort(files)
	}
	return found
}

// typed runs the commands that a page prints below a heading, as an operator would who
// is at hand as Postgres' user.
func (s *service) typed(t *testing.T, page, heading string) {
	t.Helper()
	printed := pages.Typed(t, "docs/"+page, heading)
	address, err := url.Parse(s.database)
	if err != nil {
		t.Fatal(err)
	}
	name, user := strings.TrimPrefix(address.Path, "/"), address.User.Username()
	s.shell(t, strings.NewReplacer(
		"DATABASE platen RENAME TO platen_wrong", "DATABASE "+name+" RENAME TO "+name+"_wrong",
		"createdb platen --owner platen", "createdb "+name+" --owner "+user,
		"psql --quiet platen", "psql --quiet --set=ON_ERROR_STOP=1 "+name).Replace(printed))
}

// shell runs commands where the service's database and program are at hand.
func (s *service) shell(t *testing.T, commands string) {
	t.Helper()
	address, err := url.Parse(s.database)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := address.User.Password()
	c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", "sudo() { shift 2; \"$@\"; }\nplaten() { "+s.binary+" \"$@\"; }\n"+commands)
	c.Dir, c.Env = s.dir, program.Environment(append([]string{
		"PGHOST=" + address.Hostname(), "PGPORT=" + address.Port(), "PGUSER=" + address.User.Username(), "PGPASSWORD=" + password, "PGDATABASE=postgres",
	}, s.settings...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
}
