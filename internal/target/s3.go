package target

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// s3 speaks to S3, and to what speaks as it does.
type s3 struct {
	web
	target platen.Target
	now    func() time.Time
}

// Metadata of objects.
const (
	metaSHA256 = "x-amz-meta-platen-sha256"
	metaOutput = "x-amz-meta-platen-output"
)

// noSHA256 is the hash of an empty body.
var noSHA256 = sha256.Sum256(nil)

func (s s3) find(ctx context.Context, key string) (*object, error) {
	a, err := s.ask(ctx, http.MethodHead, s.at(key), http.Header{}, nil, noSHA256, nil)
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
	a, err = s.ask(ctx, http.MethodGet, s.at(key), http.Header{}, nil, noSHA256, func(r io.Reader) (err error) {
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
	signS3(h, signing{method, u, hash, s.target.User, s.target.Secret, cmp.Or(s.target.Region, "us-east-1"), s.now().UTC()})
	return s.do(ctx, method, u, h, content, takes)
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

// A signing is what a signature of S3 is made of.
type signing struct {
	method string
	u      *url.URL
	hash   [32]byte // of the body
	key    string
	secret platen.Secret
	region string
	at     time.Time
}

// signS3 signs a request by Signature Version 4, with all of its headers.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
func signS3(h http.Header, s signing) {
	stamp, day := s.at.Format("20060102T150405Z"), s.at.Format("20060102")
	h.Set("x-amz-date", stamp)
	h.Set("x-amz-content-sha256", hex.EncodeToString(s.hash[:]))
	signed := map[string]string{"host": s.u.Host}
	for name := range h {
		signed[strings.ToLower(name)] = strings.Join(strings.Fields(h.Get(name)), " ")
	}
	names := slices.Sorted(maps.Keys(signed))
	var canonical strings.Builder
	canonical.WriteString(s.method + "\n" + s.u.EscapedPath() + "\n" + strings.ReplaceAll(s.u.Query().Encode(), "+", "%20") + "\n")
	for _, name := range names {
		canonical.WriteString(name + ":" + signed[name] + "\n")
	}
	list := strings.Join(names, ";")
	canonical.WriteString("\n" + list + "\n" + hex.EncodeToString(s.hash[:]))
	scope := strings.Join([]string{day, s.region, "s3", "aws4_request"}, "/")
	of := sha256.Sum256([]byte(canonical.String()))
	key := []byte("AWS4" + string(s.secret))
	for _, part := range []string{day, s.region, "s3", "aws4_request", "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hex.EncodeToString(of[:])} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	h.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+s.key+"/"+scope+",SignedHeaders="+list+",Signature="+hex.EncodeToString(key))
}
