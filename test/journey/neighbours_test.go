package journey

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
)

// A trouble keeps the documents of one owner from being made until it is cured.
type trouble struct {
	w    workflow
	data object
	met  *atomic.Int32 // tries that it made fail
	cure func()
}

func TestADeadDriveOrPictureHostOfOneOwnerDelaysNobodyElse(t *testing.T) {
	const places = 12 // of a machine with two cores
	for name, begin := range map[string]func(t *testing.T, owner *harness, g *gate) trouble{
		"a drive that does not answer":        deadDrive,
		"a picture host that answers 500":     brokenPictureHost,
		"a picture host that does not answer": deadPictureHost,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, options{idle: true})
			h.worker.WorkerOpen = config.Of[config.OpenRuns](places)
			g := h.gated(t)
			theirs := begin(t, h.neighbour(t, "troubled"), g)
			t.Cleanup(theirs.cure)
			r := newReceiver(t)
			ours := h.simple(t, r)
			for range 3 * places {
				postObject(t, theirs.w.Source.WebhookURL, theirs.data)
			}
			h.work(t)
			eventually(t, "as many of theirs met the trouble as there are places", func() error {
				if met := theirs.met.Load(); met < places {
					return fmt.Errorf("got %d, want %d", met, places)
				}
				return nil
			})

			postObject(t, ours.Source.WebhookURL, object{"Name": "Ada"})

			const soon = time.Minute // a busy machine; theirs may wait for a day
			select {
			case d := <-r.received:
				if d.fault != nil {
					t.Fatalf("event of another owner: %v: %s", d.fault, d.body)
				}
			case <-time.After(soon):
				t.Fatalf("event of another owner: not within %v while %d events of one owner wait; automations of the other: %v", soon, 3*places, h.automations(t, ours.ID))
			}
			for _, a := range h.automations(t, theirs.w.ID) {
				if a.state != "ACCEPTED" && a.state != "RUNNING" {
					t.Errorf("an automation of the owner in trouble: got %s before the trouble was cured, want it waiting", a.state)
				}
			}
			theirs.cure()
			eventually(t, "all of theirs are made when the trouble is over", func() error {
				states := map[string]int{}
				for _, a := range h.automations(t, theirs.w.ID) {
					states[a.state]++
				}
				if states["COMPLETED"] != 3*places {
					return fmt.Errorf("got %v, want %d COMPLETED", states, 3*places)
				}
				return nil
			})
		})
	}
}

// One owner's workflows are strangers to each other, too. Forty events of one that cannot
// be made, or told, are before the event of another.
func TestTroubleOfOneWorkflowDelaysNoOtherOfItsOwner(t *testing.T) {
	for name, begin := range map[string]func(t *testing.T, owner *harness, g *gate) trouble{
		"a picture host that answers 500":     brokenPictureHost,
		"a picture host that does not answer": deadPictureHost,
		"data that no run can be made of":     missingPicture,
		"a receiver that does not answer":     deadReceiver,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, options{idle: true})
			h.worker.WorkerOpen, h.worker.OwnerParked = config.Of[config.OpenRuns](12), config.Of(2)
			theirs := begin(t, h, nil)
			t.Cleanup(theirs.cure)
			r := newReceiver(t)
			ours := h.simple(t, r)
			for range 40 {
				postObject(t, theirs.w.Source.WebhookURL, theirs.data)
			}
			h.work(t)
			eventually(t, "three of the other workflow's events met the trouble", func() error {
				if met := theirs.met.Load(); met < 3 {
					return fmt.Errorf("got %d", met)
				}
				return nil
			})

			postObject(t, ours.Source.WebhookURL, object{"Name": "Ada"})

			const soon = 10 * time.Second
			select {
			case d := <-r.received:
				if d.fault != nil {
					t.Fatalf("event of the owner's other workflow: %v: %s", d.fault, d.body)
				}
			case <-time.After(soon):
				t.Fatalf("event of the owner's other workflow: not within %v; its automations: %v", soon, h.automations(t, ours.ID))
			}
		})
	}
}

// missingPicture has every run fail: the picture is not there.
func missingPicture(t *testing.T, owner *harness, _ *gate) trouble {
	t.Helper()
	return pictureHost(t, owner, func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.WriteHeader(http.StatusNotFound)
	})
}

func deadReceiver(t *testing.T, owner *harness, _ *gate) trouble {
	t.Helper()
	cured := make(chan struct{})
	x := trouble{w: owner.simple(t, nil), data: object{"Name": "Bob"}, met: &atomic.Int32{}, cure: sync.OnceFunc(func() { close(cured) })}
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		x.met.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
		case <-cured:
		}
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(site.Close)
	owner.call(t, http.MethodPost, "/workflows/"+x.w.ID+"/outgoing-webhooks/", object{"webhookUrl": site.URL}, nil, http.StatusCreated)
	return x
}

func deadDrive(t *testing.T, owner *harness, g *gate) trouble {
	t.Helper()
	x := trouble{w: owner.simple(t, nil), data: object{"Name": "Bob"}, met: &atomic.Int32{}}
	cured := make(chan struct{})
	g.set(func(r *http.Request) verdict {
		if r.Header.Get("Authorization") != "Bearer "+owner.driveToken {
			return verdict{}
		}
		x.met.Add(1)
		return verdict{release: cured}
	})
	x.cure = sync.OnceFunc(func() {
		g.open()
		close(cured)
	})
	return x
}

func brokenPictureHost(t *testing.T, owner *harness, _ *gate) trouble {
	t.Helper()
	return pictureHost(t, owner, func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.WriteHeader(http.StatusInternalServerError)
	})
}

func deadPictureHost(t *testing.T, owner *harness, _ *gate) trouble {
	t.Helper()
	return pictureHost(t, owner, func(_ http.ResponseWriter, r *http.Request, cured <-chan struct{}) {
		select {
		case <-r.Context().Done():
		case <-cured:
		}
		panic(http.ErrAbortHandler)
	})
}

// pictureHost answers by fault until it is cured.
func pictureHost(t *testing.T, owner *harness, fault func(w http.ResponseWriter, r *http.Request, cured <-chan struct{})) trouble {
	t.Helper()
	logo := pngOf(t, 40, 20)
	cured := make(chan struct{})
	x := trouble{met: &atomic.Int32{}, cure: sync.OnceFunc(func() { close(cured) })}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-cured:
			_, _ = w.Write(logo)
		default:
			x.met.Add(1)
			fault(w, r, cured)
		}
	}))
	t.Cleanup(site.Close)
	x.w, x.data = owner.createWorkflow(t, object{"name": "Logos"}), object{"Logo": site.URL + "/logo"}
	owner.addDocument(t, x.w, owner.write(t, "Logos", "{{image Logo}}"), object{})
	return x
}
