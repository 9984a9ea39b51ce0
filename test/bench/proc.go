package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// What runs, for the account of processor time.
const (
	kindTemporal         = "Temporal"
	kindTemporalPostgres = "Postgres for Temporal"
	kindPlatenPostgres   = "Postgres for serve, worker and drive"
	kindSharedPostgres   = "Postgres, shared (WAL, checkpoints, vacuum)"
	kindBench            = "load generator and receiver"
)

// ticksPerSecond is the unit of /proc's times (USER_HZ), 100 on Linux.
const ticksPerSecond = 100

// A ledger says how much processor time each kind has used so far. Where there
// is no /proc it stays empty, and the figures are left out.
type ledger map[string]time.Duration

// since subtracts what was used before.
func (l ledger) since(before ledger) ledger {
	used := ledger{}
	for kind, total := range l {
		used[kind] = total - before[kind]
	}
	return used
}

// total is the processor time of all kinds.
func (l ledger) total() time.Duration {
	total := time.Duration(0)
	for _, used := range l {
		total += used
	}
	return total
}

// account reads the ledger of everything that works for an instance.
func (i *instance) account(ctx context.Context) (ledger, error) {
	l := ledger{}
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		return l, nil
	}
	for _, p := range []*part{i.serve, i.worker, i.drive} {
		if p != nil {
			l[p.name] = processorTime(p.cmd.Process.Pid).own
		}
	}
	l[kindBench] = processorTime(os.Getpid()).own
	if pid, err := listener(i.bench.stack.TemporalAddress); err == nil {
		l[kindTemporal] = processorTime(pid).own
	}
	return l, accountPostgres(ctx, i.pool, i.databaseName, l)
}

// accountPostgres sorts the server's processes by the database they work for.
func accountPostgres(ctx context.Context, pool *pgxpool.Pool, ours string, l ledger) error {
	rows, err := pool.Query(ctx, `
		SELECT pid, coalesce(datname, '')
		FROM pg_stat_activity`)
	if err != nil {
		return fmt.Errorf("list the processes of Postgres: %w", err)
	}
	defer rows.Close()
	server := 0
	for rows.Next() {
		var pid int
		var database string
		if err := rows.Scan(&pid, &database); err != nil {
			return err
		}
		kind := kindSharedPostgres
		switch {
		case strings.HasPrefix(database, "temporal"):
			kind = kindTemporalPostgres
		case database == ours:
			kind = kindPlatenPostgres
		}
		used := processorTime(pid)
		l[kind] += used.own
		server = max(server, used.parent)
	}
	if server > 1 { // the server itself, and those of its processes that have ended
		used := processorTime(server)
		l[kindSharedPostgres] += used.own + used.children
	}
	return rows.Err()
}

// usage is a process's processor time, user and system.
type usage struct {
	own, children time.Duration
	parent        int
}

// processorTime is zero for a process that is gone.
func processorTime(pid int) usage {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return usage{}
	}
	// The name, in brackets, may hold anything.
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	if len(fields) < 15 {
		return usage{}
	}
	ticks := func(at int) time.Duration {
		n, _ := strconv.ParseInt(fields[at], 10, 64)
		return time.Duration(n) * time.Second / ticksPerSecond
	}
	parent, _ := strconv.Atoi(fields[1])
	return usage{own: ticks(11) + ticks(12), children: ticks(13) + ticks(14), parent: parent}
}

// procField returns a field of a file such as /proc/meminfo, "" where there is none.
func procField(file, name string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// peakMemory is the most that a part has had in memory, in MB.
func peakMemory(p *part) (float64, bool) {
	var kilobytes float64
	_, err := fmt.Sscanf(procField(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid), "VmHWM"), "%f kB", &kilobytes)
	return kilobytes / 1000, err == nil
}

// listener finds the process that listens on a local IPv4 address.
func listener(address string) (int, error) {
	inode, err := listeningSocket(address)
	if err != nil {
		return 0, err
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return 0, err
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == "socket:["+inode+"]" {
			return strconv.Atoi(strings.Split(link, "/")[2])
		}
	}
	return 0, errors.New("nobody that we may see listens on " + address)
}

func listeningSocket(address string) (inode string, err error) {
	a, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return "", err
	}
	ip := a.IP.To4()
	const listening = "0A"
	want := strings.ToUpper(hex.EncodeToString([]byte{ip[3], ip[2], ip[1], ip[0]})) + fmt.Sprintf(":%04X", a.Port)
	raw, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(raw)) {
		if f := strings.Fields(line); len(f) > 9 && f[1] == want && f[3] == listening {
			return f[9], nil
		}
	}
	return "", errors.New("nobody listens on " + address)
}
