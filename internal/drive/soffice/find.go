package soffice

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
)

// find returns the path of soffice: the configured one, or the first on the
// PATH or where Debian, Red Hat, the project's own packages and macOS put it.
func find(configured string) (string, error) {
	if configured != "" {
		path, err := exec.LookPath(configured)
		if err != nil {
			return "", fmt.Errorf("LibreOffice cannot be run: %w", err)
		}
		return filepath.Abs(path)
	}
	for _, name := range []string{"soffice", "libreoffice"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	for _, pattern := range []string{
		"/usr/lib/libreoffice/program/soffice",
		"/usr/lib64/libreoffice/program/soffice",
		"/opt/libreoffice*/program/soffice",
		"/Applications/LibreOffice.app/Contents/MacOS/soffice",
	} {
		found, _ := filepath.Glob(pattern) // fails on a malformed pattern only
		for i := len(found) - 1; i >= 0; i-- {
			if path, err := exec.LookPath(found[i]); err == nil {
				return path, nil
			}
		}
	}
	return "", errors.New("LibreOffice was not found: soffice is neither on the PATH nor in the usual places; install it (on Debian the packages libreoffice-writer-nogui and libreoffice-impress-nogui), or give its path")
}
