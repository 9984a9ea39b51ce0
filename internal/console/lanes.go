package console

import (
	"cmp"
	"fmt"
	"time"
)

// A lane is a step of a run, drawn on the time that all of them took: from X, so wide, of
// laneWidth.
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

// lanesOf draws the steps of a run whose beginning and end are known, in their order.
func lanesOf(p runPage, now time.Time) []lane {
	var all []lane
	add := func(text string, from, to time.Time, bad bool) *lane {
		all = append(all, lane{Text: text, from: from, to: to, Bad: bad})
		return &all[len(all)-1]
	}
	switch {
	case p.StartedAt != nil:
		add("Waited for its turn", p.AcceptedAt, *p.StartedAt, false)
	case p.FinishedAt == nil:
		add("Waits for its turn", p.AcceptedAt, now, false).Open = true
	}
	for _, o := range p.Rows {
		name := cmp.Or(nameOfOutput(o.Output), o.Template, o.DocumentID)
		switch o.State {
		case "DONE":
			add("Made “"+name+"”", o.CreatedAt, o.UpdatedAt, false)
		case "FAILED":
			add("Could not make “"+name+"”", o.CreatedAt, o.UpdatedAt, true)
		default:
			add("Makes “"+name+"”", o.CreatedAt, now, false).Open = true
		}
		if o.Mail != nil && o.Mail.SentAt != nil {
			add("Sent by mail", o.UpdatedAt, *o.Mail.SentAt, false)
		}
	}
	for _, e := range p.Events {
		for _, d := range e.Deliveries {
			text := "Told the receiver"
			if !d.Delivered {
				text = fmt.Sprintf("Attempt %d to tell the receiver", d.Attempt)
			}
			add(text, d.At, d.At.Add(time.Duration(d.DurationMS)*time.Millisecond), !d.Delivered)
		}
	}
	return drawLanes(all)
}

// drawLanes sets where lanes are and how long they took.
func drawLanes(all []lane) []lane {
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
		l.Took = seconds(took)
	}
	return all
}
