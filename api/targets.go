package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// targetJSON is where outputs are stored as well. Its secret is never shown.
type targetJSON struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Kind       platen.TargetKind `json:"kind"`
	URL        string            `json:"url"`
	Path       string            `json:"path"`
	When       string            `json:"when"`
	Office     bool              `json:"office"`
	Sidecar    bool              `json:"sidecar"`
	User       string            `json:"user"`
	HasSecret  bool              `json:"hasSecret"`
	HostKey    string            `json:"hostKey"`
	Region     string            `json:"region"`
	Encryption string            `json:"encryption"`
	KMSKey     string            `json:"kmsKey"`
	LockMode   string            `json:"lockMode"`
	LockDays   int               `json:"lockDays"`
	CreatedAt  string            `json:"createdAt"`
	UpdatedAt  string            `json:"updatedAt"`
	// Findings are in answers to what makes or changes it, where there are any.
	Findings []checkedJSON `json:"findings,omitempty"`
}

func target(t platen.Target) targetJSON {
	return targetJSON{
		ID: t.ID, Name: t.Name, Kind: t.Kind, URL: t.URL, Path: t.Path, When: t.When, Office: t.Office, Sidecar: t.Sidecar, User: t.User, HasSecret: t.Secret != "", HostKey: t.HostKey, Region: t.Region,
		Encryption: t.Encryption, KMSKey: t.KMSKey, LockMode: t.LockMode, LockDays: t.LockDays, CreatedAt: platen.Timestamp(t.CreatedAt), UpdatedAt: platen.Timestamp(t.UpdatedAt),
	}
}

// targetPatch is what a request says of a target; what it leaves out stays.
type targetPatch struct {
	name, kind, url, path, when, user, secret *string
	hostKey                                   *string
	region, encryption, kmsKey, lockMode      *string
	office, sidecar                           *bool
	lockDays                                  *int
}

// readTarget reads a body into changes of t, which is new or as it is stored.
func (s *server) readTarget(body []byte, t platen.Target) (changed platen.Target, err error) {
	var in targetPatch
	isNew := t.CreatedAt.IsZero()
	kinds := make([]string, 0, len(platen.TargetKinds()))
	for _, k := range platen.TargetKinds() {
		kinds = append(kinds, string(k))
	}
	m := members{
		"id": skipValue, "kind": skipValue, "findings": skipValue, "hasSecret": skipValue, "createdAt": skipValue, "updatedAt": skipValue,
		"name":       text(&in.name, line(platen.MaxWorkflowName)),
		"url":        text(&in.url, short(platen.MaxReceiverAddress)),
		"path":       text(&in.path, orEmptyOr(targetPath)),
		"when":       text(&in.when, short(platen.MaxTextTemplate)),
		"office":     flag(&in.office),
		"sidecar":    flag(&in.sidecar),
		"user":       text(&in.user, short(platen.MaxWorkflowName)),
		"secret":     text(&in.secret, targetSecret),
		"hostKey":    text(&in.hostKey, orEmptyOr(hostKey)),
		"region":     text(&in.region, orEmptyOr(plainWord)),
		"encryption": text(&in.encryption, orEmptyOr(oneOf(platen.EncryptAES256, platen.EncryptKMS))),
		"kmsKey":     text(&in.kmsKey, orEmptyOr(plainWord)),
		"lockMode":   text(&in.lockMode, orEmptyOr(oneOf(platen.LockGovernance, platen.LockCompliance))),
		"lockDays":   wholeNumber(&in.lockDays, 0, platen.MaxLockDays),
	}
	var required []string
	if isNew {
		m["kind"] = text(&in.kind, oneOf(kinds...))
		required = []string{"name", "kind", "url"}
	}
	before := t
	err = decodeWith(body, m, func(d *decoder) {
		if len(d.faults) > 0 {
			return
		}
		in.apply(&t)
		if in.url != nil {
			if wrong := s.targetAddress(t.Kind)(*in.url); wrong != "" {
				d.fault("/url", "%s", wrong)
				return
			}
		}
		if when := t.When; when != "" && s.condition != nil {
			if wrong := s.condition(when); wrong != "" {
				d.fault("/when", "cannot be read: %s", wrong)
			}
		}
		if member, problem := t.Problem(); problem != "" {
			d.fault("/"+member, "%s", problem)
		}
		if in.secret != nil && t.Kind == platen.TargetSFTP && s.sshSecret != nil {
			if problem := s.sshSecret(*in.secret); problem != "" {
				d.fault("/secret", "%s", problem)
			}
		}
		// Else a token that may change a target could have its credentials sent elsewhere.
		if !isNew && in.secret == nil && before.Secret != "" && (t.User != before.User || hostOf(t.URL) != hostOf(before.URL)) {
			d.fault("/secret", "is required where user, or the host of url, changes")
		}
	}, required...)
	return t, err
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func (in targetPatch) apply(t *platen.Target) {
	if in.kind != nil {
		t.Kind = platen.TargetKind(*in.kind)
	}
	for _, one := range []struct {
		dst  *string
		sent *string
	}{
		{&t.Name, in.name}, {&t.Path, in.path}, {&t.User, in.user}, {&t.Region, in.region}, {&t.Encryption, in.encryption},
		{&t.HostKey, in.hostKey}, {&t.KMSKey, in.kmsKey}, {&t.LockMode, in.lockMode},
	} {
		set(one.dst, one.sent)
	}
	if in.when != nil {
		t.When = strings.TrimSpace(*in.when)
	}
	switch {
	case in.url == nil:
	case t.Kind == platen.TargetDrive:
		t.URL = folderIDIn(*in.url)
	default:
		t.URL = strings.TrimRight(*in.url, "/")
	}
	if in.secret != nil {
		t.Secret = platen.Secret(*in.secret)
	}
	set(&t.Office, in.office)
	set(&t.Sidecar, in.sidecar)
	set(&t.LockDays, in.lockDays)
}

// targetPath is the rule of the folders below the address of a target. A tag that is not closed
// would be the name of a folder.
func targetPath(text string) string {
	if platen.UnclosedTag(text) {
		return "has a tag that is not closed: put }} behind the name, such as Invoices/{{Customer}}"
	}
	return folderPath(text)
}

// plainWord is the rule of a name that goes into a header.
func plainWord(text string) string {
	if len(text) > 300 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "must be one word of at most 300 ASCII characters"
	}
	return ""
}

