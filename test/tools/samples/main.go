// Command samples writes office files that people send every day, as a folder that
// command fidelity measures. There are letters in several languages and scripts, offers,
// orders, contracts, certificates, forms, labels and reports. There are decks with charts,
// diagrams and tables. The same call writes the same bytes.
//
// The texts are made up. A new file belongs here when it shows something that no
// other one shows.
package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "samples needs one argument: the folder to write docx/ and pptx/ into")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "samples: %v\n", err)
		os.Exit(1)
	}
}

// write writes all samples below a folder.
func write(folder string) error {
	var faults []error
	for name, parts := range documents() {
		faults = append(faults, save(filepath.Join(folder, "docx", name+".docx"), parts))
	}
	for name, parts := range decks() {
		faults = append(faults, save(filepath.Join(folder, "pptx", name+".pptx"), parts))
	}
	return errors.Join(faults...)
}

// save writes parts as an office file (ECMA-376 part 2).
func save(path string, parts map[string]string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			return err
		}
		content := parts[name]
		if filepath.Ext(name) != ".png" {
			content = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + content
		}
		if _, err := w.Write([]byte(content)); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, file.Bytes(), 0o644)
}
