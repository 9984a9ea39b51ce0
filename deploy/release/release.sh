#!/usr/bin/env bash
# Builds what is given out of the commit that is checked out, into release-out/: archives
# of both programs, Debian packages of the production program, bills of materials, notes
# and checksums. The same commit gives the same bytes.
# release.sh [--platform OS_ARCH]...; without platforms all four.
set -euo pipefail
cd "$(dirname "$0")/../.."
export GOWORK=off # each program is built by the list of versions of its own module
go=${GO:-go} out=release-out all=(linux_amd64 linux_arm64 darwin_amd64 darwin_arm64) wanted=()
say() { echo "release: $*" >&2; }
fail() {
	say "$*"
	exit 1
}

while [ $# -gt 0 ]; do
	[ "$1" = --platform ] && [[ " ${all[*]} " = *" ${2:-} "* ]] || fail "got $*, want --platform and one of ${all[*]}"
	wanted+=("$2")
	shift 2
done
[ ${#wanted[@]} -gt 0 ] || wanted=("${all[@]}")
command -v dpkg-deb >/dev/null || fail "dpkg-deb is needed for the Debian packages: apt-get install dpkg"
tar --version | grep -q GNU || fail "GNU tar and coreutils are needed for archives that are the same each time"
changed=$(git status --porcelain)
[ -z "$changed" ] || fail "the working tree is not as it was committed, so nobody could build the same again: commit or remove
$changed"
read -r commit seconds < <(git show --no-patch --format='%H %ct' HEAD)
rm -rf "$out"
mkdir -p "$out"

version='' compiler=''
for platform in "${wanted[@]}"; do
	for program in platen platen-dev; do
		say "building $program for $platform"
		file=$out/built/$platform/$program
		CGO_ENABLED=0 GOOS=${platform%_*} GOARCH=${platform#*_} $go -C "cmd/$program" build -trimpath -buildvcs=true -ldflags=-s -o "$PWD/$file" .
		# As the program says it: v1.2.3, or what Go makes of a commit without a tag.
		said=$($go version -m "$file" | awk '$1 == "mod" { print $3 }')
		compiler=$($go version "$file" | awk '{ print $2 }')
		[[ $said = v* ]] || fail "$program for $platform says that it is $said: Go found no version in the repository's history"
		[ "${version:=$said}" = "$said" ] || fail "$program for $platform says that it is $said, want $version as the others: a release has the tags v1.2.3, client/v1.2.3 and cmd/platen-dev/v1.2.3, one for each module"
	done
	say "packing $platform"
	deploy/release/pack.sh "$out" "$version" "$seconds" "$platform"
done

for program in platen platen-dev; do
	$go tool -modfile=test/tools/security/tools/go.mod cyclonedx-gomod bin -json -output-version 1.6 -noserial \
		-output "$out/${program}_$version.cdx.json" "$out/built/${wanted[0]}/$program"
done
rm -r "$out/built"

temporal=$($go -C cmd/platen-dev list -m -f '{{.Version}}' go.temporal.io/server)
migration=$(basename "$(printf '%s\n' internal/postgres/migrations/*.sql | LC_ALL=C sort | tail -n 1)")
{
	cat <<END
# Platen $version

Built from commit $commit of $(LC_ALL=C date -u -d "@$seconds" '+%-d %B %Y') with $compiler, without C.

## Check what you have

    sha256sum --check --ignore-missing SHA256SUMS
    platen --version

\`*.cdx.json\` list the modules that each program is made of.

## Upgrade

1. Run \`platen migrate\` of this release, which brings the database to migration ${migration%%_*}. Programs of the previous release go on meanwhile.
2. Start the new drive, then \`serve\`, then the workers.

Releases that are next to each other work side by side, so go through each release in turn. To go back, start the programs of the previous release: migrations work beside them.

Tested with Temporal $temporal, and with Postgres 15.
END
	if since=$(git describe --tags --abbrev=0 --match='v*' HEAD^ 2>/dev/null); then
		printf '\n## Changes since %s\n\n' "$since"
		git log --reverse --format='- %s' "$since..HEAD"
	fi
} >"$out/NOTES.md"
files=$(cd "$out" && LC_ALL=C ls)
(cd "$out" && sha256sum $files >SHA256SUMS)
say "$version is in $out"