// keyFiles are how files of keys begin. What is none of SFTP is refused by its name.
var keyFiles = []string{platen.PrivateKeyPrefix, "---- BEGIN ", "PuTTY-User-Key-File-", "ssh-", "ecdsa-"}

// targetSecret is the rule of a secret, which goes into a header, or is a private key.
func targetSecret(text string) string {
	if slices.ContainsFunc(keyFiles, func(begin string) bool { return strings.HasPrefix(text, begin) }) {
		text = strings.NewReplacer("\r", "", "\n", "").Replace(text)
	}
	if len(text) > platen.MaxTargetSecret || strings.ContainsFunc(text, unicode.IsControl) {
		return "must be one line of at most 16 KiB, without line breaks and tabs, or a private key as OpenSSH writes it"
	}
	return ""
}

// hostKey is the rule of a fingerprint as OpenSSH prints it: SHA-256 in base64 without
// padding.
func hostKey(text string) string {
	sum, err := base64.RawStdEncoding.DecodeString(strings.TrimPrefix(text, "SHA256:"))
	if err != nil || len(sum) != sha256.Size || !strings.HasPrefix(text, "SHA256:") {
		return "must be a fingerprint such as SHA256:uNiVztksCsDhcc0u9e8BrCnAJoVAzoXMp1VqVgwkVCU, as 'ssh-keygen -l' prints it"
	}
	return ""
}

// targetAddress is the rule of the url of a target of that kind.
func (s *server) targetAddress(kind platen.TargetKind) rule {
	if kind != platen.TargetDrive {
		return s.targetURL
	}
	return func(address string) string {
		if strings.TrimSpace(address) == "" {
			return "must be the id of a folder in the drive of the workflow's owner, or its link"
		}
		return folderID(address)
	}
}

