package soffice

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// directoryName is what directories of pools begin with.
const directoryName = "platen-libreoffice-"

// A directory of a pool is locked (flock) as long as its process lives.
type directory struct {
	path string
	held *os.File
}

// claim makes a directory below parent, and removes those that processes left
// behind when they were killed.
func claim(parent string) (*directory, error) {
	left, _ := filepath.Glob(filepath.Join(parent, directoryName+"*")) // fails on a malformed pattern only
	for _, path := range left {
		if d, err := hold(path); err == nil {
			_ = d.remove() // nobody misses it: the next one tries again
		}
	}
	for {
		path, err := os.MkdirTemp(parent, directoryName)
		if err != nil {
			return nil, fmt.Errorf("make a directory for LibreOffice: %w", err)
		}
		d, err := hold(path)
		if err == nil && d.isThere() {
			return d, nil
		}
		// Another process took it for left behind before it was locked.
		if err == nil {
			err = d.held.Close()
		}
		if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("lock a directory for LibreOffice: %w", err), os.Remove(path))
		}
	}
}

// hold locks a directory that no living process has locked.
func hold(path string) (*directory, error) {
	held, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return &directory{path: path, held: held}, nil
}

// isThere tells whether the locked directory is still that of its path.
func (d *directory) isThere() bool {
	locked, err1 := d.held.Stat()
	named, err2 := os.Lstat(d.path)
	return err1 == nil && err2 == nil && os.SameFile(locked, named)
}

// remove may be called again.
func (d *directory) remove() error {
	err := os.RemoveAll(d.path)
	if unlocked := d.held.Close(); !errors.Is(unlocked, os.ErrClosed) {
		err = errors.Join(err, unlocked)
	}
	return err
}
