package protect

import (
	"os"
	"testing"
)

// Readers of PDFs that tests use look at the same switch as we do, side by side.
func TestMain(m *testing.M) {
	preparePDFCPU()
	os.Exit(m.Run())
}
