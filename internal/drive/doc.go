// Package drive is our own cloud drive: a server that speaks Google Drive v3, Docs
// v1 and Slides v1 over HTTP, so that Google's client libraries work against it
// unchanged. Package store keeps metadata and contents in the schema "drive" of
// Postgres. Several processes may serve it side by side, because none of them keeps
// anything in memory that another could change. The exception is what a drive that
// behaves like Google's counts (GoogleLike).
//
// What an office file means is not decided here. The packages of internal/office
// read it and edit its texts and pictures. Packages docs and slides project it as
// Google's resources and carry out Google's requests on its XML. Those of
// internal/render make its PDF. No statement of SQL belongs here, and nothing of the
// product (workflows, automations, templates).
//
// A new kind of batchUpdate request is an entry in docs/apply.go or
// slides/apply.go; see those packages.
package drive
