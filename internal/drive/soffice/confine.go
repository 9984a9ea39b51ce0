package soffice

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/platenhq/platen/internal/drive/soffice/cell"
)

// confinable fails with ErrNoCell where the system allows no cells. It also lets
// the owner of cells pass through the directory of all seats.
func confinable(pool string) error {
	if err := os.Chmod(pool, 0o711); err != nil {
		return fmt.Errorf("open the directory for LibreOffice: %w", err)
	}
	dir := filepath.Join(pool, "try")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make a directory for LibreOffice: %w", err)
	}
	err := give(dir)
	if err == nil {
		err = cell.Try(dir)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNoCell, err)
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// give makes a directory, and what is in it, belong to the owner of cells.
func give(dir string) error {
	uid, gid := cell.Owner()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, gid)
	})
	if err != nil {
		return fmt.Errorf("give a directory to LibreOffice: %w", err)
	}
	return nil
}

// confined is the cell of a seat; nil if it has none.
func (s *seat) confined() *cell.Cell {
	if s.options.Unconfined {
		return nil
	}
	return &cell.Cell{Writable: s.dir, Readable: s.readable(), Memory: s.options.Memory, CPU: s.options.Timeout, FileSize: 1 << 30}
}

// readable is what LibreOffice needs to see beside the system's own: its
// installation, or the one file that it is, and what configures fonts.
func (s *seat) readable() []string {
	install := s.options.Program
	if dir := filepath.Dir(install); filepath.Base(dir) == "program" {
		install = filepath.Dir(dir)
	}
	all := []string{install}
	for _, name := range []string{"FONTCONFIG_FILE", "FONTCONFIG_PATH"} {
		if path, err := filepath.EvalSymlinks(os.Getenv(name)); err == nil && filepath.IsAbs(path) {
			all = append(all, path)
		}
	}
	return all
}
