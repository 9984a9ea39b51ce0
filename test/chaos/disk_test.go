package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// A disk is a file system of its own that can be made exactly as large as what
// is on it. Only root may mount one; where that is refused, no disk gets full.
type disk struct{ path string }

// room is what a disk that is not full has at most.
const room = "size=4g"

func newDisk(t *testing.T, path string) *disk {
	t.Helper()
	if err := os.MkdirAll(path, 0o711); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", room+",mode=0711", "tmpfs", path).CombinedOutput(); err != nil {
		t.Logf("no disk gets full: mounting one takes root's rights: %v: %s", err, out)
		return nil
	}
	t.Cleanup(func() {
		if t.Failed() { // what is on it goes with it
			if out, err := exec.Command("cp", "-a", path, path+".kept").CombinedOutput(); err != nil {
				t.Logf("keep %s: %v: %s", path, err, out)
			}
		}
		if out, err := exec.Command("umount", "-l", path).CombinedOutput(); err != nil {
			t.Errorf("unmount %s: %v: %s", path, err, out)
		}
	})
	return &disk{path: path}
}

// fill leaves no room. What is written between the look and the change makes
// the system refuse the change.
func (d *disk) fill() (err error) {
	for range 20 {
		var now syscall.Statfs_t
		if err := syscall.Statfs(d.path, &now); err != nil {
			return err
		}
		used := (now.Blocks - now.Bfree) * uint64(now.Bsize)
		if err = d.remount(fmt.Sprintf("size=%d", used)); err == nil {
			return nil
		}
	}
	return err
}

// empty makes room again.
func (d *disk) empty() error { return d.remount(room) }

func (d *disk) remount(size string) error {
	if out, err := exec.Command("mount", "-o", "remount,"+size, d.path).CombinedOutput(); err != nil {
		return fmt.Errorf("mount -o remount,%s: %w: %s", size, err, out)
	}
	return nil
}
