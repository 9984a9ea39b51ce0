// Package seal signs hashes of PDFs with the certificate of an organization. Its CMS signatures
// are those of PAdES, level B-B, and B-T where a time stamp service is set. ETSI EN 319 142-1,
// clause 6.3, RFC 5652 and RFC 5035 have the rules.
//
// Where in a PDF a signature stands is package protect's. Which documents are sealed, and where
// key and certificates come from, belongs to those who call.
package seal

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

var (
	oidData           = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidSignedData     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidContentType    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	oidMessageDigest  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	oidSigningCertV2  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 47}
	oidTimeStampToken = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 14}
	oidSHA256         = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}
	oidRSAWithSHA256  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11}
	oidECDSAWithSHA   = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}
)

// shortestRSA is how many bits a key of RSA has at least (ETSI TS 119 312).
const shortestRSA = 2048

// A Sealer signs with one key. It is safe for concurrent use.
type Sealer struct {
	key       crypto.Signer
	chain     []*x509.Certificate // the key's first
	algorithm pkix.AlgorithmIdentifier
	// Stamps dates signatures; nil: they are of level B-B.
	Stamps *Stamps
}

// New returns a Sealer. certificates is PEM: that of the key, and behind it those that lead to
// a root. key is PEM: PKCS #8, PKCS #1 or SEC 1, without a password.
func New(certificates, key []byte) (*Sealer, error) {
	s := &Sealer{}
	for rest := certificates; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("read certificate %d: %w", len(s.chain)+1, err)
		}
		s.chain = append(s.chain, c)
	}
	if len(s.chain) == 0 {
		return nil, errors.New("there is no certificate in PEM")
	}
	block, _ := pem.Decode(key)
	if block == nil {
		return nil, errors.New("there is no key in PEM")
	}
	signer, err := readKey(block)
	if err != nil {
		return nil, err
	}
	s.key = signer
	switch public := signer.Public().(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() < shortestRSA {
			return nil, fmt.Errorf("the key of RSA has %d bits, and needs %d", public.N.BitLen(), shortestRSA)
		}
		s.algorithm = pkix.AlgorithmIdentifier{Algorithm: oidRSAWithSHA256, Parameters: asn1.NullRawValue}
	case *ecdsa.PublicKey:
		s.algorithm = pkix.AlgorithmIdentifier{Algorithm: oidECDSAWithSHA}
	default:
		return nil, fmt.Errorf("a key of the type %T cannot be used: take RSA or ECDSA", public)
	}
	public, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool })
	if !ok || !public.Equal(s.chain[0].PublicKey) {
		return nil, errors.New("the first certificate is not that of the key")
	}
	return s, nil
}

func readKey(block *pem.Block) (crypto.Signer, error) {
	switch block.Type {
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(block.Bytes)
	case "PRIVATE KEY":
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("read the key: %w", err)
		}
		signer, ok := key.(crypto.Signer)
		if !ok {
			return nil, fmt.Errorf("a key of the type %T signs nothing", key)
		}
		return signer, nil
	}
	return nil, fmt.Errorf("the key is PEM of the type %q: write it as PKCS #8 without a password", block.Type)
}

// Name is whose seal it is, for people.
func (s *Sealer) Name() string {
	subject := s.chain[0].Subject
	if subject.CommonName != "" {
		return subject.CommonName
	}
	if len(subject.Organization) > 0 {
		return subject.Organization[0]
	}
	return subject.String()
}

// Valid is from when until when the certificate may be used.
func (s *Sealer) Valid() (from, until time.Time) {
	return s.chain[0].NotBefore, s.chain[0].NotAfter
}

const (
	roomOfSignature = 4 << 10 // attributes and the longest signature
	roomOfStamp     = 16 << 10
)

// Room is how many bytes a signature has at most.
func (s *Sealer) Room() int {
	room := roomOfSignature
	for _, c := range s.chain {
		room += len(c.Raw)
	}
	if s.Stamps != nil {
		room += roomOfStamp
	}
	return room
}

type attribute struct {
	Type   asn1.ObjectIdentifier
	Values []asn1.RawValue `asn1:"set"`
}

type issuerAndSerial struct {
	Issuer asn1.RawValue
	Serial *big.Int
}

