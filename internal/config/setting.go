package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// A Setting is what a flag, or its twin in the environment, says, as a T. A text
// that is no T is kept until Check, which reports it together with every other
// fault: kong ends at the first one. The zero Setting was given by nobody.
type Setting[T any] struct {
	value T
	text  string // as it was given
	wrong bool   // the text is no T
}

// Of is the setting that says this value.
func Of[T any](value T) Setting[T] { return Setting[T]{value: value} }

// Value is what the setting says; the zero value where it was not given, or where
// Check finds it wrong.
func (s Setting[T]) Value() T { return s.value }

// String is the setting as it was given.
func (s Setting[T]) String() string {
	if s.text == "" && !s.wrong {
		return fmt.Sprint(s.value)
	}
	return s.text
}

// Decode accepts any text; Check reports an invalid one.
func (s *Setting[T]) Decode(ctx *kong.DecodeContext) error {
	var text string
	if err := ctx.Scan.PopValueInto("string", &text); err != nil {
		return err
	}
	s.read(text)
	return nil
}

func (s *Setting[T]) read(text string) {
	*s = Setting[T]{text: text}
	if err := parse(text, &s.value); err != nil {
		*s = Setting[T]{text: text, wrong: true}
	}
}

// OpenRuns is how many runs may be open at once; 0: the program chooses.
type OpenRuns int

// A Quota is how much may be used in a minute: by one account, and by all together.
// It is written with a comma in between.
type Quota struct{ Account, Project int }

// auto is how flags say that the program chooses.
const auto = "auto"

// parse reads a text into what a setting holds.
func parse(text string, into any) (err error) {
	switch v := into.(type) {
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *int:
		*v, err = strconv.Atoi(text)
	case *OpenRuns:
		if text == auto {
			return nil
		}
		err = parse(text, (*int)(v))
		if err == nil && *v == 0 {
			err = errors.New("0 stands for " + auto)
		}
	case *Quota:
		both, err := parseEach(text, strconv.Atoi)
		if err != nil || len(both) != 2 {
			return errors.New("not two numbers")
		}
		*v = Quota{Account: both[0], Project: both[1]}
	case *time.Duration:
		var all []time.Duration
		if err = parse(text, &all); err == nil && len(all) != 1 {
			err = errors.New("not one duration")
		}
		if err == nil {
			*v = all[0]
		}
	case *[]time.Duration:
		*v, err = parseEach(text, parseWait)
	case *[]netip.Prefix:
		*v, err = parseEach(text, netip.ParsePrefix)
	case **time.Location:
		*v, err = time.LoadLocation(text)
	case *slog.Level:
		if !slices.Contains(logLevels(), text) {
			return errors.New("no such level")
		}
		err = v.UnmarshalText([]byte(text))
	default:
		panic(fmt.Sprintf("config: no setting is a %T", into))
	}
	return err
}

func parseWait(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = errors.New("less than nothing")
	}
	return d, err
}

func parseEach[T any](list string, parse func(string) (T, error)) ([]T, error) {
	var all []T
	for _, text := range split(list) {
		one, err := parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// A Switch is a setting that is on or off: as a flag it needs no value.
type Switch struct{ Setting[bool] }

// IsBool makes it a flag that stands alone.
func (*Switch) IsBool() bool { return true }

// Decode accepts any value, and Check reports an invalid one; without a value the
// switch is on.
func (s *Switch) Decode(ctx *kong.DecodeContext) error {
	text := "true"
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		text = fmt.Sprint(ctx.Scan.Pop().Value)
	}
	s.read(text)
	return nil
}
