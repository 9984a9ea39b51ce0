// Package release tests what packs a release. It must hold tests alone.
package release

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// packed makes an archive and a package, of programs that do nothing, in the repository's
// folder, and returns where they are.
func packed(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	built := filepath.Join(out, "built", "linux_amd64")
	if err := os.MkdirAll(built, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"platen", "platen-dev"} {
		if err := os.WriteFile(filepath.Join(built, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC).Unix()
	shown(t, "deploy/release/pack.sh", out, "v1.2.3-rc.1", fmt.Sprint(at), "linux_amd64")
	return out
}

// Its own programs look at what was packed.
func TestPackagesHoldProgramsUnitsAndNothingOfTheMachine(t *testing.T) {
	t.Chdir("../..")
	out := packed(t)
	listed := shown(t, "tar", "--list", "--verbose", "--utc", "--file", filepath.Join(out, "platen_v1.2.3-rc.1_linux_amd64.tar.gz"))
	for _, want := range []string{"-rwxr-xr-x 0/0", "2026-11-23 12:00 platen_v1.2.3-rc.1_linux_amd64/platen\n", "platen_v1.2.3-rc.1_linux_amd64/platen-dev\n", "/LICENSE\n", "/alerts.yaml\n", "/platen-temporal.service\n"} {
		if !strings.Contains(listed, want) {
			t.Errorf("the archive has no %q: got\n%s", want, listed)
		}
	}
	deb := filepath.Join(out, "platen_1.2.3~rc.1_amd64.deb")
	contents := shown(t, "dpkg-deb", "--contents", deb)
	for _, want := range []string{
		"-rwxr-xr-x root/root", "./usr/bin/platen\n", "./usr/lib/systemd/system/platen-serve.service\n", "./usr/lib/systemd/system/platen-worker.service\n",
		"./usr/lib/systemd/system/platen-drive.service\n", "./etc/platen/platen.env\n", "./usr/share/doc/platen/copyright\n", "./usr/share/bash-completion/completions/platen\n",
	} {
		if !strings.Contains(contents, want) {
			t.Errorf("the package has no %q: got\n%s", want, contents)
		}
	}
	stated := shown(t, "dpkg-deb", "--field", deb)
	if !strings.Contains(stated, "Version: 1.2.3~rc.1\n") || !strings.Contains(stated, "Architecture: amd64\n") {
		t.Errorf("the package says of itself\n%s", stated)
	}
}

func TestTheSameCommitGivesTheSameBytes(t *testing.T) {
	t.Chdir("../..")
	for _, name := range []string{"platen_v1.2.3-rc.1_linux_amd64.tar.gz", "platen_1.2.3~rc.1_amd64.deb"} {
		var content [2][]byte
		for k := range content {
			raw, err := os.ReadFile(filepath.Join(packed(t), name))
			if err != nil {
				t.Fatal(err)
			}
			content[k] = raw
		}
		if !bytes.Equal(content[0], content[1]) {
			t.Errorf("%s is another each time", name)
		}
	}
}

// The scripts of the package do nothing where systemd does not run.
func TestScriptsOfThePackageEndWell(t *testing.T) {
	for _, call := range [][]string{{"debian/postinst", "configure"}, {"debian/prerm", "upgrade"}} {
		shown(t, "sh", append([]string{"-eu"}, call...)...)
	}
}

func shown(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, args[0], err, out)
	}
	return string(out)
}
