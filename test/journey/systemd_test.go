package journey

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// boot starts a system from the files of a folder, its only argument, which stay as they
// are: what the system writes is in memory. The first process of namespaces of its own is
// the folder's systemd. Everything ends with it.
const boot = `set -eu
mount -t tmpfs tmpfs "$OWN"
cd "$OWN"
mkdir upper work root
mount -t overlay overlay -o "lowerdir=$0,upperdir=$OWN/upper,workdir=$OWN/work" root
cd root
mount -t tmpfs tmpfs run
mount --rbind /dev dev
mount -t proc proc proc
mount -t tmpfs tmpfs sys
mkdir -p sys/fs/cgroup src packages
mount --rbind /sys/fs/cgroup sys/fs/cgroup
mount --bind "$SOURCE" src
mount --bind "$PACKAGES" packages
mount --make-rshared .
exec chroot . env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system
`

// A system is a Debian that runs under its own systemd, with the network of this machine.
type system struct {
	root string
	life *program.Life
	pid  int // of its systemd, as this machine counts
}

// inside is a command of the system.
func (s *system) inside(ctx context.Context, script string, settings ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "nsenter", "--target", strconv.Itoa(s.pid), "--mount", "--pid", "chroot", s.root,
		"env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive")
	c.Args = append(c.Args, settings...)
	c.Args = append(c.Args, "bash", "-euo", "pipefail", "-c", script)
	return c
}

func (s *system) run(t *testing.T, script string, settings ...string) string {
	t.Helper()
	out, err := s.inside(t.Context(), script, settings...).CombinedOutput()
	if err != nil {
		journal, _ := s.inside(context.Background(), "journalctl --no-pager --lines 80").CombinedOutput()
		t.Fatalf("%s: %v: %s\nthe journal:\n%s", script, err, out, journal)
	}
	return string(out)
}

// booted is a system made of debootstrap's folder, with packages beside it.
func booted(t *testing.T, dir string) *system {
	t.Helper()
	own := t.TempDir()
	c := exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "sh", "-c", boot, filepath.Join(dir, "root"))
	c.Env = append(os.Environ(), "SOURCE="+pages.Root(t), "PACKAGES="+filepath.Join(dir, "packages"), "OWN="+own)
	life, err := program.Start(c, filepath.Join(t.TempDir(), "booted"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = life.Signal(syscall.SIGKILL)
		<-life.Ended
	})
	s := &system{root: filepath.Join(own, "root"), life: life}
	eventually(t, "systemd", func() error {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", life.PID()))
		if err != nil || len(children) == 0 {
			return fmt.Errorf("no process yet: %v %s", err, life.Said())
		}
		if s.pid, err = strconv.Atoi(strings.Fields(string(children))[0]); err != nil {
			return err
		}
		state, _ := s.inside(t.Context(), "systemctl is-system-running || true").Output()
		if !regexp.MustCompile(`running|degraded`).Match(state) {
			return fmt.Errorf("it is %s", state)
		}
		return nil
	})
	return s
}

// TestThePackageRunsUnderSystemdAsPrinted installs the Debian package of one release,
// runs its units, and upgrades it to the next. `make systemd` makes what it needs.
func TestThePackageRunsUnderSystemdAsPrinted(t *testing.T) {
	dir := os.Getenv("PLATEN_DEBIAN")
	if dir == "" {
		t.Skip("`make systemd` gives it a Debian of its own, as root")
	}
	h, settings, database := installation(t)
	s := booted(t, dir)
	releases := pages.Typed(t, "docs/production.md", "Releases")
	first, upgrade, ok := strings.Cut(releases, "dpkg-deb --extract")
	if !ok {
		t.Fatal("the page has no way to upgrade any more: change this test with it")
	}
	at := "cd /packages\nmake() { test -s platen_1.2.3_amd64.deb; }\n"
	s.run(t, at+first)
	s.run(t, "cat >>/etc/platen/platen.env <<'END'\n"+strings.Join(settings, "\n")+"\nEND")
	masterKey := strings.TrimSpace(s.run(t, "platen key"))
	said := s.run(t, `platen migrate
platen user create --name "Ada Lovelace" --email ada@example.com
platen token create --user ada@example.com
export PLATEN_DRIVE_CREDENTIAL="$(platen drive token --email ada@example.com)"
echo $PLATEN_DRIVE_CREDENTIAL
platen user connect --email ada@example.com --kind token`, append(settings, "PLATEN_DATABASE_URL="+database, "PLATEN_SECRET_KEYS="+masterKey)...)
	h.token, h.driveToken = regexp.MustCompile(`(?m)^plt_\S+$`).FindString(said), regexp.MustCompile(`(?m)^drv_\S+$`).FindString(said)
	s.run(t, "cd /src\n"+pages.Typed(t, "docs/production.md", "systemd"), "PLATEN_SECRET_KEYS="+masterKey,
		"PLATEN_SERVE_DATABASE_URL="+database, "PLATEN_WORKER_DATABASE_URL="+database, "PLATEN_DRIVE_DATABASE_URL="+database)
	s.works(t, h)
	before := s.run(t, "platen version; systemctl show --property MainPID platen-serve platen-worker platen-drive")
	for _, unit := range []string{"serve", "worker", "drive"} {
		s.isShutIn(t, "platen-"+unit)
	}

	s.run(t, at+"dpkg-deb --extract"+upgrade, "PLATEN_DATABASE_URL="+database)
	after := s.run(t, "platen version; systemctl show --property MainPID platen-serve platen-worker platen-drive")
	if !strings.Contains(before, "1.2.3") || !strings.Contains(after, "1.2.4") {
		t.Errorf("versions: got %s before and %s after the upgrade", before, after)
	}
	for pid := range strings.FieldsSeq(before) {
		if strings.HasPrefix(pid, "MainPID=") && strings.Contains(after, pid) {
			t.Errorf("%s went on with the program of before", pid)
		}
	}
	s.works(t, h)
	s.run(t, "systemctl stop platen-serve platen-worker platen-drive")
	if left := s.run(t, "systemctl list-units --failed --no-legend 'platen-*'; ls -l /proc/[0-9]*/exe 2>/dev/null | grep /usr/bin/platen || true"); strings.TrimSpace(left) != "" {
		t.Errorf("after a stop: %s", left)
	}
	s.run(t, "apt-get remove -qq -y platen; ! systemctl is-enabled platen-serve")
}

