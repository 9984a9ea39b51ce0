package config_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
)

// settings collects the environment variables of a configuration.
func settings(t reflect.Type, into map[string]bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		if name := f.Tag.Get("env"); name != "" {
			into[name] = true
		}
		if f.Anonymous {
			settings(f.Type, into)
		}
	}
}

func TestTheReadmeNamesEverySettingAndNoOther(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(raw), "\n## Configure\n")
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]bool{}
	for _, name := range regexp.MustCompile(`PLATEN_[A-Z_]+`).FindAllString(section, -1) {
		documented[name] = true
	}
	// Not of a program that runs on: of one command alone.
	there := map[string]bool{"PLATEN_DRIVE_CREDENTIAL": true}
	for _, c := range []any{config.Serve{}, config.Work{}, config.DriveServer{}} {
		settings(reflect.TypeOf(c), there)
	}
	for name := range there {
		if !documented[name] {
			t.Errorf("%s is a setting and not in the table of README.md, section Configure", name)
		}
	}
	for name := range documented {
		if !there[name] {
			t.Errorf("%s is in the table of README.md and no setting", name)
		}
	}
}
