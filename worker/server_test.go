package worker

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
)

func TestAServersVersionIsComparedByNumbers(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"1.28.9": true, "1.9.0": true, "0.99.1": true, "1.29.0": false, "1.29.0-rc.1": false, "1.132.1": false, "2.0.0": false, "cloud": false, "": false} {
		if got := HasFairness.After(version); got != want {
			t.Errorf("1.29 after %q: got %v, want %v", version, got, want)
		}
	}
}

// A server of a version says that it is, and nothing else.
type serverOf struct {
	workflowservice.UnimplementedWorkflowServiceServer
	version string
}

func (s serverOf) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{ServerVersion: s.version}, nil
}

func TestAWorkerSaysThatATemporalHasNoFairness(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int{"1.28.3": 1, "1.29.1": 0} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		workflowservice.RegisterWorkflowServiceServer(server, serverOf{version: version})
		go func() { _ = server.Serve(l) }()
		t.Cleanup(server.Stop)
		c, err := client.DialContext(t.Context(), client.Options{HostPort: l.Addr().String()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		var lines bytes.Buffer
		WarnOfServer(t.Context(), c, slog.New(slog.NewTextHandler(&lines, nil)))
		if got := strings.Count(lines.String(), "level=WARN"); got != want || want == 1 && !strings.Contains(lines.String(), "matching.enableFairness") {
			t.Errorf("Temporal %s: got %q, want %d warnings", version, lines.String(), want)
		}
	}
}
