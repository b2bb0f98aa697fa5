package whittle

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"syscall"
	"time"
)

const (
	// Patience is how long a service that has answered before may be silent: as long as it takes to be started again.
	patience      = 2 * time.Minute
	firstPatience = 6 * time.Second
	longestPause  = 5 * time.Second
	maxRefusals   = 10
)

// tries tells how often one thing was tried in vain.
type tries struct {
	silentSince time.Time
	refusals    int
}

func newTries() *tries { return &tries{silentSince: time.Now()} }

func (t *tries) renew() { *t = *newTries() }

type request struct {
	method, path string
	header       map[string]string
	// body is called for each try.
	body func() (io.Reader, int64)
}

// attempt makes one try. Neither answer nor error: it is worth another one, and the time for it has come.
func (c *Client) attempt(ctx context.Context, asked request, t *tries, expected ...int) (*http.Response, error) {
	var body io.Reader
	var size int64
	if asked.body != nil {
		body, size = asked.body()
	}
	made, err := http.NewRequestWithContext(ctx, asked.method, c.baseURL+asked.path, body)
	if err != nil {
		return nil, err
	}
	if size > 0 {
		made.ContentLength = size
	}
	for name, value := range asked.header {
		made.Header.Set(name, value)
	}
	made.Header.Set("Authorization", "Bearer "+c.key)
	answer, err := c.HTTP.Do(made)
	if err != nil {
		return nil, c.lost(ctx, err, t)
	}
	c.reached.Store(true)
	if answer.StatusCode < 300 || slices.Contains(expected, answer.StatusCode) {
		return answer, nil
	}
	defer answer.Body.Close()
	refused := errorOf(answer)
	t.refusals++
	if !refused.IsPassing() || t.refusals >= maxRefusals {
		return nil, refused
	}
	wait := refused.RetryAfter
	if wait < 0 {
		wait = 2 * time.Second
	}
	return nil, pause(ctx, wait)
}

// lost waits before the next try, where there is use in one. An address where nobody listens is told at once.
func (c *Client) lost(ctx context.Context, cause error, t *tries) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	silence, limit := time.Since(t.silentSince), patience
	if !c.reached.Load() {
		limit = firstPatience
		if errors.Is(cause, syscall.ECONNREFUSED) {
			limit = -1
		}
	}
	if silence > limit {
		return &UnreachableError{c.baseURL, cause}
	}
	return pause(ctx, min(longestPause, 200*time.Millisecond+silence/4))
}

// send tries until the service takes it, or refuses for good.
func (c *Client) send(ctx context.Context, asked request, expected ...int) (*http.Response, error) {
	for t := newTries(); ; {
		answer, err := c.attempt(ctx, asked, t, expected...)
		if answer != nil || err != nil {
			return answer, err
		}
	}
}

// into reads a JSON answer.
func (c *Client) into(ctx context.Context, asked request, value any) error {
	answer, err := c.send(ctx, asked)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(value)
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
