package platen

import (
	"errors"
)

// TargetFolderError says why a target cannot store in a folder of the drive, which the drive
// answered for; nil: it can. What may pass by itself is returned as it is.
func TargetFolderError(folder File, err error) error {
	switch {
	case err != nil:
		return TargetDriveError(err)
	case folder.Trashed:
		return targetRefusal(CodeTargetNotFound, "The folder of the target is in the drive's trash: restore it, or set url to another folder.", nil)
	case folder.MIMEType != MIMEFolder:
		return targetRefusal(CodeTargetNotFound, "The url of the target names a file in place of a folder: set it to the id or the link of a folder.", nil)
	}
	return nil
}

// TargetDriveError says what an error of the drive means to a target in it. Somebody may
// correct what is wrong, so another time may do.
func TargetDriveError(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	switch {
	case e.Kind == KindNotFound:
		return targetRefusal(CodeTargetNotFound, "The drive shows no folder of the target to the workflow's owner: restore it, share it with the owner as an editor, or set url to another folder.", err)
	case e.Code == "drive_file_forbidden":
		return targetRefusal(CodeTargetSignInRefused, "The workflow's owner may not store files in the folder of the target: give the owner the role of an editor there, or set url to another folder.", err)
	case e.Code == "drive_quota":
		return targetRefusal(CodeTargetFull, "The drive has no room left for the target: free some, or get more.", err)
	case e.Code == "drive_account_without_storage":
		return targetRefusal(CodeTargetFull, "The drive gives service accounts no storage of their own: set url to a folder of a shared drive, where the account is a content manager.", err)
	case e.Kind == KindTooLarge:
		return &Error{Kind: KindInvalid, Code: CodeTargetTooLarge, Message: "The file is larger than the drive takes.", Err: err}
	}
	return err
}

func targetRefusal(code, message string, cause error) error {
	return &Error{Kind: KindUnavailable, Code: code, Message: message + " It is tried again.", Err: cause}
}
