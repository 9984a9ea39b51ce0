package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// beside are files that each archive has next to the programs.
var beside = []string{"LICENSE", "README.md", "deploy/prometheus/alerts.yaml", "deploy/grafana/platen.json", "deploy/grafana/platen-users.json", "deploy/systemd/platen-temporal.service"}

// archive packs the programs of a platform.
func (r *release) archive(p platform) error {
	folder := fmt.Sprintf("platen_%s_%s", r.version, p)
	name := folder + ".tar.gz"
	say("%s", name)
	file, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	packed, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	archive := tar.NewWriter(packed)
	for _, program := range programs {
		err = errors.Join(err, r.add(archive, folder+"/"+program, r.program(p, program), 0o755))
	}
	for _, other := range beside {
		err = errors.Join(err, r.add(archive, folder+"/"+filepath.Base(other), other, 0o644))
	}
	r.files = append(r.files, name)
	return errors.Join(err, archive.Close(), packed.Close(), file.Close())
}

// add has nothing of the machine in it that builds: no owner, and the commit's time.
func (r *release) add(archive *tar.Writer, name, path string, mode int64) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: info.Size(), ModTime: r.at, Format: tar.FormatPAX}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, file)
	return err
}

// debianVersion of v1.2.3-rc.1 is 1.2.3~rc.1, which comes before 1.2.3.
// https://www.debian.org/doc/debian-policy/ch-controlfields.html#version
func debianVersion(version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(version, "v"), "-", "~")
}

// debian makes a package of the production program with its units.
func (r *release) debian(ctx context.Context, p platform) error {
	name := fmt.Sprintf("platen_%s_%s.deb", debianVersion(r.version), p.Arch)
	say("%s", name)
	root := filepath.Join(r.built(), "deb_"+p.Arch)
	control, err := os.ReadFile("deploy/release/debian/control")
	if err != nil {
		return err
	}
	stated := strings.NewReplacer("VERSION", debianVersion(r.version), "ARCHITECTURE", p.Arch).Replace(string(control))
	err = errors.Join(
		install(root, "usr/bin/platen", r.program(p, "platen"), 0o755),
		install(root, "usr/share/doc/platen/copyright", "LICENSE", 0o644),
		install(root, "usr/share/bash-completion/completions/platen", "deploy/release/debian/bash-completion", 0o644),
		install(root, "etc/platen/platen.env", "deploy/release/debian/platen.env", 0o644),
		install(root, "DEBIAN/conffiles", "deploy/release/debian/conffiles", 0o644),
		install(root, "DEBIAN/postinst", "deploy/release/debian/postinst", 0o755),
		install(root, "DEBIAN/prerm", "deploy/release/debian/prerm", 0o755),
		write(root, "DEBIAN/control", []byte(stated), 0o644),
	)
	for _, unit := range []string{"serve", "worker", "drive"} {
		unit = "platen-" + unit + ".service"
		err = errors.Join(err, install(root, "usr/lib/systemd/system/"+unit, "deploy/systemd/"+unit, 0o644))
	}
	if err != nil {
		return err
	}
	// dpkg-deb gives files the time of the commit, as SOURCE_DATE_EPOCH says.
	// https://reproducible-builds.org/docs/source-date-epoch/
	if err := os.Setenv("SOURCE_DATE_EPOCH", fmt.Sprint(r.at.Unix())); err != nil {
		return err
	}
	r.files = append(r.files, name)
	_, err = output(ctx, "dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, filepath.Join(r.out, name))
	return err
}

func install(root, name, from string, mode os.FileMode) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return write(root, name, content, mode)
}

func write(root, name string, content []byte, mode os.FileMode) error {
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, mode)
}
