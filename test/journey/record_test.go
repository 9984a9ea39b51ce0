package journey

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/temporalproto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// record names the folder that `make histories` writes histories into.
var record = flag.String("record", "", "folder to write the histories of runs into")

// record writes the history of a run that has ended, without what would differ
// from one recording to the next or tell of this machine.
func (h *harness) record(t *testing.T, folder, name string, r run) {
	t.Helper()
	if folder == "" {
		return
	}
	history := &historypb.History{}
	eventually(t, "the end of "+r.id, func() error {
		history.Events = nil
		events := h.temporal.GetWorkflowHistory(t.Context(), r.id, r.runID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			e, err := events.Next()
			if err != nil {
				return err
			}
			history.Events = append(history.Events, e)
		}
		if last := history.Events[len(history.Events)-1].GetEventType().String(); !strings.HasPrefix(last, "WorkflowExecution") || last == "WorkflowExecutionCancelRequested" {
			return fmt.Errorf("the last event is %s", last)
		}
		return nil
	})
	text, err := scrubbed(history, h.queue)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for what, secret := range map[string]string{"access token": h.token, "drive token": h.driveToken, "keys": h.secretKeys} {
		if bytes.Contains(text, []byte(secret)) {
			t.Fatalf("%s holds the %s", name, what)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, name+".json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// began is when every recorded run began; its events are a second apart.
var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var (
	anID   = regexp.MustCompile(`\b(?:aut|doc|evt|out|req|team|usr|wkf)_[0-9A-Za-z]{14,}|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	hidden = regexp.MustCompile(`"data":\s?"([A-Za-z0-9+/]+=*)"`)
	aTime  = regexp.MustCompile(`"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)"`)
	blanks = regexp.MustCompile(`(?m)[ \t]+$`)
)

// scrubbed returns a history as JSON with its payloads readable. Ids are
// numbered in the order in which they appear.
func scrubbed(history *historypb.History, queue string) ([]byte, error) {
	for _, e := range history.Events {
		e.TaskId, e.Version = 0, 0
		scrub(e.ProtoReflect())
	}
	options := temporalproto.CustomJSONMarshalOptions{Metadata: map[string]any{commonpb.EnablePayloadShorthandMetadataKey: true}}
	raw, err := options.Marshal(history)
	if err != nil {
		return nil, err
	}
	// Search attributes carry their type, so their values stay base64.
	ids := names{}
	text := hidden.ReplaceAllStringFunc(strings.ReplaceAll(string(raw), queue, "platen"), func(match string) string {
		word := hidden.FindStringSubmatch(match)[1]
		value, err := base64.StdEncoding.DecodeString(word)
		if err != nil {
			return match
		}
		return strings.Replace(match, word, base64.StdEncoding.EncodeToString([]byte(ids.number(string(value)))), 1)
	})
	text = ids.number(text)
	text = aTime.ReplaceAllString(text, `"`+began.Format(time.RFC3339)+`"`)
	for _, e := range history.Events {
		at := fmt.Sprintf(`"eventId":"%d","eventTime":"`, e.EventId)
		text = strings.Replace(strings.ReplaceAll(text, `, "`, `,"`), at+began.Format(time.RFC3339), at+began.Add(time.Duration(e.EventId)*time.Second).Format(time.RFC3339), 1)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(text), "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return blanks.ReplaceAll(indented.Bytes(), nil), nil
}

// perRecording are fields that replaying does not read.
var perRecording = map[protoreflect.Name]bool{"binary_checksum": true, "worker_version": true, "metering_metadata": true, "history_size_bytes": true}

// scrub clears what tells of processes and machines, anywhere in a message.
func scrub(m protoreflect.Message) {
	switch one := m.Interface().(type) {
	case *timestamppb.Timestamp:
		return
	case *taskqueuepb.TaskQueue:
		if one.GetKind() == enums.TASK_QUEUE_KIND_STICKY {
			one.Name = "sticky"
		}
	case *failurepb.Failure:
		one.StackTrace = ""
	}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case perRecording[field.Name()]:
			m.Clear(field)
		case field.Kind() == protoreflect.StringKind && field.Name() == "identity":
			m.Set(field, protoreflect.ValueOfString("somebody"))
		case field.IsMap() && field.MapValue().Message() != nil:
			value.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { scrub(v.Message()); return true })
		case field.IsList() && field.Message() != nil:
			for i := range value.List().Len() {
				scrub(value.List().Get(i).Message())
			}
		case !field.IsMap() && !field.IsList() && field.Message() != nil:
			scrub(value.Message())
		}
		return true
	})
}

// names are what stands for ids of one recording.
type names map[string]string

// number replaces each id by its prefix and a number, and each UUID by one.
func (n names) number(text string) string {
	return anID.ReplaceAllStringFunc(text, func(id string) string {
		if n[id] == "" {
			prefix, _, isOurs := strings.Cut(id, "_")
			format := prefix + "_%d"
			if !isOurs {
				prefix, format = "", "00000000-0000-0000-0000-%012d"
			}
			next := 1
			for before := range n {
				if p, _, ours := strings.Cut(before, "_"); ours == isOurs && (!ours || p == prefix) {
					next++
				}
			}
			n[id] = fmt.Sprintf(format, next)
		}
		return n[id]
	})
}
