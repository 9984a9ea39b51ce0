package platen

import "strings"

// MIMEFolder is the MIME type of the drive's folders.
const MIMEFolder = "application/vnd.google-apps.folder"

// MaxFolderDepth is how many folders a Document.OutputFolder may name, one in the other.
const MaxFolderDepth = 10

// FolderPath returns the templates of the folders that an output folder names,
// outermost first: what stands between slashes, those inside of tags left alone.
// Without a template there are none.
func FolderPath(template string) []string { return cutTemplate(template, '/') }

// cutTemplate cuts a template at each separator that is not inside of a tag. There is
// nothing of an empty one.
func cutTemplate(template string, separator byte) []string {
	if template == "" {
		return nil
	}
	var parts []string
	begin := 0
	for at := 0; at < len(template); at++ {
		switch rest := template[at:]; {
		case strings.HasPrefix(rest, "{{"):
			if end := strings.Index(rest, "}}"); end > 0 {
				at += end + 1
			}
		case rest[0] == separator:
			parts, begin = append(parts, template[begin:at]), at+1
		}
	}
	return append(parts, template[begin:])
}

// An OutputFolder is a folder that outputs go into. Drives let many folders of one
// name be in one place: what is kept of it makes it the only one of its owner.
type OutputFolder struct {
	OwnerID  string
	ParentID string // folder that it was made in
	Name     string
	ID       string // in the drive; chosen before the folder is made
	Made     bool   // it is known to have been there
}
