package google

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
)

// maxBatch bounds the texts of one change of a document, in bytes. Google's
// own documents hold about a million characters.
const maxBatch = 4 << 20

// Replace makes all replacements in one batch, which happens wholly or not at
// all, if the file is still at the revision; KindConflict otherwise. It returns
// how many places changed.
//
// Requests of a batch see what earlier ones did, so a value that contains a
// tag would be filled by a later one. Therefore every tag becomes a text that
// nothing else contains first, and each such text its value then.
//
// A replacement that matched nothing is KindInvalid with code
// drive_tag_not_replaced, although the rest of the batch was made: the tag
// would stand in the output.
func (c *Client) Replace(ctx context.Context, fileID, mimeType, revision string, replacements []platen.Replacement) (int, error) {
	if len(replacements) == 0 {
		return 0, nil
	}
	steps, size := stepsOf(replacements)
	if size > maxBatch {
		return 0, platen.Errorf(platen.KindTooLarge, "drive_document_too_large", "The values for this document are larger than %d MiB together: send less data.", maxBatch>>20)
	}
	var counts []int64
	var err error
	if mimeType == platen.MIMESlides {
		counts, err = c.replaceInSlides(ctx, fileID, revision, steps)
	} else {
		counts, err = c.replaceInDocs(ctx, fileID, revision, steps)
	}
	if err != nil {
		return 0, err
	}
	if len(counts) != len(steps) {
		return 0, platen.Errorf(platen.KindInternal, "drive_unexpected", "The drive gave an unexpected answer.")
	}
	places, left := 0, []string{}
	for i, r := range replacements {
		places += int(counts[i])
		if counts[i] == 0 {
			left = append(left, r.Find)
		}
		if counts[i] != counts[len(replacements)+i] {
			return places, platen.Errorf(platen.KindInternal, "drive_unexpected", "The drive replaced a tag in some places only.")
		}
	}
	return places, c.reportLeft(ctx, fileID, mimeType, left)
}

// stepsOf returns the two passes, one after the other, and their size.
func stepsOf(replacements []platen.Replacement) (steps []platen.Replacement, size int) {
	nonce := platen.NewKey()
	var second []platen.Replacement
	for i, r := range replacements {
		// All of one length, so that none is a part of another.
		name := fmt.Sprintf("%s%06d", nonce, i)
		steps = append(steps, platen.Replacement{Find: r.Find, Replace: name})
		second = append(second, platen.Replacement{Find: name, Replace: r.Replace})
		size += len(r.Find) + len(r.Replace) + 2*len(name)
	}
	return append(steps, second...), size
}

func (c *Client) replaceInDocs(ctx context.Context, fileID, revision string, steps []platen.Replacement) ([]int64, error) {
	batch := &docsapi.BatchUpdateDocumentRequest{}
	if revision != "" {
		batch.WriteControl = &docsapi.WriteControl{RequiredRevisionId: revision}
	}
	for _, s := range steps {
		batch.Requests = append(batch.Requests, &docsapi.Request{ReplaceAllText: &docsapi.ReplaceAllTextRequest{
			ContainsText: &docsapi.SubstringMatchCriteria{Text: s.Find, MatchCase: true},
			ReplaceText:  s.Replace,
		}})
	}
	answer, err := c.docs.Documents.BatchUpdate(fileID, batch).Context(ctx).Do()
	if err != nil {
		return nil, classifyUnquoted("fill the document", err)
	}
	var counts []int64
	for _, reply := range answer.Replies {
		count := int64(0)
		if reply != nil && reply.ReplaceAllText != nil {
			count = reply.ReplaceAllText.OccurrencesChanged
		}
		counts = append(counts, count)
	}
	return counts, nil
}

func (c *Client) replaceInSlides(ctx context.Context, fileID, revision string, steps []platen.Replacement) ([]int64, error) {
	batch := &slidesapi.BatchUpdatePresentationRequest{}
	if revision != "" {
		batch.WriteControl = &slidesapi.WriteControl{RequiredRevisionId: revision}
	}
	for _, s := range steps {
		batch.Requests = append(batch.Requests, &slidesapi.Request{ReplaceAllText: &slidesapi.ReplaceAllTextRequest{
			ContainsText: &slidesapi.SubstringMatchCriteria{Text: s.Find, MatchCase: true},
			ReplaceText:  s.Replace,
		}})
	}
	answer, err := c.slides.Presentations.BatchUpdate(fileID, batch).Context(ctx).Do()
	if err != nil {
		return nil, classifyUnquoted("fill the presentation", err)
	}
	var counts []int64
	for _, reply := range answer.Replies {
		count := int64(0)
		if reply != nil && reply.ReplaceAllText != nil {
			count = reply.ReplaceAllText.OccurrencesChanged
		}
		counts = append(counts, count)
	}
	return counts, nil
}

// reportLeft says which tags are left in the document. Speaker notes, layouts
// and masters of a presentation are not within reach of every drive's
// replacement: a tag that is left in notes or in an unused layout shows in no
// PDF and is no fault.
func (c *Client) reportLeft(ctx context.Context, fileID, mimeType string, left []string) error {
	if len(left) > 0 && mimeType == platen.MIMESlides {
		presentation, err := c.slides.Presentations.Get(fileID).Fields(presentationFields).Context(ctx).Do()
		if err != nil {
			return behindChange(classify("read the presentation", err))
		}
		left = stillShown(presentation, left)
	}
	if len(left) == 0 {
		return nil
	}
	return platen.Errorf(platen.KindInvalid, "drive_tag_not_replaced",
		"The drive could not replace %.200q in the document, although it stands there: write it anew in the template, in one go and without a picture or field inside.", left[0])
}

// behindChange is the error of a call that follows the change: that the drive
// takes no more calls would say that nothing has changed.
func behindChange(err error) error {
	refused, ok := errors.AsType[*platen.Error](err)
	if !ok || refused.Kind != platen.KindRateLimited {
		return err
	}
	later := *refused
	later.Kind, later.Code = platen.KindUnavailable, "drive_unavailable"
	return &later
}

// stillShown returns the texts that stand on slides, or on the layouts and
// masters that slides use.
func stillShown(presentation *slidesapi.Presentation, texts []string) []string {
	used := map[string]bool{}
	var p passages
	for _, slide := range presentation.Slides {
		p.page(slide)
		if slide.SlideProperties != nil {
			used[slide.SlideProperties.LayoutObjectId] = true
			used[slide.SlideProperties.MasterObjectId] = true
		}
	}
	for _, page := range slices.Concat(presentation.Layouts, presentation.Masters) {
		if used[page.ObjectId] {
			p.page(page)
		}
	}
	var shown []string
	for _, text := range texts {
		for _, passage := range p.all {
			if strings.Contains(passage, text) {
				shown = append(shown, text)
				break
			}
		}
	}
	return shown
}
