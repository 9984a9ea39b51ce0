package api

import (
	"cmp"
	"regexp"
	"strings"
)

// Addresses of files and folders, as drives show them in a browser: Google's of Docs,
// Slides and Drive, and those of our own drive.
var (
	fileAddress   = regexp.MustCompile(`^https?://[^?#\s]*/d/([0-9A-Za-z_-]{2,200})(?:[/?#]\S*)?$|^https?://[^#\s]*[?&]id=([0-9A-Za-z_-]{2,200})(?:[&#]\S*)?$`)
	folderAddress = regexp.MustCompile(`^https?://[^?#\s]*/folders/([0-9A-Za-z_-]{2,200})(?:[/?#]\S*)?$`)
)

// fileIDIn returns the id of a file whose address somebody pasted in place of it, and
// the text as it is where it is no such address. The address of a published page has
// no id.
func fileIDIn(text string) string {
	if found := fileAddress.FindStringSubmatch(strings.TrimSpace(text)); found != nil {
		return cmp.Or(found[1], found[2])
	}
	return text
}

// folderIDIn is fileIDIn for a folder.
func folderIDIn(text string) string {
	if found := folderAddress.FindStringSubmatch(strings.TrimSpace(text)); found != nil {
		return found[1]
	}
	return text
}