// checkTargetFolder looks at the folder of a target as the caller, who must be able to put files
// into it, and as the workflow's owner, as whom runs do.
func (s *server) checkTargetFolder(ctx context.Context, t platen.Target) error {
	if t.Kind != platen.TargetDrive {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.driveTimeout, errDriveTimeout)
	defer cancel()
	if caller(ctx).ID != t.OwnerID {
		drive, err := s.drives(ctx, caller(ctx).ID)
		if err == nil {
			_, err = drive.FolderToFill(ctx, t.URL)
		}
		if e, ok := errors.AsType[*platen.Error](err); ok && e.Code == "drive_file_forbidden" {
			return fileFault(e.Code, "/url", "names a folder into which your account may put no files: ask its owner for the role of an editor")
		}
		if err != nil {
			return driveError(ctx, "/url", err)
		}
	}
	drive, err := s.drives(ctx, t.OwnerID)
	if err != nil {
		return driveError(ctx, "/url", err)
	}
	err = platen.TargetFolderError(drive.FolderToFill(ctx, t.URL))
	e, ok := errors.AsType[*platen.Error](err)
	if !ok || !strings.HasPrefix(e.Code, "target_") {
		return driveError(ctx, "/url", err)
	}
	message := onceOnly(e.Message)
	return &platen.Error{Kind: platen.KindInvalid, Code: e.Code, Message: message, Faults: []platen.Fault{{Pointer: "/url", Message: "cannot be used. " + message}}, Err: err}
}

// onceOnly is the message of an attempt to store that is not made again.
func onceOnly(message string) string { return strings.TrimSuffix(message, " It is tried again.") }

// targetURL is the rule of the address of a target. Credentials go there: without TLS, only
// within a network of one's own.
func (s *server) targetURL(address string) string {
	if wrong := webhookURL(httpsOf(address)); wrong != "" {
		return strings.ReplaceAll(wrong, "an absolute http or https address, such as https://example.com/events", "an absolute address, such as https://s3.example.com/bucket")
	}
	u, err := url.Parse(httpsOf(address))
	switch {
	case err != nil, u.RawQuery != "", u.Fragment != "", strings.Contains(u.Path, "/../"), strings.HasSuffix(u.Path, "/.."):
		return "must end with a path: without a query, a fragment and '..'"
	case u.Scheme == "http" && !isNear(u.Hostname()):
		return "must begin with https://: credentials would be readable on the way. http:// is for hosts of a private network alone"
	case s.own(httpsOf(address)):
		return "is an address of this installation of Platen"
	}
	return ""
}

// httpsOf is an address of SFTP as one of HTTPS, whose rules it has but for the port.
func httpsOf(address string) string {
	if rest, ok := strings.CutPrefix(address, "sftp://"); ok {
		return "https://" + rest
	}
	return address
}

// isNear tells of the address of a private network, or a name that no public one is.
func isNear(host string) bool {
	at, err := netip.ParseAddr(host)
	if err != nil {
		return !strings.Contains(strings.TrimSuffix(host, "."), ".")
	}
	return at.IsPrivate() || at.IsLoopback()
}

func (s *server) listTargets(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	found, err := s.Targets.Targets(r.Context(), caller(r.Context()), id)
	if err != nil {
		return err
	}
	all := make([]targetJSON, len(found))
	for i, t := range found {
		all[i] = target(t)
	}
	return edge.WriteJSON(w, http.StatusOK, all)
}

func (s *server) getTarget(w http.ResponseWriter, r *http.Request) error {
	t, err := s.findTarget(r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, target(t))
}

func (s *server) findTarget(r *http.Request) (platen.Target, error) {
	id, err := workflowID(r)
	if err != nil {
		return platen.Target{}, err
	}
	targetID, err := targetID(r)
	if err != nil {
		return platen.Target{}, err
	}
	return s.Targets.Target(r.Context(), caller(r.Context()), id, targetID)
}

// targetID is the id in the path; what cannot be one is not looked for.
func targetID(r *http.Request) (string, error) {
	id := mux.Vars(r)["target"]
	if !platen.IsID(platen.PrefixTarget, id) {
		return "", platen.ErrTargetNotFound()
	}
	return id, nil
}

func (s *server) createTarget(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err == nil {
		err = checkChangeable(wf)
	}
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	t, err := s.readTarget(body, platen.Target{ID: platen.NewID(platen.PrefixTarget), WorkflowID: wf.ID, OwnerID: wf.Owner.ID})
	if err == nil {
		err = s.checkTargetFolder(r.Context(), t)
	}
	if err != nil {
		return err
	}
	if t, err = s.Targets.CreateTarget(r.Context(), caller(r.Context()), t); err != nil {
		return err
	}
	return writeTold(w, r, http.StatusCreated, target(t), targetWithFindings(t, wf))
}

