package platen

import "time"

// A Part is what a condition lets be made.
type Part string

// The parts of a document that have a condition.
const (
	PartDocument   Part = "document"
	PartAppendices Part = "appendices"
	PartSharing    Part = "sharing"
	PartEmail      Part = "email"
	PartApproval   Part = "approval" // what is skipped is the wait
)

// PartReceiver is the part of a workflow that has a condition: a receiver of its events.
const PartReceiver Part = "receiver"

// A Condition is a formula of the template language. A part of a document is made of those
// events for which it is true.
type Condition struct {
	Part    Part
	Setting string // as /v0 calls it, such as "email.when"
	When    string
}

// Tags is the condition as a template has it, for those who inspect texts.
func (c Condition) Tags() string { return "{{#if " + c.When + "}}{{/if}}" }

// Conditions returns those of a document that are set, in the order in which they are
// worked out.
func (d Document) Conditions() []Condition {
	var all []Condition
	add := func(part Part, setting, when string) {
		if when != "" {
			all = append(all, Condition{part, setting, when})
		}
	}
	add(PartDocument, "when", d.When)
	add(PartAppendices, "appendicesWhen", d.AppendicesWhen)
	add(PartSharing, "outputSharingWhen", d.OutputSharingWhen)
	if d.Email != nil {
		add(PartEmail, "email.when", d.Email.When)
	}
	if d.Approval != nil {
		add(PartApproval, "approval.when", d.Approval.When)
	}
	return all
}

// makes reports whether a part of a document is made where its condition is true.
func (d Document) makes(part Part) bool {
	switch part {
	case PartAppendices:
		return len(d.Appended()) > 0
	case PartSharing:
		return d.OutputSharing.Shares()
	default:
		return true
	}
}

// A Skipped is what was not made for an event, because a condition is not true of it.
type Skipped struct {
	DocumentID string // empty: it is a receiver
	Part       Part
	When       string // the condition
	ReceiverID string // empty: it is of a document
	Receiver   string // its name, when it was skipped
}

// A PastEvent is a source event that came before.
type PastEvent struct {
	AutomationID string
	AcceptedAt   time.Time
	Body         []byte
}

// A ConditionCount says of how many events a condition is true, false, and cannot be
// worked out.
type ConditionCount struct {
	Condition
	Made, Skipped, Faulty int
}

// Decide leaves out of the plan what conditions skip. holds tells whether a condition of a
// document is true.
func (p *Plan) Decide(holds func(Document, Condition) (bool, error)) error {
	var made []PlannedDocument
documents:
	for _, planned := range p.Documents {
		d := planned.Document
		for _, c := range d.Conditions() {
			if !d.makes(c.Part) {
				continue
			}
			is, err := holds(d, c)
			if err != nil {
				return err
			}
			if is {
				continue
			}
			p.Skipped = append(p.Skipped, Skipped{DocumentID: d.ID, Part: c.Part, When: c.When})
			switch c.Part {
			case PartDocument:
				continue documents
			case PartAppendices:
				d.Appendices = nil
			case PartSharing:
				d.OutputSharing = SharingFolder
			case PartEmail:
				d.Email = nil
			case PartApproval:
				d.Approval = nil
			}
		}
		planned.Document = d
		made = append(made, planned)
	}
	p.Documents = made
	return p.decideReceivers(holds)
}

// decideReceivers leaves out receivers whose condition is not true. One whose condition cannot
// be worked out stays, and is Faulty: its events are held, and the documents are made.
func (p *Plan) decideReceivers(holds func(Document, Condition) (bool, error)) error {
	var kept []PlannedReceiver
	for _, r := range p.Receivers {
		if r.When != "" {
			is, err := holds(Document{}, r.Condition())
			if err != nil && KindOf(err) != KindInvalid {
				return err
			}
			if r.Faulty = err != nil; !is && !r.Faulty {
				p.Skipped = append(p.Skipped, Skipped{Part: PartReceiver, When: r.When, ReceiverID: r.ID, Receiver: r.Name})
				continue
			}
		}
		kept = append(kept, r)
	}
	p.Receivers = kept
	return nil
}
