package syntax

import (
	"slices"
)

// A Symbology is a kind of code. It is written like the word that its tags begin with.
type Symbology string

// The symbologies: a QR code (ISO/IEC 18004), an EAN-13 (GS1 General Specifications,
// 5.2), a Code 128 (ISO/IEC 15417) and a Data Matrix (ISO/IEC 16022).
const (
	SymbologyQR         Symbology = "qr"
	SymbologyEAN13      Symbology = "ean13"
	SymbologyCode128    Symbology = "code128"
	SymbologyDataMatrix Symbology = "datamatrix"
)

// IsPicture tells whether tags of pictures or codes begin with a word, in lower case.
func IsPicture(word string) bool { return word == "image" || IsSymbology(word) }

// IsSymbology tells whether tags of codes begin with a word, in lower case.
func IsSymbology(word string) bool {
	return slices.Contains([]Symbology{SymbologyQR, SymbologyEAN13, SymbologyCode128, SymbologyDataMatrix}, Symbology(word))
}
