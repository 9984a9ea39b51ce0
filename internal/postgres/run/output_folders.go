package run

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// OutputFolders is the store of the folders that outputs went into. It keeps hashes of
// their names, which are data of events.
type OutputFolders struct{ db *postgres.DB }

type outputFolderRow struct {
	FolderID string `db:"folder_id"`
	Made     bool   `db:"made"`
	IsOld    bool   `db:"is_old"` // its use was noted long ago
}

// The use of a folder is noted once in foldersNoted. One that nobody used for
// foldersKept is forgotten: an output that goes there all the same has the drive list
// it, which costs a call.
const (
	foldersNoted = 7 * 24 * time.Hour
	foldersKept  = 90 * 24 * time.Hour
)

func outputFolderArgs(f platen.OutputFolder) pgx.NamedArgs {
	name := sha256.Sum256([]byte(f.Name))
	return pgx.NamedArgs{
		"owner_id": f.OwnerID, "parent_id": f.ParentID, "name_sha256": name[:], "folder_id": f.ID, "made": f.Made,
	}
}

// Folder returns what is known of the folder of f's owner, parent and name: its ID is
// empty where nothing is.
func (s *OutputFolders) Folder(ctx context.Context, f platen.OutputFolder) (platen.OutputFolder, error) {
	args := outputFolderArgs(f)
	args["noted"] = foldersNoted
	r, _, err := postgres.CollectOne[outputFolderRow](ctx, s.db.Pool(), `
		SELECT folder_id, made, updated_at <= now() - @noted::interval AS is_old
		FROM output_folders
		WHERE owner_id = @owner_id AND parent_id = @parent_id AND name_sha256 = @name_sha256`, args)
	if err != nil {
		return f, fmt.Errorf("read an output folder of %s: %w", f.OwnerID, err)
	}
	if r.IsOld {
		_, err := postgres.Execute(ctx, s.db.Pool(), `
			UPDATE output_folders
			SET updated_at = now()
			WHERE owner_id = @owner_id AND parent_id = @parent_id AND name_sha256 = @name_sha256`, args)
		if err != nil {
			return f, fmt.Errorf("note the use of an output folder of %s: %w", f.OwnerID, err)
		}
	}
	f.ID, f.Made = r.FolderID, r.Made
	return f, nil
}

// KeepFolder stores f in the place of the folder with the id instead, empty: of none,
// and returns what is stored then. Of several that replace the same one, the first
// counts, and all get its.
func (s *OutputFolders) KeepFolder(ctx context.Context, f platen.OutputFolder, instead string) (platen.OutputFolder, error) {
	args := outputFolderArgs(f)
	args["instead"] = instead
	r, stored, err := postgres.CollectOne[outputFolderRow](ctx, s.db.Pool(), `
		INSERT INTO output_folders AS f (owner_id, parent_id, name_sha256, folder_id, made)
		VALUES (@owner_id, @parent_id, @name_sha256, @folder_id, @made)
		ON CONFLICT (owner_id, parent_id, name_sha256) DO UPDATE
		SET folder_id = EXCLUDED.folder_id, made = EXCLUDED.made, updated_at = now()
		WHERE f.folder_id = @instead
		RETURNING f.folder_id, f.made, false AS is_old`, args)
	if err != nil {
		return f, fmt.Errorf("store an output folder of %s: %w", f.OwnerID, err)
	}
	if !stored { // another execution was first
		return s.Folder(ctx, f)
	}
	f.ID, f.Made = r.FolderID, r.Made
	return f, nil
}

// FolderMade notes that the folder is there, unless another one has taken its place.
func (s *OutputFolders) FolderMade(ctx context.Context, f platen.OutputFolder) error {
	_, err := postgres.Execute(ctx, s.db.Pool(), `
		UPDATE output_folders
		SET made = true, updated_at = now()
		WHERE owner_id = @owner_id AND parent_id = @parent_id AND name_sha256 = @name_sha256 AND folder_id = @folder_id AND NOT made`,
		outputFolderArgs(f))
	if err != nil {
		return fmt.Errorf("note an output folder of %s: %w", f.OwnerID, err)
	}
	return nil
}

// SweepUnused forgets folders that no output went into for 90 days.
func (s *OutputFolders) SweepUnused(ctx context.Context) error {
	for {
		n, err := postgres.Execute(ctx, s.db.Pool(), `
			DELETE FROM output_folders
			WHERE (owner_id, parent_id, name_sha256) IN (
				SELECT owner_id, parent_id, name_sha256
				FROM output_folders
				WHERE updated_at <= now() - @age::interval
				ORDER BY updated_at
				LIMIT @limit
				FOR UPDATE SKIP LOCKED
			)`, pgx.NamedArgs{"age": foldersKept, "limit": postgres.SweepAtOnce})
		if err != nil {
			return fmt.Errorf("sweep output folders: %w", err)
		}
		if n < postgres.SweepAtOnce {
			return nil
		}
	}
}
