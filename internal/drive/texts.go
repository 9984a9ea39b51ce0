package drive

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// A search for what files say reads those of the user's files that no search has
// read: of the newest so many, for at most so long, and of each at most so much
// text, in bytes. Postgres holds 1 MiB of words.
const (
	maxReadForSearch = 200
	searchPatience   = 5 * time.Second
	maxSearchedText  = 256 << 10
)

// readForSearch reads files of the user's that were not read yet, and reports
// whether that was all of them.
func (s *Server) readForSearch(ctx context.Context, user store.User) (isComplete bool, err error) {
	until := time.Now().Add(searchPatience)
	unread, err := s.store.Unread(ctx, user.ID, maxReadForSearch+1)
	if err != nil {
		return false, err
	}
	for i, f := range unread {
		if i == maxReadForSearch || time.Now().After(until) {
			return false, nil
		}
		text, err := s.textOf(ctx, f)
		if errors.Is(err, store.ErrNotFound) { // changed since: its new content is for the next search
			continue
		}
		if err != nil {
			return false, err
		}
		if err := s.store.PutText(ctx, f, text); err != nil {
			return false, err
		}
	}
	return true, nil
}

// textOf is what a file says, empty for one that cannot be read: others are found all
// the same. It waits for its turn, for a file may have 32 MiB. ErrNotFound: the file
// has another content by now.
func (s *Server) textOf(ctx context.Context, f store.File) (string, error) {
	release, err := s.slot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	content, err := s.store.Content(ctx, nil, f.SHA256)
	if err != nil {
		return "", err
	}
	if !f.IsEditor() {
		content = content[:min(len(content), maxSearchedText)]
	}
	text := string(content)
	if f.IsEditor() {
		text, err = readText(s.formats.of(f.MimeType), content)
	}
	if err != nil && !errors.As(err, new(*fault.Error)) {
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
