package config_test

import (
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/platenhq/platen/internal/config"
)

// settings collects the environment variables of a configuration, and those that name
// files with its secrets.
func settings(t reflect.Type, into, files map[string]bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		if name := f.Tag.Get("env"); name != "" {
			into[name] = true
			if _, secret := f.Tag.Lookup("secret"); secret {
				files[name+"_FILE"] = true
			}
		}
		if f.Anonymous {
			settings(f.Type, into, files)
		}
	}
}

func TestThePageOfSettingsNamesEachAndNoOther(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, name := range regexp.MustCompile(`PLATEN_[A-Z_]+`).FindAllString(string(raw), -1) {
		documented[name] = true
	}
	// Not of a program that runs on: of one command alone.
	there, files := map[string]bool{"PLATEN_DRIVE_CREDENTIAL": true}, map[string]bool{}
	for _, c := range []any{config.Serve{}, config.Work{}, config.DriveServer{}} {
		settings(reflect.TypeOf(c), there, files)
	}
	for name := range there {
		if !documented[name] {
			t.Errorf("%s is a setting and not in the table of docs/settings.md", name)
		}
	}
	for name := range documented {
		if !there[name] && !files[name] {
			t.Errorf("%s is in the table of docs/settings.md and no setting", name)
		}
	}
}
