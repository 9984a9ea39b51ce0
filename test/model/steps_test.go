// Package model holds the API to a small model of its specification: random
// sequences of all operations by users of two teams, a user in none, users who are
// moved or disabled, tokens with scopes and unauthenticated callers. Each answer is
// compared with what the model says, and so are the audit and, after each step,
// somebody's whole list. Everything is real but the worker: the
// service's own handlers, Postgres, and our drive behind the drive client.
//
// Each run has teams and users of its own in one database, because a database
// for every run would take most of the time. What is tested by examples
// belongs to the packages and to test/conformance.
//
// walls_test.go takes the conditions that keep tenants apart out of the store's SQL, one
// after the other, and plays the model with each.
package model

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/testkit/property"
)

const (
	defaultSteps = 1000
	stepsPerRun  = 50 // on average
	// apart is how far the seed goes on when the runs had fewer steps than were wanted.
	apart = 1_000_003
)

func TestTheServiceBehavesAsItsModel(t *testing.T) {
	steps := defaultSteps
	if text := os.Getenv("PLATEN_MODEL_STEPS"); text != "" {
		var err error
		if steps, err = strconv.Atoi(text); err != nil || steps < 1 {
			t.Fatalf("PLATEN_MODEL_STEPS=%q is not a number of steps", text)
		}
	}
	s := openService(t)
	t.Cleanup(func() {
		if s.caught > 0 {
			t.Logf("step %d failed first", s.caught)
		} else {
			t.Logf("%d steps in %d runs", s.steps, s.runs)
		}
	})
	setFlag(t, "rapid.steps", stepsPerRun)
	setFlag(t, "rapid.shrinktime", cmp.Or(os.Getenv("PLATEN_MODEL_SHRINK"), "1m"))
	setFlag(t, "rapid.nofailfile", true) // the seed is enough, and a test leaves nothing behind
	seed := property.Seed(t)
	t.Logf("from the seed %d on", seed)
	for ; s.steps < steps; seed += apart {
		setFlag(t, "rapid.seed", seed)
		setFlag(t, "rapid.checks", (steps-s.steps)/stepsPerRun+1)
		rapid.Check(t, s.run)
	}
}

func setFlag(t *testing.T, name string, value any) {
	t.Helper()
	if err := flag.Set(name, fmt.Sprint(value)); err != nil {
		t.Fatal(err)
	}
}

// run is one sequence of steps by users of its own.
func (s *service) run(t *rapid.T) {
	w := settle(t, s)
	ended := false
	defer func() {
		if !ended && s.caught == 0 {
			s.caught = s.steps
		}
	}()
	actions := w.actions()
	t.Repeat(map[string]func(*rapid.T){"step": func(*rapid.T) {
		s.steps++
		actions[w.number("action", len(actions))]()
		w.lookInTurn()
	}})
	for _, p := range w.people {
		w.lookInTurn()
		w.lookAtAudit(p, "")
	}
	ended = true
}

// actions are what a step can be; those of greater weight come more often.
func (w *model) actions() []func() {
	var actions []func()
	add := func(weight int, action func()) {
		for range weight {
			actions = append(actions, action)
		}
	}
	add(2, w.createRunnable)
	add(3, w.createWorkflow)
	add(1, w.listWorkflows)
	add(2, w.getWorkflow)
	add(3, w.patchWorkflow)
	add(2, w.deleteWorkflow)
	add(3, w.createDocument)
	add(1, w.listDocuments)
	add(1, w.getDocument)
	add(3, w.patchDocument)
	add(1, w.sendBack)
	add(1, w.getWebhook)
	add(2, w.createWebhook)
	add(2, w.updateWebhook)
	add(1, w.getSecret)
	add(1, w.getSource)
	add(3, w.getVerification)
	add(1, w.changeVerification)
	add(4, w.postEvent)
	add(1, w.otherMethod)
	add(1, w.deleteDocument)
	add(1, w.deleteWebhook)
	add(1, w.rotateSecret)
	add(1, w.readAutomations)
	add(1, w.countAutomations)
	add(1, w.readFailures)
	add(4, w.askOfAutomation)
	add(1, w.checkDocument)
	add(3, w.loseRun)
	add(2, w.beginReviews)
	add(4, w.answerReview)
	add(2, w.arrange)
	add(1, w.giveUp)
	add(1, w.holdEvent)
	add(1, w.askOfErased)
	add(1, w.getEndpoint)
	add(2, w.createReceiver)
	add(1, w.listReceivers)
	add(5, w.askOfReceiver)
	add(5, w.askOfEvent)
	add(2, w.recoverEvents)
	add(1, w.testWebhook)
	add(1, w.lostUpdate)
	add(2, w.useScopedToken)
	add(1, w.disableUser)
	add(2, w.moveUser)
	add(1, w.readAudit)
	return actions
}

// lookInTurn reads the list of one person after the other.
func (w *model) lookInTurn() {
	w.t.Helper()
	p := w.people[w.turn%len(w.people)]
	w.turn++
	w.look(caller{name: p.name, person: p, authorization: p.token})
}
