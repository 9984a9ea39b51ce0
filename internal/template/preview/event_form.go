package preview

import (
	"cmp"
	"context"
	"sync"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/form"
	"github.com/platenhq/platen/internal/template/lang"
)

// eventForm is an EventForm. Templates are tried one event after the other.
type eventForm struct {
	mu    sync.Mutex
	trial *rowTrial
	asks  *lang.Requirement
	size  int
}

// EventForm reads the templates of a workflow once, for a form that asks for what all of
// them, the names of outputs, mails and conditions need. KindRateLimited with code
// "preview_busy": too many are read.
func (p *Previewer) EventForm(ctx context.Context, wf platen.Workflow) (platen.EventForm, error) {
	release, err := take(ctx, p.reads, wf.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	drive, err := p.Drives(ctx, wf.Owner.ID)
	if err != nil {
		return nil, err
	}
	f, asked := &eventForm{trial: &rowTrial{p: p, wf: wf}}, &check.Template{}
	for _, d := range wf.Documents {
		if err := f.trial.read(ctx, drive, d, asked); err != nil {
			return nil, err
		}
	}
	const each, perByte = 256 << 10, 20 // of a template, and of what it says
	for _, t := range f.trial.templates {
		f.size += each
		for _, text := range t.Texts() {
			f.size += perByte * len(text)
		}
	}
	f.asks = asked.Requirements()
	f.asks.Locale = cmp.Or(f.asks.Locale, wf.Locale)
	return f, nil
}

// Form implements platen.EventForm.
func (f *eventForm) Form(known []string, in platen.FormInput) platen.Form {
	f.mu.Lock()
	defer f.mu.Unlock()
	return form.Of(f.asks, known, in)
}

// Try implements platen.EventForm.
func (f *eventForm) Try(event []byte) ([]platen.RowFinding, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.trial.try(event)
}

// Size implements platen.EventForm.
func (f *eventForm) Size() int { return f.size }
