#!/bin/sh
# Builds the Debian package of this commit as 1.2.3, and as 1.2.4, which is nothing but
# newer: twice.sh CLONE PACKAGES. Both are folders that it makes.
set -eu
clone=$1 packages=$2
rm -rf "$clone" "$packages"
mkdir -p "$packages"
git clone --quiet . "$clone"
cd "$clone"
for version in 1.2.3 1.2.4; do
	git -c user.name=Test -c user.email=test@platen.example commit --quiet --allow-empty --message "Version $version"
	for module in "" client/ cmd/platen-dev/; do git tag "${module}v$version"; done
	make --silent release ARGS="--platform linux_amd64"
	cp release-out/platen_${version}_amd64.deb "$packages"
done
