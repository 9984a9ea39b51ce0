// Package drive is our own cloud drive: a server that speaks Google Drive v3,
// Docs v1 and Slides v1 over HTTP, so that Google's client libraries work
// against it unchanged. Metadata and contents live in the schema "drive" of
// Postgres; several processes may serve the same schema side by side, because
// none of them keeps anything in memory that another could change.
//
// What an office file means is not decided here: package office reads and
// edits it, docs and slides project it as Google's resources, layout makes its
// PDF. Nothing of the product (workflows, automations, templates) belongs
// here, and nothing outside this wing may be imported but package intake, which
// bounds the memory of a process.
package drive
