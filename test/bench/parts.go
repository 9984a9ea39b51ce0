package main

import (
	"context"
	"fmt"
	"time"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/layout"
	"github.com/platenhq/platen/internal/drive/office"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/merge/plan"
	"github.com/platenhq/platen/internal/picture"
	"github.com/platenhq/platen/internal/protect"
)

// nonce stands for a new one each time, which costs nothing.
const nonce = "N0nceN0nceN0nce"

// measureParts: what one document costs inside the drive and the worker, from
// bytes to bytes, with no network and no database.
func measureParts(ctx context.Context, b *bench) error {
	b.say("filling, exporting and encrypting the examples")
	all, err := examples.All()
	if err != nil {
		return err
	}
	for _, e := range all {
		var filled, pdf []byte
		steps := []struct {
			name string
			do   func() (err error)
		}{
			{"fill", func() (err error) { filled, err = fill(ctx, e); return err }},
			{"export as PDF", func() (err error) { pdf, err = export(e, filled); return err }},
			{"encrypt", func() error { _, err := (protect.Protector{}).Protect(pdf, "open-C-1042", true); return err }},
		}
		for _, step := range steps {
			times, err := timed(ctx, b.rounds, b.round/10, step.do)
			if err != nil {
				return fmt.Errorf("example %s: %s: %w", e.Name, step.name, err)
			}
			b.report.add(e.Name+", "+step.name, "ms", times)
		}
	}
	return measureFilling(ctx, b)
}

// timed returns the mean time of each round, in milliseconds.
func timed(ctx context.Context, rounds int, length time.Duration, do func() error) ([]float64, error) {
	if err := do(); err != nil {
		return nil, err
	}
	var means []float64
	for range rounds {
		n, begun := 0, time.Now()
		for time.Since(begun) < length {
			if err := errorOf(ctx, do); err != nil {
				return nil, err
			}
			n++
		}
		means = append(means, milliseconds(time.Since(begun))/float64(n))
	}
	return means, nil
}

func errorOf(ctx context.Context, do func() error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return do()
}

// fill does what a run does between reading a copy and writing it.
func fill(ctx context.Context, e examples.Example) ([]byte, error) {
	data, err := merge.ParseData(e.Event)
	if err != nil {
		return nil, err
	}
	evaluator := merge.NewEvaluator(data, merge.Builtins{})
	evaluator.ObtainWith(func(p merge.Picture) (merge.Obtained, error) {
		return picture.Source{Direct: true}.Obtain(ctx, p, nil)
	})
	if e.Name == examples.Offer {
		return fillPresentation(e.Template, evaluator)
	}
	return fillDocument(e.Template, evaluator)
}

func fillDocument(template []byte, e *merge.Evaluator) ([]byte, error) {
	d, err := office.ReadDocument(template)
	if err != nil {
		return nil, err
	}
	resource, err := docs.Get(d, "example", "Example", "1")
	if err != nil {
		return nil, err
	}
	requests, err := plan.Document(resource, e, nonce)
	if err != nil {
		return nil, err
	}
	if _, err := docs.Apply(d, "example", requests); err != nil {
		return nil, err
	}
	return d.Bytes()
}

func fillPresentation(template []byte, e *merge.Evaluator) ([]byte, error) {
	p, err := office.ReadPresentation(template)
	if err != nil {
		return nil, err
	}
	resource, err := slides.Get(p, "example", "Example", "1")
	if err != nil {
		return nil, err
	}
	requests, err := plan.Presentation(resource, e, nonce)
	if err != nil {
		return nil, err
	}
	if _, err := slides.Apply(p, "example", requests); err != nil {
		return nil, err
	}
	return p.Bytes()
}

func export(e examples.Example, filled []byte) ([]byte, error) {
	if e.Name == examples.Offer {
		p, err := office.ReadPresentation(filled)
		if err != nil {
			return nil, err
		}
		pdf, _, err := layout.Presentation(p, e.Title)
		return pdf, err
	}
	d, err := office.ReadDocument(filled)
	if err != nil {
		return nil, err
	}
	pdf, _, err := layout.Document(d, e.Title)
	return pdf, err
}
