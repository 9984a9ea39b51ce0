package main

import (
	"cmp"
	"context"
	"net/http"
	"time"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/google"
)

const (
	// callTimeout bounds one call. A call that began ends, also after Ctrl-C: what it
	// makes must be known to be removed.
	callTimeout = 2 * time.Minute
	// DefaultWait is how long a list is asked for a file that it does not show yet.
	DefaultWait = 6 * time.Minute
)

const (
	folderType = "application/vnd.google-apps.folder"
	docType    = "application/vnd.google-apps.document"
	slidesType = "application/vnd.google-apps.presentation"
	docxType   = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	textType   = "text/plain"
)

// Options of a probe.
type Options struct {
	// Open opens the account with a transport of the probe around its own.
	Open func(wrap func(http.RoundTripper) http.RoundTripper) (google.Services, error)
	// Parent is the folder in which the probe makes its own; empty: the account's
	// own. A service account without storage needs one on a shared drive.
	Parent string
	// Wait is how long a list is asked for a new file, but once at least; DefaultWait
	// if zero.
	Wait time.Duration
	// Say reports progress; nil: no reports.
	Say func(format string, args ...any)
}

// A run is one probe under way.
type run struct {
	google.Services
	o        Options
	recorder *recorder
	report   Report

	ids    []string // generated
	folder string
	files  []string // made below folder, in order
	found  map[Question]bool
}

// Run makes the calls, and removes what it made even when a call fails or ctx ends.
// Only an account that cannot be used at all is an error; what fails on the way is in
// the report.
func Run(ctx context.Context, o Options) (Report, []Answer, error) {
	o.Wait = cmp.Or(o.Wait, DefaultWait)
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	r := &run{o: o, recorder: &recorder{}, found: map[Question]bool{}}
	services, err := o.Open(r.recorder.wrap)
	if err != nil {
		return Report{}, nil, err
	}
	r.Services = services
	if err := r.begin(ctx); err != nil {
		r.cleanUp(ctx)
		r.conclude()
		return r.report, r.recorder.redacted(), err
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"documents", r.documents}, {"suggestions", r.suggestions}, {"presentations", r.presentations}, {"files", r.plainFile},
	} {
		if ctx.Err() != nil {
			break
		}
		if err := step.do(ctx); err != nil && ctx.Err() == nil {
			r.report.Failed = append(r.report.Failed, step.name+": "+describe(err))
		}
	}
	r.report.Interrupted = ctx.Err() != nil
	r.cleanUp(ctx)
	r.conclude()
	return r.report, r.recorder.redacted(), nil
}

// begin makes the folder, under an id that is known before it is there.
func (r *run) begin(ctx context.Context) error {
	err := r.call(ctx, "about.get", func(ctx context.Context) error {
		about, err := r.Drive.About.Get().Fields("user(displayName,emailAddress),storageQuota").Context(ctx).Do()
		if err == nil && about.User != nil {
			r.recorder.hide(about.User.DisplayName, about.User.EmailAddress)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = r.call(ctx, "files.generateIds", func(ctx context.Context) error {
		generated, err := r.Drive.Files.GenerateIds().Count(2).Space("drive").Type("files").Context(ctx).Do()
		if err == nil {
			r.ids = generated.Ids
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(r.ids) < 2 {
		return unexpected("the drive gave no file ids")
	}
	wanted := &driveapi.File{Id: r.ids[0], Name: "Platen probe " + time.Now().UTC().Format("2006-01-02 15.04.05"), MimeType: folderType}
	if r.o.Parent != "" {
		wanted.Parents = []string{r.o.Parent}
	}
	r.folder = r.ids[0]
	r.o.Say("The probe works in the folder %s (%s). It removes it at the end; if it is killed, remove it by hand.", wanted.Name, r.folder)
	return r.call(ctx, "files.create (folder)", func(ctx context.Context) error {
		_, err := r.Drive.Files.Create(wanted).SupportsAllDrives(true).Fields("id").Context(ctx).Do()
		return err
	})
}

// call makes one call, unless ctx has ended. A call that began is not cut off.
func (r *run) call(ctx context.Context, name string, do func(context.Context) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	r.o.Say("%s", name)
	if err := do(context.WithValue(limited, callName{}, name)); err != nil {
		return callError{name, err}
	}
	return nil
}

// create makes a file in the folder and notes its id.
func (r *run) create(ctx context.Context, name string, do func(context.Context) (*driveapi.File, error)) (file *driveapi.File, err error) {
	err = r.call(ctx, name, func(ctx context.Context) error {
		file, err = do(ctx)
		if err == nil {
			r.files = append(r.files, file.Id)
		}
		return err
	})
	return file, err
}
