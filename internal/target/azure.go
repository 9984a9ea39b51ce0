package target

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
)

// azure speaks to Azure Blob Storage by Microsoft's client.
type azure struct {
	web
	target platen.Target
	key    *blob.SharedKeyCredential // nil: the secret is a SAS token
}

// Metadata of blobs: Azure takes identifiers of C# alone, which have no hyphen.
// https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata
const (
	blobSHA256 = "platen_sha256"
	blobOutput = "platen_output"
)

func openAzure(w web, t platen.Target) (server, error) {
	s := azure{web: w, target: t}
	if t.User == "" {
		return s, nil
	}
	var err error
	if s.key, err = blob.NewSharedKeyCredential(t.User, string(t.Secret)); err != nil {
		return nil, unavailable(platen.CodeTargetSignInRefused, "The secret of the target is no key of a storage account: correct it, or take user out where it is a SAS token. It is tried again.")
	}
	return s, nil
}

// ask carries out something with a blob within the time of one request.
func (s azure) ask(ctx context.Context, key string, act func(ctx context.Context, b *blockblob.Client) error) error {
	ctx, cancel := s.client.WithTimeout(ctx)
	defer cancel()
	b, err := s.blob(key)
	if err != nil {
		return err
	}
	return act(ctx, b)
}

// blob is the client of the blob under a key. It sends each request once: the retry is
// Temporal's.
func (s azure) blob(key string) (*blockblob.Client, error) {
	o := &blockblob.ClientOptions{ClientOptions: azcore.ClientOptions{
		Transport: bounded{s.client}, Retry: policy.RetryOptions{MaxRetries: -1}, Telemetry: policy.TelemetryOptions{Disabled: true},
	}}
	at := s.at(key)
	if s.key != nil {
		return blockblob.NewClientWithSharedKeyCredential(at.String(), s.key, o)
	}
	at.RawQuery = strings.TrimPrefix(string(s.target.Secret), "?")
	return blockblob.NewClientWithNoCredential(at.String(), o)
}

// bounded is the transport of Microsoft's client, which reads answers whole. Of an answer that
// is no file, the client gets maxAnswer at most.
type bounded struct{ client *outgoing.Client }

func (b bounded) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("User-Agent", userAgent)
	got, err := b.client.Do(r)
	if err == nil && (r.Method != http.MethodGet || got.StatusCode != http.StatusOK) {
		got.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(got.Body, maxAnswer), got.Body}
	}
	return got, err
}

func (s azure) find(ctx context.Context, f platen.StoredFile) (there *object, err error) {
	err = s.ask(ctx, f.Key, func(ctx context.Context, b *blockblob.Client) error {
		has, err := b.GetProperties(ctx, nil)
		if err != nil {
			return err
		}
		there = &object{sha256: hashIn(has.Metadata), bytes: valueOf(has.ContentLength), version: valueOf(has.VersionID)}
		if there.sha256 != "" || there.bytes > platen.MaxTargetFile {
			return nil
		}
		content, err := b.DownloadStream(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = content.Body.Close() }()
		read, err := objectOf(content.Body)
		there.sha256, there.bytes = read.sha256, read.bytes
		return err
	})
	switch status := refusedWith(err); {
	case err == nil:
		return there, nil
	case status == http.StatusNotFound: // or the container is not there, which put says
		return nil, nil
	case status == http.StatusForbidden:
		return nil, errUnseen
	}
	return nil, s.refusal(err)
}

// hashIn finds our hash. Names of metadata are compared without regard to case.
func hashIn(metadata map[string]*string) string {
	for name, value := range metadata {
		if strings.EqualFold(name, blobSHA256) {
			return valueOf(value)
		}
	}
	return ""
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// isThere tells that a blob keeps another from being stored in its place. A credential that may
// create blobs, and not write them, is refused where there is one.
func isThere(err error) bool {
	return refusedWith(err) == http.StatusPreconditionFailed || bloberror.HasCode(err, bloberror.BlobAlreadyExists, bloberror.UnauthorizedBlobOverwrite, bloberror.BlobImmutableDueToPolicy)
}

func (s azure) put(ctx context.Context, f platen.StoredFile, _ bool) (version string, err error) {
	sum := md5.Sum(f.Content) // Azure compares it with what arrived
	o := &blockblob.UploadOptions{
		Metadata:                map[string]*string{blobSHA256: to.Ptr(hex.EncodeToString(f.SHA256[:]))},
		HTTPHeaders:             &blob.HTTPHeaders{BlobContentType: &f.Type},
		TransactionalValidation: blob.TransferValidationTypeMD5(sum[:]),
		AccessConditions:        &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)}},
	}
	if f.OutputID != "" {
		o.Metadata[blobOutput] = &f.OutputID
	}
	if !f.LockUntil.IsZero() {
		o.ImmutabilityPolicyExpiryTime, o.ImmutabilityPolicyMode = &f.LockUntil, to.Ptr(blob.ImmutabilityPolicySettingUnlocked)
		if s.target.LockMode == platen.LockCompliance {
			o.ImmutabilityPolicyMode = to.Ptr(blob.ImmutabilityPolicySettingLocked)
		}
	}
	err = s.ask(ctx, f.Key, func(ctx context.Context, b *blockblob.Client) error {
		stored, err := b.Upload(ctx, streaming.NopCloser(bytes.NewReader(f.Content)), o)
		version = valueOf(stored.VersionID)
		return err
	})
	switch {
	case isThere(err):
		return "", errExists
	case err != nil:
		return "", s.refusal(err)
	}
	return version, nil
}

// remove leaves the versions that an account keeps: a credential that may delete blobs may not
// always delete those.
func (s azure) remove(ctx context.Context, key, _ string) error {
	err := s.ask(ctx, key, func(ctx context.Context, b *blockblob.Client) error {
		_, err := b.Delete(ctx, nil)
		return err
	})
	if err == nil || refusedWith(err) == http.StatusNotFound {
		return nil
	}
	return s.refusal(err)
}

// refusedWith is the status of a refusal; 0: err is none.
func refusedWith(err error) int {
	if refused, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return refused.StatusCode
	}
	return 0
}

// blobCode is the form of Azure's codes, such as ContainerNotFound.
var blobCode = regexp.MustCompile(`^[A-Za-z0-9]{1,60}$`)

// refusal says what an error of Microsoft's client means. Its own text has the address.
func (s azure) refusal(err error) error {
	refused, ok := errors.AsType[*azcore.ResponseError](err)
	if !ok {
		return s.noAnswer(err)
	}
	a := answer{status: refused.StatusCode}
	if refused.RawResponse != nil {
		a.header = refused.RawResponse.Header
	}
	return a.refusal(blobCode.FindString(refused.ErrorCode))
}
