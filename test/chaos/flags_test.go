package chaos

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHelpExplainsEveryFlag(t *testing.T) {
	t.Parallel()
	said, code := platenDev(t, "--help")
	if code != 0 {
		t.Errorf("exit code: got %d, want 0", code)
	}
	for _, flag := range []string{
		"--data-dir", "--api", "--hooks", "--drive", "--metrics", "--temporal", "--temporal-ui", "--postgres-bin",
		"--ready-file", "--retry-schedule", "--log-level", "--log-format",
	} {
		twin := "$PLATEN_DEV_" + strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "_"))
		if strings.HasPrefix(flag, "--log") {
			twin = strings.Replace(twin, "_DEV", "", 1)
		}
		for _, want := range []string{flag + "=", twin} {
			if !strings.Contains(said, want) {
				t.Errorf("--help does not mention %s:\n%s", want, said)
			}
		}
	}
	for _, command := range []string{"demo", "exec"} {
		if !strings.Contains(said, "\n  "+command+" ") {
			t.Errorf("--help does not mention the command %s:\n%s", command, said)
		}
	}
}

func TestTakenPortIsNamedWithItsFlag(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	flags := []string{"--api", "--hooks", "--drive", "--metrics", "--temporal", "--temporal-ui"}
	for _, flag := range flags {
		t.Run(strings.TrimPrefix(flag, "--"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			args := []string{"--data-dir", dir, flag, address}
			for _, other := range flags {
				if !slices.Contains(args, other) {
					args = append(args, other, "127.0.0.1:0")
				}
			}
			said, code := platenDev(t, args...)
			if code == 0 || !strings.Contains(said, flag+" "+address) {
				t.Errorf("got exit code %d and %q, want a failure that names %s %s", code, said, flag, address)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the data directory was made: %v", err)
			}
		})
	}
}

func TestUnknownFlagIsAnErrorThatPointsToHelp(t *testing.T) {
	t.Parallel()
	said, code := platenDev(t, "--datadir", "/nowhere")
	if code == 0 || !strings.Contains(said, "--datadir") || !strings.Contains(said, "--help") {
		t.Errorf("got exit code %d and %q, want a failure that names --datadir and --help", code, said)
	}
}
