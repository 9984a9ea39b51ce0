// Package types has the objects and errors of S3 that Temporal's server names.
package types

type (
	Object       struct{ Key *string }
	CommonPrefix struct{ Prefix *string }
	NoSuchBucket struct{}
	NoSuchKey    struct{}
)

func (*NoSuchBucket) Error() string { return "no such bucket" }
func (*NoSuchKey) Error() string    { return "no such key" }
