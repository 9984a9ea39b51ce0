package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func (m *Store) NoteTemplate(_ context.Context, documentID, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Noted = append(m.Noted, documentID)
	return nil
}

func (m *Store) NoteUpload(_ context.Context, documentID string, u platen.TemplateUpload) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uploads[documentID] = u
	return nil
}

func (m *Store) UploadOf(_ context.Context, documentID string) (platen.TemplateUpload, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.uploads[documentID], nil
}

func (m *Store) TemplateVersions(_ context.Context, u platen.User, wfID, id string, page platen.Page) ([]platen.TemplateVersion, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.find(u, wfID)
	of := slices.DeleteFunc(slices.Clone(m.versions), func(v platen.TemplateVersion) bool { return v.DocumentID != id })
	if page == (platen.Page{}) {
		return of, err
	}
	return paged(of, page, func(v platen.TemplateVersion) platen.Position {
		return platen.Position{CreatedAt: v.CreatedAt, ID: v.ID}
	}), err
}

func (m *Store) TemplateVersion(ctx context.Context, u platen.User, wfID, id, versionID string) (platen.TemplateVersion, error) {
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

func (m *Store) VersionContent(_ context.Context, id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.contents[id], m.Fail
}

func (m *Store) BeginTemplateChange(_ context.Context, u platen.User, wfID, id string, _ time.Duration) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.change(u, wfID); err != nil {
		return "", err
	}
	if m.turns[id] != "" {
		return "", platen.ErrTemplateBusy()
	}
	m.turns[id] = platen.NewKey()
	return m.turns[id], nil
}

func (m *Store) EndTemplateChange(_ context.Context, id, turn string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns[id] == turn {
		delete(m.turns, id)
	}
	return nil
}

func (m *Store) SetTemplateFile(_ context.Context, u platen.User, turn, wfID, id, gone string, file platen.File) (platen.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, wfID)
	if err != nil {
		return platen.Document{}, err
	}
	for i, d := range w.Documents {
		if d.ID == id && d.File.ID == gone && m.turns[id] == turn {
			w.Documents[i].File = file
			return w.Documents[i], nil
		}
	}
	return platen.Document{}, platen.ErrTemplateBusy()
}

func (m *Store) KeepTemplateVersion(_ context.Context, turn string, v platen.TemplateVersion, content []byte, _ string) (platen.TemplateVersion, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns[v.DocumentID] != turn {
		return v, false, platen.ErrTemplateBusy()
	}
	sum := sha256.Sum256(content)
	v.SHA256, v.Size, v.Number = hex.EncodeToString(sum[:]), int64(len(content)), 1
	for _, one := range m.versions {
		if one.DocumentID == v.DocumentID {
			v.Number = one.Number + 1
			if one.SHA256 == v.SHA256 {
				return one, false, nil
			}
		}
	}
	m.versions = append(m.versions, v)
	m.contents[v.ID] = content
	return v, true, nil
}
