package drive

import (
	"context"
)

// shortcutType is the type of a file that leads to another.
const shortcutType = "application/vnd.google-apps.shortcut"

func (f file) isShortcut() bool { return f.MimeType == shortcutType }

// hasContent reports whether the file has bytes, or is kept as bytes.
func (f file) hasContent() bool { return !f.isFolder() && !f.isShortcut() }

// aim gives a new shortcut the type of its target, which its owner must be able to
// read; no other file has a target.
func (s *Server) aim(ctx context.Context, f *file) error {
	if !f.isShortcut() {
		f.TargetID, f.TargetType = "", ""
		return nil
	}
	if f.TargetID == "" {
		return badRequest("required", "The shortcutDetails.targetId field is required for a shortcut.").at("parameter", "file.shortcutDetails.targetId")
	}
	target, err := s.store.get(ctx, f.OwnerID, f.TargetID)
	if err != nil {
		return err
	}
	if target.isShortcut() {
		return forbidden("shortcutTargetInvalid", "A shortcut cannot lead to a shortcut.").at("parameter", "file.shortcutDetails.targetId")
	}
	f.TargetID, f.TargetType = target.ID, target.MimeType
	return nil
}

// shortcutDetails are what a shortcut says of its target.
func shortcutDetails(f file) map[string]any {
	return map[string]any{"targetId": f.TargetID, "targetMimeType": f.TargetType}
}
