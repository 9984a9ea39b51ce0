// Package fill is the one way to fill a template: a document or a presentation,
// as the Docs and Slides APIs show it, with the data of an event. A Filling
// (filling.go) does it for runs, previews and checks. The rules by which
// nothing is made of a document stand in refusal.go, and the switch between
// documents and presentations in template.go.
//
// What fills a template is one batch of batchUpdate requests for the revision
// that was read. It repeats rows and bullets for the items of lists, repeats
// blocks or leaves them out, and replaces every other tag. The requests edit
// from the end to the beginning, so that no request moves what a later one is
// about.
//
// How a batch is composed: docs.go and slides.go read what the APIs show into
// stories of paragraphs and tables (model.go), and nest.go finds their blocks.
// Then edit.go, paragraph.go, rich.go and rows.go decide what becomes of each part, and
// docs_writer.go and slides_writer.go write the requests. composer.go has what
// the parts of a batch share, and its bounds.
//
// What tags mean is package lang's; sending the requests, and what a drive
// makes of them, belong elsewhere.
package fill
