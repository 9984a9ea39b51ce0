package app

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// Version tells builds apart: the module's version, or the commit that was
// built. Where that is not all, for a changed working tree ("+dirty") or one
// without a history ("development"), a part of the program's own hash follows.
func Version() string { return readVersion() }

// readVersion reads the program once: it has some 100 MB.
var readVersion = sync.OnceValue(func() string {
	v := readStamp()
	if v != "development" && !strings.HasSuffix(v, "+dirty") {
		return v
	}
	program, err := os.Executable()
	if err != nil {
		return v
	}
	return withHash(v, program)
})

// readStamp is what the build was told about itself.
func readStamp() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "development"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "development"
}

// withHash is v alone when the program cannot be read.
func withHash(v, program string) string {
	file, err := os.Open(program)
	if err != nil {
		return v
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return v
	}
	const digits = 12
	return v + "-" + hex.EncodeToString(hash.Sum(nil))[:digits]
}
