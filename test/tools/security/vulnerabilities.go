package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// database is where the Go team publishes what is known.
	// https://go.dev/doc/security/vuln/database has its interface.
	database = "https://vuln.go.dev"
	// copied holds the database's entries for our modules on one day: the first line
	// has the date and the modules, each further one an entry without its prose.
	copied = "test/tools/security/vulnerabilities.jsonl"
)

// A copyHead is the first line of the copy.
type copyHead struct {
	Date    string   `json:"date"`
	Source  string   `json:"source"`
	Modules []string `json:"modules"`
}

// An entry has the facts of an OSV record that govulncheck reads.
// https://ossf.github.io/osv-schema/
type entry struct {
	SchemaVersion string     `json:"schema_version"`
	ID            string     `json:"id"`
	Modified      time.Time  `json:"modified"`
	Published     time.Time  `json:"published"`
	Withdrawn     *time.Time `json:"withdrawn,omitempty"`
	Aliases       []string   `json:"aliases,omitempty"`
	Affected      []affected `json:"affected"`
	Database      any        `json:"database_specific"`
}

type affected struct {
	Package struct {
		Name      string `json:"name"`
		Ecosystem string `json:"ecosystem"`
	} `json:"package"`
	Ranges   any `json:"ranges"`
	Specific any `json:"ecosystem_specific"`
}

// findVulnerabilities asks the database, or the copy where it cannot be reached. Only
// what the programs can call is a finding.
func findVulnerabilities(ctx context.Context, _ options) ([]finding, error) {
	address := database
	if !reached(ctx, database+"/index/db.json") {
		folder, err := os.MkdirTemp("", "vulnerabilities-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		head, err := layOut(ctx, folder)
		if err != nil {
			return nil, err
		}
		fmt.Printf("  %s cannot be reached: going by the copy of %s\n", database, head.Date)
		address = "file://" + folder
	}
	var found []finding
	for _, dir := range ours {
		out, err := tool(ctx, dir, "govulncheck", "-db", address, "-format", "json", "./...")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		here, err := called(out)
		if err != nil {
			return nil, err
		}
		found = append(found, here...)
	}
	return found, nil
}

// called reads govulncheck's stream of messages. A trace that begins with a function is
// one that our code reaches.
func called(stream []byte) ([]finding, error) {
	var found []finding
	for d := json.NewDecoder(bytes.NewReader(stream)); ; {
		var message struct {
			Finding *struct {
				OSV          string `json:"osv"`
				FixedVersion string `json:"fixed_version"`
				Trace        []struct {
					Module   string `json:"module"`
					Version  string `json:"version"`
					Package  string `json:"package"`
					Function string `json:"function"`
				} `json:"trace"`
			} `json:"finding"`
		}
		if err := d.Decode(&message); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read what govulncheck says: %w", err)
		}
		f := message.Finding
		if f == nil || len(f.Trace) == 0 || f.Trace[0].Function == "" {
			continue
		}
		at := f.Trace[0]
		found = append(found, finding{Rule: f.OSV, Where: at.Module,
			Text: fmt.Sprintf("%s calls %s.%s of %s; cured in %s", f.Trace[len(f.Trace)-1].Package, at.Package, at.Function, at.Version, cmp.Or(f.FixedVersion, "no version"))})
	}
	return slices.CompactFunc(found, func(a, b finding) bool { return a.Rule == b.Rule && a.Where == b.Where }), nil
}

func reached(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// layOut makes a database of files from the copy. A newer module that is missing in the
// copy is an error: it would look safe.
func layOut(ctx context.Context, folder string) (copyHead, error) {
	var head copyHead
	text, err := os.ReadFile(copied)
	if err != nil {
		return head, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&head); err != nil {
		return head, fmt.Errorf("%s: %w", copied, err)
	}
	used, err := usedModules(ctx)
	if err != nil {
		return head, err
	}
	used = slices.DeleteFunc(used, func(m string) bool { return slices.Contains(head.Modules, m) })
	if len(used) > 0 {
		return head, fmt.Errorf("%s is of %s and says nothing of %s: write it again with --copy, from data/osv of a copy of golang/vulndb", copied, head.Date, strings.Join(used, ", "))
	}
	var all []entry
	for d.More() {
		var e entry
		if err := d.Decode(&e); err != nil {
			return head, fmt.Errorf("%s: %w", copied, err)
		}
		all = append(all, e)
	}
	return head, writeDatabase(folder, all)
}

// writeDatabase writes the files that govulncheck asks a database for.
func writeDatabase(folder string, all []entry) error {
	type vulnerability struct {
		ID       string    `json:"id"`
		Modified time.Time `json:"modified"`
	}
	type module struct {
		Path            string          `json:"path"`
		Vulnerabilities []vulnerability `json:"vulns"`
	}
	var modules []module
	byPath := map[string]int{}
	files := map[string]any{"index/db.json": map[string]time.Time{"modified": time.Now().UTC()}}
	for _, e := range all {
		files["ID/"+e.ID+".json"] = e
		for _, a := range e.Affected {
			at, known := byPath[a.Package.Name]
			if !known {
				at = len(modules)
				byPath[a.Package.Name] = at
				modules = append(modules, module{Path: a.Package.Name})
			}
			modules[at].Vulnerabilities = append(modules[at].Vulnerabilities, vulnerability{e.ID, e.Modified})
		}
	}
	files["index/modules.json"] = modules
	for name, content := range files {
		text, err := json.Marshal(content)
		if err != nil {
			return err
		}
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// usedModules are all modules of others that packages of the repository are built from.
func usedModules(ctx context.Context) ([]string, error) {
	all := []string{"stdlib", "toolchain"}
	for _, dir := range ours {
		out, err := command(ctx, dir, "go", "list", "-deps", "-test", "-f", "{{with .Module}}{{.Path}}{{end}}", "./...")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		all = append(all, strings.Fields(string(out))...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(m string) bool {
		return m == "github.com/platenhq/platen" || strings.HasPrefix(m, "github.com/platenhq/platen/")
	}), nil
}

// copyDatabase writes the copy, from a folder of OSV records such as GO-2025-3420.json.
func copyDatabase(ctx context.Context, folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, "GO-*.json"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("--copy: there are no records such as GO-2025-3420.json in %s", folder)
	}
	slices.Sort(names)
	used, err := usedModules(ctx)
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	out.SetEscapeHTML(false)
	head := copyHead{Source: "golang/vulndb, data/osv, CC-BY-4.0", Modules: used}
	var entries []entry
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var e entry
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		head.Date = max(head.Date, info.ModTime().UTC().Format(time.DateOnly))
		e.Affected = slices.DeleteFunc(e.Affected, func(a affected) bool { return !slices.Contains(used, a.Package.Name) })
		if len(e.Affected) > 0 && e.Withdrawn == nil {
			entries = append(entries, e)
		}
	}
	if err := out.Encode(head); err != nil {
		return err
	}
	for _, e := range entries {
		if err := out.Encode(e); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d of %d records, of %s\n", copied, len(entries), len(names), head.Date)
	return os.WriteFile(copied, lines.Bytes(), 0o644)
}
