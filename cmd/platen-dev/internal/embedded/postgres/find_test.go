package postgres

import (
	"errors"
	"strings"
	"testing"
)

func TestSearchTakesTheNewestVersionUnlessTheClusterIsOlder(t *testing.T) {
	t.Parallel()
	installed := map[string]int{"/a": 13, "/b": 15, "/c": 17, "/d": 16}
	version := func(dir string) (int, error) {
		if v, ok := installed[dir]; ok {
			return v, nil
		}
		return 0, errors.New("nothing there")
	}
	dirs := []string{"/none", "/a", "/b", "/c", "/d"}
	for _, c := range []struct {
		want int
		dir  string
	}{{0, "/c"}, {15, "/b"}, {16, "/d"}} {
		got, err := finder{want: c.want, version: version}.search(dirs)
		if err != nil || got.Dir != c.dir {
			t.Errorf("search for version %d = %v, %v; want %s", c.want, got, err, c.dir)
		}
	}
	for _, c := range []struct {
		want int
		dirs []string
		says string
	}{
		{14, dirs, "made by Postgres 14"},
		{0, []string{"/a", "/none"}, "install it so"},
		{15, nil, "install it so"},
	} {
		_, err := finder{want: c.want, version: version, install: "install it so"}.search(c.dirs)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("search for version %d in %v = %v, want an error that says %q", c.want, c.dirs, err, c.says)
		}
	}
}

func TestExplicitDirectoryIsTheOnlyOneTried(t *testing.T) {
	t.Parallel()
	at := func(major int, err error) func(string) (int, error) {
		return func(string) (int, error) { return major, err }
	}
	if b, err := (finder{version: at(14, nil)}).explicit("/x"); err != nil || b.Major != 14 || b.Dir != "/x" {
		t.Errorf("explicit = %v, %v; want version 14 in /x", b, err)
	}
	for name, f := range map[string]finder{
		"not there": {version: at(0, errors.New("no such file"))},
		"too old":   {version: at(13, nil)},
		"data dir":  {version: at(17, nil), want: 16},
	} {
		if _, err := f.explicit("/x"); err == nil || !strings.Contains(err.Error(), "--postgres-bin /x") {
			t.Errorf("%s: error %v, want one that names the flag", name, err)
		}
	}
}

func TestInstallCommandFitsTheSystem(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]string{
		"PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n": "apt-get install",
		"ID=pop\nID_LIKE=\"ubuntu debian\"\n":              "apt-get install",
		"ID=fedora\n":                                      "dnf install",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n":   "dnf install",
		"ID=alpine\n": "apk add",
		"ID=arch\n":   "pacman -S",
		"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\nVERSION_ID=15.6\n": "zypper install",
		"": "package manager",
	} {
		if got, _ := installCommandFor("linux", release); !strings.Contains(got, want) {
			t.Errorf("command for %q = %q, want %q", release, got, want)
		}
	}
	if got, root := installCommandFor("darwin", ""); !strings.HasPrefix(got, "brew install") || root {
		t.Errorf("command for macOS = %q, as root %v; want brew without sudo", got, root)
	}
}
