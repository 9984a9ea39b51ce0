// Command mutants measures the tests of packages by faults. It plants one small
// fault after the other into the code of a package, at places that a seed
// chooses. It says which of them the package's own tests notice ("kill"). Tests
// that pass with the fault in place check less than they run.
//
// It never writes to the tree: the go command reads the changed file from
// elsewhere (-overlay). A place that no test reaches counts like one whose
// fault survives. What nobody could notice is not planted: changes of logs, of
// error texts, of capacities.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/alecthomas/kong"
)

type options struct {
	Packages []string `arg:"" help:"Packages as the go command names them, such as ./internal/template/lang."`
	Seed     uint64   `help:"What places and mutants are drawn from; a run prints its own. 0: another one each time."`
	Places   int      `default:"10" help:"Places in each package; each line is one at most."`
	Least    int      `default:"80" help:"Per cent of its mutants that the tests of each package have to kill."`
	Parallel int      `help:"Mutants that are tried at once. Default: as many as there are processors."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	kong.Parse(&o, kong.Name("mutants"), kong.Description("Plant faults into packages, and say which of them the packages' own tests kill."))
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.Places < 1 || o.Least < 0 || o.Least > 100 {
		return errors.New("--places is at least 1, and --least is between 0 and 100")
	}
	if o.Parallel < 1 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	if o.Seed == 0 {
		o.Seed = 1 + rand.Uint64N(1_000_000)
	}
	packages, err := list(ctx, ".", o.Packages)
	if err != nil {
		return err
	}
	fmt.Printf("Seed %d\n", o.Seed)
	j, err := newJudge(o)
	if err != nil {
		return err
	}
	defer j.close()
	verdicts, err := j.judgeAll(ctx, packages, os.Stdout)
	if err != nil {
		return err
	}
	return checkVerdicts(verdicts, o.Least)
}
