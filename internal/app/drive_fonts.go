package app

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive"
)

// driveFonts reads the fonts of a directory in the order of their names. "" is none.
func driveFonts(dir string) ([]drive.Font, error) {
	if dir == "" {
		return nil, nil
	}
	files, err := config.FontFiles(dir)
	if err != nil {
		return nil, fmt.Errorf("--drive-fonts (PLATEN_DRIVE_FONTS): %w", err)
	}
	fonts := make([]drive.Font, len(files))
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("--drive-fonts (PLATEN_DRIVE_FONTS): %w", err)
		}
		fonts[i] = drive.Font{Name: filepath.Base(name), Data: data}
	}
	return fonts, nil
}
