package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// ReadObject reads what --data names: a file with one JSON object, "-" for standard
// input, or the object itself. Its error says where in it the mistake is.
func ReadObject(ctx context.Context, in io.Reader, given string) ([]byte, error) {
	name := given
	var data []byte
	var err error
	switch {
	case strings.HasPrefix(strings.TrimSpace(given), "{"):
		name, data = "--data", []byte(given)
	case given == "-":
		name = "standard input"
		data, err = interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, maxEvent)) })
	default:
		data, err = os.ReadFile(given)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("--data: %w; give a file with one JSON object, or the object itself", err)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var object map[string]json.RawMessage
	err = json.Unmarshal(data, &object)
	syntax, faulty := errors.AsType[*json.SyntaxError](err)
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s: it is empty; write one JSON object, such as the source will send", name)
	case faulty:
		before := data[:max(0, syntax.Offset-1)]
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		return nil, fmt.Errorf("%s: line %d, column %d: %w", name, bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(line)+1, err)
	case err != nil || object == nil:
		return nil, fmt.Errorf("%s: it is no JSON object, such as the source will send", name)
	}
	return data, nil
}

// readEvents reads what --data names as ReadObject does. A list of objects is taken, too.
func readEvents(ctx context.Context, in io.Reader, given string) ([]byte, error) {
	data := []byte(given)
	if given == "-" {
		return ReadObject(ctx, in, given)
	}
	if !isList(data) {
		read, err := os.ReadFile(given)
		if err != nil || !isList(read) {
			return ReadObject(ctx, in, given)
		}
		data = read
	}
	if !json.Valid(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		return nil, errors.New("--data: it is no list of JSON objects")
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

func isList(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff"))), []byte("["))
}