// installation is the settings of a new one, with its empty database.
func installation(t *testing.T) (h *harness, settings []string, database string) {
	t.Helper()
	stack := testkit.Running(t)
	name := "systemd_" + strings.ToLower(rand.Text())
	conn, err := pgx.Connect(t.Context(), stack.DatabaseURL)
	if err == nil {
		_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
		err = errors.Join(err, conn.Close(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dropPage(t, stack.DatabaseURL, name) })
	free, err := ports.Free("127.0.0.1", 3)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return "127.0.0.1:" + strconv.Itoa(free[i]) }
	h = &harness{api: "http://" + at(0) + "/v0", hooks: "http://" + at(1), drive: "http://" + at(2)}
	return h, []string{
		"PLATEN_API=" + at(0), "PLATEN_API_URL=" + h.api, "PLATEN_HOOKS=" + at(1), "PLATEN_HOOKS_URL=https://hooks.example.com",
		"PLATEN_DRIVE=" + at(2), "PLATEN_DRIVE_URL=" + h.drive, "PLATEN_DRIVE_KIND=platen", "PLATEN_DRIVE_ENDPOINT=" + h.drive,
		"PLATEN_TEMPORAL_ADDRESS=" + stack.TemporalAddress, "PLATEN_TEMPORAL_NAMESPACE=" + stack.TemporalNamespace,
		"PLATEN_QUEUE=" + name, "PLATEN_ALLOW_PRIVATE=127.0.0.1/32",
	}, regexp.MustCompile(`/[^/?]*\?`).ReplaceAllString(stack.DatabaseURL, "/"+name+"?")
}

// works wants the units to answer, and an event to become a document that is delivered.
func (s *system) works(t *testing.T, h *harness) {
	t.Helper()
	for _, address := range []string{strings.TrimSuffix(h.api, "/v0") + "/readyz", h.hooks + "/healthz", h.drive + "/readyz"} {
		eventually(t, address, func() error {
			err := answers(address)
			if err != nil {
				journal, _ := s.inside(t.Context(), "journalctl --no-pager --lines 20 --unit 'platen-*'").CombinedOutput()
				err = fmt.Errorf("%w; the journal:\n%s", err, journal)
			}
			return err
		})
	}
	h.getsItsFirstEvent(t)
}

// isShutIn wants a unit to run as a user that exists only while it runs, and to write
// nowhere.
func (s *system) isShutIn(t *testing.T, unit string) {
	t.Helper()
	said := s.run(t, `pid=$(systemctl show --property MainPID --value `+unit+`)
stat --format 'user %u' /proc/$pid
grep CapEff /proc/$pid/status
for d in / /etc /usr /home /var /root /tmp; do nsenter --target $pid --mount --root --wd sh -c "touch $d/x 2>/dev/null && echo wrote to $d" || true; done`)
	uid, _ := strconv.Atoi(regexp.MustCompile(`user (\d+)`).FindStringSubmatch(said)[1])
	if uid < 61184 || uid > 65519 || !strings.Contains(said, "CapEff:\t0000000000000000") || strings.Count(said, "wrote to") != 1 || !strings.Contains(said, "wrote to /tmp") {
		t.Errorf("%s: got %s; want a dynamic user without capabilities that writes to a /tmp of its own alone", unit, said)
	}
}
