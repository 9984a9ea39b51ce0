package lang

// Spend makes a document have cost so many steps, and looked at so many parts
// of the data, before it is filled.
func (e *Evaluator) Spend(steps, visits int) {
	e.steps += steps
	e.data.visits += visits
}
