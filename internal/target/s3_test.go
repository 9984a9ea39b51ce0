package target

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
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
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, web{base: base}.at("test$file.text").String(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("Welcome to Amazon S3."))
	r.Header.Set("Date", "Fri, 24 May 2013 00:00:00 GMT")
	r.Header.Set("x-amz-storage-class", "REDUCED_REDUNDANCY")
	r.Header.Set("x-amz-content-sha256", hex.EncodeToString(sum[:]))
	if err := signS3(platen.Target{User: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}, func() time.Time { return at })(r); err != nil {
		t.Fatal(err)
	}
	const want = "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
	if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, want) || !strings.Contains(got, "SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,") {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Access keys are no secrets. A tenant who names that of another signs by their own secret.
func TestNobodySignsByTheSecretOfAnother(t *testing.T) {
	t.Parallel()
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	stores := &Stores{now: func() time.Time { return at }}
	signature := func(secret platen.Secret) string {
		to, err := stores.open(t.Context(), platen.Target{Kind: platen.TargetS3, URL: "https://examplebucket.s3.amazonaws.com", User: "AKIAIOSFODNN7EXAMPLE", Secret: secret})
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://examplebucket.s3.amazonaws.com/a", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if err := to.(s3).sign(r); err != nil {
			t.Fatal(err)
		}
		return r.Header.Get("Authorization")
	}
	if own, guessed := signature("secret"), signature("guessed"); own == guessed {
		t.Errorf("both have %s", own)
	}
}
