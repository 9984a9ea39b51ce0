// Package storage is what Temporal's server compiles against of Google's Cloud Storage,
// to which it can archive. There is no client to be had, so nothing here is ever called.
package storage

import (
	"context"
	"errors"

	"google.golang.org/api/option"
)

const ScopeFullControl = "https://www.googleapis.com/auth/devstorage.full_control"

// errAbsent is what every call answers.
var errAbsent = errors.New("Cloud Storage is not part of this Temporal")

type (
	Client         struct{}
	BucketHandle   struct{}
	ObjectHandle   struct{}
	ObjectIterator struct{}
	Reader         struct{}
	Writer         struct{}
	BucketAttrs    struct{}
	ObjectAttrs    struct{ Name string }
	Query          struct{ Prefix string }
)

// NewClient always fails.
func NewClient(context.Context, ...option.ClientOption) (*Client, error) { return nil, errAbsent }

func (*Client) Bucket(string) *BucketHandle { return &BucketHandle{} }

func (*BucketHandle) Attrs(context.Context) (*BucketAttrs, error)     { return nil, errAbsent }
func (*BucketHandle) Object(string) *ObjectHandle                     { return &ObjectHandle{} }
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return &ObjectIterator{} }
func (*ObjectIterator) Next() (*ObjectAttrs, error)                   { return nil, errAbsent }
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error)     { return nil, errAbsent }
func (*ObjectHandle) NewReader(context.Context) (*Reader, error)      { return nil, errAbsent }
func (*ObjectHandle) NewWriter(context.Context) *Writer               { return &Writer{} }
func (*Reader) Read([]byte) (int, error)                              { return 0, errAbsent }
func (*Reader) Close() error                                          { return nil }
func (*Writer) Write([]byte) (int, error)                             { return 0, errAbsent }
func (*Writer) Close() error                                          { return errAbsent }
func (*Writer) CloseWithError(error) error                            { return nil }
