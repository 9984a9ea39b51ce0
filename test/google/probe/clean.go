package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
)

const (
	// cleanUpTimeout bounds removing all that was made.
	cleanUpTimeout = 5 * time.Minute
	removeTries    = 6
	removePause    = 2 * time.Second // doubled with each try
)

// cleanUp removes what the probe made, also after ctx ended: the files it knows, those
// that the folder lists beside them, the folder. What stays is in the report.
func (r *run) cleanUp(ctx context.Context) {
	if r.folder == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
	defer cancel()
	r.o.Say("Removing what was made.")
	files := slices.Clone(r.files)
	for _, id := range r.children(ctx) {
		if !slices.Contains(files, id) {
			files = append(files, id)
		}
	}
	for _, id := range append(files, r.folder) {
		if err := r.remove(ctx, id); err != nil {
			r.report.Kept = append(r.report.Kept, Kept{ID: id, Why: describe(err)})
		}
	}
}

// children are the files of the folder as far as its list shows them.
func (r *run) children(ctx context.Context) (ids []string) {
	_ = r.call(ctx, "files.list (folder)", func(ctx context.Context) error {
		return r.Drive.Files.List().Q("'"+r.folder+"' in parents").Corpora("allDrives").SupportsAllDrives(true).IncludeItemsFromAllDrives(true).
			Fields("nextPageToken", "files(id)").Pages(ctx, func(page *driveapi.FileList) error {
			for _, f := range page.Files {
				ids = append(ids, f.Id)
			}
			return nil
		})
	})
	return ids
}

// remove deletes a file, or trashes it where the account may not delete. What passes
// by itself is tried again.
func (r *run) remove(ctx context.Context, id string) error {
	for try, pause := 1, removePause; ; try, pause = try+1, 2*pause {
		err := r.call(ctx, "files.delete", func(ctx context.Context) error {
			return r.Drive.Files.Delete(id).SupportsAllDrives(true).Context(ctx).Do()
		})
		if status(err) == http.StatusForbidden {
			err = r.call(ctx, "files.update (trash)", func(ctx context.Context) error {
				_, err := r.Drive.Files.Update(id, &driveapi.File{Trashed: true}).SupportsAllDrives(true).Fields("id").Context(ctx).Do()
				return err
			})
		}
		switch code := status(err); {
		case err == nil, code == http.StatusNotFound:
			return nil
		case try == removeTries, code != 0 && code != http.StatusTooManyRequests && code != http.StatusForbidden && code < 500:
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// status is the HTTP status of a refusal; 0: there was no answer.
func status(err error) int {
	if answer, ok := errors.AsType[*googleapi.Error](err); ok {
		return answer.Code
	}
	return 0
}
