package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/platenhq/platen/internal/drive"
)

// Bounds on the fonts that an operator adds: they stay in memory for as long as
// the drive runs.
const (
	maxFonts     = 32
	maxFontBytes = 128 << 20 // together
)

// driveFonts reads the .ttf files of a directory in the order of their names;
// other files there are no fonts and left alone. "" is none.
func driveFonts(dir string) ([]drive.Font, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("--drive-fonts (PLATEN_DRIVE_FONTS): %w", err)
	}
	var fonts []drive.Font
	size := int64(0)
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if !strings.EqualFold(filepath.Ext(name), ".ttf") {
			continue
		}
		info, err := os.Stat(name) // of what a link leads to
		if err != nil {
			return nil, fmt.Errorf("--drive-fonts (PLATEN_DRIVE_FONTS): %w", err)
		}
		if !info.Mode().IsRegular() {
			continue
		}
		if size += info.Size(); size > maxFontBytes || len(fonts) == maxFonts {
			return nil, fmt.Errorf("--drive-fonts (PLATEN_DRIVE_FONTS): %s has more than %d fonts or %d MiB of them; leave there what is needed", dir, maxFonts, maxFontBytes>>20)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("--drive-fonts (PLATEN_DRIVE_FONTS): %w", err)
		}
		fonts = append(fonts, drive.Font{Name: e.Name(), Data: data})
	}
	if len(fonts) == 0 {
		return nil, fmt.Errorf("--drive-fonts (PLATEN_DRIVE_FONTS): there is no .ttf file in %s", dir)
	}
	return fonts, nil
}
