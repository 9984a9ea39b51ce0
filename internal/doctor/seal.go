package doctor

import (
	"context"
	"time"
)

// renewalAhead is how long before its end a certificate is to be renewed.
const renewalAhead = 30 * 24 * time.Hour

const renewal = "Get a new certificate, and write it with its key to the files of PLATEN_SEAL_CERTIFICATE_FILE and PLATEN_SEAL_KEY_FILE. No program needs a restart."

// seal looks at the certificate that PDFs are sealed with, its key, and the time stamp service.
func (e *examination) seal(ctx context.Context) {
	if e.Seal == nil {
		return
	}
	const subject = "PLATEN_SEAL_CERTIFICATE_FILE"
	found, err := e.Seal()
	if err != nil {
		e.add(Finding{configuration, subject, Failure, "PDFs cannot be sealed: " + sentence(err), "Give a certificate in PEM, and its own key in PEM without a password, in files that the worker may read. Both name the same public key: 'openssl x509 -in CERTIFICATE -noout -pubkey' and 'openssl pkey -in KEY -pubout' print it."})
		return
	}
	until := found.Until.UTC().Format(time.DateOnly)
	switch now := e.Now(); {
	case now.Before(found.From):
		e.add(Finding{configuration, subject, Failure, "The certificate of " + found.Name + " is valid from " + found.From.UTC().Format(time.DateOnly) + " on. Documents with a seal fail until then.", renewal})
	case now.After(found.Until):
		e.add(Finding{configuration, subject, Failure, "The certificate of " + found.Name + " ended on " + until + ". Documents with a seal fail.", renewal})
	case now.After(found.Until.Add(-renewalAhead)):
		e.add(Finding{configuration, subject, Warning, "The certificate of " + found.Name + " ends on " + until + ". Documents with a seal fail from then on.", renewal})
	default:
		e.ok(configuration, subject, "The key fits the certificate of %s, which ends on %s.", found.Name, until)
	}
	if found.Stamp != nil {
		e.stamps(ctx, found)
	}
}

// stamps asks for one time stamp.
func (e *examination) stamps(ctx context.Context, found Seal) {
	const subject = "time stamp service"
	if _, err := limited(ctx, e.Limit, func(ctx context.Context) (struct{}, error) { return struct{}{}, found.Stamp(ctx) }); err != nil {
		e.add(Finding{network, subject, Failure, "It gives no time stamp: " + sentence(err),
			"Correct address, user and password in PLATEN_SEAL_TSA_URL, or let this machine call it (firewall). Documents with a seal wait until then."})
		return
	}
	e.ok(network, subject, "It gives a time stamp.")
}
