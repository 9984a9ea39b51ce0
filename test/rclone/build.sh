#!/usr/bin/env bash
# Builds rclone, at the version below and with the commands that the test needs,
# in a module of its own under the cache directory, and prints the program's
# path. None of its dependencies comes near this project's.
set -euo pipefail
version=v1.75.1
home=${XDG_CACHE_HOME:-$HOME/.cache}/platen/rclone-$version
program=$home/rclone
if [ ! -x "$program" ]; then
  echo "Building rclone $version into $home; the first time takes minutes ..." >&2
  mkdir -p "$home"
  cd "$home"
  {
    echo 'package main'
    echo 'import "github.com/rclone/rclone/cmd"'
    for package in backend/drive backend/local cmd/{about,cat,check,cleanup,copyto,deletefile,link,lsf,mkdir,moveto,purge}; do
      echo "import _ \"github.com/rclone/rclone/$package\""
    done
    echo 'func main() { cmd.Main() }'
  } >main.go
  rm -f go.mod go.sum
  ${GO:-go} mod init rclone-for-tests 2>/dev/null
  ${GO:-go} get "github.com/rclone/rclone@$version" >&2
  GOFLAGS=-mod=mod ${GO:-go} build -o "$program.new" . >&2
  mv "$program.new" "$program"
fi
echo "$program"
