package protect

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// encryption is what the standard security handler keeps in a file for its
// user password.
type encryption struct {
	u     []byte // hash (32 bytes), validation salt (8), key salt (8)
	ue    []byte // the file's key, encrypted
	perms []byte // permissions, encrypted with the file's key
}

// newEncryption makes the entries for a file that is encrypted with key and
// opens with password (algorithms 8 and 10).
func newEncryption(key, password []byte, permissions uint16) encryption {
	salts := random(16)
	e := encryption{ue: make([]byte, len(key)), perms: make([]byte, aes.BlockSize)}
	e.u = append(hardenedHash(password, salts[:8]), salts...)
	cipher.NewCBCEncrypter(block(hardenedHash(password, salts[8:])), make([]byte, aes.BlockSize)).CryptBlocks(e.ue, key)
	plain := random(aes.BlockSize)
	binary.LittleEndian.PutUint64(plain, 0xffffffffffff0000|uint64(permissions))
	copy(plain[8:], "Tadb") // T: metadata is encrypted, too
	block(key).Encrypt(e.perms, plain)
	return e
}

// dictionary is the file's encryption dictionary (ISO 32000-2, tables 20 and
// 21). Its entries for an owner password are random bytes: nobody is to have
// one, and what no password leads to needs no hash, which would cost more than
// those of the user password.
func (e encryption) dictionary(permissions uint16) types.Dict {
	entry := func(b []byte) types.HexLiteral { return types.HexLiteral(hex.EncodeToString(b)) }
	return types.Dict{
		"Filter": types.Name("Standard"), "V": types.Integer(5), "R": types.Integer(6), "Length": types.Integer(256),
		"P": types.Integer(int16(permissions)),
		"CF": types.Dict{"StdCF": types.Dict{
			"AuthEvent": types.Name("DocOpen"), "CFM": types.Name("AESV3"), "Length": types.Integer(32),
		}},
		"StmF": types.Name("StdCF"), "StrF": types.Name("StdCF"),
		"U": entry(e.u), "UE": entry(e.ue), "O": entry(random(48)), "OE": entry(random(32)), "Perms": entry(e.perms),
	}
}

// hardenedHash is algorithm 2.B for user passwords.
func hardenedHash(password, salt []byte) []byte {
	const repeats = 64
	buffer := make([]byte, repeats*(len(password)+sha512.Size))
	first := sha256.Sum256(append(append([]byte{}, password...), salt...))
	k := first[:]
	for round := 1; ; round++ {
		e := buffer[:repeats*(len(password)+len(k))]
		for filled := copy(e[copy(e, password):], k) + len(password); filled < len(e); {
			filled += copy(e[filled:], e[:filled])
		}
		cipher.NewCBCEncrypter(block(k[:16]), k[16:32]).CryptBlocks(e, e)
		sum := 0
		for _, b := range e[:16] { // 256 is 1 modulo 3, so the digits' sum has the number's rest
			sum += int(b)
		}
		switch sum % 3 {
		case 0:
			h := sha256.Sum256(e)
			k = h[:]
		case 1:
			h := sha512.Sum384(e)
			k = h[:]
		default:
			h := sha512.Sum512(e)
			k = h[:]
		}
		if round >= 64 && int(e[len(e)-1]) <= round-32 {
			return k[:32]
		}
	}
}

// block is AES with a key whose length is right by construction.
func block(key []byte) cipher.Block {
	b, err := aes.NewCipher(key)
	if err != nil {
		panic("protect: " + err.Error())
	}
	return b
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}
