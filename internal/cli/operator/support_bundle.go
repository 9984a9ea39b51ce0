package operator

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/platen"
)

type supportBundleCommand struct {
	config.Doctor
	MetricsOf []string      `name:"metrics-of" help:"host:port of the metrics of programs, such as 127.0.0.1:9464; several are separated by commas. Default: none."`
	Out       string        `placeholder:"platen-support-….tar.gz" help:"File to write. It must not be there. Default: a name with the time, in this directory."`
	Limit     time.Duration `default:"10s" help:"Longest time of one check."`
}

func (c *supportBundleCommand) Run(ctx context.Context) error {
	now := time.Now().UTC()
	name := cmp.Or(c.Out, "platen-support-"+now.Format("20060102-150405")+".tar.gz")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := errors.Join(c.write(ctx, file, now), file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	_, err = fmt.Println(name)
	return err
}

// A bundleFile is a part of a support bundle.
type bundleFile struct {
	name string
	raw  []byte
}

// write puts a bundle together. A part that cannot be read is said in about.json, and
// keeps no other out: bundles are made when something is broken.
func (c *supportBundleCommand) write(ctx context.Context, to io.Writer, now time.Time) error {
	missing := map[string]string{}
	var files []bundleFile
	add := func(name string, raw []byte, err error) {
		if err != nil {
			missing[name] = err.Error()
			return
		}
		files = append(files, bundleFile{name, raw})
	}
	report, err := c.examined(ctx)
	if err != nil {
		return err
	}
	raw, err := indented(report)
	add("doctor.json", raw, err)
	err = operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		o, err := a.DB.Overview(ctx)
		if err != nil {
			return err
		}
		raw, err := indented(overviewJSON(o))
		add("status.json", raw, err)
		i, err := a.DB.Installation(ctx, 24*time.Hour)
		if err == nil {
			raw, err = indented(i.FailedByCode)
		}
		add("failures.json", raw, err)
		return nil
	})
	if err != nil {
		missing["status.json"] = err.Error()
	}
	for _, address := range c.MetricsOf {
		raw, err := fetchMetrics(ctx, address, c.Limit)
		add("metrics/"+strings.ReplaceAll(address, ":", "-")+".txt", raw, err)
	}
	raw, err = indented(map[string]any{
		"at": platen.Timestamp(now), "version": app.Version(), "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH,
		"processors": runtime.NumCPU(), "missing": missing,
	})
	if err != nil {
		return err
	}
	return pack(to, now, append([]bundleFile{{"about.json", raw}}, files...), secretsOf(os.Environ(), c.Doctor))
}

// examined is the doctor's report without what it says of single users.
func (c *supportBundleCommand) examined(ctx context.Context) (any, error) {
	known, err := variables()
	if err != nil {
		return nil, err
	}
	looked := doctorCommand{Doctor: c.Doctor}
	report := app.Doctor(ctx, doctor.Options{
		Settings: c.Doctor, Programs: looked.programs(), Limit: c.Limit,
		Known: known,
	})
	ofUsers := map[string]int{}
	var findings []doctor.Finding
	for _, f := range report.Findings {
		if slices.Contains([]string{"credentials", "storage", "folder"}, f.Area) {
			ofUsers[fmt.Sprintf("%s %v", f.Area, f.Status)]++
			continue
		}
		findings = append(findings, f)
	}
	return struct {
		Findings []doctor.Finding       `json:"findings"`
		OfUsers  map[string]int         `json:"ofUsers"` // how many findings about users' drives
		Settings []doctor.SettingStatus `json:"settings"`
	}{findings, ofUsers, report.Settings}, nil
}

// fetchMetrics reads a program's page of metrics, which holds no name and no id of
// anybody.
func fetchMetrics(ctx context.Context, address string, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %d", address, response.StatusCode)
	}
	return io.ReadAll(io.LimitReader(response.Body, 16<<20))
}

func indented(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }

// shortestSecret is the shortest value that is looked for: less is in any text.
const shortestSecret = 6

// secretsOf are the values of settings that no bundle may hold: those of every variable
// of ours but addresses to listen at, and what is in files of secrets. It is a second
// wall: nothing puts one into a bundle.
func secretsOf(environment []string, d config.Doctor) (all []string) {
	add := func(value string) {
		for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '\n' }) {
			if part = strings.TrimSpace(part); len(part) >= shortestSecret {
				all = append(all, part)
			}
		}
	}
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "PLATEN_") {
			continue
		}
		for _, word := range []string{"SECRET", "KEY", "TOKEN", "CREDENTIAL", "PASSWORD", "DATABASE_URL"} {
			if strings.Contains(name, word) && !strings.HasSuffix(name, "_FILE") {
				add(value)
			}
		}
	}
	add(string(d.SecretKeys))
	add(string(d.OAuthClientSecret))
	add(string(d.TemporalAPIKey))
	add(d.DatabaseURL)
	return all
}

// pack writes the files as a tar.gz, and refuses to write a secret.
func pack(to io.Writer, at time.Time, files []bundleFile, secrets []string) error {
	compressed := gzip.NewWriter(to)
	archive := tar.NewWriter(compressed)
	for _, f := range files {
		for _, secret := range secrets {
			if bytes.Contains(f.raw, []byte(secret)) {
				return fmt.Errorf("%s would hold a secret setting: nothing was written; tell us which part it is", f.name)
			}
		}
		err := archive.WriteHeader(&tar.Header{Name: "platen-support/" + f.name, Mode: 0o600, Size: int64(len(f.raw)), ModTime: at, Format: tar.FormatPAX})
		if err == nil {
			_, err = archive.Write(f.raw)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), compressed.Close())
}
