package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

// Notices is where the store keeps notices to owners.
type Notices interface {
	// ClaimNotices returns what is due, those of one mail together, each the caller's for
	// lease: failures of a workflow once in digest, and those of an owner so far apart.
	ClaimNotices(ctx context.Context, digest, apart, lease time.Duration, mails int) ([]platen.Notice, error)
	// MarkTold notes that the owner was told.
	MarkTold(ctx context.Context, told []platen.Notice) error
}

// Letters takes mails.
type Letters interface {
	Host() string
	// Deliver hands over a letter. The error is nil if each recipient gets it.
	Deliver(ctx context.Context, l platen.Letter) ([]platen.Recipient, error)
}

const (
	noticesAtOnce = 8
	noticeTimeout = time.Minute
	// noticeLease is longer than a pass takes, of 8 mails with a minute each: a mail that
	// could not be sent is tried again after it.
	noticeLease = 10 * time.Minute
	// noticeDigest is how long the failures of a workflow are collected after the first.
	noticeDigest = 24 * time.Hour
	// noticesApart keeps workflows that fail one after the other from as many mails.
	noticesApart = 10 * time.Minute
)

// TellOwners mails owners what they have to cure. console is where they sign in; empty:
// mails have no links.
func TellOwners(store Notices, letters Letters, console string) Job {
	return Job{Name: "notices", Every: time.Minute, Do: func(ctx context.Context, log *slog.Logger) error {
		due, err := store.ClaimNotices(ctx, noticeDigest, noticesApart, noticeLease, noticesAtOnce)
		if err != nil {
			return err
		}
		var failed []error
		for len(due) > 0 && ctx.Err() == nil {
			n := slices.IndexFunc(due, func(other platen.Notice) bool { return !sameMail(due[0], other) })
			if n < 0 {
				n = len(due)
			}
			of := due[:n]
			due = due[n:]
			if err := tell(ctx, store, letters, console, of); err != nil {
				failed = append(failed, fmt.Errorf("tell %s of %s: %w", of[0].OwnerID, of[0].Kind, err))
				continue
			}
			log.Info("an owner was told by mail", "owner", of[0].OwnerID, "of", of[0].Kind, "subjects", len(of))
		}
		return errors.Join(failed...)
	}}
}

func sameMail(a, b platen.Notice) bool { return a.Mail == b.Mail && a.Kind == b.Kind }

// tell sends one mail and marks its notices as told. A mail that can never be sent
// counts as told, because another attempt would not help.
func tell(ctx context.Context, store Notices, letters Letters, console string, of []platen.Notice) error {
	if platen.IsEmailAddress(of[0].Email) {
		ctx, cancel := context.WithTimeout(ctx, noticeTimeout)
		defer cancel()
		_, err := letters.Deliver(ctx, letterOf(letters.Host(), console, of))
		if err != nil && platen.KindOf(err) != platen.KindInvalid {
			return err
		}
	}
	return store.MarkTold(ctx, of)
}

// letterOf writes the mail about notices of one kind. A repeat has the same id and the same
// bytes.
func letterOf(host, console string, of []platen.Notice) platen.Letter {
	last := of[0].CausedAt
	for _, n := range of {
		if n.CausedAt.After(last) {
			last = n.CausedAt
		}
	}
	l := platen.Letter{MessageID: platen.DerivedID(platen.PrefixNotice, of[0].Mail, string(of[0].Kind)) + "@" + host, Date: last, To: []string{of[0].Email}}
	// One mail is in one language: that of the locale of the first workflow.
	in := catalog.Choose(of[0].Locale)
	var text strings.Builder
	for _, n := range of {
		subject, said := noticeText(in, n)
		l.Subject = subject
		text.WriteString(said + "\n")
		switch {
		case console == "":
		case n.Kind == platen.NoticeUsage:
			text.WriteString(console + "/usage/\n")
		case n.Kind == platen.NoticeSenders:
			text.WriteString(console + "/senders/\n")
		case n.WorkflowID != "":
			text.WriteString(console + "/workflows/" + n.WorkflowID + "/" + placeOf[n.Kind] + "\n")
		}
		text.WriteString("\n")
	}
	if len(of) > 1 {
		l.Subject = in.Text("%d workflows failed", len(of))
		switch of[0].Kind {
		case platen.NoticeReceiver:
			l.Subject = in.Text("Nothing is sent to %d receivers any more", len(of))
		case platen.NoticeSenders:
			l.Subject = in.Text("The servers of %d mail senders fail", len(of))
		case platen.NoticeMails:
			l.Subject = in.Text("Mails of %d workflows did not go out", len(of))
		case platen.NoticeTargets:
			l.Subject = in.Text("Documents of %d workflows were not stored elsewhere", len(of))
		case platen.NoticeSchedules:
			l.Subject = in.Text("Schedules of %d workflows started nothing", len(of))
		case platen.NoticeKeys:
			l.Subject = in.Text("Events of %d workflows came under a key of before", len(of))
		}
	}
	switch of[0].Kind {
	case platen.NoticeFailures:
		text.WriteString(in.Text("You get the next mail about the failures of a workflow after a day at the earliest.") + "\n")
	case platen.NoticeMails, platen.NoticeKeys, platen.NoticeTargets, platen.NoticeSchedules, platen.NoticeSenders:
		text.WriteString(in.Text("You get the next mail about this after a day at the earliest.") + "\n")
	}
	l.Text = text.String()
	return l
}

