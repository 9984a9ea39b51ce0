#!/bin/sh
# Builds the program of the chaos suite with a clock that can be off: the
# environment's PLATEN_FAILPOINT_SKEW, such as 2m or -2m, is added to every time
# of day that the whole program reads, libraries included. Its monotonic clock
# is right, as that of a machine with a wrong time is.
#
# Go reads the clock without libc, so nothing can be preloaded; the compiler is
# given a changed package time instead. Usage: skewed.sh OUTPUT
set -eu
go=${GO:-go}
root=$($go env GOROOT)
dir=$(cd "$(dirname "$1")" && pwd)/.skewed # always the same, so that Go finds what it compiled before; the dot hides it from ./...
mkdir -p "$dir"
sed 's/^\tsec, nsec, mono := runtimeNow()$/&\n\tsec += skew/' "$root/src/time/time.go" >"$dir/time.go"
grep -q 'sec += skew' "$dir/time.go" || { echo "this Go's time.Now has another form" >&2; exit 1; }
cat >"$dir/skew.go" <<'END'
package time

import "syscall"

// skew is in seconds.
var skew = func() int64 {
	text, _ := syscall.Getenv("PLATEN_FAILPOINT_SKEW")
	d, err := ParseDuration(text)
	if err != nil {
		return 0
	}
	return int64(d / Second)
}()
END
printf '{"Replace":{"%s":"%s","%s":"%s"}}\n' "$root/src/time/time.go" "$dir/time.go" "$root/src/time/skew.go" "$dir/skew.go" >"$dir/overlay.json"
$go build -overlay "$dir/overlay.json" -tags failpoints -o "$1" ./cmd/platen
