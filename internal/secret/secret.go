// Package secret seals what must not be readable in a stolen copy of the
// database: signing secrets, drive credentials, source keys, password
// templates. It derives the keys of other uses from the same master keys.
//
// It knows bytes only: what is sealed, and where it is stored, is the business
// of the package that stores it. Nothing that could be hashed instead belongs
// here (access tokens are), and nothing here reads a key from the environment.
package secret

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/xchacha20poly1305"
	"github.com/tink-crypto/tink-go/v2/core/cryptofmt"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

const (
	keySize = 32 // bytes of a master key, and of every key made from one
	maxKeys = 16 // the current key and more old ones than a rotation ever leaves
)

// Labels that keep the keys made from one master key apart (HKDF's info).
const (
	labelSeal  = "platen/seal/v1"
	labelKeyID = "platen/key-id/v1"
	labelUse   = "platen/use/v1/"
)

// A Box seals and opens. It is safe for concurrent use.
type Box struct {
	primitive tink.AEAD
	masters   [][]byte // the first is what Derive derives from
}

// NewKey returns a new random master key in the form that ParseKeys reads.
func NewKey() string {
	key := make([]byte, keySize)
	rand.Read(key) // never fails: crypto/rand ends the program instead
	return base64.StdEncoding.EncodeToString(key)
}

// ParseKeys reads one to sixteen master keys, each 32 bytes in base64
// (standard or URL alphabet, padded or not), separated by commas; spaces
// around them are ignored. The first key seals, every key opens. To rotate,
// put a new key in front and keep the old one behind it until nothing is
// sealed under it any more. Errors name the position of a key, never its text.
//
// Plain keys were chosen over Tink's keyset JSON because one random string is
// what secret stores and humans handle well. They become a Tink keyset inside:
// XChaCha20-Poly1305 under a key derived from each master key (24 random nonce
// bytes: no count of messages to watch), with Tink's key-id prefix in front of
// each ciphertext, so that opening goes straight to the right key.
func ParseKeys(text string) (*Box, error) {
	parts := strings.Split(text, ",")
	if len(parts) > maxKeys {
		return nil, fmt.Errorf("%d master keys given, at most %d are read: remove the oldest", len(parts), maxKeys)
	}
	manager := keyset.NewManager()
	seen := map[uint32]int{}
	var masters [][]byte
	for i, part := range parts {
		master, err := parseKey(part)
		if err != nil {
			return nil, fmt.Errorf("master key %d of %d: %w", i+1, len(parts), err)
		}
		id := keyID(master)
		if earlier, taken := seen[id]; taken {
			return nil, fmt.Errorf("master key %d of %d is the same as key %d: remove one", i+1, len(parts), earlier)
		}
		seen[id] = i + 1
		if err := add(manager, master, id, i == 0); err != nil {
			return nil, fmt.Errorf("master key %d of %d: %w", i+1, len(parts), err)
		}
		masters = append(masters, master)
	}
	handle, err := manager.Handle()
	if err != nil {
		return nil, fmt.Errorf("make a keyset of the master keys: %w", err)
	}
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("make a cipher of the master keys: %w", err)
	}
	return &Box{primitive: primitive, masters: masters}, nil
}

func parseKey(text string) ([]byte, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	if text == "" {
		return nil, errors.New("is empty; make one with 32 random bytes in base64")
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	key, err := encoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("is not base64") // the cause would quote it
	}
	if len(key) != keySize {
		return nil, fmt.Errorf("has %d bytes, must have %d", len(key), keySize)
	}
	return key, nil
}

func add(manager *keyset.Manager, master []byte, id uint32, primary bool) error {
	parameters, err := xchacha20poly1305.NewParameters(xchacha20poly1305.VariantTink)
	if err != nil {
		return err
	}
	bytes := secretdata.NewBytesFromData(derive(master, labelSeal), insecuresecretdataaccess.Token{})
	key, err := xchacha20poly1305.NewKey(bytes, id, parameters)
	if err != nil {
		return err
	}
	if _, err := manager.AddKey(key); err != nil {
		return err
	}
	if primary {
		return manager.SetPrimary(id)
	}
	return nil
}

// keyID must be the same in every process that is given the key: it stands in
// front of every ciphertext.
func keyID(master []byte) uint32 {
	return binary.BigEndian.Uint32(derive(master, labelKeyID))
}

// derive fails only for lengths that HKDF-SHA-256 cannot make; keySize is not one.
func derive(master []byte, label string) []byte {
	key, err := hkdf.Key(sha256.New, master, nil, label, keySize)
	if err != nil {
		panic("secret: derive: " + err.Error())
	}
	return key
}

// Seal encrypts plaintext with the first key. The context says what is sealed
// and where it lives ("outgoing_webhooks.secret:owc_…"); it is authenticated,
// not stored, so a ciphertext that was moved to another row does not open.
func (b *Box) Seal(plaintext, context []byte) ([]byte, error) {
	sealed, err := b.primitive.Encrypt(plaintext, context)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Open returns what was sealed under the same context with any of the keys.
// The error does not say which of key, context and ciphertext was wrong.
func (b *Box) Open(sealed, context []byte) ([]byte, error) {
	plaintext, err := b.primitive.Decrypt(sealed, context)
	if err != nil {
		return nil, fmt.Errorf("open a sealed value (is the master key that sealed it still configured?): %w", err)
	}
	return plaintext, nil
}

// Derive returns 32 bytes for another use, such as signing preview addresses:
// the same for the same purpose and first key, unrelated for any other.
func (b *Box) Derive(purpose string) []byte { return b.DeriveAll(purpose)[0] }

// DeriveAll is Derive with each of the keys, in their order: the first signs, all
// verify, so that what the old key signed holds until that is taken away.
func (b *Box) DeriveAll(purpose string) [][]byte {
	keys := make([][]byte, len(b.masters))
	for i, master := range b.masters {
		keys[i] = derive(master, labelUse+purpose)
	}
	return keys
}

// Prefixes are the bytes with which each key's values begin, in the order of the
// keys.
func (b *Box) Prefixes() [][]byte {
	prefixes := make([][]byte, len(b.masters))
	for i, master := range b.masters {
		prefixes[i] = binary.BigEndian.AppendUint32([]byte{cryptofmt.TinkStartByte}, keyID(master))
	}
	return prefixes
}
