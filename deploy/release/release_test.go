package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// packed makes an archive and a package, of programs that do nothing, in the repository's
// folder.
func packed(t *testing.T) *release {
	t.Helper()
	r := &release{out: t.TempDir(), version: "v1.2.3-rc.1", at: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
	p := platform{"linux", "amd64"}
	for _, name := range programs {
		if err := write(r.built(), filepath.Join(p.String(), name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.archive(p); err != nil {
		t.Fatal(err)
	}
	if err := r.debian(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := r.checksums(); err != nil {
		t.Fatal(err)
	}
	return r
}

// Its own programs look at what was packed.
func TestPackagesHoldProgramsUnitsAndNothingOfTheMachine(t *testing.T) {
	t.Chdir("../..")
	r := packed(t)
	listed := shown(t, "tar", "--list", "--verbose", "--utc", "--file", filepath.Join(r.out, "platen_v1.2.3-rc.1_linux_amd64.tar.gz"))
	for _, want := range []string{"-rwxr-xr-x 0/0", "2026-11-23 12:00 platen_v1.2.3-rc.1_linux_amd64/platen\n", "platen_v1.2.3-rc.1_linux_amd64/platen-dev\n", "/LICENSE\n", "/alerts.yaml\n", "/platen-temporal.service\n"} {
		if !strings.Contains(listed, want) {
			t.Errorf("the archive has no %q: got\n%s", want, listed)
		}
	}
	deb := filepath.Join(r.out, "platen_1.2.3~rc.1_amd64.deb")
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
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = r.out
	if out, err := check.CombinedOutput(); err != nil || bytes.Count(out, []byte(": OK")) != 2 {
		t.Errorf("sha256sum: %v\n%s", err, out)
	}
}

func TestTheSameCommitGivesTheSameBytes(t *testing.T) {
	t.Chdir("../..")
	var sums [2]string
	for k := range sums {
		raw, err := os.ReadFile(filepath.Join(packed(t).out, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums[k] = string(raw)
	}
	if sums[0] != sums[1] {
		t.Errorf("got\n%s, then\n%s", sums[0], sums[1])
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