// placeOf is where the page of a workflow shows what a notice is about.
var placeOf = map[platen.NoticeKind]string{platen.NoticeMails: "runs/?mail=FAILED", platen.NoticeKeys: "runs/?state=SKIPPED", platen.NoticeTargets: "outputs/?target=FAILED", platen.NoticeSchedules: "data/"}

func noticeText(in catalog.Printer, n platen.Notice) (subject, text string) {
	name, count := strconv.Quote(n.Workflow), max(n.Count, 1)
	of := func(said string) string { return in.Text("Workflow %s: %s", name, said) }
	switch {
	case n.Kind == platen.NoticeConnection:
		return in.Text("Your drive has to be connected again"),
			in.Text("The drive accepts the connection of your account no more. Your automations wait until you connect the drive again.")
	case n.Kind == platen.NoticeUsage:
		subject = in.Text("Most documents of this month are made")
		if n.Code != "" {
			subject = in.Text("The documents of this month are used up")
		}
		return subject, in.Text("%s of %s documents of this month are made.", strconv.Itoa(n.Count), n.Message) + " " + in.Text("The limit of this month is near or reached. At the limit, new events are refused, and what was accepted is carried out. Ask whoever runs this installation for more.")
	case n.Kind == platen.NoticeSenders:
		return in.Text("The server of a mail sender fails"), in.Plain(n.Code, n.Message) + " " + in.Text("Mails that leave by it wait, and fail after a day.")
	case n.Kind == platen.NoticeReceiver && n.Workflow == "":
		return in.Text("Nothing is sent to a receiver any more"), in.Plain(n.Code, platen.MessageOfHeld(n.Code))
	case n.Kind == platen.NoticeReceiver:
		return in.Text("Nothing is sent to the receiver of %s any more", name), of(in.Plain(n.Code, platen.MessageOfHeld(n.Code)))
	case n.Kind == platen.NoticeMails:
		return in.Text("%d mails of workflow %s did not go out", count, name),
			of(in.Text("%d mails did not go out. Nobody got the documents.", count) + " " + lastOne(in, n))
	case n.Kind == platen.NoticeTargets:
		return in.Text("%d documents of workflow %s were not stored elsewhere", count, name),
			of(in.Text("%d documents were not stored elsewhere. They are in the drive.", count) + " " + in.Text("The last one: %s (%s)", n.Message, n.Code))
	case n.Kind == platen.NoticeSchedules:
		return in.Text("%d schedules of workflow %s started nothing", count, name),
			of(in.Text("%d schedules started nothing the last time. Run them once the cause is cured.", count) + " " + in.Text("The last one: %s (%s)", n.Message, n.Code))
	case n.Kind == platen.NoticeKeys:
		text = of(in.Text("%d events came under the key of another event, and nothing was made of them. If they are wanted, send them again under a key of their own.", count))
		if n.AutomationID != "" && n.KeyTakenBy != "" {
			text += " " + in.Text("The last one is %s; %s had its key first.", n.AutomationID, n.KeyTakenBy)
		}
		return in.Text("%d events of workflow %s came under a key of before", count, name), text
	}
	subject, text = in.Text("Workflow %s failed", name), in.Text("%d automations failed.", count)
	if n.Code == platen.CodeFileNotFound {
		subject = in.Text("The template of workflow %s was not found", name)
	}
	if n.Again {
		text = in.Text("%d automations failed since the last mail.", count)
	}
	if n.Message != "" {
		text += " " + lastOne(in, n)
	}
	return subject, of(text)
}

// lastOne says why the last one failed.
func lastOne(in catalog.Printer, n platen.Notice) string {
	return in.Text("The last one: %s (%s)", in.Plain(n.Code, n.Message), n.Code)
}
