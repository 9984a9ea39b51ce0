//go:build failpoints

package failpoint

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

// What the environment may say.
const (
	// variable names a directory. A file there is named after a place: the first
	// program that reaches the place renames the file to <name>.hit and dies.
	variable = "PLATEN_FAILPOINTS"
	// overdueVariable and eventOverdueVariable shorten waits of dispatch that no
	// setting has, such as 10s.
	overdueVariable      = "PLATEN_FAILPOINT_OVERDUE"
	eventOverdueVariable = "PLATEN_FAILPOINT_EVENT_OVERDUE"
	// cacheVariable is how many runs a worker keeps in memory.
	cacheVariable = "PLATEN_FAILPOINT_CACHE"
)

func place(name string) {
	dir := os.Getenv(variable)
	if dir == "" {
		return
	}
	at := filepath.Join(dir, name)
	if os.Rename(at, at+".hit") != nil {
		return // nobody wants it, or another program was here first
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
}

type accepting struct{ Acceptor }

// Accepting has places before and after an event is stored.
func Accepting(a Acceptor) Acceptor { return accepting{a} }

func (a accepting) Accept(ctx context.Context, event platen.SourceEvent) error {
	place("before accept")
	err := a.Acceptor.Accept(ctx, event)
	if err == nil {
		place("after accept")
	}
	return err
}

// Running has places before and after each step, and after each start of a run.
func Running(o client.Options) client.Options {
	if size, err := strconv.Atoi(os.Getenv(cacheVariable)); err == nil {
		worker.SetStickyWorkflowCacheSize(size)
	}
	o.Interceptors = append(o.Interceptors, &running{})
	return o
}

// running intercepts the client, and every worker that is made with it.
type running struct{ interceptor.InterceptorBase }

func (*running) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	return &starting{interceptor.ClientOutboundInterceptorBase{Next: next}}
}

func (*running) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &stepping{interceptor.ActivityInboundInterceptorBase{Next: next}}
}

type starting struct {
	interceptor.ClientOutboundInterceptorBase
}

func (s *starting) ExecuteWorkflow(ctx context.Context, in *interceptor.ClientExecuteWorkflowInput) (client.WorkflowRun, error) {
	run, err := s.Next.ExecuteWorkflow(ctx, in)
	if err == nil {
		place("after start of " + in.WorkflowType)
	}
	return run, err
}

type stepping struct {
	interceptor.ActivityInboundInterceptorBase
}

func (s *stepping) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	name := activity.GetInfo(ctx).ActivityType.Name
	place("before " + name)
	result, err := s.Next.ExecuteActivity(ctx, in)
	if err == nil {
		place("after " + name)
	}
	return result, err
}

type storing struct{ activities.Drive }

// Storing has places after each change of the drive.
func Storing(d activities.Drive) activities.Drive { return storing{d} }

func (s storing) Copy(ctx context.Context, fileID, name, key string) (platen.File, error) {
	f, err := s.Drive.Copy(ctx, fileID, name, key)
	if err == nil {
		place("after drive copy")
	}
	return f, err
}

func (s storing) CopyProtected(ctx context.Context, fileID, name, key string) (platen.File, error) {
	f, err := s.Drive.CopyProtected(ctx, fileID, name, key)
	if err == nil {
		place("after drive copy")
	}
	return f, err
}

func (s storing) CopyInto(ctx context.Context, folderID, fileID, name, key string, p platen.Protection) (platen.File, error) {
	f, err := s.Drive.CopyInto(ctx, folderID, fileID, name, key, p)
	if err == nil {
		place("after drive copy")
	}
	return f, err
}

func (s storing) CopyAs(ctx context.Context, mimeType, folderID, fileID, name, key string, p platen.Protection) (platen.File, error) {
	f, err := s.Drive.CopyAs(ctx, mimeType, folderID, fileID, name, key, p)
	if err == nil {
		place("after drive copy of an appendix")
	}
	return f, err
}

func (s storing) EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	n, err := s.Drive.EditDocument(ctx, fileID, read, compose)
	if err == nil {
		place("after drive edit")
	}
	return n, err
}

func (s storing) EditPresentation(ctx context.Context, fileID string, read platen.Reading, compose func(*slides.Presentation) ([]*slides.Request, error)) (int, error) {
	n, err := s.Drive.EditPresentation(ctx, fileID, read, compose)
	if err == nil {
		place("after drive edit")
	}
	return n, err
}

func (s storing) Upload(ctx context.Context, file platen.File, data []byte) (platen.File, error) {
	f, err := s.Drive.Upload(ctx, file, data)
	if err == nil {
		place("after drive upload")
	}
	return f, err
}

func (s storing) Delete(ctx context.Context, fileID string) error {
	err := s.Drive.Delete(ctx, fileID)
	if err == nil {
		place("after drive delete")
	}
	return err
}

type sending struct{ delivery.Sender }

// Sending has a place after the receiver's answer.
func Sending(s delivery.Sender) delivery.Sender { return sending{s} }

func (s sending) Send(ctx context.Context, e platen.Event, to platen.Endpoint, attempt int) (platen.Delivery, error) {
	d, err := s.Sender.Send(ctx, e, to, attempt)
	if err == nil {
		place("after send")
	}
	return d, err
}

// Dispatching shortens how long dispatch waits before it looks after runs and
// events.
func Dispatching(o dispatch.Options) dispatch.Options {
	if overdue, err := time.ParseDuration(os.Getenv(overdueVariable)); err == nil {
		o.OverdueAfter, o.ReconcileEvery = overdue, overdue/2
	}
	if overdue, err := time.ParseDuration(os.Getenv(eventOverdueVariable)); err == nil {
		o.EventOverdueAfter = overdue
	}
	return o
}
