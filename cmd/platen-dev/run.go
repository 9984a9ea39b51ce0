package main

import (
	"context"
	"fmt"
	"time"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/config"
)

// defaults are what the tags of settings name.
func defaults() kong.Vars {
	return kong.Vars{
		"data_dir":    defaultDataDir(),
		"api":         config.Defaults[config.Serve]().API,
		"hooks":       config.Defaults[config.Serve]().Hooks,
		"drive":       config.Defaults[config.DriveServer]().Drive,
		"metrics":     "127.0.0.1:9464",
		"exporter":    string(config.Defaults[config.DriveServer]().Exporter),
		"like":        string(config.LikeOwn),
		"speed":       config.Defaults[config.DriveServer]().Speed.String(),
		"temporal":    config.Defaults[config.Temporal]().TemporalAddress,
		"temporal_ui": "127.0.0.1:8233",
	}
}

// settings are the flags of an instance.
type settings struct {
	DataDir         string                          `name:"data-dir" env:"PLATEN_DEV_DATA_DIR" default:"${data_dir}" help:"Directory that holds everything: database, keys, logs. Made at the first start."`
	API             string                          `name:"api" env:"PLATEN_DEV_API" default:"${api}" help:"host:port of the API. Port 0, here and below, takes a free one."`
	Hooks           string                          `env:"PLATEN_DEV_HOOKS" default:"${hooks}" help:"host:port of source webhooks."`
	Drive           string                          `env:"PLATEN_DEV_DRIVE" default:"${drive}" help:"host:port of the cloud drive."`
	Metrics         string                          `env:"PLATEN_DEV_METRICS" default:"${metrics}" help:"host:port of metrics (/metrics) and probes (/livez, /readyz)."`
	DriveFonts      string                          `name:"drive-fonts" env:"PLATEN_DEV_DRIVE_FONTS" placeholder:"DIR" help:"Directory of fonts (.ttf, .otf, .ttc) for PDFs, by their family and for characters that the embedded fonts lack. Default: none."`
	DriveExporter   config.Exporter                 `name:"drive-exporter" env:"PLATEN_DEV_DRIVE_EXPORTER" default:"${exporter}" help:"What makes the drive's PDFs: own, its own layout, or libreoffice, which must be installed."`
	DriveSoffice    string                          `name:"drive-soffice" env:"PLATEN_DEV_DRIVE_SOFFICE" placeholder:"PATH" help:"LibreOffice's soffice. Empty: looked for on the PATH and in the usual places."`
	DriveUnconfined bool                            `name:"drive-exporter-unconfined" env:"PLATEN_DEV_DRIVE_EXPORTER_UNCONFINED" help:"Run LibreOffice as the drive's user, on its network, where the system allows no namespaces."`
	DriveLike       config.DriveLike                `name:"drive-like" env:"PLATEN_DEV_DRIVE_LIKE" default:"${like}" help:"Which drive the cloud drive behaves like: own, or google, with Google's quotas, answers that take seconds and lists that lag."`
	DriveSpeed      config.Setting[int]             `name:"drive-like-speed" env:"PLATEN_DEV_DRIVE_LIKE_SPEED" default:"${speed}" help:"How many times faster the clock of --drive-like google goes than Google's, from 1 to 1000."`
	Temporal        string                          `env:"PLATEN_DEV_TEMPORAL" default:"${temporal}" help:"host:port of Temporal."`
	TemporalUI      string                          `name:"temporal-ui" env:"PLATEN_DEV_TEMPORAL_UI" default:"${temporal_ui}" help:"host:port of Temporal's Web UI."`
	PostgresBin     string                          `env:"PLATEN_DEV_POSTGRES_BIN" help:"Directory of Postgres' programs (initdb, postgres). Default: looked for on the PATH and in the usual places."`
	RetrySchedule   config.Setting[[]time.Duration] `env:"PLATEN_DEV_RETRY_SCHEDULE" placeholder:"0s,5s,5m,…" help:"Waits before each attempt to deliver an event. The first attempt is made at once; its wait does not count. Default: ten attempts over three days."`
	config.Log
	config.MailServer
	config.SealKey
	config.Bounces
	readyFile string // of the command, if it writes one
}

type runCommand struct {
	settings
	ReadyFile string `env:"PLATEN_DEV_READY_FILE" help:"File to write addresses and tokens to, as JSON, when everything answers."`
}

func (c *runCommand) Run(ctx context.Context) error {
	c.settings.readyFile = c.ReadyFile
	return runInstance(ctx, c.settings, func(ctx context.Context, i *instance) error {
		if c.ReadyFile != "" {
			if err := i.ready.write(c.ReadyFile); err != nil {
				return err
			}
		}
		if err := i.ready.print(i.examples); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			fmt.Println("\nStopping …")
			return nil
		case err := <-i.failed:
			return err
		}
	})
}
