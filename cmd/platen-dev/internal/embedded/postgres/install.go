package postgres

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// installCommand is the command that installs a Postgres server on this system.
func installCommand() string {
	release, _ := os.ReadFile("/etc/os-release") // absent: the generic advice
	command, needsRoot := installCommandFor(runtime.GOOS, string(release))
	if needsRoot && os.Geteuid() != 0 {
		return "sudo " + command
	}
	return command
}

// installCommandFor reads os-release(5): ID names the distribution, ID_LIKE the
// ones that it descends from.
func installCommandFor(goos, release string) (command string, needsRoot bool) {
	if goos == "darwin" {
		return "brew install postgresql@17", false
	}
	var ids []string
	for line := range strings.Lines(release) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if key == "ID" || key == "ID_LIKE" {
			ids = append(ids, strings.Fields(strings.Trim(value, `"'`))...)
		}
	}
	for _, known := range []struct{ id, command string }{
		{"debian", "apt-get install postgresql"},
		{"ubuntu", "apt-get install postgresql"},
		{"fedora", "dnf install postgresql-server"},
		{"rhel", "dnf install postgresql-server"},
		{"alpine", "apk add postgresql"},
		{"arch", "pacman -S postgresql"},
		{"suse", "zypper install postgresql-server"},
	} {
		if slices.Contains(ids, known.id) {
			return known.command, true
		}
	}
	return "your package manager (the package is usually called postgresql or postgresql-server)", false
}
