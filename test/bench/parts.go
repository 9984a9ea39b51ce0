package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/layout"
	"github.com/platenhq/platen/internal/drive/office"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/protect"
)

// measureParts: what one document costs inside the drive and the worker, from
// bytes to bytes, with no network and no database.
func measureParts(ctx context.Context, b *bench) error {
	b.say("filling, exporting and encrypting the examples")
	all, err := examples.All()
	if err != nil {
		return err
	}
	for _, e := range all {
		values := map[string]string{}
		var event map[string]any
		if err := json.Unmarshal(e.Event, &event); err != nil {
			return fmt.Errorf("example %s: %w", e.Name, err)
		}
		leaves(event, "", values)
		var filled, pdf []byte
		steps := []struct {
			name string
			do   func() (err error)
		}{
			{"fill", func() (err error) { filled, err = fill(e, values); return err }},
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

// leaves collects the texts of an event by their paths.
func leaves(fields map[string]any, prefix string, into map[string]string) {
	for key, value := range fields {
		switch value := value.(type) {
		case map[string]any:
			leaves(value, prefix+key+".", into)
		case string:
			into["{{"+prefix+key+"}}"] = value
		}
	}
}

func fill(e examples.Example, values map[string]string) ([]byte, error) {
	if e.Name == examples.Offer {
		p, err := office.ReadPresentation(e.Template)
		if err != nil {
			return nil, err
		}
		var requests []*slidesapi.Request
		for tag, value := range values {
			requests = append(requests, &slidesapi.Request{ReplaceAllText: &slidesapi.ReplaceAllTextRequest{
				ContainsText: &slidesapi.SubstringMatchCriteria{Text: tag, MatchCase: true}, ReplaceText: value,
			}})
		}
		if _, err := slides.Apply(p, "example", requests); err != nil {
			return nil, err
		}
		return p.Bytes()
	}
	d, err := office.ReadDocument(e.Template)
	if err != nil {
		return nil, err
	}
	var requests []*docsapi.Request
	for tag, value := range values {
		requests = append(requests, &docsapi.Request{ReplaceAllText: &docsapi.ReplaceAllTextRequest{
			ContainsText: &docsapi.SubstringMatchCriteria{Text: tag, MatchCase: true}, ReplaceText: value,
		}})
	}
	if _, err := docs.Apply(d, "example", requests); err != nil {
		return nil, err
	}
	return d.Bytes()
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
