package fill

import (
	"regexp"
	"strings"

	"google.golang.org/api/slides/v1"
)

var (
	asideOfDocument = regexp.MustCompile(`^kix\.(aside|code)[0-9]+\.(.+)$`)
	asideOfSlides   = regexp.MustCompile(`^(aside|code)[0-9]+$`)
)

// ReadAside reads the id by which our drive shows a text that stands beside the stories
// of a document, as a footnote that nothing refers to: what it is, and whether it is filled.
func ReadAside(id string) (kind string, isFilled, ok bool) {
	parts := asideOfDocument.FindStringSubmatch(id)
	if parts == nil {
		return "", false, false
	}
	return strings.ReplaceAll(parts[2], "-", " "), parts[1] == "aside", true
}

// ReadAsideOfSlides does the same for the layouts as which our drive shows them.
func ReadAsideOfSlides(page *slides.Page) (kind string, isFilled, ok bool) {
	parts := asideOfSlides.FindStringSubmatch(page.ObjectId)
	if parts == nil || page.LayoutProperties == nil {
		return "", false, false
	}
	return page.LayoutProperties.DisplayName, parts[1] == "aside", true
}
