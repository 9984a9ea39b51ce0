package platen

// A LatestOutputQuery says which outputs are made once more, to compare them.
type LatestOutputQuery struct {
	Workflow string // id; empty: all
	Owner    string // id or e-mail address; empty: all
	Last     int    // of each document
	Limit    int    // of all
}

// A LatestOutput is one of the last that were made of a document in use.
type LatestOutput struct {
	ID, AutomationID     string
	WorkflowID, Workflow string // its name
	DocumentID, Document string // the name of its template
}