type signerInfo struct {
	Version            int
	Of                 issuerAndSerial
	DigestAlgorithm    pkix.AlgorithmIdentifier
	Signed             asn1.RawValue
	SignatureAlgorithm pkix.AlgorithmIdentifier
	Signature          []byte
	Unsigned           asn1.RawValue `asn1:"optional"`
}

type signedData struct {
	Version          int
	DigestAlgorithms []pkix.AlgorithmIdentifier `asn1:"set"`
	Content          struct{ Type asn1.ObjectIdentifier }
	Certificates     asn1.RawValue
	Signers          []signerInfo `asn1:"set"`
}

type contentInfo struct {
	Type    asn1.ObjectIdentifier
	Content asn1.RawValue
}

// essCertificate names the certificate by its SHA-256, the algorithm that is meant where none
// is named (RFC 5035, 4).
type essCertificate struct{ Hash []byte }

type signingCertificate struct{ Certificates []essCertificate }

// Sign returns a detached CMS signature over what has this SHA-256. It has no attribute for its
// time: PAdES has that in the PDF.
//
// KindInvalid with platen.CodeSealCertificateEnded: the certificate is not valid at that time.
// KindUnavailable with platen.CodeSealUnavailable: the service gives no time stamp.
func (s *Sealer) Sign(ctx context.Context, sum [sha256.Size]byte, at time.Time) ([]byte, error) {
	from, until := s.Valid()
	if err := platen.CheckSealValid(from, until, at); err != nil {
		return nil, err
	}
	of := sha256.Sum256(s.chain[0].Raw)
	signed, err := marshalAttributes(
		valueOf{oidContentType, oidData},
		valueOf{oidMessageDigest, sum[:]},
		valueOf{oidSigningCertV2, signingCertificate{[]essCertificate{{of[:]}}}},
	)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(signed) // as a SET, and not by the tag that it has in the signature
	signature, err := s.key.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	info := signerInfo{
		Version: 1, Of: issuerAndSerial{asn1.RawValue{FullBytes: s.chain[0].RawIssuer}, s.chain[0].SerialNumber},
		DigestAlgorithm: pkix.AlgorithmIdentifier{Algorithm: oidSHA256}, Signed: retag(signed, 0),
		SignatureAlgorithm: s.algorithm, Signature: signature,
	}
	if s.Stamps != nil {
		token, err := s.Stamps.stamp(ctx, sha256.Sum256(signature))
		if err != nil {
			return nil, platen.ErrSealUnavailable("the time stamp service of this installation gives no time stamp", err)
		}
		unsigned, err := marshalAttributes(valueOf{oidTimeStampToken, asn1.RawValue{FullBytes: token}})
		if err != nil {
			return nil, err
		}
		info.Unsigned = retag(unsigned, 1)
	}
	data := signedData{Version: 1, DigestAlgorithms: []pkix.AlgorithmIdentifier{info.DigestAlgorithm}, Signers: []signerInfo{info}}
	data.Content.Type = oidData
	var certificates bytes.Buffer
	for _, c := range s.chain {
		certificates.Write(c.Raw)
	}
	data.Certificates = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: certificates.Bytes()}
	content, err := asn1.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("write the signature: %w", err)
	}
	return asn1.Marshal(contentInfo{oidSignedData, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: content}})
}

type valueOf struct {
	kind  asn1.ObjectIdentifier
	value any
}

// marshalAttributes writes a SET OF Attribute in DER.
func marshalAttributes(values ...valueOf) ([]byte, error) {
	var all []attribute
	for _, v := range values {
		raw, err := asn1.Marshal(v.value)
		if err != nil {
			return nil, fmt.Errorf("write an attribute of the signature: %w", err)
		}
		all = append(all, attribute{v.kind, []asn1.RawValue{{FullBytes: raw}}})
	}
	set, err := asn1.MarshalWithParams(all, "set")
	if err != nil {
		return nil, fmt.Errorf("write the attributes of the signature: %w", err)
	}
	return set, nil
}

// retag gives a SET the tag that it has as a field.
func retag(set []byte, tag int) asn1.RawValue {
	set = bytes.Clone(set)
	set[0] = 0xa0 | byte(tag)
	return asn1.RawValue{FullBytes: set}
}
