package target

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The example "PUT Object" of
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
func TestRequestsAreSignedAsAWSDoes(t *testing.T) {
	t.Parallel()
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	base, err := url.Parse("https://examplebucket.s3.amazonaws.com")
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	h.Set("Date", "Fri, 24 May 2013 00:00:00 GMT")
	h.Set("x-amz-storage-class", "REDUCED_REDUNDANCY")
	signS3(h, signing{http.MethodPut, web{base: base}.at("test$file.text"), sha256.Sum256([]byte("Welcome to Amazon S3.")), "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", at})
	const want = "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
	if got := h.Get("Authorization"); !strings.HasSuffix(got, want) || !strings.Contains(got, "SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,") {
		t.Errorf("got %s, want %s", got, want)
	}
}
