package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode"
)

// ready is where everything answers, and what opens it. It is the ready file's
// content.
type ready struct {
	APIURL            string `json:"apiUrl"` // ends in /v0
	HooksURL          string `json:"hooksUrl"`
	DriveURL          string `json:"driveUrl"`
	MetricsURL        string `json:"metricsUrl"`
	DriveToken        string `json:"driveToken"`
	TemporalAddress   string `json:"temporalAddress"`
	TemporalNamespace string `json:"temporalNamespace"`
	TemporalUIURL     string `json:"temporalUiUrl"`
	DatabaseURL       string `json:"databaseUrl"`
	AccessToken       string `json:"accessToken"`
}

// write makes the file appear whole or not at all. It holds tokens, so nobody
// else may read it.
func (r ready) write(name string) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the ready file: %w", err)
	}
	return writePrivate(name, append(raw, '\n'))
}

// writePrivate writes a file that its owner alone may read, in one rename.
func writePrivate(name string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(content)
	if err == nil {
		err = temporary.Sync()
	}
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// print shows the table, and commands to try.
func (r ready) print(e seeded) error {
	fmt.Println()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  Console\t%s/  (sign in with the access token)\n", strings.TrimSuffix(r.APIURL, "/v0"))
	fmt.Fprintf(w, "  API\t%s\n", r.APIURL)
	fmt.Fprintf(w, "  Docs\t%s/docs/\n", strings.TrimSuffix(r.APIURL, "/v0"))
	if e.previewURL != "" {
		fmt.Fprintf(w, "  Preview\t%s  (the example's template, in a browser)\n", e.previewURL)
	}
	fmt.Fprintf(w, "  Webhooks\t%s\n", r.HooksURL)
	fmt.Fprintf(w, "  Drive\t%s\n", r.DriveURL)
	fmt.Fprintf(w, "  Temporal UI\t%s\n", r.TemporalUIURL)
	fmt.Fprintf(w, "  Metrics\t%s/metrics\n", r.MetricsURL)
	fmt.Fprintf(w, "  Access token\t%s\n", r.AccessToken)
	if err := w.Flush(); err != nil {
		return err
	}
	if e.workflowID == "" {
		fmt.Printf("\nTry next, in another terminal: see the workflows.\n  curl -H 'Authorization: %s' %s/workflows/\n", r.AccessToken, r.APIURL)
	} else {
		fmt.Printf("\nTry next, in another terminal: see the workflows, send an event to one, see what it made.\n")
		fmt.Printf("  curl -H 'Authorization: %s' %s/workflows/\n", r.AccessToken, r.APIURL)
		fmt.Printf("  curl -d @%s %s\n", shellWord(e.eventFile), e.webhookURL)
		fmt.Printf("  curl -H 'Authorization: %s' %s/workflows/%s/outputs/\n", r.AccessToken, r.APIURL, e.workflowID)
	}
	_, err := fmt.Printf("\nEach step of an event's run is shown at %s/namespaces/%s/workflows\nCtrl-C stops everything; the next start has the same workflows and tokens.\n",
		r.TemporalUIURL, r.TemporalNamespace)
	return err
}

// shellWord writes a path as a shell reads it.
func shellWord(path string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
