package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/drive/fault"
)

// rootAlias stands for the caller's root folder wherever a file id may stand.
const rootAlias = "root"

// Get reads one file that the user owns or that is shared; anything else is
// fileNotFound.
func (s *Store) Get(ctx context.Context, user, id string) (File, error) {
	if f, ok := s.drafts.file(id); ok {
		return f, nil
	}
	f, err := find(ctx, s.pool, user, id, "")
	if err == nil {
		s.drafts.noteRead(f)
	}
	return f, err
}

// find is get with a row lock such as "FOR SHARE OF f", or none.
func find(ctx context.Context, q querier, user, id, lock string) (File, error) {
	which := "(f.owner_id = @user OR f.link_role IS NOT NULL AND NOT f.trashed) AND f.id = @id"
	if id == rootAlias {
		which = "f.owner_id = @user AND f.parent_id IS NULL"
	}
	if !isStorable(id) {
		return File{}, fault.FileNotFound("?")
	}
	rows, err := q.Query(ctx, `
		SELECT `+fileColumns+`
		FROM drive.files f
		LEFT JOIN drive.contents c ON c.sha256 = f.sha256
		WHERE `+which+` `+lock,
		pgx.NamedArgs{"user": user, "id": id})
	if err != nil {
		return File{}, fmt.Errorf("read file: %w", err)
	}
	f, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[File])
	if errors.Is(err, pgx.ErrNoRows) {
		return File{}, fault.FileNotFound(id)
	}
	if err != nil {
		return File{}, fmt.Errorf("read file: %w", err)
	}
	return f, nil
}

// FindShared reads a file that everybody may read who knows its id.
func (s *Store) FindShared(ctx context.Context, id string) (File, error) {
	return find(ctx, s.pool, "", id, "")
}

// ByLink reads the file with that public address; trashed files have none.
func (s *Store) ByLink(ctx context.Context, key string) (File, error) {
	if !isStorable(key) {
		return File{}, fault.FileNotFound("?")
	}
	rows, err := s.pool.Query(ctx, `
		SELECT `+fileColumns+`
		FROM drive.files f
		LEFT JOIN drive.contents c ON c.sha256 = f.sha256
		WHERE f.link_key = @key AND NOT f.trashed`,
		pgx.NamedArgs{"key": key})
	if err != nil {
		return File{}, fmt.Errorf("read file by its link: %w", err)
	}
	f, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[File])
	if errors.Is(err, pgx.ErrNoRows) {
		return File{}, fault.FileNotFound("?")
	}
	if err != nil {
		return File{}, fmt.Errorf("read file by its link: %w", err)
	}
	return f, nil
}

// Create stores a new file below f.ParentID (rootAlias by default) with its
// content, nil for folders. Zero times mean now. It has committed on return.
func (s *Store) Create(ctx context.Context, f File, content *Blob) (File, error) {
	return Insert(ctx, s.pool, f, content)
}

// Copy stores a new file with the content of the source, which costs no
// bytes. alter makes the copy's metadata out of the source's.
func (s *Store) Copy(ctx context.Context, user, id string, alter func(source File) (File, error)) (File, error) {
	source, err := s.Get(ctx, user, id)
	if err != nil {
		return File{}, err
	}
	f, err := alter(source)
	if err != nil {
		return File{}, err
	}
	if s.drafts != nil {
		return s.drafts.add(f)
	}
	created, err := Insert(ctx, s.pool, f, nil)
	if isMissing(err) { // the source was deleted meanwhile, and its content after it
		return File{}, fault.FileNotFound(id)
	}
	return created, err
}

// findParent reads the folder that a file is to be put into.
func findParent(ctx context.Context, q querier, owner, id string) (File, error) {
	parent, err := find(ctx, q, owner, id, "")
	if err != nil {
		return File{}, err
	}
	if !parent.IsFolder() {
		return File{}, fault.Forbidden("parentNotAFolder", "The specified parent is not a folder.").At("parameter", "file.parents")
	}
	return parent, nil
}

