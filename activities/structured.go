package activities

import (
	"context"
	"fmt"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/merge/plan"
)

// fillStructured fills a copy whose template has blocks, pictures or links, or
// fields of lists that may stand in rows: that takes more than replacing texts.
func (d *Documents) fillStructured(ctx context.Context, j job, o platen.Output, e *merge.Evaluator) (FillResult, error) {
	nonce := platen.NewKey()
	if d.Pictures != nil {
		e.ObtainWith(func(p merge.Picture) (merge.Obtained, error) { return d.Pictures.Obtain(ctx, p, j.drive.Download) })
	}
	begun := false
	begin := func(err error) error {
		if err != nil {
			return fmt.Errorf("plan the filling: %w", err)
		}
		if err := d.refuseMissing(ctx, j, o, j.missing(e)); err != nil {
			return err
		}
		err = d.beginFill(ctx, o)
		begun = err == nil
		return err
	}
	var requests int
	var err error
	if o.Copy.MIMEType == platen.MIMESlides {
		requests, err = j.drive.EditPresentation(ctx, o.Copy.ID, func(p *slidesapi.Presentation) ([]*slidesapi.Request, error) {
			planned, err := plan.Presentation(p, e, nonce)
			return planned, begin(err)
		})
	} else {
		requests, err = j.drive.EditDocument(ctx, o.Copy.ID, func(document *docsapi.Document) ([]*docsapi.Request, error) {
			planned, err := plan.Document(document, e, nonce)
			return planned, begin(err)
		})
	}
	switch {
	case err == nil:
		return d.endFill(ctx, o, FillResult{Places: requests}, j.missing(e))
	case begun:
		return FillResult{}, d.fillFailed(ctx, o, fmt.Errorf("fill the copy: %w", err))
	}
	return FillResult{}, d.unlessSuperseded(ctx, o, err)
}
