package app

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
)

func TestFontsAreTheFontFilesOfADirectoryInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"b.TTF", "a.ttf", "readme.txt", "d.ttc", "c.otf"} {
		write(t, filepath.Join(dir, name), name)
	}
	fonts, err := driveFonts(dir)
	if err != nil || len(fonts) != 4 || fonts[0].Name != "a.ttf" || string(fonts[1].Data) != "b.TTF" {
		t.Errorf("got %+v, %v; want a.ttf, b.TTF, c.otf and d.ttc", fonts, err)
	}
	if fonts, err := driveFonts(""); err != nil || fonts != nil {
		t.Errorf("without a directory: got %+v, %v", fonts, err)
	}
}

func TestADirectoryOfFontsIsBoundedAndItsFaultsNameTheSetting(t *testing.T) {
	t.Parallel()
	empty, many := t.TempDir(), t.TempDir()
	for i := range config.MaxFonts + 1 {
		write(t, filepath.Join(many, strconv.Itoa(i)+".ttf"), "x")
	}
	large := filepath.Join(t.TempDir(), "large.ttf")
	write(t, large, "")
	if err := os.Truncate(large, config.MaxFontBytes+1); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{empty, many, filepath.Dir(large), filepath.Join(empty, "none")} {
		if _, err := driveFonts(dir); err == nil || !strings.Contains(err.Error(), "PLATEN_DRIVE_FONTS") {
			t.Errorf("%s: got %v, want a fault of the setting", dir, err)
		}
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
