package drive

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// A search for what files say reads those of the user's files that no search has
// read: of the newest so many, for at most so long, and of each at most so much
// text, in bytes. Postgres holds 1 MiB of words.
const (
	maxReadForSearch = 200
	searchPatience   = 5 * time.Second
	maxSearchedText  = 256 << 10
)

// readable are the types whose files can be searched for what they say.
var readable = []string{documentType, presentationType, textType}

// readForSearch reads files of the user's that were not read yet, and reports
// whether that was all of them.
func (s *Server) readForSearch(ctx context.Context, user User) (isComplete bool, err error) {
	until := time.Now().Add(searchPatience)
	unread, err := s.store.unread(ctx, user.ID, maxReadForSearch+1)
	if err != nil {
		return false, err
	}
	for i, f := range unread {
		if i == maxReadForSearch || time.Now().After(until) {
			return false, nil
		}
		text, err := s.textOf(ctx, f)
		if errors.Is(err, ErrNotFound) { // changed since: its new content is for the next search
			continue
		}
		if err != nil {
			return false, err
		}
		if err := s.store.putText(ctx, f, text); err != nil {
			return false, err
		}
	}
	return true, nil
}

// textOf is what a file says, empty for one that cannot be read: others are found all
// the same. It waits for its turn, for a file may have 32 MiB. ErrNotFound: the file
// has another content by now.
func (s *Server) textOf(ctx context.Context, f file) (string, error) {
	release, err := s.slot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	content, err := s.store.content(ctx, s.store.pool, f.SHA256)
	if err != nil {
		return "", err
	}
	if !f.isEditor() {
		content = content[:min(len(content), maxSearchedText)]
	}
	text := string(content)
	if f.isEditor() {
		text, err = readText(s.formats.of(f.MimeType), content)
	}
	if err != nil && !errors.As(err, new(*fault)) {
		s.log.ErrorContext(ctx, "a file cannot be read for searches", "file", f.ID, "error", err)
	}
	if err != nil {
		return "", nil
	}
	text = text[:min(len(text), maxSearchedText)]
	return strings.ReplaceAll(strings.ToValidUTF8(text, string(utf8.RuneError)), "\x00", " "), nil
}

// readText turns a panic over a file into an error without its value, which may quote
// the file.
func readText(f format, content []byte) (text string, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("reading the text panicked (%T):\n%s", value, debug.Stack())
		}
	}()
	return f.text(content)
}

// unread lists files of the owner's whose text no search has read, the newest
// first.
func (s *Store) unread(ctx context.Context, owner string, limit int) ([]file, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT `+fileColumns+`
		FROM drive.files f
		JOIN drive.contents c ON c.sha256 = f.sha256
		WHERE f.owner_id = @owner AND f.mime_type = ANY (@types)
			AND NOT EXISTS (SELECT FROM drive.texts t WHERE t.sha256 = f.sha256 AND t.mime_type = f.mime_type)
		ORDER BY f.modified_at DESC, f.id
		LIMIT @limit`,
		pgx.NamedArgs{"owner": owner, "types": readable, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list files to read for a search: %w", err)
	}
	files, err := pgx.CollectRows(rows, pgx.RowToStructByName[file])
	if err != nil {
		return nil, fmt.Errorf("list files to read for a search: %w", err)
	}
	return files, nil
}

// putText stores the words of a file's content in lower case, which Postgres knows
// only in some locales, unless the content is gone.
func (s *Store) putText(ctx context.Context, f file, text string) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO drive.texts (sha256, mime_type, words)
		SELECT sha256, @mime_type, to_tsvector('simple', @text)
		FROM drive.contents
		WHERE sha256 = @sha256
		ON CONFLICT DO NOTHING`,
		pgx.NamedArgs{"sha256": f.SHA256, "mime_type": f.MimeType, "text": strings.ToLower(text)})
	if err != nil {
		return fmt.Errorf("store the words of a file: %w", err)
	}
	return nil
}
