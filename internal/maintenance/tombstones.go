package maintenance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A TombstoneFile keeps tombstones as lines of JSON in a file that is only appended
// to. Processes may share it on a file system that appends a short line whole, as
// local ones do. It is safe for concurrent use.
type TombstoneFile struct {
	path string

	mu     sync.Mutex
	kept   map[string]bool // by this process
	before map[string]bool // what the file had when Had was called first; nil: it was not yet
}

// NewTombstoneFile keeps stones at a path. The first makes the file and its folder.
func NewTombstoneFile(path string) *TombstoneFile {
	return &TombstoneFile{path: path, kept: map[string]bool{}}
}

// stoneJSON is a line of the file. Its names are for ever: a backup may be put back
// years later.
type stoneJSON struct {
	Automation  string    `json:"automation"`
	Workflow    string    `json:"workflow"`
	RequestedAt time.Time `json:"requestedAt"`
	RequestedBy string    `json:"requestedBy"`
}

// Keep has written a stone to the disk when it returns. A stone may be kept twice.
func (t *TombstoneFile) Keep(stone platen.Tombstone) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept[stone.AutomationID] {
		return nil
	}
	line, err := json.Marshal(stoneJSON{stone.AutomationID, stone.WorkflowID, stone.RequestedAt, stone.By})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
		return err
	}
	_, missing := os.Stat(t.path)
	f, err := os.OpenFile(t.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// A line that a crash cut off ends here, so that this one can be read.
	_, err = f.Write(append(append([]byte{'\n'}, line...), '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && missing != nil {
		err = syncFolder(filepath.Dir(t.path)) // or a crash takes the file along
	}
	if err != nil {
		return err
	}
	if len(t.kept) >= maxKept {
		clear(t.kept)
	}
	t.kept[stone.AutomationID] = true
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Had tells whether the file had the stone of an automation when it was asked first. A database
// that is put back has its processes begin after that.
func (t *TombstoneFile) Had(automationID string) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.before == nil {
		before := map[string]bool{}
		err := t.Each(func(stones []platen.Tombstone) error {
			for _, stone := range stones {
				before[stone.AutomationID] = true
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		t.before = before
	}
	return t.before[automationID], nil
}

// maxKept bounds what a process remembers of what it has kept: one kept twice does no
// harm.
const maxKept = 100_000

// stonesAtOnce are compared with the database in one statement.
const stonesAtOnce = 1000

// longestStone is more than the bytes of any line that Keep writes.
const longestStone = 4 << 10

// Each calls do with the stones of the file, in batches. Lines that are none are left
// out: a crash may have cut one off before it was answered.
func (t *TombstoneFile) Each(do func(stones []platen.Tombstone) error) error {
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var stones []platen.Tombstone
	lines := bufio.NewReaderSize(f, longestStone)
	for {
		line, cut, err := lines.ReadLine()
		for cut && err == nil { // a line that is longer is no stone
			line = nil
			_, cut, err = lines.ReadLine()
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", t.path, err)
		}
		var j stoneJSON
		if json.Unmarshal(line, &j) != nil || !platen.IsID(platen.PrefixAutomation, j.Automation) {
			continue
		}
		stones = append(stones, platen.Tombstone{AutomationID: j.Automation, WorkflowID: j.Workflow, RequestedAt: j.RequestedAt, By: j.RequestedBy})
		if len(stones) == stonesAtOnce {
			if err := do(stones); err != nil {
				return err
			}
			stones = nil
		}
	}
	if len(stones) == 0 {
		return nil
	}
	return do(stones)
}
