package config

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// directory accepts an empty value.
func (c *checker) directory(flag, path string) {
	if path == "" {
		return
	}
	if info, err := os.Stat(path); err != nil {
		c.fault(flag, "%v; make the directory, or name another one", err)
	} else if !info.IsDir() {
		c.fault(flag, "%s is a file; name a directory, such as %s", path, filepath.Dir(path))
	}
}

// fonts is a directory with at least one font. It accepts an empty value.
func (c *checker) fonts(flag, path string) {
	before := len(c.faults)
	c.directory(flag, path)
	if path == "" || len(c.faults) > before {
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		c.fault(flag, "%v; let this program read the directory", err)
	} else if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(filepath.Ext(e.Name()), ".ttf") }) {
		c.fault(flag, "there is no .ttf file in %s; name a directory that has one", path)
	}
}

// readable is a file that this program may read; nothing is read of it. It accepts an
// empty value.
func (c *checker) readable(flag, path string) {
	if path == "" {
		return
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		c.fault(flag, "%s is a directory; name the file in it", path)
		return
	}
	file, err := os.Open(path)
	if err != nil {
		c.fault(flag, "%v; name a file that this program may read", err)
		return
	}
	_ = file.Close() // nothing was read of it, and nothing written
}

// appendable is a file that this program may append to, or make together with its
// folders; nothing is made. It accepts an empty value.
func (c *checker) appendable(flag, path string) {
	if path == "" {
		return
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		c.fault(flag, "%s is a directory; name a file in it, such as %s", path, filepath.Join(path, "erasures.jsonl"))
		return
	}
	nearest := path
	for errors.Is(err, fs.ErrNotExist) && nearest != filepath.Dir(nearest) {
		nearest = filepath.Dir(nearest)
		info, err = os.Stat(nearest)
	}
	if err == nil && nearest != path && !info.IsDir() {
		err = &fs.PathError{Op: "make " + path + " in", Path: nearest, Err: syscall.ENOTDIR}
	}
	const write = 2 // W_OK of access(2), the same on every Unix
	if err == nil {
		if denied := syscall.Access(nearest, write); denied != nil {
			err = &fs.PathError{Op: "write", Path: nearest, Err: denied}
		}
	}
	if err != nil {
		c.fault(flag, "%v; name a file that this program may write", err)
	}
}

// program is an executable file. It accepts an empty value.
func (c *checker) program(flag, path, example string) {
	if path == "" {
		return
	}
	if _, err := exec.LookPath(path); err != nil {
		c.fault(flag, "%v; give the path of %s", err, example)
	}
}
