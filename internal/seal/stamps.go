package seal

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"math/big"
	"net/http"

	"github.com/digitorus/timestamp"
)

// Stamps asks a time stamp service (RFC 3161) over HTTP.
type Stamps struct {
	URL            string
	User, Password string // HTTP's basic authentication; empty: none
	Client         *http.Client
}

// Try asks the service for one time stamp, and leaves it.
func (s *Stamps) Try(ctx context.Context) error {
	_, err := s.stamp(ctx, sha256.Sum256([]byte("platen")))
	return err
}

// longestStamp bounds the answer of a service.
const longestStamp = roomOfStamp

// stamp returns the token of a time stamp of what has this SHA-256.
func (s *Stamps) stamp(ctx context.Context, sum [sha256.Size]byte) ([]byte, error) {
	nonce, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))
	if err != nil {
		return nil, fmt.Errorf("draw a number for the time stamp: %w", err)
	}
	asked, err := (&timestamp.Request{HashAlgorithm: crypto.SHA256, HashedMessage: sum[:], Certificates: true, Nonce: nonce}).Marshal()
	if err != nil {
		return nil, fmt.Errorf("write the request for a time stamp: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(asked))
	if err != nil {
		return nil, fmt.Errorf("ask the time stamp service: %w", err)
	}
	request.Header.Set("Content-Type", "application/timestamp-query")
	request.Header.Set("Accept", "application/timestamp-reply")
	if s.User != "" {
		request.SetBasicAuth(s.User, s.Password)
	}
	answer, err := s.Client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the time stamp service: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, longestStamp+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer of the time stamp service: %w", err)
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the time stamp service answers %d", answer.StatusCode)
	case len(body) > longestStamp:
		return nil, fmt.Errorf("the time stamp has more than %d bytes", longestStamp)
	}
	stamp, err := timestamp.ParseResponse(body)
	if err != nil {
		return nil, fmt.Errorf("read the time stamp: %w", err)
	}
	if !bytes.Equal(stamp.HashedMessage, sum[:]) || stamp.Nonce == nil || stamp.Nonce.Cmp(nonce) != 0 {
		return nil, fmt.Errorf("the time stamp is one of something else")
	}
	return stamp.RawToken, nil
}
