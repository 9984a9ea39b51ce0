package api

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// versions are those of memory, which keeps the contract of Versions.
type versions struct {
	all      []platen.TemplateVersion
	contents map[string][]byte
	turns    map[string]string // by document
	noted    []string          // templates of workflows that are not stored
}

// emptyOffice is an office file of a kind without anything in it.
func emptyOffice(contentType string) []byte {
	kind := "wordprocessingml.document"
	if contentType == platen.MIMEPptx {
		kind = "presentationml.presentation"
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	types, err := z.Create("[Content_Types].xml")
	if err == nil {
		_, err = fmt.Fprintf(types, `<Types><Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.%s.main+xml"/></Types>`, kind)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic(err)
	}
	return out.Bytes()
}

func (m *memory) NoteTemplate(_ context.Context, documentID, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.versions.noted = append(m.versions.noted, documentID)
	return nil
}

func (m *memory) TemplateVersions(_ context.Context, u platen.User, wfID, id string, page platen.Page) ([]platen.TemplateVersion, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.find(u, wfID)
	of := slices.DeleteFunc(slices.Clone(m.versions.all), func(v platen.TemplateVersion) bool { return v.DocumentID != id })
	if page == (platen.Page{}) {
		return of, err
	}
	return paged(of, page, versionPosition), err
}

func (m *memory) TemplateVersion(ctx context.Context, u platen.User, wfID, id, versionID string) (platen.TemplateVersion, error) {
	all, err := m.TemplateVersions(ctx, u, wfID, id, platen.Page{})
	if err != nil {
		return platen.TemplateVersion{}, err
	}
	for _, v := range all {
		if v.ID == versionID {
			return v, nil
		}
	}
	return platen.TemplateVersion{}, platen.ErrVersionNotFound()
}

func (m *memory) VersionContent(_ context.Context, id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.versions.contents[id], m.fail
}

func (m *memory) BeginTemplateChange(_ context.Context, u platen.User, wfID, id string, _ time.Duration) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.change(u, wfID); err != nil {
		return "", err
	}
	if m.versions.turns == nil {
		m.versions.turns, m.versions.contents = map[string]string{}, map[string][]byte{}
	}
	if m.versions.turns[id] != "" {
		return "", platen.ErrTemplateBusy()
	}
	m.versions.turns[id] = platen.NewKey()
	return m.versions.turns[id], nil
}

func (m *memory) EndTemplateChange(_ context.Context, id, turn string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.versions.turns[id] == turn {
		delete(m.versions.turns, id)
	}
	return nil
}

func (m *memory) SetTemplateFile(_ context.Context, u platen.User, turn, wfID, id, gone string, file platen.File) (platen.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, wfID)
	if err != nil {
		return platen.Document{}, err
	}
	for i, d := range w.Documents {
		if d.ID == id && d.File.ID == gone && m.versions.turns[id] == turn {
			w.Documents[i].File = file
			return w.Documents[i], nil
		}
	}
	return platen.Document{}, platen.ErrTemplateBusy()
}

func (m *memory) KeepTemplateVersion(_ context.Context, turn string, v platen.TemplateVersion, content []byte, _ string) (platen.TemplateVersion, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.versions.turns[v.DocumentID] != turn {
		return v, false, platen.ErrTemplateBusy()
	}
	sum := sha256.Sum256(content)
	v.SHA256, v.Size, v.Number = hex.EncodeToString(sum[:]), int64(len(content)), 1
	for _, one := range m.versions.all {
		if one.DocumentID == v.DocumentID {
			v.Number = one.Number + 1
			if one.SHA256 == v.SHA256 {
				return one, false, nil
			}
		}
	}
	m.versions.all = append(m.versions.all, v)
	m.versions.contents[v.ID] = content
	return v, true, nil
}

// scope gives a token scopes.
func (m *memory) scope(token string, scopes ...platen.Scope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scopes = map[[32]byte]platen.Scopes{sha256.Sum256([]byte(token)): scopes}
}
