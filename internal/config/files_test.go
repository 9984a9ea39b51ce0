package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
)

// A file that cannot be used is a fault among the others, not one of the next start.
func TestFilesThatCannotBeUsedAreReportedWithTheOtherFaults(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	nowhere, file := filepath.Join(folder, "nowhere"), filepath.Join(folder, "file")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	drive := func(flags ...string) error {
		return parse[config.DriveServer](t, append(needed()[:1], flags...)...).Check()
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{drive("--log-level=loud", "--drive-fonts="+nowhere), "--drive-fonts (PLATEN_DRIVE_FONTS): stat " + nowhere},
		{drive("--log-level=loud", "--fonts="+file), "--drive-fonts (PLATEN_DRIVE_FONTS): " + file + " is a file"},
		{drive("--log-level=loud", "--drive-fonts="+folder), "--drive-fonts (PLATEN_DRIVE_FONTS): there is no .ttf, .otf or .ttc file in " + folder},
		{drive("--log-level=loud", "--drive-exporter=libreoffice", "--drive-soffice="+nowhere), "--drive-soffice (PLATEN_DRIVE_SOFFICE): "},
		{work(t, "--log-level=loud", "--erasures-file="+folder).Check(), "--erasures-file (PLATEN_ERASURES_FILE): " + folder + " is a directory"},
		{work(t, "--log-level=loud", "--erasures-file="+filepath.Join(file, "erasures")).Check(), "--erasures-file (PLATEN_ERASURES_FILE): "},
		{work(t, "--log-level=loud", "--temporal-tls-ca-file="+nowhere).Check(), "--temporal-tls-ca-file (PLATEN_TEMPORAL_TLS_CA_FILE): open " + nowhere},
		{work(t, "--log-level=loud", "--temporal-tls-cert-file="+nowhere, "--temporal-tls-key-file="+file).Check(), "--temporal-tls-cert-file (PLATEN_TEMPORAL_TLS_CERT_FILE): open " + nowhere},
		{work(t, "--log-level=loud", "--temporal-tls-cert-file="+file, "--temporal-tls-key-file="+nowhere).Check(), "--temporal-tls-key-file (PLATEN_TEMPORAL_TLS_KEY_FILE): open " + nowhere},
		{serve(t, "--log-level=loud", "--service-account-file="+nowhere).Check(), "--service-account-file (PLATEN_SERVICE_ACCOUNT_FILE): open " + nowhere},
		{serve(t, "--log-level=loud", "--service-account-file="+folder).Check(), "--service-account-file (PLATEN_SERVICE_ACCOUNT_FILE): " + folder + " is a directory"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), "2 fault(s)") || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want the log level and %s", c.err, c.want)
		}
	}
}

func TestFilesThatCanBeUsedAreNoFault(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, font := filepath.Join(folder, "file"), filepath.Join(folder, "A.TTF")
	for _, name := range []string{file, font} {
		if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for what, err := range map[string]error{
		"fonts":                            parse[config.DriveServer](t, needed()[0], "--drive-fonts="+folder).Check(),
		"a file of erasures that is there": work(t, "--erasures-file="+file).Check(),
		// The first erasure makes the file and its folder.
		"one in a folder that is to be made": work(t, "--erasures-file="+filepath.Join(folder, "new", "erasures.jsonl")).Check(),
		"certificates":                       work(t, "--temporal-tls-ca-file="+file, "--temporal-tls-cert-file="+file, "--temporal-tls-key-file="+file).Check(),
		"a key of a service account":         serve(t, "--service-account-file="+file).Check(),
	} {
		if err != nil {
			t.Errorf("%s: got %v, want no fault", what, err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "new")); err == nil {
		t.Error("the check made a folder")
	}
}
