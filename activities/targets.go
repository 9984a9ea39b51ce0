package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/platenhq/platen/internal/platen"
)

// Targets stores outputs at targets. Its methods are activities of DeliverFiles.
type Targets struct {
	Documents *Documents
	Store     TargetStore
	Places    Places
	// Now tells the time to breakers. Default: time.Now.
	Now func() time.Time

	lanes  lanes
	memory memory
}

// TargetStore keeps targets, and what they have of outputs.
type TargetStore interface {
	// BeginPlacement notes that an attempt begins, which nobody else makes for lease. A
	// placement that has ended is returned as it is. KindConflict: another attempt is under
	// way. KindNotFound with code "target_not_found": the target was deleted.
	BeginPlacement(ctx context.Context, key platen.PlacementKey, lease time.Duration) (platen.Placement, platen.Target, error)
	// LeaveAlone notes with a placement that its target is left alone until then. It is false
	// where the target was changed or tested since checked, and nothing is noted.
	LeaveAlone(ctx context.Context, key platen.PlacementKey, checked, until time.Time, code, message string) (bool, error)
	// PinFolder notes where files go, before the first is stored.
	PinFolder(ctx context.Context, key platen.PlacementKey, folder string) error
	// BeginFile notes the path and the hex SHA-256 of a file before it is stored.
	// KindRateLimited: another output is being stored under the path. KindConflict: the
	// placement has ended, such as by an erasure.
	BeginFile(ctx context.Context, key platen.PlacementKey, path, sha256 string) error
	// RecordPlacement stores the outcome of an attempt. PENDING: there is to be another.
	RecordPlacement(ctx context.Context, p platen.Placement) error
	// GiveUpPlacement ends one that was not stored.
	GiveUpPlacement(ctx context.Context, key platen.PlacementKey, code, message string) error
}

// Places are where files are stored.
type Places interface {
	// Put stores a file, or finds that it is there, with its content or one of these
	// SHA-256. KindUnavailable: another time may do.
	Put(ctx context.Context, t platen.Target, f platen.StoredFile, known []string) (platen.Receipt, error)
}

// FilesInput names an output, and the target that is to have it.
type FilesInput struct {
	Step
	TargetID string
	OwnerID  string
}

func (in FilesInput) key() platen.PlacementKey {
	return platen.PlacementKey{AutomationID: in.AutomationID, OutputID: in.OutputID, TargetID: in.TargetID}
}

// FilesResult says where a placement stands.
type FilesResult struct {
	State platen.PlacementState
}

// storedAtOnce is what a worker stores at once.
var storedAtOnce = bounds{ofOwner: 4, atOne: 2, failing: 2}

// Bounds of what a worker stores.
const (
	// filesInMemory are the bytes of all files that are on their way.
	filesInMemory = 2 * platen.MaxTargetFile
	// placementLease is longer than an attempt takes: when it expires, another may begin.
	placementLease = 11 * time.Minute
)

// StoreFiles makes one attempt to store the files of an output at a target. A failure that
// another attempt cannot cure ends the placement, and is no error.
//
// Run twice: where the files go, and what they are, is noted before the first is stored, and
// no other attempt begins meanwhile. Each file is looked for before it is stored, so that
// what an attempt stored whose answer was lost is found, and no file is stored twice.
func (t *Targets) StoreFiles(ctx context.Context, in FilesInput) (FilesResult, error) {
	if err := t.mayTry(ctx, in); err != nil {
		return FilesResult{}, err
	}
	// A large batch waits here: no drive is asked before.
	giveBack, ok := t.lanes.take(in.OwnerID, in.TargetID, storedAtOnce, t.now())
	if !ok {
		return FilesResult{}, t.lanes.queues.refuse(errTargetTurn, in.TargetID, t.now())
	}
	defer giveBack()
	j, err := t.Documents.job(ctx, in.Step)
	if err != nil {
		return FilesResult{}, err
	}
	o, err := t.Documents.Outputs.Output(ctx, in.OutputID)
	if err != nil {
		return FilesResult{}, fmt.Errorf("read output %s: %w", in.OutputID, err)
	}
	if o.State != platen.OutputDone {
		return FilesResult{}, t.Store.GiveUpPlacement(ctx, in.key(), "output_without_file", "The output is not made any more.")
	}
	release, err := t.memory.take(ctx, in.OwnerID, mostBytes(o))
	if err != nil {
		return FilesResult{}, err
	}
	defer release()
	p, target, err := t.Store.BeginPlacement(ctx, in.key(), placementLease)
	switch e, known := errors.AsType[*platen.Error](err); {
	case known && e.Code == "target_not_found":
		return FilesResult{State: platen.PlacementFailed}, t.Store.GiveUpPlacement(ctx, in.key(), platen.CodeTargetGone, "The target was deleted before it had the output.")
	case err != nil || p.State != platen.PlacementPending:
		return FilesResult{State: p.State}, err
	}
	return t.attempt(ctx, j, o, p, target)
}

