package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
	files, err := FontFiles(path)
	if err != nil {
		c.fault(flag, "%v", err)
	}
	for _, file := range files {
		c.readable(flag, file)
	}
}

// Bounds on the fonts that an operator adds: they stay in memory for as long as the
// drive runs.
const (
	MaxFonts     = 32
	MaxFontBytes = 128 << 20 // together
)

// FontFiles are the .ttf, .otf and .ttc files of a directory in the order of their names; other files
// there are no fonts and left alone. An error says what is wrong with the directory.
func FontFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; let this program read the directory", err)
	}
	var files []string
	size := int64(0)
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch strings.ToLower(filepath.Ext(name)) {
		case ".ttf", ".otf", ".ttc":
		default:
			continue
		}
		info, err := os.Stat(name) // of what a link leads to
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		if size += info.Size(); size > MaxFontBytes || len(files) == MaxFonts {
			return nil, fmt.Errorf("%s has more than %d fonts or %d MiB of them; leave there what is needed", dir, MaxFonts, MaxFontBytes>>20)
		}
		files = append(files, name)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there is no .ttf, .otf or .ttc file in %s; name a directory that has one", dir)
	}
	return files, nil
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
