//go:build !failpoints

package failpoint

import (
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/dispatch"
)

// Accepting has places before and after an event is stored.
func Accepting(a Acceptor) Acceptor { return a }

// Running has places before and after each step, and after each start of a run.
func Running(o client.Options) client.Options { return o }

// Storing has places after each change of the drive.
func Storing(d activities.Drive) activities.Drive { return d }

// Sending has a place after the receiver's answer.
func Sending(s delivery.Sender) delivery.Sender { return s }

// Dispatching shortens how long dispatch waits before it looks after runs and
// events.
func Dispatching(o dispatch.Options) dispatch.Options { return o }