// mayTry answers KindRateLimited while the breaker of a target is open. A test of the target
// that succeeds closes it, as does a change of the target.
func (t *Targets) mayTry(ctx context.Context, in FilesInput) error {
	open, isOpen := t.lanes.breakers.open(in.TargetID, t.now())
	if !isOpen {
		return nil
	}
	refusal := &platen.Error{Kind: platen.KindRateLimited, Code: platen.CodeTargetBreaker, RetryAfter: open.look(t.now()), Message: "The target failed several times in a row. It is left alone for a minute, or until a test of it succeeds."}
	alone, err := t.Store.LeaveAlone(ctx, in.key(), open.checked, open.until, refusal.Code, refusal.Message)
	switch {
	case err != nil:
		return err
	case alone:
		return t.lanes.queues.refuse(refusal, in.TargetID, t.now())
	}
	t.lanes.breakers.close(in.TargetID)
	return nil
}

// errTargetTurn: other outputs have all places, or all memory.
var errTargetTurn = &platen.Error{Kind: platen.KindRateLimited, Code: platen.CodeTargetTurn, RetryAfter: 2 * time.Second, Message: "Other outputs are being stored; this one comes after them."}

// attempt makes an attempt that was noted, and records its outcome.
func (t *Targets) attempt(ctx context.Context, j job, o platen.Output, p platen.Placement, target platen.Target) (FilesResult, error) {
	wanted, err := t.storeAll(ctx, j, o, &p, target)
	if !errors.Is(ctx.Err(), context.Canceled) { // else it is the worker that ended, or the run
		t.lanes.breakers.note(target.ID, target.CheckedAt, failureAtTarget(err), t.now())
	}
	p.State, p.Code, p.Message = platen.PlacementStored, "", ""
	if !wanted {
		p.State, p.Code, p.Message = platen.PlacementNotStored, platen.CodeTargetSkipped, "The condition of the target is false for this event."
	}
	if err != nil {
		p.State, p.Code, p.Message = platen.PlacementPending, platen.CodeInternal, "The output could not be stored for a reason on our side. It is tried again."
		if e, known := errors.AsType[*platen.Error](err); known {
			p.Code, p.Message = e.Code, e.Message
		}
		if !MayPass(err) {
			p.State, err = platen.PlacementFailed, nil
		}
	}
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if unrecorded := t.Store.RecordPlacement(recording, p); unrecorded != nil {
		return FilesResult{}, unrecorded
	}
	return FilesResult{State: p.State}, err
}

// failureAtTarget is an error that is the target's; nil: there is none. What the drive or the
// database fails at is not the target's.
func failureAtTarget(err error) *platen.Error {
	if e, known := errors.AsType[*platen.Error](err); known && e.Kind == platen.KindUnavailable && strings.HasPrefix(e.Code, "target_") {
		return e
	}
	return nil
}

// storeAll stores the files that the target does not have yet, and notes their receipts;
// wanted is false where its condition is.
func (t *Targets) storeAll(ctx context.Context, j job, o platen.Output, p *platen.Placement, target platen.Target) (wanted bool, err error) {
	if !p.Known {
		filling, err := t.Documents.filling(ctx, j)
		if err != nil {
			return true, err
		}
		if p.Folder, wanted, err = filling.FolderAt(target); err != nil || !wanted {
			return err != nil, err
		}
		if err := t.Store.PinFolder(ctx, p.PlacementKey, p.Folder); err != nil {
			return true, err
		}
	}
	in, err := t.placeIn(ctx, j, *p, target)
	if err != nil {
		return true, err
	}
	for _, file := range o.Files() {
		if file.Kind == platen.FileOriginal && o.PDF != nil && !target.Office {
			continue
		}
		receipt, err := t.storeOne(ctx, j, o, p, target, file.Kind, in)
		if err != nil {
			return true, err
		}
		if p.Receipts = p.WithReceipt(receipt); !target.Sidecar {
			continue
		}
		sidecar, err := sidecarOf(j, o, receipt)
		if err == nil {
			sidecar.Drive = in
			receipt, err = t.put(ctx, j, target, sidecar, nil)
		}
		if err != nil {
			return true, err
		}
		p.Receipts = p.WithReceipt(receipt)
	}
	return true, nil
}

// storeOne stores a file of an output.
func (t *Targets) storeOne(ctx context.Context, j job, o platen.Output, p *platen.Placement, target platen.Target, kind platen.FileKind, in platen.InDrive) (platen.Receipt, error) {
	if kind == platen.FilePDF && o.PDF.Size > platen.MaxTargetFile {
		return platen.Receipt{}, errTargetTooLarge
	}
	stored, err := t.fileToStore(ctx, j, o, target, kind, in)
	switch {
	case platen.KindOf(err) == platen.KindTooLarge || stored.Bytes() > platen.MaxTargetFile:
		return platen.Receipt{}, errTargetTooLarge
	case err != nil:
		return platen.Receipt{}, fmt.Errorf("read what is stored: %w", err)
	}
	stored.Key = platen.TargetKeyOf(p.Folder, stored.Key)
	if stored.Key == "" || len(stored.Key) > platen.MaxTargetKey {
		return platen.Receipt{}, platen.Errorf(platen.KindInvalid, platen.CodeTargetPath, "The path of the file at the target %q is empty, or has more than %d bytes. Shorten path, or the output's name.", target.Name, platen.MaxTargetKey)
	}
	if err := t.Store.BeginFile(ctx, p.PlacementKey, stored.Key, hex.EncodeToString(stored.SHA256[:])); err != nil {
		return platen.Receipt{}, err
	}
	return t.put(ctx, j, target, stored, p.Hashes)
}

