// Package s3 is what Temporal's server compiles against of Amazon's S3, to which it can
// archive. The stub of the SDK's configuration keeps every client from being made.
package s3

import (
	"context"
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

type (
	Client  struct{}
	Options struct {
		BaseEndpoint *string
		UsePathStyle bool
	}

	HeadBucketInput  struct{ Bucket *string }
	HeadBucketOutput struct{}
	HeadObjectInput  struct{ Bucket, Key *string }
	HeadObjectOutput struct{}
	GetObjectInput   struct{ Bucket, Key *string }
	GetObjectOutput  struct{ Body io.ReadCloser }
	PutObjectInput   struct {
		Bucket, Key *string
		Body        io.Reader
	}
	PutObjectOutput    struct{}
	ListObjectsV2Input struct {
		Bucket, Prefix, Delimiter, ContinuationToken *string
		MaxKeys                                      *int32
	}
	ListObjectsV2Output struct {
		Contents              []types.Object
		CommonPrefixes        []types.CommonPrefix
		IsTruncated           *bool
		NextContinuationToken *string
	}
)

// errAbsent is what every call answers.
var errAbsent = errors.New("Amazon's S3 is not part of this Temporal")

func NewFromConfig(aws.Config, ...func(*Options)) *Client { return &Client{} }

func (*Client) HeadBucket(context.Context, *HeadBucketInput, ...func(*Options)) (*HeadBucketOutput, error) {
	return nil, errAbsent
}

func (*Client) HeadObject(context.Context, *HeadObjectInput, ...func(*Options)) (*HeadObjectOutput, error) {
	return nil, errAbsent
}

func (*Client) GetObject(context.Context, *GetObjectInput, ...func(*Options)) (*GetObjectOutput, error) {
	return nil, errAbsent
}

func (*Client) PutObject(context.Context, *PutObjectInput, ...func(*Options)) (*PutObjectOutput, error) {
	return nil, errAbsent
}

func (*Client) ListObjectsV2(context.Context, *ListObjectsV2Input, ...func(*Options)) (*ListObjectsV2Output, error) {
	return nil, errAbsent
}
