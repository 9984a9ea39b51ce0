package app

import (
	"os"
	"runtime/debug"
)

// A process that serves holds a few megabytes and throws away some kilobytes
// with each request: Go's default collects all the time, which takes an eighth
// of the processor under load.
const (
	serveGarbage = 400       // percent of what is held (GOGC)
	workGarbage  = 200       // of one that works, which holds some tens of megabytes
	mostMemory   = 512 << 20 // bytes; near this Go collects more often (GOMEMLIMIT)
)

// CollectLess trades memory for processor time in a process that does nothing
// but Serve. What GOGC and GOMEMLIMIT say is left as it is.
func CollectLess() { collect(serveGarbage) }

// CollectLessAtWork does the same, in measure, for one that does nothing but Work
// or Drive.
func CollectLessAtWork() { collect(workGarbage) }

func collect(garbage int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(mostMemory)
	}
}
