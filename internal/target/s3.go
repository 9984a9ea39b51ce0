package target

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/platenhq/platen/internal/platen"
)

// s3 speaks to S3, and to what speaks as it does.
type s3 struct {
	web
	target platen.Target
}

// Metadata of objects.
const (
	metaSHA256 = "x-amz-meta-platen-sha256"
	metaOutput = "x-amz-meta-platen-output"
)

// noSHA256 is the hash of an empty body.
var noSHA256 = sha256.Sum256(nil)

func (s s3) find(ctx context.Context, f platen.StoredFile) (*object, error) {
	a, err := s.ask(ctx, http.MethodHead, s.at(f.Key), http.Header{}, nil, noSHA256, nil)
	switch {
	case err != nil:
		return nil, err
	case a.status == http.StatusNotFound:
		return nil, nil
	case a.status == http.StatusForbidden: // who may not list sees it in place of 404
		return nil, errUnseen
	case a.status != http.StatusOK:
		return nil, a.refusal("")
	}
	version := versionOf(a.header)
	bytes, err := strconv.ParseInt(a.header.Get("Content-Length"), 10, 64)
	if stored := a.header.Get(metaSHA256); err == nil && stored != "" {
		return &object{sha256: stored, bytes: bytes, version: version}, nil
	}
	var there *object
	a, err = s.ask(ctx, http.MethodGet, s.at(f.Key), http.Header{}, nil, noSHA256, func(r io.Reader) (err error) {
		there, err = objectOf(r)
		return err
	})
	if err == nil && a.status != http.StatusOK {
		err = a.refusal(codeIn(a.body))
	}
	if err != nil {
		return nil, err
	}
	there.version = version
	return there, nil
}

// versionOf is empty where a bucket keeps no versions.
func versionOf(h http.Header) string {
	if v := h.Get("x-amz-version-id"); v != "null" {
		return v
	}
	return ""
}

func (s s3) put(ctx context.Context, f platen.StoredFile, seen bool) (version string, err error) {
	h := http.Header{}
	h.Set("Content-Type", f.Type)
	h.Set("x-amz-sdk-checksum-algorithm", "SHA256")
	h.Set("x-amz-checksum-sha256", base64.StdEncoding.EncodeToString(f.SHA256[:]))
	h.Set(metaSHA256, hex.EncodeToString(f.SHA256[:]))
	if f.OutputID != "" {
		h.Set(metaOutput, f.OutputID)
	}
	if e := s.target.Encryption; e != "" {
		h.Set("x-amz-server-side-encryption", e)
		if s.target.KMSKey != "" {
			h.Set("x-amz-server-side-encryption-aws-kms-key-id", s.target.KMSKey)
		}
	}
	if !f.LockUntil.IsZero() {
		h.Set("x-amz-object-lock-mode", s.target.LockMode)
		h.Set("x-amz-object-lock-retain-until-date", f.LockUntil.UTC().Format(time.RFC3339))
		sum := md5.Sum(f.Content) // servers of other vendors ask for it with a lock
		h.Set("Content-Md5", base64.StdEncoding.EncodeToString(sum[:]))
	}
	h.Set("If-None-Match", "*")
	a, err := s.ask(ctx, http.MethodPut, s.at(f.Key), h.Clone(), f.Content, f.SHA256, nil)
	if err == nil && a.status == http.StatusNotImplemented { // it does not know the condition
		if !seen {
			return "", unavailable(platen.CodeTargetSignInRefused, "The target cannot store under a condition, and the credentials may not look whether a file is there: let them read and list (s3:GetObject, s3:ListBucket). It is tried again.")
		}
		h.Del("If-None-Match")
		a, err = s.ask(ctx, http.MethodPut, s.at(f.Key), h, f.Content, f.SHA256, nil)
	}
	switch {
	case err != nil:
		return "", err
	case a.status == http.StatusPreconditionFailed:
		return "", errExists
	case !a.isSuccess():
		return "", a.refusal(codeIn(a.body))
	}
	return versionOf(a.header), nil
}

func (s s3) remove(ctx context.Context, key, version string) error {
	u := s.at(key)
	if version != "" {
		u.RawQuery = url.Values{"versionId": {version}}.Encode()
	}
	a, err := s.ask(ctx, http.MethodDelete, u, http.Header{}, nil, noSHA256, nil)
	if err == nil && !a.isSuccess() {
		err = a.refusal(codeIn(a.body))
	}
	return err
}

func (s s3) ask(ctx context.Context, method string, u *url.URL, h http.Header, content []byte, hash [32]byte, takes func(io.Reader) error) (answer, error) {
	h.Set("x-amz-content-sha256", hex.EncodeToString(hash[:]))
	return s.do(ctx, method, u, h, content, takes)
}

// signS3 signs requests to a target by Signature Version 4. Each target has a Signer of its
// own: one keeps the key that it derives by the access key alone, so that a target with the
// access key of another tenant, and any secret, would be signed for as that tenant.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
func signS3(t platen.Target, now func() time.Time) func(*http.Request) error {
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }) // S3 takes paths as they are
	of := aws.Credentials{AccessKeyID: t.User, SecretAccessKey: string(t.Secret)}
	return func(r *http.Request) error {
		return signer.SignHTTP(r.Context(), of, r, r.Header.Get("x-amz-content-sha256"), "s3", cmp.Or(t.Region, "us-east-1"), now())
	}
}

// codeForm is the code in an error of S3.
var codeForm = regexp.MustCompile(`<Code>([A-Za-z0-9]{1,60})</Code>`)

// codeIn is the code of an error, empty where there is none.
func codeIn(body []byte) string {
	if m := codeForm.FindSubmatch(body); m != nil {
		return string(m[1])
	}
	return ""
}
