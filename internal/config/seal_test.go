package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
)

func TestSettingsOfSealsGoTogether(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	certificate, key := "--seal-certificate-file="+file, "--seal-key-file="+file
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{certificate}, "--seal-key-file (PLATEN_SEAL_KEY_FILE): it goes together with --seal-certificate-file (PLATEN_SEAL_CERTIFICATE_FILE); give both or none"},
		{[]string{key}, "give both or none"},
		{[]string{certificate, key + "-nowhere"}, "--seal-key-file (PLATEN_SEAL_KEY_FILE): open "},
		{[]string{certificate, key, "--seal-tsa-url=ftp://ada:hunter2@tsa.example.com"}, "--seal-tsa-url (PLATEN_SEAL_TSA_URL): it is not an http or https address"},
		{[]string{certificate, key, "--seal-tsa-url=https://ada:hunt%er2@tsa.example.com"}, "escape special characters"},
		{[]string{"--seal-tsa-url=https://tsa.example.com"}, "it goes together with --seal-certificate-file"},
	} {
		err := work(t, c.flags...).Check()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunt") {
			t.Errorf("%q: got %v, want %s", c.flags, err, c.want)
		}
	}
	good := work(t, certificate, key, "--seal-tsa-url=https://ada:hunter%2F2@tsa.example.com/stamp?a=1")
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	if at, err := good.Stamps(); err != nil || *at != (config.StampService{URL: "https://tsa.example.com/stamp?a=1", User: "ada", Password: "hunter/2"}) {
		t.Errorf("got %+v, %v", at, err)
	}
	// serve has neither file.
	if err := serve(t, certificate+"-nowhere").Check(); err != nil {
		t.Error(err)
	}
}
