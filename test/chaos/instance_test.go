package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/program"
)

// A devInstance is a platen-dev. The suite uses the Postgres of one and the Temporal
// of another, so that each can be away without the other. Both come
// back on the same data; the wires to it keep their addresses.
type devInstance struct {
	*program.Instance
	disk    *disk // nil: as large as the machine's
	stack   testkit.Stack
	process *process
	wires   []*wire // to Postgres
}

// newDevInstance begins one in a directory of its own; await says when it is ready.
func newDevInstance(t *testing.T, dir, name string, small bool) *devInstance {
	t.Helper()
	own := filepath.Join(dir, name)
	if err := os.Mkdir(own, 0o711); err != nil {
		t.Fatal(err)
	}
	g := &devInstance{Instance: program.NewInstance(t, own, "--log-level", "warn")}
	if small {
		g.disk = newDisk(t, g.DataDir)
	}
	binary := program.Built(t, "platen-dev")
	g.process = keep(t, dir, name, func(map[string]string) (*exec.Cmd, error) { return g.Command(binary) })
	return g
}

// await waits until everything answers, and points the wires at it.
func (g *devInstance) await(patience time.Duration) error {
	err := program.Within(patience, func() (err error) {
		g.stack, err = g.Ready()
		return err
	})
	if err != nil {
		return fmt.Errorf("%s is not ready: %w; its output is in %s", g.process.name, err, g.process.log)
	}
	for _, w := range g.wires {
		w.aim(g.postgresAddress())
	}
	return nil
}

func (g *devInstance) postgresAddress() string {
	_, rest, _ := strings.Cut(g.stack.DatabaseURL, "@")
	address, _, _ := strings.Cut(rest, "/")
	return address
}

// database returns the address of a database on the Postgres of now; through
// may be nil.
func (g *devInstance) database(name string, through *wire) string {
	head, rest, _ := strings.Cut(g.stack.DatabaseURL, "@")
	address, rest, _ := strings.Cut(rest, "/")
	_, parameters, _ := strings.Cut(rest, "?")
	if through != nil {
		address = through.address()
	}
	return head + "@" + address + "/" + name + "?" + parameters
}

// wireToPostgres makes one more way to Postgres.
func (g *devInstance) wireToPostgres(t *testing.T) *wire {
	t.Helper()
	w := newWire(t, g.postgresAddress())
	g.wires = append(g.wires, w)
	return w
}

// kill takes the program away for so long and returns when it is back.
func (g *devInstance) kill(away time.Duration) error {
	if err := g.Forget(); err != nil {
		return err
	}
	if !g.process.kill(away) {
		return errMissed
	}
	return g.await(away + 3*time.Minute) // a machine that is busy takes its time
}

// crash kills every process of Postgres, as a loss of power would, and returns
// when it has recovered from its log.
func (g *devInstance) crash() error {
	family, err := g.family()
	if err != nil {
		return err
	}
	if err := g.Forget(); err != nil {
		return err
	}
	for _, pid := range family {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
	}
	return g.await(3 * time.Minute)
}

// cluster returns the directory of a Postgres that runs.
func (g *devInstance) cluster() (string, error) {
	found, err := filepath.Glob(filepath.Join(g.DataDir, "*", "postmaster.pid"))
	if err != nil || len(found) != 1 {
		return "", errors.Join(err, fmt.Errorf("postmaster.pid: found %d", len(found)))
	}
	return filepath.Dir(found[0]), nil
}

// postmaster returns the process id of Postgres, and the path of its program.
func (g *devInstance) postmaster() (pid int, binary string, err error) {
	cluster, err := g.cluster()
	if err != nil {
		return 0, "", err
	}
	raw, err := os.ReadFile(filepath.Join(cluster, "postmaster.pid"))
	if err != nil {
		return 0, "", err
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	if pid, err = strconv.Atoi(strings.TrimSpace(first)); err != nil {
		return 0, "", err
	}
	options, err := os.ReadFile(filepath.Join(cluster, "postmaster.opts"))
	if err != nil {
		return 0, "", err
	}
	binary, _, _ = strings.Cut(string(options), " ")
	return pid, binary, nil
}

// family returns the processes of Postgres, the postmaster first.
func (g *devInstance) family() ([]int, error) {
	head, _, err := g.postmaster()
	if err != nil {
		return nil, err
	}
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil, err
	}
	all := []int{head}
	for line := range strings.Lines(string(out)) {
		var pid, parent int
		if _, err := fmt.Sscan(line, &pid, &parent); err == nil && parent == head {
			all = append(all, pid)
		}
	}
	return all, nil
}

// eachRow hands on each row of each table of a database as COPY writes it, with the full
// names of its columns, such as public.outputs.id.
func (g *devInstance) eachRow(t *testing.T, name string, see func(columns []string, row string)) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), g.database(name, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.WithoutCancel(t.Context()))
	rows, _ := db.Query(t.Context(), `
		SELECT format('%I.%I', n.nspname, c.relname) AS name,
			array_agg(n.nspname || '.' || c.relname || '.' || a.attname ORDER BY a.attnum) AS columns
		FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
		GROUP BY n.nspname, c.relname`) // CollectRows has its error
	type table struct {
		Name    string
		Columns []string
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByName[table])
	if err != nil || len(tables) == 0 {
		t.Fatalf("the tables of %s: found %d: %v", name, len(tables), err)
	}
	for _, table := range tables {
		var out bytes.Buffer
		if _, err := db.PgConn().CopyTo(t.Context(), &out, "COPY "+table.Name+" TO STDOUT"); err != nil {
			t.Fatalf("copy %s of %s: %v", table.Name, name, err)
		}
		for row := range strings.Lines(out.String()) {
			see(table.Columns, row)
		}
	}
}