func (s *server) updateTarget(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err == nil {
		err = checkChangeable(wf)
	}
	if err != nil {
		return err
	}
	id, err := targetID(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	before, err := s.Targets.Target(r.Context(), caller(r.Context()), wf.ID, id)
	if err != nil {
		return err
	}
	if t, err := s.readTarget(body, before); err == nil && t.URL != before.URL { // what is wrong with the body, the change says
		if err := s.checkTargetFolder(r.Context(), t); err != nil {
			return err
		}
	}
	check := requireUnchanged(r)
	t, err := s.Targets.UpdateTarget(r.Context(), caller(r.Context()), wf.ID, id, func(t *platen.Target) (err error) {
		if err = check(target(*t)); err == nil {
			*t, err = s.readTarget(body, *t)
		}
		return err
	})
	if err != nil {
		return err
	}
	return writeTold(w, r, http.StatusOK, target(t), targetWithFindings(t, wf))
}

func (s *server) deleteTarget(w http.ResponseWriter, r *http.Request) error {
	t, err := s.findTarget(r)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	err = s.Targets.DeleteTarget(r.Context(), caller(r.Context()), t.WorkflowID, t.ID, func(t platen.Target) error { return check(target(t)) })
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// targetTestJSON says what became of a small file that was stored and removed.
type targetTestJSON struct {
	Key     string       `json:"key"`
	Stored  bool         `json:"stored"`
	Removed bool         `json:"removed"`
	Error   *failureJSON `json:"error"`
}

// testTarget stores a small file at a target and removes it.
func (s *server) testTarget(w http.ResponseWriter, r *http.Request) error {
	t, err := s.findTarget(r)
	if err != nil {
		return err
	}
	if err := readNothing(r); err != nil {
		return err
	}
	if s.testAt == nil {
		return platen.Errorf(platen.KindUnavailable, "test_unavailable", "Targets cannot be tested here.")
	}
	result := s.testAt(r.Context(), t)
	answer := targetTestJSON{Key: result.Key, Stored: result.Stored, Removed: result.Removed}
	if result.Err == nil {
		if err := s.Targets.NoteTested(r.Context(), caller(r.Context()), t.WorkflowID, t.ID); err != nil {
			return err
		}
	}
	if result.Err != nil {
		answer.Error = failure(result.Err.Code, onceOnly(result.Err.Message))
	}
	return edge.WriteJSON(w, http.StatusOK, answer)
}

// storeOutput has an output stored at a target again, and answers with it as it stands now.
func (s *server) storeOutput(w http.ResponseWriter, r *http.Request) error {
	wf, o, err := s.findOutput(r)
	if err != nil {
		return err
	}
	id, err := targetID(r)
	if err != nil {
		return err
	}
	if err := readNothing(r); err != nil {
		return err
	}
	if err := s.Targets.StoreOutput(r.Context(), caller(r.Context()), wf.ID, o.ID, id); err != nil {
		return err
	}
	if _, o, err = s.findOutput(r); err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusAccepted, output(o))
}

// placementJSON says what a target has of an output.
type placementJSON struct {
	TargetID string                `json:"targetId"`
	Name     string                `json:"name"`
	State    platen.PlacementState `json:"state"`
	Attempts int                   `json:"attempts"`
	TriedAt  *string               `json:"triedAt"`
	NextAt   *string               `json:"nextAttemptAt"`
	StoredAt *string               `json:"storedAt"`
	Files    []receiptJSON         `json:"files"`
	Error    *failureJSON          `json:"error"`
}

type receiptJSON struct {
	Kind     string  `json:"kind"`
	Key      string  `json:"key"`
	Version  *string `json:"version"`
	SHA256   string  `json:"sha256"`
	Bytes    int64   `json:"bytes"`
	StoredAt string  `json:"storedAt"`
}

func placementsOf(placements []platen.Placement) []placementJSON {
	all := make([]placementJSON, len(placements))
	for i, p := range placements {
		all[i] = placementJSON{
			TargetID: p.TargetID, Name: p.TargetName, State: p.State, Attempts: p.Attempts, TriedAt: moment(p.TriedAt), NextAt: moment(p.NextAt), StoredAt: moment(p.StoredAt),
			Files: make([]receiptJSON, len(p.Receipts)), Error: failure(p.Code, p.Message),
		}
		for k, r := range p.Receipts {
			all[i].Files[k] = receiptJSON{r.Kind, r.Key, orNull(r.Version), r.SHA256, r.Bytes, platen.Timestamp(r.StoredAt)}
		}
	}
	return all
}
