package doctor

import (
	"fmt"
	"time"
)

const clock = "clock"

// How far this machine's clock may be from others. Google takes signed requests for
// tokens that are some minutes off, and receivers refuse events that are five
// (Standard Webhooks): a minute leaves room, and no machine with NTP is that far off.
const (
	clockWarns = 2 * time.Second
	clockFails = time.Minute
)

// clock compares: theirs was read between before and after, and is exact to within
// the coarseness.
func (e *examination) clock(subject string, before, after, theirs time.Time, coarseness time.Duration) {
	middle := before.Add(after.Sub(before) / 2)
	ahead := middle.Sub(theirs.Add(coarseness / 2))
	sure := max(0, ahead.Abs()-after.Sub(before)/2-coarseness/2) // at least so far apart
	side := "ahead of"
	if ahead < 0 {
		side = "behind"
	}
	f := Finding{Area: clock, Subject: subject, Status: OK, Message: "The clock of this machine agrees with that of " + subject + "."}
	if sure >= clockWarns {
		f.Status, f.Cure = Warning, "Have NTP set the clocks of both machines: timedatectl set-ntp true."
		f.Message = fmt.Sprintf("The clock of this machine is %v %s that of %s.", ahead.Abs().Round(time.Second), side, subject)
	}
	if sure >= clockFails {
		f.Status = Failure
	}
	e.add(f)
}
