// Package soffice has LibreOffice make PDFs of .docx and .pptx files. It has a
// few seats, each with one LibreOffice at work in a cell of its own (package
// cell). Each is shut off from macros, linked files and the network, and killed
// with all its processes when it takes too long.
//
// It knows files by their bytes and their extension alone. The drive decides
// which files LibreOffice may read and how errors are reported to clients;
// its protocol does not belong here.
package soffice

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// What a conversion can fail with; any other error is a crash of LibreOffice or
// a fault of the machine.
var (
	// ErrUnreadable: LibreOffice cannot read the file. It never will.
	ErrUnreadable = errors.New("LibreOffice cannot read the file")
	// ErrLinked: an SVG picture in the file refers to something outside itself,
	// which LibreOffice would read.
	ErrLinked = errors.New("a picture of the file refers to something outside the file")
	// ErrProgram: a picture in the file is EPS, for which LibreOffice would start
	// other programs.
	ErrProgram = errors.New("a picture of the file is EPS, which other programs would draw")
	// ErrBusy: no seat became free in time, or the pool is closing.
	ErrBusy = errors.New("LibreOffice is busy")
	// ErrTimeout: the conversion took too long and was killed.
	ErrTimeout = errors.New("LibreOffice took too long")
	// ErrTooLarge: the PDF is over the limit.
	ErrTooLarge = errors.New("the PDF of LibreOffice is too large")
	// ErrNoCell, of Open alone: the system does not allow what shuts LibreOffice
	// off from it.
	ErrNoCell = errors.New("LibreOffice cannot be confined on this system")
)

// Options say how LibreOffice is run.
type Options struct {
	// Program is the path or the name of soffice; "": it is looked for on the
	// PATH and in the usual places.
	Program string
	// Seats is how many conversions may run at a time; one for each core if
	// zero. Each takes some 200 MB while it runs.
	Seats int
	// Wait is how long a conversion waits for a seat; 30 seconds if zero.
	Wait time.Duration
	// Timeout bounds one conversion; 60 seconds if zero.
	Timeout time.Duration
	// MaxBytes bounds a PDF; 32 MiB if zero.
	MaxBytes int64
	// Memory is what each process of a conversion may write to; 4 GiB if zero.
	Memory int64
	// Unconfined runs LibreOffice as the user of this process, with the network
	// and the files that it has. Without it Open fails where the system allows
	// no cells.
	Unconfined bool
	// Log gets what goes wrong with LibreOffice, but no contents;
	// slog.Default() if nil.
	Log *slog.Logger
}

// Pool converts files, as many at a time as it has seats.
type Pool struct {
	options   Options
	directory *directory // of all seats, removed by Close
	free      chan *seat
	closing   context.Context
	close     context.CancelFunc
}

// Open finds LibreOffice and prepares the seats. It starts nothing yet.
func Open(o Options) (*Pool, error) {
	program, err := find(o.Program)
	if err != nil {
		return nil, err
	}
	o.Program = program
	if o.Seats == 0 {
		o.Seats = runtime.GOMAXPROCS(0)
	}
	if o.Wait == 0 {
		o.Wait = 30 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 32 << 20
	}
	if o.Memory == 0 {
		o.Memory = 4 << 30
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	dir, err := claim(os.TempDir())
	if err != nil {
		return nil, err
	}
	if !o.Unconfined {
		if o.Program, err = filepath.EvalSymlinks(program); err != nil {
			return nil, errors.Join(fmt.Errorf("find LibreOffice: %w", err), dir.remove())
		}
		if err := confinable(dir.path); err != nil {
			return nil, errors.Join(err, dir.remove())
		}
	}
	p := &Pool{options: o, directory: dir, free: make(chan *seat, o.Seats)}
	p.closing, p.close = context.WithCancel(context.Background())
	for i := range o.Seats {
		p.free <- &seat{options: o, pool: dir.path, dir: filepath.Join(dir.path, strconv.Itoa(i))}
	}
	return p, nil
}

// Program is the path of the soffice that is run.
func (p *Pool) Program() string { return p.options.Program }

// PDF converts a file of the type that its extension says, ".docx" or
// ".pptx". When ctx ends, PDF stops waiting or kills the running conversion
// with all its processes.
func (p *Pool) PDF(ctx context.Context, content []byte, ext string) ([]byte, error) {
	filter, ok := importFilters()[ext]
	if !ok {
		return nil, fmt.Errorf("convert %s: LibreOffice is not asked for such files", ext)
	}
	return p.convert(ctx, content, ext, filter)
}

// importFilters name the one filter that may read a file, so that LibreOffice
// does not choose another by what it finds inside.
func importFilters() map[string]string {
	return map[string]string{".docx": "MS Word 2007 XML", ".pptx": "Impress MS PowerPoint 2007 XML"}
}

func (p *Pool) convert(ctx context.Context, content []byte, ext, filter string) ([]byte, error) {
	s, err := p.seat(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { p.free <- s }()
	ctx, end := context.WithTimeoutCause(ctx, p.options.Timeout, ErrTimeout)
	defer end()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.closing, func() { cancel(ErrBusy) })()
	// In the seat, for it takes time, and memory as a conversion does.
	if err := checkPictures(ctx, content); err != nil {
		return nil, err
	}
	return s.convert(ctx, content, ext, filter)
}

// seat waits for a free one.
func (p *Pool) seat(ctx context.Context) (*seat, error) {
	if p.closing.Err() != nil {
		return nil, ErrBusy
	}
	select {
	case s := <-p.free: // at any time
		return s, nil
	default:
	}
	timer := time.NewTimer(p.options.Wait)
	defer timer.Stop()
	select {
	case s := <-p.free:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closing.Done():
	case <-timer.C:
	}
	return nil, ErrBusy
}

// Close ends conversions under way and removes all that LibreOffice wrote.
// Nothing of it runs on return.
func (p *Pool) Close() error {
	p.close()
	for range cap(p.free) {
		<-p.free
	}
	if err := p.directory.remove(); err != nil {
		return fmt.Errorf("remove the directory of LibreOffice: %w", err)
	}
	return nil
}