// fileToStore is a file of an output. Its Key is its name alone. A PDF that stays in its drive is
// not read: the drive copies it.
func (t *Targets) fileToStore(ctx context.Context, j job, o platen.Output, target platen.Target, kind platen.FileKind, in platen.InDrive) (platen.StoredFile, error) {
	f := platen.StoredFile{Kind: string(kind), OutputID: o.ID, LockUntil: target.LockedUntil(o.CreatedAt), Drive: in}
	if target.Kind == platen.TargetDrive && kind == platen.FilePDF {
		return f, t.copyPDF(ctx, j, o, &f)
	}
	file, err := t.Documents.read(ctx, j, o, kind != platen.FilePDF)
	f.Key, f.Type, f.Content, f.SHA256 = file.Name, file.Type, file.Content, sha256.Sum256(file.Content)
	return f, err
}

var errTargetTooLarge = platen.Errorf(platen.KindInvalid, platen.CodeTargetTooLarge, "The file is larger than the %d MiB that are stored at targets.", platen.MaxTargetFile>>20)

// sidecarJSON says what a file is. It is the same in each attempt.
type sidecarJSON struct {
	File         string `json:"file"`
	Kind         string `json:"kind"`
	SHA256       string `json:"sha256"`
	Bytes        int64  `json:"bytes"`
	OutputID     string `json:"outputId"`
	AutomationID string `json:"automationId"`
	DocumentID   string `json:"documentId"`
	WorkflowID   string `json:"workflowId"`
	Workflow     string `json:"workflow"`
	CreatedAt    string `json:"createdAt"`
}

// sidecarOf is the file of JSON that stands beside a stored one.
func sidecarOf(j job, o platen.Output, r platen.Receipt) (platen.StoredFile, error) {
	text, err := json.MarshalIndent(sidecarJSON{
		File: r.Key[strings.LastIndexByte(r.Key, '/')+1:], Kind: r.Kind, SHA256: r.SHA256, Bytes: r.Bytes, OutputID: o.ID, AutomationID: o.AutomationID,
		DocumentID: o.DocumentID, WorkflowID: j.plan.WorkflowID, Workflow: j.plan.WorkflowName, CreatedAt: platen.Timestamp(o.CreatedAt),
	}, "", "  ")
	text = append(text, '\n')
	return platen.StoredFile{Kind: platen.ReceiptMetadata, Key: r.Key + ".json", Type: "application/json", Content: text, SHA256: sha256.Sum256(text), OutputID: o.ID}, err
}

// FilesFailure says why a placement is given up.
type FilesFailure struct {
	FilesInput
	Code    string
	Message string // quotes no value of the source data
}

// GiveUpFiles ends a placement whose attempts are over; a second execution changes nothing.
func (t *Targets) GiveUpFiles(ctx context.Context, in FilesFailure) error {
	return t.Store.GiveUpPlacement(ctx, in.key(), in.Code, in.Message)
}

func (t *Targets) now() time.Time {
	if t.Now != nil {
		return t.Now()
	}
	return time.Now()
}

// mostBytes is what one file of an output takes in memory at most. No drive tells the size of
// an export.
func mostBytes(o platen.Output) int64 {
	size := int64(platen.MaxEmailAttached)
	if o.PDF != nil {
		size = max(size, o.PDF.Size)
	}
	return min(size, platen.MaxTargetFile)
}

// memory bounds the bytes of files that are on their way, and leaves half of them to others
// than one owner, whose target may take minutes for each. The zero value is ready.
type memory struct {
	once sync.Once
	all  *semaphore.Weighted

	mu      sync.Mutex
	ofOwner map[string]int64
}

func (m *memory) take(ctx context.Context, owner string, size int64) (release func(), err error) {
	m.once.Do(func() { m.all, m.ofOwner = semaphore.NewWeighted(filesInMemory), map[string]int64{} })
	if !m.add(owner, size) {
		return nil, errTargetTurn
	}
	if err := m.all.Acquire(ctx, size); err != nil {
		m.add(owner, -size)
		return nil, fmt.Errorf("wait for memory to store in: %w", err)
	}
	return func() { m.all.Release(size); m.add(owner, -size) }, nil
}

// add is not ok where the owner would have more than its part.
func (m *memory) add(owner string, size int64) (ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := m.ofOwner[owner] + size
	if size > 0 && sum > filesInMemory/2 {
		return false
	}
	if m.ofOwner[owner] = sum; sum == 0 {
		delete(m.ofOwner, owner)
	}
	return true
}
