package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/platenhq/platen/internal/admin"
)

const (
	consoleOutputs = 100_000
	livePages      = 1000
	// liveOfOne is how many live pages somebody has.
	liveOfOne = 5
	// pagesRead is how many times each page is read: processor time has a resolution
	// of ten milliseconds.
	pagesRead = 50
	// lookEach is how often a page without a stream looks for changes.
	lookEach = 15 * time.Second
)

// measureConsole: what the page of outputs costs with much on it, and what pages cost
// that are open and change by themselves.
func measureConsole(ctx context.Context, b *bench) (err error) {
	g, err := b.startHarness(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	if _, err := g.sender.oneByOne(ctx, 1); err != nil {
		return err
	}
	if err := g.stopWorker(ctx); err != nil {
		return err
	}
	b.say("storing %d outputs", consoleOutputs)
	if err := g.storeAutomations(ctx, consoleOutputs, time.Second, nil); err != nil {
		return err
	}
	cookie, err := g.signIn(ctx, g.token)
	if err != nil {
		return err
	}
	if err := measureOutputsPage(ctx, g, cookie); err != nil {
		return err
	}
	if err := measureOtherPages(ctx, g, cookie); err != nil {
		return err
	}
	b.say("opening %d live pages", livePages)
	return measureLivePages(ctx, g.instance)
}

func measureOutputsPage(ctx context.Context, g *harness, cookie string) error {
	outputs := "/workflows/" + g.job.workflowID + "/outputs/"
	last, err := g.lastCursor(ctx, outputs)
	if err != nil {
		return err
	}
	// One name is found by a word that no other has.
	_, err = g.pool.Exec(ctx, `
		UPDATE outputs
		SET pdf = jsonb_set(pdf, '{name}', '"Invoice to Kiel end.pdf"')
		WHERE id = (SELECT min(id) FROM outputs)`)
	if err != nil {
		return fmt.Errorf("name an output: %w", err)
	}
	for _, page := range []struct{ name, query string }{
		{"first page of outputs", ""}, {"last page", "?cursor=" + last}, {"a word that all names have", "?q=end"}, {"a word that one name has", "?q=kiel+end"},
	} {
		took, err := g.pageCost(ctx, "/console"+outputs+page.query, cookie, "/outputs/out_")
		if err != nil {
			return err
		}
		g.bench.report.add(page.name+", of 100,000, CPU of serve", "ms", took, atMost(100))
	}
	return nil
}

// pageCost is the processor time of serve that a page takes, in milliseconds, once for each
// round. The page has the text shown.
func (g *harness) pageCost(ctx context.Context, path, cookie, shown string) (took []float64, err error) {
	for range g.bench.rounds {
		before := processorTime(g.serve.cmd.Process.Pid).own
		for range pagesRead {
			page, err := g.get(ctx, path, cookie)
			if err == nil && !strings.Contains(page, shown) {
				err = fmt.Errorf("GET %s: got a page without %s", path, shown)
			}
			if err != nil {
				return nil, err
			}
		}
		took = append(took, milliseconds(processorTime(g.serve.cmd.Process.Pid).own-before)/pagesRead)
	}
	return took, nil
}

var runInPage = regexp.MustCompile(`runs/(aut_[0-9A-Za-z]+)/`)

// measureOtherPages measures the pages that people open most, with the same 100,000 outputs.
func measureOtherPages(ctx context.Context, g *harness, cookie string) error {
	workflow := "/console/workflows/" + g.job.workflowID + "/"
	runs, err := g.get(ctx, workflow+"runs/", cookie)
	if err != nil {
		return err
	}
	run := runInPage.FindStringSubmatch(runs)
	if run == nil {
		return errors.New("the page of runs lists none")
	}
	for _, page := range []struct{ name, path, shown string }{
		{"Today", "/", "aut_"}, {"workflows", "/console/workflows/", g.job.workflowID}, {"a workflow", workflow, "aut_"},
		{"runs", workflow + "runs/", "aut_"}, {"a run", workflow + "runs/" + run[1] + "/", run[1]},
	} {
		took, err := g.pageCost(ctx, page.path, cookie, page.shown)
		if err != nil {
			return err
		}
		g.bench.report.add("page "+page.name+", CPU of serve", "ms", took, atMost(100))
	}
	return nil
}

var nextCursor = regexp.MustCompile(`[?&]cursor=([^&>]+)`)

// lastCursor is where the last page of a list begins, the newest first.
func (g *harness) lastCursor(ctx context.Context, list string) (last string, err error) {
	for cursor := ""; ; {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, g.serve.Main+list+"?order=newest&limit=1000"+cursor, nil)
		if err != nil {
			return "", err
		}
		request.Header.Set("Authorization", g.token)
		answer, err := g.http.Do(request)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			return "", err
		}
		next := nextCursor.FindStringSubmatch(answer.Header.Get("Link"))
		if next == nil {
			return last, nil
		}
		last, cursor = next[1], "&cursor="+next[1]
	}
}

func (i *instance) origin() string { return strings.TrimSuffix(i.serve.Main, "/v0") }

