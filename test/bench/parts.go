package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/slide"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/picture"
)

// nonce stands for a new one each time, which costs nothing.
const nonce = "N0nceN0nceN0nce"

const password = "open-C-1042"

// pageObject is what a page of a PDF begins with.
var pageObject = regexp.MustCompile(`/Type\s*/Page\b`)

// What was promised of a part, in milliseconds of the processor's time, and
// against an office suite that is running already.
const (
	mostFill     = 3
	mostPage     = 12
	mostTenPages = 80
	mostSlides   = 60
	mostEncrypt  = 15
	leastFaster  = 6
)

// measureParts: what one document costs inside the drive and the worker, from
// bytes to bytes, with no network and no database, and what it costs programs
// of other people.
func measureParts(ctx context.Context, b *bench) (err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	app.CollectLessAtWork() // as in a worker
	if b.options.Profile != "" {
		stop, err := startProfile(b.options.Profile, "parts")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	rivals, err := findRivals(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rivals.close()) }()
	filled, err := measureFills(ctx, b, rivals)
	if err != nil {
		return err
	}
	if err := measureExports(ctx, b, rivals, filled); err != nil {
		return err
	}
	if err := measureEncryption(ctx, b, rivals, filled); err != nil {
		return err
	}
	return measureFilling(ctx, b)
}

// measureFills fills the examples, and returns them filled, by name.
func measureFills(ctx context.Context, b *bench, rivals *rivals) (map[string]file, error) {
	b.say("filling the examples")
	all, err := examples.All()
	if err != nil {
		return nil, err
	}
	filled := map[string]file{}
	for _, e := range all {
		f := file{name: e.Name, title: e.Title, kind: kindOf(e)}
		if f.data, err = fillExample(ctx, e); err != nil {
			return nil, fmt.Errorf("fill the example %s: %w", e.Name, err)
		}
		filled[e.Name] = f
		c := comparison{name: e.Name + ", fill", ours: inProcess(func() error { _, err := fillExample(ctx, e); return err })}
		if e.Name == examples.Letter {
			n, err := tags(e)
			if err != nil {
				return nil, err
			}
			c.name = fmt.Sprintf("%s, fill %d tags", e.Name, n)
			c.limit, c.rival = mostFill, "docxtemplater"
			if c.theirs, err = rivals.fill(e, f); err != nil {
				return nil, err
			}
		}
		if err := b.compare(ctx, c); err != nil {
			return nil, err
		}
	}
	return filled, nil
}

func measureExports(ctx context.Context, b *bench, rivals *rivals, filled map[string]file) error {
	b.say("exporting PDFs")
	pages, err := tenPages(filled[examples.Letter])
	if err != nil {
		return fmt.Errorf("make ten pages: %w", err)
	}
	slides, err := fiveSlides(filled[examples.Offer])
	if err != nil {
		return fmt.Errorf("make five slides: %w", err)
	}
	for _, e := range []struct {
		file
		pages int
		limit float64
		suite bool
	}{
		{file: filled[examples.Invoice], pages: 1, limit: mostPage},
		{file: filled[examples.Letter], pages: 1, limit: mostPage, suite: true},
		{file: filled[examples.Offer], pages: 1, limit: mostPage},
		{file: pages, pages: 10, limit: mostTenPages, suite: true},
		{file: slides, pages: 5, limit: mostSlides, suite: true},
	} {
		pdf, err := export(e.file)
		if err != nil {
			return fmt.Errorf("export %s: %w", e.name, err)
		}
		if n := len(pageObject.FindAll(pdf, -1)); n != e.pages {
			return fmt.Errorf("export %s: it has %d pages, not %d", e.name, n, e.pages)
		}
		c := comparison{name: e.name + ", export", limit: e.limit, ours: inProcess(func() error { _, err := export(e.file); return err })}
		if e.suite {
			c.rival, c.least = "LibreOffice, warm", leastFaster
			c.theirs = rivals.export(e.file)
		}
		if err := b.compare(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func measureEncryption(ctx context.Context, b *bench, rivals *rivals, filled map[string]file) error {
	b.say("encrypting PDFs")
	for _, name := range []string{examples.Invoice, examples.Letter, examples.Offer} {
		pdf, err := export(filled[name])
		if err != nil {
			return fmt.Errorf("export %s: %w", name, err)
		}
		c := comparison{name: name + ", encrypt", limit: mostEncrypt, ours: inProcess(func() error {
			_, err := (protect.Protector{}).Protect(pdf, password, true)
			return err
		})}
		if name == examples.Letter {
			c.rival = "qpdf, started for it"
			if c.theirs, err = rivals.encrypt(pdf); err != nil {
				return err
			}
		}
		if err := b.compare(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// fillExample does what a run does between reading a copy and writing it.
func fillExample(ctx context.Context, e examples.Example) ([]byte, error) {
	data, err := lang.ParseData(e.Event)
	if err != nil {
		return nil, err
	}
	evaluator := lang.NewEvaluator(data, lang.Builtins{})
	evaluator.ObtainWith(func(p lang.Picture) (lang.Obtained, error) {
		return picture.Source{Direct: true}.Obtain(ctx, p, nil)
	})
	if kindOf(e) == presentation {
		return fillPresentation(e.Template, evaluator)
	}
	return fillDocument(e.Template, evaluator)
}

func fillDocument(template []byte, e *lang.Evaluator) ([]byte, error) {
	d, err := wml.ReadDocument(template)
	if err != nil {
		return nil, err
	}
	resource, err := docs.Get(d, "example", "Example", "1")
	if err != nil {
		return nil, err
	}
	requests, err := fill.ComposeDocument(resource, e, nonce)
	if err != nil {
		return nil, err
	}
	if _, err := docs.Apply(d, "example", requests); err != nil {
		return nil, err
	}
	return d.Bytes()
}

func fillPresentation(template []byte, e *lang.Evaluator) ([]byte, error) {
	p, err := pml.ReadPresentation(template)
	if err != nil {
		return nil, err
	}
	resource, err := slides.Get(p, "example", "Example", "1")
	if err != nil {
		return nil, err
	}
	requests, err := fill.ComposePresentation(resource, e, nonce)
	if err != nil {
		return nil, err
	}
	if _, err := slides.Apply(p, "example", requests); err != nil {
		return nil, err
	}
	return p.Bytes()
}

func export(f file) ([]byte, error) {
	if f.kind == presentation {
		p, err := pml.ReadPresentation(f.data)
		if err != nil {
			return nil, err
		}
		pdf, _, err := slide.Presentation(pdf.EmbeddedFonts(), p, f.title)
		return pdf, err
	}
	d, err := wml.ReadDocument(f.data)
	if err != nil {
		return nil, err
	}
	pdf, _, err := flow.Document(pdf.EmbeddedFonts(), d, f.title)
	return pdf, err
}
