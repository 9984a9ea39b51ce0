package postgres

import (
	"encoding/json"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
)

// fileJSON is a drive file inside a JSON column. Its names are for ever.
type fileJSON struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	URL        string            `json:"url"`
	MIMEType   string            `json:"mimeType"`
	Parent     string            `json:"parent,omitempty"`
	Properties map[string]string `json:"properties,omitempty"`
	SHA256     string            `json:"sha256,omitempty"`
	Size       int64             `json:"size,omitempty"`
	Trashed    bool              `json:"trashed,omitempty"`
}

func newFileJSON(f *platen.File) *fileJSON {
	if f == nil {
		return nil
	}
	return &fileJSON{f.ID, f.Name, f.URL, f.MIMEType, f.Parent, f.Properties, f.SHA256, f.Size, f.Trashed}
}

func (j *fileJSON) file() *platen.File {
	if j == nil {
		return nil
	}
	return &platen.File{
		ID: j.ID, Name: j.Name, URL: j.URL, MIMEType: j.MIMEType, Parent: j.Parent, Properties: j.Properties,
		SHA256: j.SHA256, Size: j.Size, Trashed: j.Trashed,
	}
}

// fileColumn writes a file for a JSON column, nil as null.
func fileColumn(f *platen.File) (json.RawMessage, error) {
	if f == nil {
		return nil, nil
	}
	j := newFileJSON(f)
	j.Name = CleanText(j.Name) // names come from source data, which may hold U+0000
	raw, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("write file %s: %w", f.ID, err)
	}
	return raw, nil
}

func readFile(column json.RawMessage) (*platen.File, error) {
	if column == nil {
		return nil, nil
	}
	var j fileJSON
	if err := json.Unmarshal(column, &j); err != nil {
		return nil, fmt.Errorf("read file of an output: %w", err)
	}
	return j.file(), nil
}

// findingJSON is a finding inside a JSON column. Its names are for ever.
type findingJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func findingsColumn(findings []platen.Finding) (json.RawMessage, error) {
	list := make([]findingJSON, len(findings))
	for i, f := range findings {
		list[i] = findingJSON{CleanText(f.Code), CleanText(f.Message)}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("write findings: %w", err)
	}
	return raw, nil
}

func readFindings(column json.RawMessage) ([]platen.Finding, error) {
	var list []findingJSON
	if err := json.Unmarshal(column, &list); err != nil {
		return nil, fmt.Errorf("read findings of an output: %w", err)
	}
	var findings []platen.Finding
	for _, f := range list {
		findings = append(findings, platen.Finding(f))
	}
	return findings, nil
}

// appendixJSON is what is stored of what is appended to an output's PDF.
type appendixJSON struct {
	FileID  string        `json:"fileId"`
	Name    string        `json:"name"`
	Size    int64         `json:"size,omitempty"`
	CopyID  string        `json:"copyId,omitempty"`
	Missing []string      `json:"missing,omitempty"`
	Notes   []findingJSON `json:"notes,omitempty"`
}

func appendicesColumn(appendices []platen.Appendix) (json.RawMessage, error) {
	list := make([]appendixJSON, len(appendices))
	for i, a := range appendices {
		list[i] = appendixJSON{FileID: a.FileID, Name: CleanText(a.Name), Size: a.Size, CopyID: a.CopyID}
		for _, name := range a.Missing {
			list[i].Missing = append(list[i].Missing, CleanText(name))
		}
		for _, f := range a.Notes {
			list[i].Notes = append(list[i].Notes, findingJSON{CleanText(f.Code), CleanText(f.Message)})
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("write appendices: %w", err)
	}
	return raw, nil
}

func readAppendices(column json.RawMessage) ([]platen.Appendix, error) {
	var list []appendixJSON
	if err := json.Unmarshal(column, &list); err != nil {
		return nil, fmt.Errorf("read the appendices of an output: %w", err)
	}
	var appendices []platen.Appendix
	for _, a := range list {
		read := platen.Appendix{FileID: a.FileID, Name: a.Name, Size: a.Size, CopyID: a.CopyID, Missing: a.Missing}
		for _, f := range a.Notes {
			read.Notes = append(read.Notes, platen.Finding(f))
		}
		appendices = append(appendices, read)
	}
	return appendices, nil
}
