package soffice

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An attempt is what a program in LibreOffice's place is to try.
type attempt struct {
	Address          string // where somebody of this machine listens
	Readable, Folder string // a file that everybody may read, a directory that everybody may change
}

// An outcome is how that went. An error that is "" is a wall that is not there.
type outcome struct {
	Dial, Read, Shadow, Write, WriteSystem, Namespaces string
	Interfaces, Environment, Descriptors, Processes    []string
	UID                                                int
	Status                                             string // /proc/self/status
	Limits                                             map[string]uint64
}

func init() { tried = probe }

// probe converts nothing: it tries what its document says, and tells in the PDF.
func probe(file string) error {
	var try attempt
	told, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(told, &try); err != nil {
		return err
	}
	got := outcome{UID: os.Getuid(), Environment: os.Environ(), Limits: map[string]uint64{}}
	c, err := net.DialTimeout("tcp", try.Address, 10*time.Second)
	if err == nil {
		err = c.Close()
	}
	got.Dial = said(err)
	_, err = os.ReadFile(try.Readable)
	got.Read = said(err)
	_, err = os.ReadFile("/etc/shadow")
	got.Shadow = said(err)
	got.Write = said(os.WriteFile(filepath.Join(try.Folder, "probe"), nil, 0o600))
	got.WriteSystem = said(syscall.Access("/usr", 2)) // to write
	inner := exec.Command("/bin/true")
	inner.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	got.Namespaces = said(inner.Run())
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		if i.Flags&net.FlagUp != 0 {
			got.Interfaces = append(got.Interfaces, i.Name)
		}
	}
	got.Descriptors, got.Processes = numbered("/proc/self/fd"), numbered("/proc")
	status, _ := os.ReadFile("/proc/self/status")
	got.Status = string(status)
	for name, resource := range map[string]int{"core": syscall.RLIMIT_CORE, "cpu": syscall.RLIMIT_CPU, "data": syscall.RLIMIT_DATA, "fsize": syscall.RLIMIT_FSIZE, "nofile": syscall.RLIMIT_NOFILE, "nproc": 6} {
		var l syscall.Rlimit
		err = errors.Join(err, syscall.Getrlimit(resource, &l))
		got.Limits[name] = l.Max
	}
	answer, err := json.Marshal(got)
	if err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(file, filepath.Ext(file))+".pdf", append([]byte("%PDF-"), answer...), 0o600)
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// numbered are the names in a directory that are numbers, and still lead
// somewhere.
func numbered(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var found []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil && exists(filepath.Join(dir, e.Name())) {
			found = append(found, e.Name())
		}
	}
	return found
}

// prober is the test's own program where everybody may run it.
func prober(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(public(t), "prober")
	if out, err := exec.Command("cp", self, path).CombinedOutput(); err != nil {
		t.Fatalf("copy a program: %v: %s", err, out)
	}
	return path
}

// No parallel test may see the variable and the descriptor.
func TestLibreOfficeIsShutOffFromTheMachine(t *testing.T) {
	if !confines(t) {
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	folder := public(t)
	readable := filepath.Join(folder, "readable")
	if err := os.WriteFile(readable, []byte("hunter2"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLATEN_DATABASE_URL", "postgres://hunter2@localhost")
	secret, err := syscall.Open(readable, syscall.O_RDONLY, 0) // inherited by what is started
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(secret) }()
	told, err := json.Marshal(attempt{Address: listener.Addr().String(), Readable: readable, Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, Options{Seats: 1, Program: prober(t), Timeout: 5 * time.Minute, Memory: 1 << 50}) // a race detector takes much
	pdf, err := p.PDF(t.Context(), told, ".docx")
	if err != nil {
		t.Fatal(err)
	}
	var got outcome
	if err := json.Unmarshal(pdf[len("%PDF-"):], &got); err != nil {
		t.Fatal(err)
	}
	for what, answer := range map[string]string{
		"reach a port of the machine": got.Dial, "read a file of the machine": got.Read, "read /etc/shadow": got.Shadow,
		"write into a directory of the machine": got.Write, "write into /usr": got.WriteSystem, "make a namespace": got.Namespaces,
	} {
		if answer == "" {
			t.Errorf("it can %s", what)
		}
	}
	if len(got.Interfaces) > 0 || got.UID == 0 || len(got.Processes) > 3 {
		t.Errorf("got the interfaces %v, the user %d and the processes %v; want none, an ordinary one, and its own", got.Interfaces, got.UID, got.Processes)
	}
	if slices.Contains(got.Descriptors, strconv.Itoa(secret)) {
		t.Errorf("it inherits descriptor %d: %v", secret, got.Descriptors)
	}
	if all := strings.Join(got.Environment, "\n"); strings.Contains(all, "PLATEN") || strings.Contains(all, "hunter2") {
		t.Errorf("it has the environment\n%s", all)
	}
	for _, want := range []string{"NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "CapAmb:\t0000000000000000"} {
		if !strings.Contains(got.Status, want) {
			t.Errorf("its status lacks %q:\n%s", want, got.Status)
		}
	}
	want := map[string]uint64{"core": 0, "cpu": 300, "data": 1 << 50, "fsize": 1 << 30, "nofile": 1024, "nproc": 512}
	for name, most := range want {
		if got.Limits[name] > most {
			t.Errorf("the limit %s is %d, want %d", name, got.Limits[name], most)
		}
	}
}
