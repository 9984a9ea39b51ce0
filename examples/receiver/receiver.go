// Command receiver takes the events of an outgoing webhook, and only those that
// are signed with its secret:
//
//	go run . FILE-OF-THE-SECRET [host:port]
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("name the file with the signing secret")
	}
	verifier, err := readSecret(args[0])
	if err != nil {
		return err
	}
	address := "127.0.0.1:9000"
	if len(args) > 1 {
		address = args[1]
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("Waiting for events at http://%s/events\n", l.Addr())
	server := &http.Server{Handler: &receiver{verifier: verifier, seen: map[string]bool{}}, ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(l)
}

// minKey is how long keys of Standard Webhooks are at least, in bytes. With one that is
// empty, anybody could sign an event.
const minKey = 24

func readSecret(file string) (*standardwebhooks.Webhook, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	secret := strings.TrimSpace(string(raw))
	encoded, ok := strings.CutPrefix(secret, "whsec_")
	if key, err := base64.StdEncoding.DecodeString(encoded); !ok || err != nil || len(key) < minKey {
		return nil, fmt.Errorf("%s holds no signing secret: GET …/outgoing-webhooks/secret/ answers it, whsec_…", file)
	}
	return standardwebhooks.NewWebhook(secret)
}

type receiver struct {
	verifier *standardwebhooks.Webhook

	mu   sync.Mutex
	seen map[string]bool // a table with a unique key in earnest
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost { // somebody's browser
		http.Error(w, "Events are POSTed here.", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 1<<20))
	if err == nil {
		err = r.verifier.Verify(body, request.Header)
	}
	if err != nil {
		log.Printf("an event is refused: %v", err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusNoContent)
	_ = http.NewResponseController(w).Flush() // the answer goes before any work
	var event struct {
		ID   string `json:"event_id"`
		Type string `json:"event_type"`
		Data struct {
			Documents []struct {
				Name string `json:"name"`
			} `json:"documents"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		log.Print(err)
		return
	}
	if r.isRepeat(event.ID) {
		return
	}
	fmt.Println(event.Type, event.Data.Documents)
}

// isRepeat tells whether the event came before: any event may come twice.
func (r *receiver) isRepeat(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.seen[id]
	r.seen[id] = true
	return before
}
