package secret_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/secret"
)

func box(t *testing.T, keys ...string) *secret.Box {
	t.Helper()
	b, err := secret.ParseKeys(strings.Join(keys, ", "))
	if err != nil {
		t.Fatalf("ParseKeys: %v", err)
	}
	return b
}

func seal(t *testing.T, b *secret.Box, plaintext, context string) []byte {
	t.Helper()
	sealed, err := b.Seal([]byte(plaintext), []byte(context))
	if err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return sealed
}

func TestWhatWasSealedOpensUnderTheSameContextOnly(t *testing.T) {
	t.Parallel()
	b := box(t, secret.NewKey())
	for _, plaintext := range []string{"", "whsec_secret", strings.Repeat("x", 1<<16)} {
		sealed := seal(t, b, plaintext, "outgoing_webhooks.secret:owc_1")
		got, err := b.Open(sealed, []byte("outgoing_webhooks.secret:owc_1"))
		if err != nil || string(got) != plaintext {
			t.Errorf("Open of %d bytes: got %d bytes, %v", len(plaintext), len(got), err)
		}
		if _, err := b.Open(sealed, []byte("outgoing_webhooks.secret:owc_2")); err == nil {
			t.Errorf("a value of %d bytes moved to another row opened", len(plaintext))
		}
		for i := range min(len(sealed), 64) {
			bad := bytes.Clone(sealed)
			bad[i] ^= 1
			if _, err := b.Open(bad, []byte("outgoing_webhooks.secret:owc_1")); err == nil {
				t.Errorf("opened with byte %d changed", i)
			}
		}
	}
}

func TestSealingTwiceShowsNothingInCommonButTheKeyID(t *testing.T) {
	t.Parallel()
	b := box(t, secret.NewKey())
	one, two := seal(t, b, "same", "c"), seal(t, b, "same", "c")
	if bytes.Equal(one[5:17], two[5:17]) {
		t.Error("two sealings share a nonce")
	}
	if bytes.Contains(one, []byte("same")) {
		t.Error("the ciphertext contains the plaintext")
	}
}

func TestRotationOpensOldValuesAndSealsUnderTheNewKey(t *testing.T) {
	t.Parallel()
	older, newer := secret.NewKey(), secret.NewKey()
	before, rotated, after := box(t, older), box(t, newer, older), box(t, newer)
	kept := seal(t, before, "kept", "c")
	if got, err := rotated.Open(kept, []byte("c")); err != nil || string(got) != "kept" {
		t.Errorf("old value after rotation: got %q, %v", got, err)
	}
	fresh := seal(t, rotated, "fresh", "c")
	if got, err := after.Open(fresh, []byte("c")); err != nil || string(got) != "fresh" {
		t.Errorf("new value without the old key: got %q, %v", got, err)
	}
	if _, err := before.Open(fresh, []byte("c")); err == nil {
		t.Error("the old key alone opened a value sealed after rotation")
	}
	if _, err := after.Open(kept, []byte("c")); err == nil {
		t.Error("a value opened without its key")
	}
}

func TestDerivedKeysDependOnPurposeAndFirstKey(t *testing.T) {
	t.Parallel()
	one, two := secret.NewKey(), secret.NewKey()
	preview := box(t, one).Derive("preview")
	if len(preview) != 32 {
		t.Errorf("got %d bytes, want 32", len(preview))
	}
	if !bytes.Equal(preview, box(t, one, two).Derive("preview")) {
		t.Error("the same first key and purpose gave different bytes")
	}
	if bytes.Equal(preview, box(t, one).Derive("other")) || bytes.Equal(preview, box(t, two, one).Derive("preview")) {
		t.Error("another purpose or another first key gave the same bytes")
	}
}

func TestEveryKeyVerifiesWhatItSignedAndNamesWhatItSealed(t *testing.T) {
	t.Parallel()
	older, newer := secret.NewKey(), secret.NewKey()
	both := box(t, newer, older)
	if got := both.DeriveAll("preview"); len(got) != 2 || !bytes.Equal(got[0], both.Derive("preview")) || !bytes.Equal(got[1], box(t, older).Derive("preview")) {
		t.Errorf("got %x, want the new key's, which signs, then the old one's", got)
	}
	if got := both.Prefixes(); len(got) != 2 || !bytes.HasPrefix(seal(t, both, "x", "c"), got[0]) || !bytes.HasPrefix(seal(t, box(t, older), "x", "c"), got[1]) {
		t.Errorf("got prefixes %x, want those of what the keys seal", got)
	}
}

func TestKeysAreReadInEveryUsualBase64(t *testing.T) {
	t.Parallel()
	raw := bytes.Repeat([]byte{0xfb, 0xff}, 16)
	want := box(t, base64.StdEncoding.EncodeToString(raw)).Derive("x")
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if got := box(t, "  "+e.EncodeToString(raw)+"\n").Derive("x"); !bytes.Equal(got, want) {
			t.Errorf("%s gave another key", e.EncodeToString(raw))
		}
	}
}

func TestBadKeysAreRefusedWithoutQuotingThem(t *testing.T) {
	t.Parallel()
	key := secret.NewKey()
	many := make([]string, 17)
	for i := range many {
		many[i] = secret.NewKey()
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":    {"", "key 1 of 1: is empty"},
		"trailing": {key + ",", "key 2 of 2: is empty"},
		"short":    {base64.StdEncoding.EncodeToString([]byte("hunter2 hunter2")), "has 15 bytes, must have 32"},
		"alphabet": {"hunter2 is my password!", "is not base64"},
		"twice":    {key + "," + key, "key 2 of 2 is the same as key 1"},
		"many":     {strings.Join(many, ","), "at most 16"},
	} {
		_, err := secret.ParseKeys(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if err != nil && len(c.text) > 8 && strings.Contains(err.Error(), c.text[:8]) {
			t.Errorf("%s: the error quotes the key: %v", name, err)
		}
	}
}
