package store

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/drive/fault"
)

// drafts are the files that a Store made by Drafts has in memory.
type drafts struct {
	mu       sync.Mutex
	files    map[string]File
	contents map[string][]byte // by their hash
	newest   time.Time         // when a file of the database changed last that was read
}

// Drafts returns a store for documents that nobody is to see. It reads the files of s. Copies,
// and what is edited in them, stay in memory until Discard. A token is the id of an account.
// Give it a connection that only reads: Drafts writes nothing, but other methods do.
func (s *Store) Drafts() *Store {
	made := &Store{pool: s.pool, contents: s.contents, drafts: &drafts{}}
	made.Discard()
	return made
}

// Discard forgets all drafts, and returns when the newest file that was read changed last.
func (s *Store) Discard() (newest time.Time) {
	d := s.drafts
	d.mu.Lock()
	defer d.mu.Unlock()
	newest = d.newest
	d.files, d.contents, d.newest = map[string]File{}, map[string][]byte{}, time.Time{}
	return newest
}

// AccountOf returns whose a file is, without asking who may read it; ErrNotFound: there is none.
func (s *Store) AccountOf(ctx context.Context, fileID string) (User, error) {
	return s.user(ctx, `
		SELECT u.id, u.name, u.email, u.created_at, u.disabled_at
		FROM drive.files f
		JOIN drive.users u ON u.id = f.owner_id
		WHERE f.id = @key AND NOT f.trashed`, fileID)
}

func (d *drafts) file(id string) (f File, ok bool) {
	if d == nil {
		return f, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok = d.files[id]
	return f, ok
}

func (d *drafts) content(hash []byte) (body []byte, ok bool) {
	if d == nil {
		return nil, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	body, ok = d.contents[string(hash)]
	return body, ok
}

// noteRead notes that a file of the database was read.
func (d *drafts) noteRead(f File) {
	if d == nil || !f.HasContent() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.ModifiedAt.After(d.newest) {
		d.newest = f.ModifiedAt
	}
}

// put keeps a file. content is nil where it stays as it was.
func (d *drafts) put(f File, content *Blob) File {
	d.mu.Lock()
	defer d.mu.Unlock()
	if content != nil {
		size := int64(len(content.body))
		f.SHA256, f.SHA1, f.MD5, f.Size = content.Sha256, content.sha1, content.md5, &size
		f.Revision++
		d.contents[string(content.Sha256)] = content.body
	}
	f.Version++
	d.files[f.ID] = f
	return f
}

// add is Insert for a copy.
func (d *drafts) add(f File) (File, error) {
	now := time.Now()
	f.ID, f.LinkKey, f.CreatedAt, f.ModifiedAt, f.Version, f.Revision = NewFileID(), newLinkKey(), now, now, 0, 1
	if err := f.check(); err != nil {
		return File{}, err
	}
	return d.put(f, nil), nil
}

// change is Change for a draft.
func (d *drafts) change(f File, user string, alter func(pgx.Tx, *File) (*Blob, error)) (File, error) {
	if f.OwnerID != user {
		return File{}, fault.FileNotFound(f.ID)
	}
	content, err := alter(nil, &f)
	if err != nil {
		return File{}, err
	}
	return d.put(f, content), nil
}
