package postgres

import "fmt"

// A Sealer encrypts secrets before they are stored. The context names table,
// column and row; a value sealed under one does not open under another.
type Sealer interface {
	Seal(plaintext, context []byte) ([]byte, error)
	Open(sealed, context []byte) ([]byte, error)
}

// A Vault seals the texts of rows, and opens them.
type Vault struct{ Sealer }

// SealText encrypts a text of a row; the empty text is stored as null.
func (v Vault) SealText(text, column, id string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	sealed, err := v.Seal([]byte(text), []byte(column+":"+id))
	if err != nil {
		return nil, fmt.Errorf("seal %s of %s: %w", column, id, err)
	}
	return sealed, nil
}

// OpenText reads what SealText made; null is the empty text.
func (v Vault) OpenText(sealed []byte, column, id string) (string, error) {
	if sealed == nil {
		return "", nil
	}
	text, err := v.Open(sealed, []byte(column+":"+id))
	if err != nil {
		return "", fmt.Errorf("open %s of %s: %w", column, id, err)
	}
	return string(text), nil
}
