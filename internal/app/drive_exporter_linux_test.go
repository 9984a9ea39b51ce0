package app

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/soffice/cell"
)

// helperVariable makes the test's program open the exporter on a system without
// namespaces.
const helperVariable = "APP_TEST_UNCONFINED"

// forbidden is the user of a namespace in which no others are allowed.
const forbidden = 1000

func TestMain(m *testing.M) {
	cell.Enter()
	unconfined := os.Getenv(helperVariable)
	if unconfined == "" {
		os.Exit(m.Run())
	}
	var err error
	if os.Getuid() == forbidden {
		err = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	}
	if err == nil {
		c := config.DriveServer{Exporter: config.LibreOffice, Soffice: os.Args[1], Unconfined: unconfined == "true"}
		var closeIt func()
		if _, closeIt, err = driveExporter(context.Background(), c, Logger(config.Log{LogLevel: config.Of(slog.LevelInfo)})); err == nil {
			closeIt()
		}
	}
	fmt.Println(err)
}

func TestTheDriveDoesNotStartWhereLibreOfficeCannotBeConfinedUnlessTold(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "soffice")
	c := exec.Command("/bin/sh", "-c", `cat > "$1"; chmod 755 "$1"`, "sh", program)
	c.Stdin = strings.NewReader("#!/bin/sh\nfor file; do :; done\necho %PDF-1.7 > \"${file%.*}.pdf\"\n")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("write a program: %v: %s", err, out)
	}
	for unconfined, want := range map[string][]string{
		"false": {"--drive-exporter (PLATEN_DRIVE_EXPORTER): LibreOffice cannot be confined", "PLATEN_DRIVE_EXPORTER_UNCONFINED=true"},
		"true":  {"WARN", "LibreOffice is not confined", "PLATEN_DRIVE_EXPORTER_UNCONFINED", "<nil>"},
	} {
		helper := exec.CommandContext(t.Context(), os.Args[0], program)
		helper.Env = append(os.Environ(), helperVariable+"="+unconfined)
		helper.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: forbidden, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: forbidden, HostID: os.Getegid(), Size: 1}},
			AmbientCaps: []uintptr{24}, // CAP_SYS_RESOURCE, to set the limit
		}
		said, err := helper.CombinedOutput()
		if err != nil { // the system refuses namespaces as it is
			as := exec.CommandContext(t.Context(), os.Args[0], program)
			as.Env = helper.Env
			if said, err = as.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
		}
		for _, words := range want {
			if !bytes.Contains(said, []byte(words)) {
				t.Errorf("unconfined %s: got %s, want %q", unconfined, said, words)
			}
		}
	}
}