// Change rewrites one file, which the user may write, under a row lock: alter
// gets the file as it is and sets what is to be different; content that it
// returns replaces the old. The lock makes a look at the revision and the write
// that depends on it atomic, whichever process holds it. Nothing is written
// when alter fails. The modification time is what alter leaves: it says when the
// content changed, or keeps what a client says.
func (s *Store) Change(ctx context.Context, user, id string, alter func(pgx.Tx, *File) (*Blob, error)) (File, error) {
	if f, ok := s.drafts.file(id); ok {
		return s.drafts.change(f, user, alter)
	}
	var changed File
	err := s.InTx(ctx, func(tx pgx.Tx) (err error) {
		changed, err = ChangeIn(ctx, tx, user, id, alter)
		return err
	})
	return changed, err
}

// ChangeIn is Change in a transaction of the caller's.
func ChangeIn(ctx context.Context, tx pgx.Tx, user, id string, alter func(pgx.Tx, *File) (*Blob, error)) (File, error) {
	// NO KEY lets others go on putting files into a folder meanwhile.
	old, err := find(ctx, tx, user, id, "FOR NO KEY UPDATE OF f")
	if err != nil {
		return File{}, err
	}
	if err := old.CheckWritable(user); err != nil {
		return File{}, err
	}
	f := old
	content, err := alter(tx, &f)
	if err != nil {
		return File{}, err
	}
	if content != nil && !bytes.Equal(content.Sha256, old.SHA256) {
		if err := content.put(ctx, tx); err != nil {
			return File{}, err
		}
		f.SHA256, f.Revision = content.Sha256, old.Revision+1
	}
	if err := rewrite(ctx, tx, f); err != nil {
		return File{}, err
	}
	if hasMoved(old, f) {
		if err := settleTrash(ctx, tx, f.ID); err != nil {
			return File{}, err
		}
	}
	return find(ctx, tx, user, f.ID, "")
}

func hasMoved(before, after File) bool {
	return before.ExplicitlyTrashed != after.ExplicitlyTrashed ||
		before.ParentID != nil && *before.ParentID != *after.ParentID
}

