package cell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// system are programs, libraries, fonts and what they are configured with. No
// secret of the machine is in them: of /etc there are four directories and a
// file, of /home, /root, /run, /srv and /var what stands here.
func system() []string {
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
		"/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/libreoffice", "/etc/localtime",
		"/var/cache/fontconfig", "/var/lib/libreoffice",
	}
}

// A root is the directory that becomes the root of the file system.
type root string

// makeRoot makes a file system of what the program may see, and leaves the
// machine's. The program starts in dir.
func (o order) makeRoot(dir string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts from the machine: %w", err)
	}
	r := root(filepath.Join(o.Writable, ".root"))
	if err := r.mount("/", "tmpfs", 0, "mode=755,size=1m"); err != nil {
		return err
	}
	if err := r.mount("/tmp", "tmpfs", unix.MS_NOEXEC, "mode=1777,size=16m"); err != nil {
		return err
	}
	if err := r.mount("/proc", "proc", unix.MS_NOEXEC|unix.MS_RDONLY, ""); err != nil {
		return err
	}
	for _, path := range append(system(), o.Readable...) {
		if err := r.show(path, unix.MS_REC, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NODEV); err != nil {
			return err
		}
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		if err := r.show("/dev/"+name, 0, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOEXEC); err != nil {
			return err
		}
	}
	if err := os.Symlink("/proc/self/fd", r.at("/dev/fd")); err != nil {
		return err
	}
	if err := r.show(o.Writable, 0, unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC); err != nil {
		return err
	}
	if err := r.enter(); err != nil {
		return fmt.Errorf("leave the machine's files: %w", err)
	}
	return os.Chdir(dir)
}

func (r root) at(path string) string { return filepath.Join(string(r), path) }

// mount makes a file system of a kind.
func (r root) mount(path, kind string, flags uintptr, data string) error {
	err := os.MkdirAll(r.at(path), 0o755)
	if err == nil {
		err = unix.Mount(kind, r.at(path), kind, flags|unix.MS_NOSUID|unix.MS_NODEV, data)
	}
	if err != nil {
		return fmt.Errorf("mount a %s on %s: %w", kind, path, err)
	}
	return nil
}

// show lets a file or directory of the machine be seen under its own path, or
// copies a symbolic link. It skips paths that are missing or already visible.
func (r root) show(path string, flags uintptr, attributes uint64) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("show %s: %w", path, err)
	}
	at := r.at(path)
	if _, err := os.Lstat(at); err == nil {
		return nil
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		err = link(path, at)
	} else if err = place(at, info.IsDir()); err == nil {
		err = bind(path, at, flags, attributes)
	}
	if err != nil {
		return fmt.Errorf("show %s: %w", path, err)
	}
	return nil
}

func link(path, at string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return os.Symlink(target, at)
}

// place makes what a mount covers.
func place(at string, isDir bool) error {
	if isDir {
		return os.MkdirAll(at, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return os.WriteFile(at, nil, 0o644)
}

func bind(path, at string, flags uintptr, attributes uint64) error {
	if err := unix.Mount(path, at, "", unix.MS_BIND|flags, ""); err != nil {
		return err
	}
	var how uint
	if flags&unix.MS_REC != 0 {
		how = unix.AT_RECURSIVE
	}
	return unix.MountSetattr(unix.AT_FDCWD, at, how, &unix.MountAttr{Attr_set: attributes | unix.MOUNT_ATTR_NOSUID})
}

// enter makes r the root, and nothing else of the file system reachable.
func (r root) enter() error {
	if err := os.Chdir(string(r)); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}
