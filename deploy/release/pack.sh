#!/usr/bin/env bash
# Packs the programs in OUT/built/OS_ARCH into an archive, and for Linux the production
# program with its units into a Debian package: pack.sh OUT VERSION SECONDS OS_ARCH, in
# the repository's folder. All files get the time SECONDS and no owner of the machine.
set -euo pipefail
out=$1 version=$2 seconds=$3 platform=$4
programs=("$out/built/$platform/platen" "$out/built/$platform/platen-dev")

folder=platen_${version}_$platform
install -d -m 755 "$out/built/$folder"
install -m 755 "${programs[@]}" "$out/built/$folder"
install -m 644 LICENSE README.md deploy/prometheus/alerts.yaml deploy/grafana/platen.json deploy/grafana/platen-users.json \
	deploy/systemd/platen-temporal.service "$out/built/$folder"
tar --create --directory "$out/built" --sort=name --format=gnu --mtime="@$seconds" --owner=0 --group=0 --numeric-owner "$folder" | gzip -9n >"$out/$folder.tar.gz"

[[ $platform = linux_* ]] || exit 0
# v1.2.3-rc.1 is 1.2.3~rc.1, which comes before 1.2.3.
# https://www.debian.org/doc/debian-policy/ch-controlfields.html#version
debian=${version#v} arch=${platform#*_}
debian=${debian//-/\~}
root=$out/built/deb_$arch from=deploy/release/debian
put() { install -D -m "$1" "$2" "$root/$3"; }
put 755 "${programs[0]}" usr/bin/platen
put 644 LICENSE usr/share/doc/platen/copyright
put 644 $from/bash-completion usr/share/bash-completion/completions/platen
put 644 $from/platen.env etc/platen/platen.env
for unit in serve worker drive; do
	put 644 deploy/systemd/platen-$unit.service usr/lib/systemd/system/platen-$unit.service
done
put 644 $from/conffiles DEBIAN/conffiles
put 755 $from/postinst DEBIAN/postinst
put 755 $from/prerm DEBIAN/prerm
sed "s/VERSION/$debian/; s/ARCHITECTURE/$arch/" $from/control >"$root/DEBIAN/control"
chmod 644 "$root/DEBIAN/control"
# dpkg-deb gives files the time that SOURCE_DATE_EPOCH says.
# https://reproducible-builds.org/docs/source-date-epoch/
SOURCE_DATE_EPOCH=$seconds dpkg-deb --root-owner-group -Zxz --build "$root" "$out/platen_${debian}_$arch.deb" >/dev/null
