package drive

import (
	"context"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// aim gives a new shortcut the type of its target, which its owner must be able to
// read; no other file has a target.
func (s *Server) aim(ctx context.Context, f *store.File) error {
	if !f.IsShortcut() {
		f.TargetID, f.TargetType = "", ""
		return nil
	}
	if f.TargetID == "" {
		return fault.BadRequest("required", "The shortcutDetails.targetId field is required for a shortcut.").At("parameter", "file.shortcutDetails.targetId")
	}
	target, err := s.store.Get(ctx, f.OwnerID, f.TargetID)
	if err != nil {
		return err
	}
	if target.IsShortcut() {
		return fault.Forbidden("shortcutTargetInvalid", "A shortcut cannot lead to a shortcut.").At("parameter", "file.shortcutDetails.targetId")
	}
	f.TargetID, f.TargetType = target.ID, target.MimeType
	return nil
}

// shortcutDetails are what a shortcut says of its target.
func shortcutDetails(f store.File) map[string]any {
	return map[string]any{"targetId": f.TargetID, "targetMimeType": f.TargetType}
}
