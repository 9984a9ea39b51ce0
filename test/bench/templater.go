package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/platenhq/platen/examples"
)

// fill is docxtemplater, running already. What it makes of the template must
// look like ours.
func (r *rivals) fill(e examples.Example, ours file) (round, error) {
	if r.node == "" || r.templater == "" {
		return nil, nil
	}
	t, err := startTemplater(r.node, r.templater)
	if err != nil {
		return nil, fmt.Errorf("start docxtemplater: %w", err)
	}
	r.fillers = append(r.fillers, t)
	theirs := ours
	var first struct{ Filled []byte }
	if err := t.ask(map[string]any{"template": e.Template, "data": json.RawMessage(e.Event)}, &first); err != nil {
		return nil, fmt.Errorf("docxtemplater: %w", err)
	}
	theirs.data = first.Filled
	if err := sameLook(ours, theirs); err != nil {
		return nil, fmt.Errorf("docxtemplater: %w", err)
	}
	return func(_ context.Context, length time.Duration) (once, error) {
		var took struct{ CPU, Clock float64 }
		err := t.ask(map[string]any{"milliseconds": milliseconds(length)}, &took)
		return once{cpu: took.CPU, clock: took.Clock}, err
	}, nil
}

func sameLook(a, b file) error {
	first, err := export(a)
	if err != nil {
		return err
	}
	second, err := export(b)
	if err != nil {
		return err
	}
	if !bytes.Equal(first, second) {
		return errors.New("its document has another look than ours")
	}
	return nil
}

//go:embed docxtemplater.cjs
var templaterScript string

// A templater is a running docxtemplater.
type templater struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *json.Decoder
}

func startTemplater(node, folder string) (*templater, error) {
	t := &templater{cmd: exec.Command(node, "-e", templaterScript, folder)}
	t.cmd.Stderr = os.Stderr
	var err error
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.answers = json.NewDecoder(out)
	return t, t.cmd.Start()
}

func (t *templater) ask(request, answer any) error {
	if err := json.NewEncoder(t.in).Encode(request); err != nil {
		return err
	}
	return t.answers.Decode(answer)
}

func (t *templater) close() error { return errors.Join(t.in.Close(), t.cmd.Wait()) }
