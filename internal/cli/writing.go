package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// prepareFile makes the folders of a file that is to be written and tries them, before
// the service does any work for it; "-" is standard output. flag is what named it.
func prepareFile(flag, to string) error {
	if to == "-" {
		return nil
	}
	if there, err := os.Stat(to); err == nil && there.IsDir() {
		return Usage(fmt.Errorf("%s %s: it is a folder; name a file in it", flag, Shown(to)))
	}
	return prepareFolder(flag, filepath.Dir(to))
}

// prepareFolder makes a folder and tries whether files can be made in it.
func prepareFolder(flag, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Usage(fmt.Errorf("%s: %w", flag, err))
	}
	tried, err := os.CreateTemp(dir, ".platen-*")
	if err != nil {
		return Usage(fmt.Errorf("%s: %w", flag, err))
	}
	if err := tried.Close(); err != nil {
		return err
	}
	return os.Remove(tried.Name())
}

// writeOut writes a file that was asked for; - is standard output.
func writeOut(e *Environment, to string, content []byte) error {
	if to == "-" {
		_, err := e.Out.Write(content)
		return err
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.Err, "%s: %d bytes\n", Shown(to), len(content))
	return err
}

// writeWhole writes a file while its content comes. One that is cut off leaves none.
func writeWhole(e *Environment, to string, write func(io.Writer) error) error {
	part, err := os.CreateTemp(filepath.Dir(to), ".platen-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) // it has another name then, unless something failed
	err = errors.Join(write(part), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), to)
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(to)
	if err == nil {
		_, err = fmt.Fprintf(e.Err, "%s: %d bytes\n", Shown(to), info.Size())
	}
	return err
}
