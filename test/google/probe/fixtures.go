package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// Keep writes answers into a folder: those of documents.get and presentations.get as
// doc-….json and slides-….json, which test/google reads, all others into
// answers.json. It makes the folder if it is missing.
func Keep(folder string, answers []Answer) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("make the folder of answers: %w", err)
	}
	numbers := map[string]int{}
	var others []Answer
	for _, a := range answers {
		prefix := map[string]string{"documents.get": "doc", "presentations.get": "slides"}[a.Call]
		if prefix == "" || a.Status != http.StatusOK {
			others = append(others, a)
			continue
		}
		numbers[prefix]++
		if err := write(filepath.Join(folder, fmt.Sprintf("%s-probe-%d.json", prefix, numbers[prefix])), a.Body); err != nil {
			return err
		}
	}
	return write(filepath.Join(folder, "answers.json"), others)
}

func write(path string, value any) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	return nil
}
