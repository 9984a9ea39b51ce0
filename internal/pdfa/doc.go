// Package pdfa judges whether a PDF conforms to PDF/A-2b or PDF/A-3b (ISO 19005-2 and
// ISO 19005-3, level B, with the rules of ISO 32000-1 that they use). Every PDF with a claim is
// judged before anybody gets it, and tests hold the writer against it. It reads files with code
// of its own, and shares none with what writes them.
//
// It changes nothing, and knows of no document, template or drive. Files of others are read
// within limits: a file that is beyond them does not conform.
package pdfa