// signIn returns the cookie of a session.
func (i *instance) signIn(ctx context.Context, token string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, i.origin()+"/console/sign-in", strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := i.http.Transport.RoundTrip(request) // not the page that it leads to
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if len(answer.Cookies()) == 0 {
		return "", fmt.Errorf("sign in to the console: got %s", answer.Status)
	}
	c := answer.Cookies()[0]
	return c.Name + "=" + c.Value, nil
}

// get reads what is at a path of the console.
func (i *instance) get(ctx context.Context, path, cookie string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, i.origin()+path, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Cookie", cookie)
	answer, err := i.http.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: got %s", path, answer.Status)
	}
	return string(page), err
}

// team makes people who see the harness's workflow, and signs each in.
func (i *instance) team(ctx context.Context, admin *admin.Admin, people int) (cookies []string, err error) {
	id, err := admin.CreateTeam(ctx, "Readers")
	if err != nil {
		return nil, err
	}
	if _, err := i.pool.Exec(ctx, `UPDATE workflows SET team_id = $1`, id); err != nil {
		return nil, fmt.Errorf("give the workflow to a team: %w", err)
	}
	cookies = make([]string, people)
	for n := range cookies {
		address := fmt.Sprintf("reader-%d@bench.example", n)
		if _, err := admin.CreateUser(ctx, "Reader", address, id); err != nil {
			return nil, err
		}
		token, err := admin.CreateToken(ctx, address, "page", 0)
		if err != nil {
			return nil, err
		}
		if cookies[n], err = i.signIn(ctx, token); err != nil {
			return nil, err
		}
	}
	return cookies, nil
}

// measureLivePages opens pages of people who each have some, and lets them be.
func measureLivePages(ctx context.Context, i *instance) error {
	admin, err := i.admin(ctx)
	if err != nil {
		return err
	}
	defer admin.Close()
	cookies, err := i.team(ctx, admin, livePages/liveOfOne)
	if err != nil {
		return err
	}
	before, pid := residentMemory(i.serve), i.serve.cmd.Process.Pid
	opened, streams := make([]livePage, livePages), 0
	for n := range opened {
		if opened[n], err = i.openLive(ctx, cookies[n/liveOfOne]); err != nil {
			return fmt.Errorf("open live page %d: %w", n+1, err)
		}
		if opened[n].stream != nil {
			streams++
		}
	}
	used, begun := processorTime(pid).own, time.Now()
	reading, ctx := errgroup.WithContext(ctx)
	ctx, closeAll := context.WithTimeout(ctx, 3*lookEach)
	defer closeAll()
	for n, p := range opened {
		reading.Go(func() error { return i.live(ctx, p, lookEach*time.Duration(n)/livePages) })
	}
	if err := pause(ctx, 3*lookEach-time.Second); err != nil {
		return errors.Join(err, reading.Wait())
	}
	used = processorTime(pid).own - used
	i.bench.report.one("memory of serve, more with 1,000 live pages", "MB", residentMemory(i.serve)-before, atMost(50), note("%d of them with a stream", streams))
	i.bench.report.one("CPU of serve with 1,000 live pages", "processors", used.Seconds()/time.Since(begun).Seconds())
	return reading.Wait()
}

// A livePage is one that is open: with a stream or, without, one that looks now and then.
type livePage struct {
	stream net.Conn
	cookie string
}

// openLive opens a live page as a browser does, and leaves its stream unread.
func (i *instance) openLive(ctx context.Context, cookie string) (p livePage, err error) {
	host := strings.TrimPrefix(i.origin(), "http://")
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", host)
	if err != nil {
		return p, err
	}
	_, err = fmt.Fprintf(c, "GET /console/live?of=all: HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n", host, cookie)
	answer := make([]byte, len("HTTP/1.1 200"))
	if err == nil {
		_, err = io.ReadFull(c, answer)
	}
	switch {
	case err != nil:
		return p, errors.Join(err, c.Close())
	case string(answer) == "HTTP/1.1 200":
		return livePage{stream: c, cookie: cookie}, nil
	case string(answer) == "HTTP/1.1 204":
		return livePage{cookie: cookie}, c.Close()
	}
	return p, errors.Join(fmt.Errorf("got %q", answer), c.Close())
}

// live lets the page be open until ctx ends.
func (i *instance) live(ctx context.Context, p livePage, offset time.Duration) error {
	if p.stream != nil {
		<-ctx.Done()
		return p.stream.Close()
	}
	for wait := offset; pause(ctx, wait) == nil; wait = lookEach {
		answer, err := i.get(ctx, "/console/live?of=all:&look=1", p.cookie)
		if err == nil && len(answer) != 64 {
			err = fmt.Errorf("a look was answered with %.100q", answer)
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// residentMemory is what a part has in memory now, in MB; NaN where the machine does
// not tell.
func residentMemory(p *part) float64 {
	var kilobytes float64
	if _, err := fmt.Sscanf(procField(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid), "VmRSS"), "%f kB", &kilobytes); err != nil {
		return math.NaN()
	}
	return kilobytes / 1000
}
