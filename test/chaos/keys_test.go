package chaos

import (
	"encoding/json"
	"errors"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// keys are the signing secrets that a workflow has had, the latest last.
type keys struct {
	mu       sync.Mutex
	all      []key
	doubtful bool  // a rotation was asked for and its answer is not known
	fault    error // an answer told no secret
}

type key struct {
	secret   string
	verifier *standardwebhooks.Webhook
	since    time.Time
}

// signedLate is how long after a rotation an attempt may arrive that was
// signed before it: a worker may be frozen in between.
const signedLate = 25 * time.Second

// learn reads an answer of /v0 that tells the secret.
func (k *keys) learn(raw []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var told struct {
		Secret string `json:"secret"`
	}
	err := json.Unmarshal(raw, &told)
	if err != nil {
		k.fault = err
		return
	}
	k.doubtful = false
	if n := len(k.all); n > 0 && k.all[n-1].secret == told.Secret {
		return
	}
	verifier, err := standardwebhooks.NewWebhook(told.Secret)
	k.fault = errors.Join(k.fault, err)
	k.all = append(k.all, key{told.Secret, verifier, time.Now()})
}

// doubt says that a rotation is asked for.
func (k *keys) doubt() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.doubtful = true
}

func (k *keys) inDoubt() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.doubtful
}

// verify returns the secret that signed an attempt: the one that counted when
// it arrived, or the one before it for a while.
func (k *keys) verify(a attempt) (secret string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	err = errors.New("no secret is known")
	for i := len(k.all) - 1; i >= 0; i-- {
		one := k.all[i]
		if err = one.verifier.VerifyIgnoringTimestamp([]byte(a.body), a.header); err == nil {
			return one.secret, nil
		}
		if a.at.After(one.since.Add(signedLate)) {
			return "", err
		}
	}
	return "", errors.Join(err, k.fault)
}

// secrets are all of them.
func (k *keys) secrets() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []string
	for _, one := range k.all {
		all = append(all, one.secret)
	}
	return all
}
