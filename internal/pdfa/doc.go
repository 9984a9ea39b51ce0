// Package pdfa judges whether a PDF conforms to PDF/A-2b or PDF/A-3b: ISO 19005-2 and
// ISO 19005-3, level B, with the rules of ISO 32000-1 that they lean on. It reads files with
// code of its own and shares none with what writes them: it is what a file with a claim is held
// against before anybody gets it, and what tests hold the writer against.
//
// It changes nothing, and knows of no document, template or drive. Files of a stranger are read
// within limits: a file that is beyond them does not conform.
package pdfa
