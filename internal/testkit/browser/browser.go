// Package browser opens pages in a real Chromium, without a window. It knows nothing of
// what the pages are for: tests say where to go, what to press and what is to be seen.
//
// A page fails its test when it writes an error to the console, when a script throws,
// or when it asks a host that the test did not name.
//
// Nothing but tests may import it.
package browser

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const (
	// RequiredVariable names the environment variable that has tests fail, not be
	// skipped, where there is no Chromium.
	RequiredVariable = "PLATEN_BROWSER"
	// ShotsVariable names the directory that Shot writes to. Empty: pictures are not kept.
	ShotsVariable = "PLATEN_BROWSER_SHOTS"
)

// patience bounds each thing that a test asks for: starting Chromium on a busy machine
// takes longest.
const patience = 3 * time.Minute

// programs are what Chromium is called, where it is installed.
var programs = []string{"chromium", "chromium-browser", "google-chrome"}

// Options of a page.
type Options struct {
	// Hosts are those, with their ports, that the page may ask.
	Hosts []string
	// Width is that of the screen in CSS pixels; 1280 if zero. Below 500 it is a
	// telephone's, with touch.
	Width int64
	// Dark has the page see that its user prefers dark colours.
	Dark bool
	// Language is what the browser asks pages for, as Accept-Language; its own if empty.
	Language string
}

// A Page is one tab of a browser, with no cookies and no history.
type Page struct {
	t     testing.TB
	ctx   context.Context
	width int64 // of the screen

	mu     sync.Mutex
	faults []string
	status map[string]int64 // of the documents that were shown, by address
}

// running is the browser of the tests that go on at a time: one takes seconds of a processor
// to start, a tab hardly any. It ends with the last of them.
var running struct {
	sync.Mutex
	ctx   context.Context
	stop  func()
	pages int
}

// join returns a browser, and what ends it if nobody else uses it.
func join(program string) (ctx context.Context, leave func(), err error) {
	running.Lock()
	defer running.Unlock()
	if running.pages == 0 {
		// Chromium's sandbox needs rights that containers and root do not have; the pages
		// are our own.
		allocator, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience))...)
		ctx, cancel := chromedp.NewContext(allocator)
		running.ctx, running.stop = ctx, func() { cancel(); stop() }
		// The first call starts the browser, which ends with the context of that call.
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`true`)); err != nil {
			running.stop()
			return nil, nil, err
		}
	}
	running.pages++
	return running.ctx, func() {
		running.Lock()
		defer running.Unlock()
		if running.pages--; running.pages == 0 {
			running.stop()
		}
	}, nil
}

// Open opens a page that ends with the test. The test is skipped where there is no
// Chromium, unless RequiredVariable is set.
func Open(t testing.TB, o Options) *Page {
	t.Helper()
	program := find()
	if program == "" {
		const missing = "there is no Chromium (on Debian: apt-get install chromium)"
		if os.Getenv(RequiredVariable) != "" {
			t.Fatal(missing)
		}
		t.Skip("skipped: " + missing + "; 'make browser' fails without it")
	}
	all, leave, err := join(program)
	if err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	ctx, cancel := chromedp.NewContext(all, chromedp.WithNewBrowserContext())
	p := &Page{t: t, ctx: ctx, width: cmp.Or(o.Width, 1280), status: map[string]int64{}}
	t.Cleanup(func() {
		cancel()
		leave()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, fault := range p.faults {
			t.Error(fault)
		}
	})
	var telephone []chromedp.EmulateViewportOption
	if p.width < 500 {
		telephone = append(telephone, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	scheme := "light"
	if o.Dark {
		scheme = "dark"
	}
	err = chromedp.Listen(ctx, func(event any) { p.notice(event, o.Hosts) })
	if err == nil {
		err = chromedp.Do(ctx, chromedp.EmulateViewport(p.width, 844, telephone...))
	}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, runtime.Enable, cdp.Empty{}); return err },
		func() error {
			if o.Language == "" {
				return nil
			}
			_, err := chromedp.Call(ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": o.Language}})
			return err
		},
		func() error {
			features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
			return err
		},
	} {
		if err == nil {
			err = enable()
		}
	}
	if err != nil {
		t.Fatalf("open a page: %v", err)
	}
	return p
}

