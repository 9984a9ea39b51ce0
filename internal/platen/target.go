package platen

import (
	"encoding/base64"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Target is a place where files of a workflow's outputs are stored as well, such as a bucket.
type Target struct {
	ID         string // tgt_…
	WorkflowID string
	OwnerID    string // of the workflow; set where files are stored
	Name       string // one of its own in its workflow
	Kind       TargetKind
	// URL is the folder below which files are stored: of S3 with the bucket, of Azure with the
	// container. Of drive it is the id of a folder in the drive of the workflow's owner.
	URL string
	// Path has templates of folders below URL, as Document.OutputFolder; empty: none.
	Path string
	// When is a condition, as Document.When; empty: each output is stored.
	When string
	// Office stores the office file beside a PDF. Where there is no PDF, it is stored anyway.
	Office bool
	// Sidecar stores a file of JSON beside each file, which says what the file is.
	Sidecar bool
	// User is an access key of S3, a storage account of Azure, or who signs in.
	User string
	// Secret is sealed where it is stored. Of SFTP it is a password or a private key. Of Azure
	// it is a key of the account, or a SAS token where there is no User.
	Secret Secret
	// HostKey is of SFTP: the fingerprint of the server's key, such as SHA256:…, as
	// ssh-keygen -l prints it.
	HostKey string
	// Region is of S3: where the bucket is; empty: us-east-1.
	Region string
	// Encryption is of S3: AES256, or aws:kms with KMSKey; empty: as the bucket has it.
	Encryption string
	KMSKey     string
	// LockMode and LockDays keep objects of S3 and Azure from being changed or deleted, from the
	// time at which their output was begun; empty and 0: as the bucket or the container has it.
	LockMode  string
	LockDays  int
	CreatedAt time.Time
	UpdatedAt time.Time
	// CheckedAt is when it was last changed, or a test of it succeeded.
	CheckedAt time.Time
}

// TargetKind says which protocol a target speaks.
type TargetKind string

const (
	TargetS3     TargetKind = "s3"
	TargetWebDAV TargetKind = "webdav"
	TargetSFTP   TargetKind = "sftp"
	TargetAzure  TargetKind = "azure" // Azure Blob Storage
	TargetDrive  TargetKind = "drive" // another folder of the owner's drive
)

// TargetKinds are all.
func TargetKinds() []TargetKind {
	return []TargetKind{TargetS3, TargetWebDAV, TargetSFTP, TargetAzure, TargetDrive}
}

// PrivateKeyPrefix is how a Secret begins that is a private key.
const PrivateKeyPrefix = "-----BEGIN "

// Modes of LockMode, in the words of S3: who may shorten a lock. Azure calls them Unlocked and
// Locked.
const (
	LockGovernance = "GOVERNANCE"
	LockCompliance = "COMPLIANCE"
)

// Values of Encryption.
const (
	EncryptAES256 = "AES256"
	EncryptKMS    = "aws:kms"
)

// Limits of targets.
const (
	MaxTargets      = 10        // of a workflow
	MaxTargetSecret = 16 << 10  // bytes, such as of a private key
	MaxTargetFile   = 100 << 20 // bytes of one file
	MaxTargetKey    = 1000      // bytes of the path of a file, all folders included
	MaxLockDays     = 36500
)

// Problem says what is wrong with a target as a whole, and with which member of a request;
// empty: nothing is. Each value is right for itself.
func (t Target) Problem() (member, problem string) {
	isS3, isSFTP, isAzure := t.Kind == TargetS3, t.Kind == TargetSFTP, t.Kind == TargetAzure
	if isAzure {
		if member, problem = t.problemOfAzure(); problem != "" {
			return member, problem
		}
	}
	const noCredentials = "is not for drive: the connection of the workflow's owner to the drive signs in. Leave it out"
	isDrive := t.Kind == TargetDrive
	switch {
	case isDrive && t.User != "":
		return "user", noCredentials
	case isDrive && t.Secret != "":
		return "secret", noCredentials
	case strings.HasPrefix(t.URL, "sftp://") != isSFTP:
		return "url", "begins with sftp:// for sftp, and with https:// for all others"
	case isSFTP && t.User == "":
		return "user", "is required: who signs in"
	case isSFTP && t.Secret == "":
		return "secret", "is required: the password, or the private key"
	case isSFTP && t.HostKey == "":
		return "hostKey", "is required: the fingerprint of the server's key, such as SHA256:…, as 'ssh-keyscan HOST | ssh-keygen -lf -' prints it; compare it with the one that the server's operator tells you"
	case t.HostKey != "" && !isSFTP:
		return "hostKey", "is for sftp alone"
	case strings.ContainsAny(string(t.Secret), "\r\n") && !isSFTP:
		return "secret", "must be one line"
	case isS3 && t.User == "":
		return "user", "is required: the access key"
	case t.Secret == "" && (isS3 || t.User != ""):
		return "secret", "is required: the secret key, or the password"
	case t.Region != "" && !isS3:
		return "region", "is for s3 alone"
	case t.Encryption != "" && !isS3:
		return "encryption", "is for s3 alone"
	case t.KMSKey != "" && t.Encryption != EncryptKMS:
		return "kmsKey", "is for encryption aws:kms alone"
	case (t.LockMode != "" || t.LockDays != 0) && !isS3 && !isAzure:
		return "lockMode", "is for s3 and azure alone"
	case (t.LockMode == "") != (t.LockDays == 0):
		return "lockDays", "and lockMode go together"
	}
	return "", ""
}

// MissesOffice tells whether the target is to have the office files of a document, which
// removes them before.
func (t Target) MissesOffice(d Document) bool {
	return t.Office && d.CreatePDFCopy && d.RemoveOutput
}

// accountForm is the name of a storage account.
// https://learn.microsoft.com/azure/storage/common/storage-account-overview#storage-account-name
var accountForm = regexp.MustCompile(`^[a-z0-9]{3,24}$`)

// containerForm is the name of a container, without what only Azure itself makes.
// https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata
var containerForm = regexp.MustCompile(`^(\$root|\$web|[a-z0-9](-?[a-z0-9]){2,62})$`)

// otherOfAzure are services of a storage account that store no blobs, behind the account's name. A
// static website has the name of a zone, and so have accounts with Azure DNS zone endpoints.
// https://learn.microsoft.com/azure/storage/common/storage-account-overview#storage-account-endpoints
var otherOfAzure = regexp.MustCompile(`^(?:(?:z[0-9]+\.)?(?:dfs|file|queue|table|web)\.(core\..+)|(z[0-9]+\.)(?:dfs|file|queue|table|web)\.(storage\.azure\.net))$`)

// problemOfAzure is Problem for what Azure alone asks for.
func (t Target) problemOfAzure() (member, problem string) {
	u, err := url.Parse(t.URL)
	if err != nil || strings.Trim(u.Path, "/") == "" {
		return "url", "must have the container, such as https://account.blob.core.windows.net/container"
	}
	account, at, _ := strings.Cut(strings.ToLower(u.Hostname()), ".")
	isBlob, container := strings.HasPrefix(at, "blob.core."), strings.Split(u.Path, "/")[1]
	if other := otherOfAzure.FindStringSubmatch(at); other != nil {
		return "url", "must be the address of blobs, such as https://" + account + "." + other[2] + "blob." + other[1] + other[3] + "/" + container + ": this one is that of another service of the account, " + at
	}
	switch {
	case isBlob && !containerForm.MatchString(container):
		return "url", "has a container that no account has: 3 to 63 lower-case letters, digits and hyphens"
	}
	if t.User == "" {
		token, err := url.ParseQuery(strings.TrimPrefix(string(t.Secret), "?"))
		if err != nil || !token.Has("sv") || !token.Has("sig") { // such as the whole address
			return "secret", "must be a SAS token, such as sv=…&sig=…; the key of a storage account goes with the account's name as user"
		}
		if rights := token.Get("sp"); rights != "" && (!strings.Contains(rights, "r") || !strings.ContainsAny(rights, "cw")) {
			return "secret", "must be a SAS token with the rights to read and to create, such as sp=rc; this one has sp=" + rights
		}
		return "", ""
	}
	if !accountForm.MatchString(t.User) {
		return "user", "must be the name of a storage account: 3 to 24 lower-case letters and digits"
	}
	if isBlob && t.User != account && strings.TrimSuffix(account, "-secondary") != t.User {
		return "user", "must be the account of url, " + account
	}
	if key, err := base64.StdEncoding.DecodeString(string(t.Secret)); err != nil || len(key) == 0 {
		return "secret", "must be a key of the storage account, in base64; a SAS token goes without user"
	}
	return "", ""
}

// LockedUntil is when the lock of a file of an output that was made then ends; zero: it has
// none. It is the same in each attempt.
func (t Target) LockedUntil(made time.Time) time.Time {
	if t.LockDays == 0 {
		return time.Time{}
	}
	return made.UTC().Truncate(time.Second).AddDate(0, 0, t.LockDays)
}

// PlacementState says where the storing of an output at a target stands.
type PlacementState string

const (
	PlacementPending PlacementState = "PENDING"
	PlacementStored  PlacementState = "STORED"
	PlacementFailed  PlacementState = "FAILED" // it is not tried any more
	// PlacementNotStored: it was not to be; Code says why.
	PlacementNotStored PlacementState = "NOT_STORED"
)

// PlacementStates are all.
func PlacementStates() []PlacementState {
	return []PlacementState{PlacementPending, PlacementStored, PlacementFailed, PlacementNotStored}
}

// A PlacementKey names an output at a target.
type PlacementKey struct{ AutomationID, OutputID, TargetID string }

// ID names the placement among all.
func (k PlacementKey) ID() string { return k.OutputID + "." + k.TargetID }

// A Placement is an output at a target.
type Placement struct {
	PlacementKey
	TargetName string // as it was when the output was made
	State      PlacementState
	// Folder is where its files are, below the target's URL, once the first attempt has
	// worked it out. Known says that it has: a later attempt stores nothing elsewhere.
	Folder string
	Known  bool
	// Hashes are the hex SHA-256 of contents that may have been stored: a drive may export a
	// document otherwise each time.
	Hashes []string
	// Receipts are of the files that the target has.
	Receipts []Receipt
	Attempts int
	// Code and Message are the reason of the last attempt that failed.
	Code, Message string
	CreatedAt     time.Time
	TriedAt       *time.Time // the last attempt
	// NextAt is until when the target is left alone; nil: it is not.
	NextAt   *time.Time
	StoredAt *time.Time
}

// A Receipt says that a target has a file.
type Receipt struct {
	// Kind is pdf, document or einvoice, as that of an output's file, or metadata.
	Kind string
	// Key is the path of the file below the target's URL.
	Key string
	// Version is the id that the target gave it; empty: it keeps no versions.
	Version string
	SHA256  string // hex
	Bytes   int64
	// StoredAt is when we knew that the target has it.
	StoredAt time.Time
}

// ReceiptMetadata is the kind of a sidecar.
const ReceiptMetadata = "metadata"

// WithReceipt returns receipts with another, in place of one of the same key.
func (p Placement) WithReceipt(r Receipt) []Receipt {
	kept := slices.DeleteFunc(slices.Clone(p.Receipts), func(have Receipt) bool { return have.Key == r.Key })
	return append(kept, r)
}

// A StoredFile is what a target is given.
type StoredFile struct {
	Kind string // as that of a Receipt
	// Key is the path below the target's URL, without a slash at its ends.
	Key     string
	Type    string // MIME
	Content []byte
	SHA256  [32]byte // of Content
	// OutputID is for the tags of an object.
	OutputID string
	// Drive is of targets of kind drive.
	Drive InDrive
	// LockUntil is when the lock of it ends; zero: none is asked for.
	LockUntil time.Time
}

// Bytes is how long the file is.
func (f StoredFile) Bytes() int64 {
	if f.Drive.CopyOf != "" {
		return f.Drive.Size
	}
	return int64(len(f.Content))
}

// InDrive says how a drive stores a file.
type InDrive struct {
	FolderID string
	// FileID is the id that the file gets; empty: a new one.
	FileID string
	// CopyOf is a file of the same drive, which copies it; empty: Content is sent.
	CopyOf     string
	Size       int64 // of CopyOf
	Properties map[string]string
}

// A TargetTest says what became of a small file that was stored at a target, and removed.
type TargetTest struct {
	Key     string
	Stored  bool
	Removed bool
	Err     *Error // why it was not stored, or not removed; nil: it was both
}

// TargetKeyOf joins folder and file name; empty: the name cannot be one of a file.
func TargetKeyOf(folder, name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	if name == "" || name == "." || name == ".." {
		return ""
	}
	return path.Join(folder, name)
}

// Codes of placements that fail.
const (
	// CodeTargetTaken: the target has another file under the key. None is overwritten.
	CodeTargetTaken = "target_file_exists"
	// CodeTargetGone: the target was deleted before it had the output.
	CodeTargetGone = "target_deleted"
	// CodeTargetUnavailable: the target does not answer, or said to come back later.
	CodeTargetUnavailable = "target_unavailable"
	// CodeTargetSignInRefused: the target does not take the credentials, or they may not
	// store there.
	CodeTargetSignInRefused = "target_sign_in_refused"
	// CodeTargetFull: no room is left at the target.
	CodeTargetFull = "target_full"
	// CodeTargetNotFound: the bucket, the container or the folder of the URL is not there.
	CodeTargetNotFound = "target_folder_not_found"
	// CodeTargetHostKey: the server of SFTP has another key than HostKey.
	CodeTargetHostKey = "target_host_key_differs"
	// CodeTargetRefused: the target refuses the request for another reason.
	CodeTargetRefused = "target_refused"
	// CodeTargetTooLarge: the file is larger than MaxTargetFile, or than the target takes.
	CodeTargetTooLarge = "target_file_too_large"
	// CodeTargetPath: no path can be made of Path and the name of the file.
	CodeTargetPath = "target_path_unusable"
	// CodeTargetSkipped: the target's condition is false for the event.
	CodeTargetSkipped = "target_condition_false"
)

// Codes of tries that only waited, and asked the target for nothing.
const (
	// CodeTargetTurn: other outputs of the owner, or at the target, are being stored.
	CodeTargetTurn = "target_waits_for_others"
	// CodeTargetPathBusy: another output is being stored under the same path.
	CodeTargetPathBusy = "target_path_busy"
	// CodeTargetUnderWay: another attempt to store the output is under way.
	CodeTargetUnderWay = "target_under_way"
	// CodeTargetBreaker: the target failed several times in a row.
	CodeTargetBreaker = "target_breaker_open"
)

// TargetWaits are the codes of tries that only waited.
func TargetWaits() []string {
	return []string{CodeTargetTurn, CodeTargetPathBusy, CodeTargetUnderWay, CodeTargetBreaker}
}

// ErrTargetNotFound is for a target that the workflow does not have.
func ErrTargetNotFound() *Error {
	return Errorf(KindNotFound, "target_not_found", "There is no such target in this workflow.")
}
