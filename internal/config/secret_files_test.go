package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/config"
)

const someKey = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

// secretFile writes a file, and has the environment name it.
func secretFile(t *testing.T, variable, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(strings.TrimSuffix(variable, "_FILE"), "") // so that it is as before after the test
	t.Setenv(variable, name)
	return name
}

// parseServe parses settings of serve that the environment alone gives.
func parseServe() (config.Serve, error) {
	var c config.Serve
	var files config.SecretFiles
	parser, err := kong.New(&c, files.Option(), kong.Exit(func(int) {}))
	if err != nil {
		return c, err
	}
	_, err = parser.Parse(nil)
	return c, errors.Join(err, files.Check(nil))
}

func TestSecretsAreReadFromFilesThatTheEnvironmentNames(t *testing.T) {
	secretFile(t, "PLATEN_SECRET_KEYS_FILE", someKey+"\n")
	secretFile(t, "PLATEN_DATABASE_URL_FILE", "postgres://u:p@127.0.0.1/platen\r\n")
	secretFile(t, "PLATEN_OAUTH_CLIENT_SECRET_FILE", " with spaces ")
	c, err := parseServe()
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][2]string{{string(c.SecretKeys), someKey}, {string(c.DatabaseURL), "postgres://u:p@127.0.0.1/platen"}, {string(c.OAuthClientSecret), " with spaces "}} {
		if got[0] != got[1] {
			t.Errorf("got %q, want %q", got[0], got[1])
		}
	}
}

func TestAFileOfASecretThatCannotBeUsedIsNamed(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"empty":      {"\n", "is empty"},
		"two lines":  {"a\nb\n", "more than one line"},
		"very large": {strings.Repeat("x", 64<<10+1), "larger than 64 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			secretFile(t, "PLATEN_SECRET_KEYS_FILE", c.content)
			if _, err := parseServe(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--secret-keys (PLATEN_SECRET_KEYS_FILE)") {
				t.Errorf("got %v, want the variable and %q", err, c.want)
			}
		})
	}
}

func TestEveryFileOfASecretThatCannotBeReadIsReported(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PLATEN_SECRET_KEYS_FILE", filepath.Join(folder, "nothing"))
	t.Setenv("PLATEN_DATABASE_URL_FILE", folder)
	_, err := parseServe()
	for _, want := range []string{"2 fault(s)", "PLATEN_SECRET_KEYS_FILE", "no such file", "PLATEN_DATABASE_URL_FILE", "is a directory"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

func TestASecretAndItsFileAreNotBothTaken(t *testing.T) {
	secretFile(t, "PLATEN_SECRET_KEYS_FILE", someKey)
	t.Setenv("PLATEN_SECRET_KEYS", someKey)
	if _, err := parseServe(); err == nil || !strings.Contains(err.Error(), "PLATEN_SECRET_KEYS is set, too") {
		t.Errorf("got %v, want that both are set", err)
	}
}
