package chaos

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
)

// markers are values that the suite looks for in logs, histories and dumps, where they
// must not be.
type markers struct {
	tag, password string
}

func newMarkers(seed uint64) markers {
	return markers{tag: fmt.Sprintf("marker-tag-%x-Zq", seed), password: fmt.Sprintf("marker-pass-%x-Xw", seed)}
}

// secrets are all of them, by what they are.
func (w *witness) secrets() map[string]string {
	all := map[string]string{
		"tag value": w.load.markers.tag, "password": w.load.markers.password,
		"secret key": w.service.secretKeys,
	}
	for _, o := range w.service.owners {
		all["access token of "+o.name], all["drive token of "+o.name] = o.token, o.driveToken
	}
	for _, one := range w.integrator.workflows {
		for n, secret := range one.keys.secrets() {
			all[fmt.Sprintf("signing secret %d of %s", n, one.name)] = strings.TrimPrefix(secret, "whsec_")
		}
		for _, r := range one.rules {
			for n, secret := range r.keys.secrets() {
				all[fmt.Sprintf("signing secret %d of %s", n, r.name)] = strings.TrimPrefix(secret, "whsec_")
			}
		}
		all["source key of "+one.name] = one.source[strings.LastIndex(one.source, "/")+1:]
	}
	return all
}

// planted is a table that holds a value of an event while the suite looks for some:
// who does not find it there finds none anywhere.
const planted = "planted_by_the_witness"

// meant are the columns in which values of events may be found.
func meant() []string {
	// Contents of the drive are documents, which say what they were told.
	return []string{"public." + planted + ".value", "drive.contents.body"}
}

func (w *witness) checkSecrets(runs []run) {
	w.t.Helper()
	w.checkLogs()
	var histories [][]byte
	for _, one := range runs {
		raw, err := proto.Marshal(one.history)
		if err != nil {
			w.t.Fatal(err)
		}
		histories = append(histories, raw)
	}
	if len(histories) == 0 || !bytes.Contains(histories[0], []byte("Attempt")) {
		w.t.Errorf("%d histories without what runs are begun with: their search says nothing", len(histories))
	}
	for what, text := range w.secrets() {
		for _, history := range histories {
			if bytes.Contains(history, []byte(text)) {
				w.fault("secret", "the %s is in a Temporal history", what)
				break
			}
		}
	}
	w.checkRows()
}

// checkLogs reads every log of the data directory: those of the programs, of
// platen-dev, of Temporal and of Postgres.
func (w *witness) checkLogs() {
	w.t.Helper()
	read := 0
	err := filepath.WalkDir(w.service.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(entry.Name(), ".log") && filepath.Base(filepath.Dir(path)) != "log" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for _, word := range []string{"\npanic: ", "\nfatal error: "} {
			if bytes.Contains(text, []byte(word)) {
				w.fault("panic", "%s says %q", path, strings.TrimSpace(word))
			}
		}
		for what, secret := range w.secrets() {
			if bytes.Contains(text, []byte(secret)) {
				w.fault("secret", "the %s is in %s", what, path)
			}
		}
		return nil
	})
	if err != nil {
		w.t.Errorf("read the logs: %v", err)
	}
	if read < 6 {
		w.t.Errorf("read %d logs, want those of five processes and of what stands below them", read)
	}
}

// checkRows looks through the service's database, column by column, and through
// Temporal's.
func (w *witness) checkRows() {
	w.t.Helper()
	_, err := w.db.Exec(w.t.Context(), "CREATE TABLE "+planted+" (value text)")
	if err == nil {
		_, err = w.db.Exec(w.t.Context(), "INSERT INTO "+planted+" VALUES ($1)", w.load.markers.tag)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	seen := 0
	w.service.eachRow(w.t, databaseName, func(columns []string, row string) {
		for i, field := range strings.Split(row, "\t") {
			switch what := w.shows(field); {
			case what == "":
			case slices.Contains(meant(), columns[i]):
				seen++
			default:
				w.fault("secret", "the %s is in %s", what, columns[i])
			}
		}
	})
	if seen == 0 {
		w.t.Errorf("the planted value of an event was not found: the search says nothing")
	}
	for _, name := range []string{"temporal", "temporal_visibility"} {
		w.service.temporalInstance.eachRow(w.t, name, func(columns []string, row string) {
			if what := w.shows(row); what != "" {
				w.fault("secret", "the %s is in the database %s, in a row of %s", what, name, strings.Join(columns, ", "))
			}
		})
	}
}

// shows names the secret that a text holds; bytes are hex in a row.
func (w *witness) shows(text string) string {
	for what, secret := range w.secrets() {
		if strings.Contains(text, secret) || strings.Contains(text, hex.EncodeToString([]byte(secret))) {
			return what
		}
	}
	return ""
}
