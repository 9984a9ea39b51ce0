package operator

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

// unpacked are the files of a bundle, by name.
func unpacked(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(compressed); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(header.Name, "platen-support/")] = string(text)
	}
}

func TestASupportBundleSaysHowThingsStandAndHoldsNoSecretAndNothingThatWasSent(t *testing.T) {
	i := install(t)
	i.failed()
	metrics := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "platen_workers 1\n")
	}))
	defer metrics.Close()
	const password = "canary-password"
	t.Setenv("PLATEN_OAUTH_CLIENT_SECRET", password)
	c := supportBundleCommand{Doctor: config.Defaults[config.Doctor](), Limit: 5 * time.Second, MetricsOf: []string{strings.TrimPrefix(metrics.URL, "http://"), "127.0.0.1:1"}}
	c.Database, c.TemporalAddress = i.database(), "127.0.0.1:1"
	c.DriveEndpoint = "http://127.0.0.1:1" // so that the users' drives are looked at
	c.SecretKeys, c.OAuthClientSecret = platen.Secret(i.keys), password
	var out bytes.Buffer
	i.must(c.write(t.Context(), &out, time.Now()))
	files := unpacked(t, out.Bytes())
	for name, want := range map[string]string{
		"about.json": `"version"`, "doctor.json": `"credentials `, "status.json": `"backlog": 0`, "failures.json": `"drive_file_not_found": 1`,
		"metrics/" + strings.ReplaceAll(c.MetricsOf[0], ":", "-") + ".txt": "platen_workers 1",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s: got %q, want %s in it", name, files[name], want)
		}
	}
	var about struct{ Missing map[string]string }
	i.must(json.Unmarshal([]byte(files["about.json"]), &about))
	if len(about.Missing) != 1 || about.Missing["metrics/127.0.0.1-1.txt"] == "" {
		t.Errorf("missing: got %v, want the program that does not answer", about.Missing)
	}
	for name, text := range files {
		for _, secret := range []string{canary, password, i.keys, "whsec_", c.DatabaseURL, i.workflow.Source.Key, i.workflow.Owner.ID} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %q", name, secret)
			}
		}
	}
}

func TestABundleThatWouldHoldASecretIsNotWritten(t *testing.T) {
	t.Parallel()
	secrets := secretsOf([]string{"PLATEN_SECRET_KEYS=first-key,second-key", "PLATEN_API=127.0.0.1:8080", "HOME=/home/ada"}, config.Doctor{})
	for text, refused := range map[string]bool{"it is second-key.": true, "127.0.0.1:8080 /home/ada": false} {
		err := pack(io.Discard, time.Now(), []bundleFile{{"a.json", []byte(text)}}, secrets)
		if (err != nil) != refused {
			t.Errorf("%q: got %v, want it refused: %v", text, err, refused)
		}
	}
}

// Bundles are made when things are broken.
func TestABundleIsMadeWithoutADatabase(t *testing.T) {
	t.Parallel()
	c := supportBundleCommand{Doctor: config.Defaults[config.Doctor](), Limit: 2 * time.Second}
	c.DatabaseURL, c.TemporalAddress = "postgres://nobody:hidden-word@127.0.0.1:1/none", "127.0.0.1:1"
	var out bytes.Buffer
	if err := c.write(t.Context(), &out, time.Now()); err != nil {
		t.Fatal(err)
	}
	files := unpacked(t, out.Bytes())
	if files["doctor.json"] == "" || !strings.Contains(files["about.json"], `"status.json"`) {
		t.Errorf("got %v, want the doctor's report, and that status is missing", files)
	}
	for name, text := range files {
		if strings.Contains(text, "hidden-word") {
			t.Errorf("%s holds the password of the database", name)
		}
	}
}