func rewrite(ctx context.Context, tx pgx.Tx, f File) error {
	if err := f.check(); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		UPDATE drive.files
		SET parent_id = @parent, name = @name, mime_type = @mime_type, description = @description,
			original_filename = @original_filename, properties = @properties, app_properties = @app_properties,
			starred = @starred, explicitly_trashed = @explicitly_trashed, modified_at = @modified_at,
			sha256 = @sha256, revision = @revision, link_key = @link_key, link_role = @link_role, version = version + 1
		WHERE id = @id`,
		pgx.NamedArgs{
			"id": f.ID, "parent": f.ParentID, "name": f.Name, "mime_type": f.MimeType, "description": f.Description,
			"original_filename": f.OriginalFilename, "properties": f.Properties, "app_properties": f.AppProperties,
			"starred": f.Starred, "explicitly_trashed": f.ExplicitlyTrashed, "modified_at": f.ModifiedAt.Truncate(time.Millisecond),
			"sha256": f.SHA256, "revision": f.Revision, "link_key": f.LinkKey, "link_role": f.LinkRole,
		})
	if err != nil {
		return fmt.Errorf("rewrite file: %w", err)
	}
	return nil
}

// settleTrash makes a file and everything below it trashed exactly when it or
// a folder above it was put into the trash.
func settleTrash(ctx context.Context, tx pgx.Tx, id string) error {
	_, err := tx.Exec(ctx, `
		WITH RECURSIVE tree AS (
			SELECT f.id, f.explicitly_trashed OR coalesce(p.trashed, false) AS trashed
			FROM drive.files f
			LEFT JOIN drive.files p ON p.id = f.parent_id
			WHERE f.id = @id
			UNION
			SELECT f.id, f.explicitly_trashed OR tree.trashed
			FROM drive.files f
			JOIN tree ON f.parent_id = tree.id
		)
		UPDATE drive.files f
		SET trashed = tree.trashed, trashed_at = CASE WHEN tree.trashed THEN coalesce(f.trashed_at, now()) END
		FROM tree
		WHERE f.id = tree.id AND f.trashed IS DISTINCT FROM tree.trashed`,
		pgx.NamedArgs{"id": id})
	if err != nil {
		return fmt.Errorf("settle trash: %w", err)
	}
	return nil
}

// move puts f under another folder. One move at a time per owner: two that
// crossed could otherwise tie a ring of folders.
func move(ctx context.Context, tx pgx.Tx, f *File, parentID string) error {
	if _, err := tx.Exec(ctx, `SELECT FROM drive.users WHERE id = @owner FOR NO KEY UPDATE`, pgx.NamedArgs{"owner": f.OwnerID}); err != nil {
		return fmt.Errorf("move file: %w", err)
	}
	parent, err := findParent(ctx, tx, f.OwnerID, parentID)
	if err != nil {
		return err
	}
	var isRing bool
	err = tx.QueryRow(ctx, `
		WITH RECURSIVE above AS (
			SELECT id, parent_id FROM drive.files WHERE id = @parent
			UNION
			SELECT f.id, f.parent_id FROM drive.files f JOIN above ON f.id = above.parent_id
		)
		SELECT EXISTS (SELECT FROM above WHERE id = @id)`,
		pgx.NamedArgs{"parent": parent.ID, "id": f.ID}).Scan(&isRing)
	if err != nil {
		return fmt.Errorf("move file: %w", err)
	}
	if isRing {
		return fault.Forbidden("circularReference", "A folder cannot be put into itself or below itself.").At("parameter", "addParents")
	}
	f.ParentID = &parent.ID
	return nil
}

// Remove deletes a file for good, and with a folder everything below it.
func (s *Store) Remove(ctx context.Context, owner, id string) error {
	if id == rootAlias || !isStorable(id) {
		return fault.FileNotFound(id)
	}
	tag, err := s.pool.Exec(ctx, `
		DELETE FROM drive.files
		WHERE id = @id AND owner_id = @owner AND parent_id IS NOT NULL`,
		pgx.NamedArgs{"id": id, "owner": owner})
	if err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return fault.FileNotFound(id)
	}
	return nil
}

// EmptyTrash deletes all that the owner has put into the trash.
func (s *Store) EmptyTrash(ctx context.Context, owner string) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM drive.files WHERE owner_id = @owner AND explicitly_trashed`,
		pgx.NamedArgs{"owner": owner})
	if err != nil {
		return fmt.Errorf("empty trash: %w", err)
	}
	return nil
}

// Usage is the size of an owner's files in bytes, and that of the trashed ones
// among them. Bytes that files share count for each, as on Google's drive.
func (s *Store) Usage(ctx context.Context, owner string) (all, trashed int64, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT coalesce(sum(c.size), 0)::bigint, coalesce(sum(c.size) FILTER (WHERE f.trashed), 0)::bigint
		FROM drive.files f
		JOIN drive.contents c ON c.sha256 = f.sha256
		WHERE f.owner_id = @owner`,
		pgx.NamedArgs{"owner": owner}).Scan(&all, &trashed)
	if err != nil {
		return 0, 0, fmt.Errorf("sum up usage: %w", err)
	}
	return all, trashed, nil
}

// Reparent puts f under the one folder of add, or refuses to take it out of its own; the
// caller writes f.
func Reparent(ctx context.Context, tx pgx.Tx, f *File, add, remove []string) error {
	if len(add) == 0 && len(remove) == 0 {
		return nil
	}
	if f.ParentID == nil {
		return fault.Forbidden("insufficientFilePermissions", "The root folder cannot be moved.")
	}
	if len(add) > 1 {
		return fault.Forbidden("cannotAddParent", "Increasing the number of parents is not allowed").At("parameter", "addParents")
	}
	if len(add) == 1 {
		// The new parent replaces the old one, named in removeParents or not.
		return move(ctx, tx, f, add[0])
	}
	for _, id := range remove {
		parent, err := find(ctx, tx, f.OwnerID, id, "")
		if err == nil && parent.ID == *f.ParentID {
			return fault.Forbidden("cannotRemoveParent", "A file needs a parent: name the new one in addParents.").At("parameter", "removeParents")
		}
	}
	return nil
}
