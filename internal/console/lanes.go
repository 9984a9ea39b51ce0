package console

import (
	"cmp"
	"time"

	"github.com/platenhq/platen/internal/catalog"
)

// A lane is a step of a run as a bar. X and Width are its place on the time that all of them
// took, of laneWidth, which is the width of the picture in run.html.
type lane struct {
	Text     string
	Took     string
	Bad      bool
	Open     bool // it goes on
	X, Width float64
	from, to time.Time
}

const (
	laneWidth = 1000.0
	thinnest  = 6.0 // of a lane
)

// lanesOf draws the steps of a run whose beginning and end are known, in their order. Of a
// run that was retried they are those of its last attempt.
func lanesOf(in catalog.Printer, p runPage, now time.Time) []lane {
	began := p.AcceptedAt
	if p.Attempt > 1 {
		if p.StartedAt == nil {
			return nil
		}
		began = *p.StartedAt
	}
	var all []lane
	add := func(l lane) {
		if l.to.Before(began) {
			return // of an attempt before
		}
		if l.from.Before(began) {
			l.from = began
		}
		all = append(all, l)
	}
	switch {
	case p.Attempt > 1:
	case p.StartedAt != nil:
		add(lane{Text: in.Text("Waited for its turn"), from: p.AcceptedAt, to: *p.StartedAt})
	case p.FinishedAt == nil:
		add(lane{Text: in.Text("Waits for its turn"), from: p.AcceptedAt, to: now, Open: true})
	}
	for _, o := range p.Rows {
		name := cmp.Or(nameOfOutput(o.Output), o.Template, o.DocumentID)
		switch o.State {
		case "DONE":
			add(lane{Text: in.Text("Made “%s”", name), from: o.CreatedAt, to: o.UpdatedAt})
		case "REVIEW":
			asked := o.UpdatedAt
			if o.Review != nil {
				asked = o.Review.RequestedAt
			}
			add(lane{Text: in.Text("Made “%s”", name), from: o.CreatedAt, to: asked})
			add(lane{Text: in.Text("Waiting for approval"), from: asked, to: now, Open: true})
		case "FAILED":
			add(lane{Text: in.Text("Could not make “%s”", name), from: o.CreatedAt, to: o.UpdatedAt, Bad: true})
		default:
			add(lane{Text: in.Text("Makes “%s”", name), from: o.CreatedAt, to: now, Open: true})
		}
		if o.Mail != nil && o.Mail.SentAt != nil {
			add(lane{Text: in.Text("Sent by mail"), from: o.UpdatedAt, to: *o.Mail.SentAt})
		}
	}
	for _, e := range p.Events {
		for _, d := range e.Deliveries {
			text := in.Text("Told the receiver")
			if !d.Delivered {
				text = in.Text("Attempt %d to tell the receiver", d.Attempt)
			}
			add(lane{Text: text, from: d.At, to: d.At.Add(time.Duration(d.DurationMS) * time.Millisecond), Bad: !d.Delivered})
		}
	}
	return drawLanes(in, all)
}

// drawLanes sets where lanes are and how long they took.
func drawLanes(in catalog.Printer, all []lane) []lane {
	if len(all) == 0 {
		return nil
	}
	first, last := all[0].from, all[0].to
	for _, l := range all {
		if l.from.Before(first) {
			first = l.from
		}
		if l.to.After(last) {
			last = l.to
		}
	}
	whole := max(last.Sub(first), time.Millisecond)
	for i := range all {
		l := &all[i]
		took := max(l.to.Sub(l.from), 0)
		l.Width = max(thinnest, laneWidth*float64(took)/float64(whole))
		l.X = min(laneWidth*float64(l.from.Sub(first))/float64(whole), laneWidth-l.Width)
		l.Took = seconds(in, took)
	}
	return all
}
