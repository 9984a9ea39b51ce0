// Package pdfa judges whether a PDF conforms to PDF/A-2b or PDF/A-3b: ISO 19005-2 and
// ISO 19005-3, level B, with the rules of ISO 32000-1 that they lean on. It shares no code with
// what writes PDFs. A file with a claim is held against it before anybody gets the file, and
// tests hold the writer against it.
//
// It changes nothing, and knows of no document, template or drive. Files that other programs
// wrote are read within limits. One that is beyond them does not conform.
package pdfa
