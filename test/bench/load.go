package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// A load is what one round of requests came to.
type load struct {
	latencies []time.Duration
	took      time.Duration
}

func (l load) rate() float64 { return float64(len(l.latencies)) / l.took.Seconds() }

// answerLimit bounds the wait for one answer.
const answerLimit = 30 * time.Second

// hammer POSTs body to address on so many keep-alive connections, each sending
// its next request as soon as it has its answer, for the time given. Anything
// but 200 is an error. Requests are written ready-made: a full HTTP client
// would take more of the machine than what it measures.
func hammer(ctx context.Context, target string, body []byte, connections int, d time.Duration) (load, error) {
	u, err := url.Parse(target)
	if err != nil {
		return load{}, fmt.Errorf("load: %w", err)
	}
	request := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", u.RequestURI(), u.Host, len(body))
	request = append(request, body...)
	begun := time.Now()
	results := make([][]time.Duration, connections)
	errs := make([]error, connections)
	var wg sync.WaitGroup
	for i := range connections {
		wg.Go(func() { results[i], errs[i] = knock(ctx, u.Host, request, begun.Add(d)) })
	}
	wg.Wait()
	l := load{took: time.Since(begun)}
	for i := range connections {
		if errs[i] != nil {
			return l, fmt.Errorf("load on %s: %w", u.Host, errs[i])
		}
		l.latencies = append(l.latencies, results[i]...)
	}
	return l, nil
}

// knock is one connection of a load.
func knock(ctx context.Context, host string, request []byte, until time.Time) ([]time.Duration, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(until.Add(answerLimit)); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(conn)
	var latencies []time.Duration
	for ctx.Err() == nil {
		sent := time.Now()
		if sent.After(until) {
			return latencies, nil
		}
		if _, err := conn.Write(request); err != nil {
			return latencies, err
		}
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			return latencies, err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("answered %s", answer.Status)
		}
		if err != nil {
			return latencies, err
		}
		latencies = append(latencies, time.Since(sent))
	}
	return latencies, ctx.Err()
}

// post sends one source event.
func post(ctx context.Context, client *http.Client, target string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the source answered %s", answer.Status)
	}
	return nil
}

// newClient keeps as many connections open as the load needs.
func newClient() *http.Client {
	return &http.Client{
		Timeout:   answerLimit,
		Transport: &http.Transport{MaxIdleConns: 512, MaxIdleConnsPerHost: 512, IdleConnTimeout: time.Minute},
	}
}
