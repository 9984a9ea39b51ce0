package lifecycle

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/installation"
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
	installation.Eventually(t, "the cluster", func() (err error) {
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
