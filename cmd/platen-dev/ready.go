package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
)

// endpoints is what a person or a test needs to use a running platen-dev, and
// the format of --ready-file. It holds secrets.
type endpoints struct {
	APIURL            string `json:"apiUrl"` // ends in /v0
	HooksURL          string `json:"hooksUrl"`
	DriveURL          string `json:"driveUrl"`
	DriveToken        string `json:"driveToken"` // the demo user's bearer token on the drive
	TemporalAddress   string `json:"temporalAddress"`
	TemporalNamespace string `json:"temporalNamespace"`
	TemporalUIURL     string `json:"temporalUiUrl"`
	DatabaseURL       string `json:"databaseUrl"`
	AccessToken       string `json:"accessToken"` // the demo user's, for the API
}

// write replaces path in one step, so that whoever waits for the file never
// reads half of it.
func (e endpoints) write(path string) error {
	raw, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone after the rename
	_, err = f.Write(append(raw, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (e endpoints) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t)
	for _, row := range [][2]string{
		{"API", e.APIURL},
		{"Webhooks", e.HooksURL},
		{"Drive", e.DriveURL},
		{"Temporal UI", e.TemporalUIURL},
		{"Access token", e.AccessToken},
	} {
		fmt.Fprintf(t, "  %s\t%s\n", row[0], row[1])
	}
	fmt.Fprintln(t)
	return t.Flush()
}
