package table

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
)

// What other people's programs wrote stands in testdata/programs.zip, with the rows that other
// people's readers find in it. test/tools/tables writes it.
const fewestFiles = 200

// TestFilesOfOtherProgramsHaveTheirRows reads each as an upload is read, and compares each row.
func TestFilesOfOtherProgramsHaveTheirRows(t *testing.T) {
	t.Parallel()
	archive, err := zip.OpenReader("testdata/programs.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	contents := map[string][]byte{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if contents[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	var files map[string]struct {
		Rows     []map[string]any
		Encoding string // that its sender has to say; empty: none
	}
	if err := json.Unmarshal(contents["rows.json"], &files); err != nil {
		t.Fatal(err)
	}
	if len(files) < fewestFiles {
		t.Errorf("got %d files, want at least %d", len(files), fewestFiles)
	}
	for name, want := range files {
		got, err := rowsOf(contents[name], name, Options{Encoding: want.Encoding})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got) != len(want.Rows) {
			t.Errorf("%s: got %d rows, want %d", name, len(got), len(want.Rows))
			continue
		}
		for i, row := range got {
			if !reflect.DeepEqual(row, want.Rows[i]) {
				t.Errorf("%s, row %d:\n got %v\nwant %v", name, i+1, row, want.Rows[i])
				break
			}
		}
		cut := len(contents[name]) / 2
		if !strings.HasSuffix(name, ".xlsx") {
			if cut = bytes.LastIndexByte(bytes.TrimSpace(contents[name]), '\n') + len("\nCy"); !strings.HasSuffix(name, "-plain.csv") || want.Rows[len(want.Rows)-1]["Name"] != "Cyd" {
				continue // of other lines it cannot be told that they are cut off
			}
		}
		if _, err := rowsOf(contents[name][:cut], name, Options{Encoding: want.Encoding}); err == nil {
			t.Errorf("%s, cut off: got its rows, want an error", name)
		}
	}
}

// rowsOf are the rows of a file, or why it is not read to its end.
func rowsOf(content []byte, name string, o Options) ([]map[string]any, error) {
	var rows Rows
	var err error
	if strings.HasSuffix(name, ".xlsx") {
		_, rows, err = readBook(content, o)
	} else {
		_, rows, err = CSV(bytes.NewReader(content), o)
	}
	if err != nil {
		return nil, err
	}
	var found []map[string]any
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		var fields map[string]any
		if err := json.Unmarshal(row.Body, &fields); err != nil {
			return nil, err
		}
		found = append(found, fields)
	}
	return found, nil
}