func find() string {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// notice keeps what no page may do, and which status documents came with.
func (p *Page) notice(event any, hosts []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fault := func(format string, args ...any) { p.faults = append(p.faults, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err != nil || u.Scheme != "data" && !slices.Contains(hosts, u.Host) {
			fault("the page asks %s for %s, want nobody but %q asked", u.Host, e.Type, hosts)
		}
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument {
			p.status[e.Response.URL] = e.Response.Status
		}
	case *log.EventEntryAdded:
		// A document with an error status is an entry, too: tests ask for the status.
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			fault("the console says %s (%s)", e.Entry.Text, e.Entry.Source)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			fault("a script writes an %s to the console", e.Type)
		}
	case *runtime.EventExceptionThrown:
		fault("a script throws: %s", e.ExceptionDetails.Text)
	}
}

// run carries out an action, within the patience of a test.
func run[T any](p *Page, what string, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	return value
}

// Visit goes to an address and waits until the page is loaded.
func (p *Page) Visit(address string) {
	p.t.Helper()
	run(p, "visit a page", chromedp.Navigate(address))
}

// act carries out an action, and waits for the page that it leads to, if it leads to one.
func (p *Page) act(what string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	loading, stop := context.WithCancel(ctx)
	defer stop()
	var leaves atomic.Bool
	err := chromedp.Listen(loading, func(event any) {
		switch event.(type) {
		case *page.EventFrameRequestedNavigation, *page.EventFrameStartedNavigating, *page.EventFrameStartedLoading:
			leaves.Store(true)
		}
	})
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	acted, loaded := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := chromedp.RunResponse(loading, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			defer close(acted)
			return action(ctx, t)
		})
		loaded <- err
	}()
	select {
	case err = <-loaded:
	case <-acted:
		// Whoever leaves says so before the next two pictures of this page, or when a form that a
		// script sends is no longer busy. An error is that the page is gone.
		_, left := chromedp.Run(ctx, chromedp.Evaluate[chromedp.Void](`new Promise((then) => {
			const look = () => requestAnimationFrame(document.querySelector("form[aria-busy=true]") ? look : then);
			requestAnimationFrame(look);
		})`, chromedp.EvalAwaitPromise))
		if left == nil && !leaves.Load() {
			return
		}
		err = <-loaded
	}
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// Press clicks what a CSS selector finds, and waits for the page that it leads to, if any.
func (p *Page) Press(selector string) {
	p.t.Helper()
	// A bar that stays in sight may cover what is at the edge of the screen, and pictures that
	// are drawn meanwhile move what is to be pressed.
	p.Await(fmt.Sprintf(`new Promise((still) => {
		const e = document.querySelector(%q);
		let at = "", frames = 0;
		const look = () => {
			const { top, left } = e.getBoundingClientRect(), now = top + " " + left;
			frames = now === at ? frames + 1 : 0;
			if (frames === 5) return still();
			if (frames === 0) e.scrollIntoView({ block: "center" });
			at = now;
			requestAnimationFrame(look);
		};
		e ? look() : still();
	})`, selector))
	p.act("press "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// Type writes into what a CSS selector finds, as with a keyboard.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS(selector), text)); err != nil {
		p.t.Fatalf("type into %s: %v", selector, err)
	}
}

// Enter writes into what a CSS selector finds, presses the key Enter there, and waits for
// the page that it leads to, if any.
func (p *Page) Enter(selector, text string) {
	p.t.Helper()
	p.act("enter into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text+"\r"))
}

// Choose chooses a file of this machine in the field that a CSS selector finds.
func (p *Page) Choose(selector, file string) {
	p.t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.SetUploadFiles(chromedp.CSS(selector), []string{path})); err != nil {
		p.t.Fatalf("choose a file in %s: %v", selector, err)
	}
}

// Drop drags a file of this machine over what a CSS selector finds, and lets it go there.
func (p *Page) Drop(selector, file string) {
	p.t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		p.t.Fatal(err)
	}
	var x, y float64
	middle := p.Evaluate(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect(); return (r.left + r.width / 2) + " " + (r.top + r.height / 2); })()`, selector))
	if _, err := fmt.Sscan(middle, &x, &y); err != nil {
		p.t.Fatalf("find %s: %v", selector, err)
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	dragged := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		if _, err := chromedp.Call(ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: x, Y: y, Data: dragged}); err != nil {
			p.t.Fatalf("drop a file on %s: %v", selector, err)
		}
	}
}

// Text is what can be read at a CSS selector.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return strings.TrimSpace(run(p, "read "+selector, chromedp.Text(chromedp.CSS(selector))))
}

// Address is that of the page that is shown.
func (p *Page) Address() string {
	p.t.Helper()
	return run(p, "read the address", chromedp.Location())
}

// Status is that of the answer that the page which is shown came with.
func (p *Page) Status() int64 {
	p.t.Helper()
	address := p.Address()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status[address]
}

// Evaluate returns the result of a script as text.
func (p *Page) Evaluate(script string) string {
	p.t.Helper()
	return run(p, "evaluate "+script, chromedp.Evaluate[string](script))
}

// Await waits for the promise that a script makes. A promise that is broken, or not kept
// within the patience of a test, fails it.
func (p *Page) Await(script string) {
	p.t.Helper()
	run(p, "wait for a script", chromedp.Evaluate[chromedp.Void](script, chromedp.EvalAwaitPromise))
}

// WantFit fails the test if the page is wider than its screen, so that its reader
// would have to scroll sideways.
func (p *Page) WantFit() {
	p.t.Helper()
	// A telephone's window grows with a page that is too wide.
	if wide := run(p, "measure the page", chromedp.Evaluate[int64](`document.documentElement.scrollWidth`)); wide > p.width {
		p.t.Errorf("the page is %d pixels wider than its screen", wide-p.width)
	}
}

// Screen is a picture of what the screen shows, as a PNG file.
func (p *Page) Screen() []byte {
	p.t.Helper()
	return run(p, "take a picture of the screen", chromedp.CaptureScreenshot())
}

// Shot keeps a picture of the whole page as name.png, for people to look at.
func (p *Page) Shot(name string) {
	p.t.Helper()
	folder := os.Getenv(ShotsVariable)
	if folder == "" {
		return
	}
	picture := run(p, "take a picture", chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
