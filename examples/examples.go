// Package examples holds templates and source events that the demo, the
// documentation and the tests share. It holds no logic.
package examples

import (
	"embed"
	"encoding/json"
	"fmt"
)

// FS has <name>.docx or <name>.pptx and <name>.json for each example.
//
//go:embed *.docx *.pptx *.json
var FS embed.FS

// Names of the examples.
const (
	Invoice = "invoice"
	Letter  = "letter"
	Offer   = "offer"
	QRBill  = "qr-bill"
)

// An Example is a template and an event that fills every tag of it.
type Example struct {
	Name     string
	Title    string // what the file is called in the drive
	MIMEType string // what the drive makes of it
	Template []byte // the Office file
	Event    []byte // a JSON object
}

// Get returns an example by name.
func Get(name string) (Example, error) {
	e := Example{Name: name, MIMEType: "application/vnd.google-apps.document"}
	extension := ".docx"
	switch name {
	case Invoice:
		e.Title = "Example invoice"
	case Letter:
		e.Title = "Example letter"
	case QRBill:
		e.Title = "Example QR bill"
	case Offer:
		e.Title = "Example offer"
		e.MIMEType, extension = "application/vnd.google-apps.presentation", ".pptx"
	default:
		return Example{}, fmt.Errorf("there is no example %q", name)
	}
	var err error
	if e.Template, err = FS.ReadFile(name + extension); err != nil {
		return Example{}, err
	}
	e.Event, err = FS.ReadFile(name + ".json")
	return e, err
}

// All returns every example, the invoice first.
func All() ([]Example, error) {
	var all []Example
	for _, name := range []string{Invoice, Letter, Offer, QRBill} {
		e, err := Get(name)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Field returns the text of a top-level field of the event.
func (e Example) Field(name string) (string, error) {
	var fields map[string]any
	if err := json.Unmarshal(e.Event, &fields); err != nil {
		return "", fmt.Errorf("example %s: %w", e.Name, err)
	}
	text, ok := fields[name].(string)
	if !ok {
		return "", fmt.Errorf("example %s has no text %q", e.Name, name)
	}
	return text, nil
}
