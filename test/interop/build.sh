#!/usr/bin/env bash
# Builds rclone, at the version below, in a module of its own under the cache
# directory: none of its dependencies comes near this project's.
#   build.sh program  the program with the commands that the test needs; prints its path
#   build.sh suites   its integration tests, as programs in suites/ of a copy of its
#                     source; prints the path of the copy
set -euo pipefail
version=v1.75.1
home=${XDG_CACHE_HOME:-$HOME/.cache}/platen/rclone-$version-2 # the number changes with the commands below
go=${GO:-go}

program() {
  [ -x "$home/rclone" ] && return
  echo "Building rclone $version into $home; the first time takes minutes ..." >&2
  mkdir -p "$home"
  cd "$home"
  {
    echo 'package main'
    echo 'import "github.com/rclone/rclone/cmd"'
    for package in backend/drive backend/local cmd/{about,cat,check,cleanup,copyto,deletefile,link,lsf,mkdir,moveto,purge,serve/s3,serve/sftp,serve/webdav}; do
      echo "import _ \"github.com/rclone/rclone/$package\""
    done
    echo 'func main() { cmd.Main() }'
  } >main.go
  rm -f go.mod go.sum
  $go mod init rclone-for-tests 2>/dev/null
  $go get "github.com/rclone/rclone@$version" >&2
  GOFLAGS=-mod=mod $go build -o rclone.new . >&2
  mv rclone.new rclone
}

suites() {
  [ -d "$home/source/suites" ] && return
  echo "Building the integration tests of rclone $version into $home; the first time takes minutes ..." >&2
  mkdir -p "$home"
  rm -rf "$home/source"
  source=$($go mod download -json "github.com/rclone/rclone@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  cp -r "$source" "$home/source"
  chmod -R u+w "$home/source"
  cd "$home/source"
  # Its tests import all backends. These are the ones that they use: onedrive brings
  # a checksum.
  {
    echo 'package all'
    for backend in alias chunker combine crypt drive hasher local memory onedrive; do
      echo "import _ \"github.com/rclone/rclone/backend/$backend\""
    done
  } >backend/all/all.go
  mkdir suites.new
  for suite in backend/drive fs/operations fs/sync vfs; do
    $go test -c -o "suites.new/${suite//\//_}" "./$suite" >&2
  done
  mv suites.new suites
}

case ${1-} in
program) program; echo "$home/rclone" ;;
suites) suites; echo "$home/source" ;;
*) sed -n '4,6s/^# *//p' "$0" >&2; exit 2 ;;
esac
