package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
)

// logLimit is the length from which a log is moved aside at the next start.
const logLimit = 10 << 20

// logs go to files of the data directory, so that the terminal keeps the table
// in sight.
type logs struct {
	product, temporal *slog.Logger
	files             []*os.File
}

func openLogs(s settings) (logs, error) {
	dir := filepath.Join(s.DataDir, "log")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return logs{}, fmt.Errorf("--data-dir %s: %w", s.DataDir, err)
	}
	var l logs
	open := func(name string, c config.Log) (*slog.Logger, error) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
			if err := os.Rename(path, path+".1"); err != nil {
				return nil, err
			}
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("open the log: %w", err)
		}
		l.files = append(l.files, file)
		return app.LoggerTo(file, c), nil
	}
	var err error
	if l.product, err = open("platen.log", s.Log); err != nil {
		return l, err
	}
	// Temporal says a lot below a warning.
	l.temporal, err = open("temporal.log", config.Log{LogLevel: config.Of(slog.LevelWarn), LogFormat: s.LogFormat})
	return l, err
}

func (l logs) close(context.Context) error {
	var all error
	for _, f := range l.files {
		all = errors.Join(all, f.Close())
	}
	return all
}
