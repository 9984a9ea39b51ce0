package app

import (
	"os"
	"runtime/debug"
	"time"

	"github.com/platenhq/platen/internal/intake"
)

// A process that serves holds a few megabytes and throws away some kilobytes
// with each request: Go's default collects all the time, which takes an eighth
// of the processor under load.
const (
	serveGarbage = 400       // percent of what is held (GOGC)
	workGarbage  = 200       // of one that works, which holds some tens of megabytes
	driveGarbage = 100       // of a drive, whose caches are what it holds: little of them is searched
	mostMemory   = 320 << 20 // bytes; near this Go collects more often (GOMEMLIMIT)
)

// What the bodies of requests may hold of it, in bytes. Caches of the drive hold
// up to 96 MB, so its bodies get less.
const (
	serveBodies = 96 << 20
	driveBodies = 80 << 20
	// callerBodies has room for the largest body, of 32 MiB, while it grows.
	callerBodies = 56 << 20
	// unauthenticatedBodies are forms, and events while the database is away.
	unauthenticatedBodies = 16 << 20
	bodiesWaiting         = 512
	bodyPatience          = 2 * time.Second
)

func bodies(most int64) *intake.Budget {
	return intake.NewBudget(intake.Limits{
		Bytes: most, Caller: callerBodies, Unauthenticated: unauthenticatedBodies,
		Waiting: bodiesWaiting, Patience: bodyPatience,
	})
}

// CollectLess trades memory for processor time in a process that does nothing
// but Serve. What GOGC and GOMEMLIMIT say is left as it is.
func CollectLess() { collect(serveGarbage) }

// CollectLessAtWork does the same, in measure, for one that does nothing but Work.
func CollectLessAtWork() { collect(workGarbage) }

// CollectInDrive bounds the memory of one that does nothing but Drive.
func CollectInDrive() { collect(driveGarbage) }

func collect(garbage int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(mostMemory)
	}
}
