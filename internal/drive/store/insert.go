package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/drive/fault"
)

// Insert stores a new file, and its content unless that is there already, in
// one statement.
func Insert(ctx context.Context, q querier, f File, content *Blob) (File, error) {
	parentID := rootAlias
	if f.ParentID != nil {
		parentID = *f.ParentID
	}
	if f.ID == "" {
		f.ID = NewFileID()
	}
	created, err := insertBelow(ctx, q, parentID, f, content)
	if !errors.Is(err, pgx.ErrNoRows) {
		return created, err
	}
	if _, err := findParent(ctx, q, f.OwnerID, parentID); err != nil {
		return File{}, err
	}
	return File{}, fault.FileNotFound(parentID) // it came only now
}

// insertBelow answers pgx.ErrNoRows when there is no such folder.
func insertBelow(ctx context.Context, q querier, parentID string, f File, content *Blob) (File, error) {
	if !isStorable(parentID) {
		return File{}, fault.FileNotFound("?")
	}
	which, args := "p.id = @parent", pgx.NamedArgs{"parent": parentID}
	if parentID == rootAlias {
		which = "p.parent_id IS NULL"
	}
	stored := `SELECT sha256, sha1, md5, size FROM drive.contents WHERE sha256 = @sha256::bytea`
	if content != nil {
		f.SHA256 = content.Sha256
		content.putArgs(args)
		stored = putContent("parent")
	}
	if err := f.check(); err != nil {
		// A folder that is not there is the older fault.
		if _, missing := findParent(ctx, q, f.OwnerID, parentID); missing != nil {
			return File{}, missing
		}
		return File{}, err
	}
	for name, value := range map[string]any{
		"id": f.ID, "owner": f.OwnerID, "folder": FolderType, "name": f.Name, "mime_type": f.MimeType,
		"description": f.Description, "original_filename": f.OriginalFilename,
		"properties": MergeProperties(f.Properties, nil), "app_properties": MergeProperties(f.AppProperties, nil),
		"target_id": f.TargetID, "target_type": f.TargetType, "starred": f.Starred, "created_at": orNull(f.CreatedAt), "modified_at": orNull(f.ModifiedAt),
		"sha256": f.SHA256, "link_key": secret(16),
	} {
		args[name] = value
	}
	rows, err := q.Query(ctx, `
		WITH parent AS (
			SELECT p.id, p.trashed, p.trashed_at
			FROM drive.files p
			WHERE p.owner_id = @owner AND `+which+` AND p.mime_type = @folder
		), c AS (`+stored+`), f AS (
			INSERT INTO drive.files (id, owner_id, parent_id, name, mime_type, description, original_filename,
				properties, app_properties, starred, trashed, trashed_at, created_at, modified_at, sha256, link_key, target_id, target_type)
			SELECT @id, @owner, parent.id, @name, @mime_type, @description, @original_filename,
				@properties::jsonb, @app_properties::jsonb, @starred::boolean, parent.trashed, parent.trashed_at,
				coalesce(@created_at::timestamptz, date_trunc('milliseconds', now())),
				coalesce(@modified_at::timestamptz, date_trunc('milliseconds', now())), @sha256::bytea, @link_key, @target_id, @target_type
			FROM parent
			RETURNING *
		)
		SELECT `+fileColumns+`
		FROM f
		LEFT JOIN c ON c.sha256 = f.sha256`, args)
	if err != nil {
		return File{}, fmt.Errorf("store file: %w", err)
	}
	created, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[File])
	if isUnique(err) {
		return File{}, fileIDInUse()
	}
	if err != nil {
		return File{}, fmt.Errorf("store file: %w", err)
	}
	return created, nil
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.Truncate(time.Millisecond)
	return &t
}

// ReplaceContent gives a file new content in one statement, if it is still as
// it was read; ok says whether it was.
func (s *Store) ReplaceContent(ctx context.Context, f File, content *Blob) (changed File, ok bool, err error) {
	if draft, isDraft := s.drafts.file(f.ID); isDraft {
		return s.drafts.put(draft, content), true, nil
	}
	rows, err := s.pool.Query(ctx, `
		WITH target AS (
			SELECT id
			FROM drive.files
			WHERE id = @id AND version = @version AND sha256 = @old
			FOR NO KEY UPDATE
		), c AS (`+putContent("target")+`), f AS (
			UPDATE drive.files f
			SET sha256 = @sha256::bytea, revision = revision + 1, version = version + 1, modified_at = @modified_at
			FROM target
			WHERE f.id = target.id
			RETURNING f.*
		)
		SELECT `+fileColumns+`
		FROM f
		LEFT JOIN c ON c.sha256 = f.sha256`,
		content.putArgs(pgx.NamedArgs{
			"id": f.ID, "version": f.Version, "old": f.SHA256, "modified_at": time.Now().Truncate(time.Millisecond),
		}))
	if err != nil {
		return File{}, false, fmt.Errorf("replace content: %w", err)
	}
	changed, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[File])
	if errors.Is(err, pgx.ErrNoRows) {
		return File{}, false, nil
	}
	if err != nil {
		return File{}, false, fmt.Errorf("replace content: %w", err)
	}
	return changed, true, nil
}

func fileIDInUse() error {
	return &fault.Error{Code: http.StatusConflict, Status: "ALREADY_EXISTS", Reason: "fileIdInUse", Message: "A file already exists with the provided ID."}
}
