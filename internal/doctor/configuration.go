package doctor

import (
	"context"
	"os"
	"strings"

	"github.com/platenhq/platen/internal/config"
)

// A SettingStatus is how one setting stands. It has no value: many are secret.
type SettingStatus struct {
	Variable string           `json:"variable"`
	Programs []config.Program `json:"programs"`
	State    string           `json:"state"` // "set", "default" or "unreadable"
}

const configuration = "configuration"

// configuration reads what the programs would read.
func (e *examination) configuration(context.Context) {
	all, unknown, err := e.Settings.Read(e.Programs, e.Known)
	if err != nil {
		e.add(Finding{configuration, "settings", Failure, err.Error(), "Correct the setting that the message names; 'platen serve --help' lists all."})
		return
	}
	var set []string
	defaults := 0
	for _, r := range all {
		state := "default"
		switch {
		case r.Fault != "":
			state = "unreadable"
			e.add(Finding{configuration, r.Variable, Failure, programs(r.Programs) + ": " + r.Fault + ".", "Set " + r.Variable + " (--" + r.Flag + ") to what the message asks for."})
		case r.IsSet:
			state, set = "set", append(set, r.Variable)
		default:
			defaults++
		}
		e.settings = append(e.settings, SettingStatus{Variable: r.Variable, Programs: r.Programs, State: state})
	}
	e.ok(configuration, "settings", "%d set (%s), %d by default.", len(set), strings.Join(set, ", "), defaults)
	for _, variable := range unknown {
		e.add(Finding{configuration, variable, Warning, "No program reads this variable.", "Compare its name with the settings in 'platen serve --help' and 'platen worker --help', or remove it."})
	}
	e.keyFile()
}

// keyFile looks at the service-account key, which the programs read at their start.
func (e *examination) keyFile() {
	path := e.Settings.ServiceAccountFile
	if path == "" {
		return
	}
	const subject = "PLATEN_SERVICE_ACCOUNT_FILE"
	if _, err := os.ReadFile(path); err != nil {
		return // a fault of the settings, which says so
	}
	if _, err := e.Drives(noConnections); err != nil {
		e.add(Finding{configuration, subject, Failure, "The file is no service-account key: " + sentence(err), "Make a key (JSON) of the service account in the Google Cloud console, and give its file."})
		return
	}
	e.ok(configuration, subject, "The service-account key can be read.")
}

func programs(all []config.Program) string {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}
