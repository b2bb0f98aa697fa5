package whittle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"syscall"
	"time"
)

const (
	// retryTimeout is the time in which a service that has responded before may fail to respond: enough for a restart.
	retryTimeout      = 2 * time.Minute
	firstRetryTimeout = 6 * time.Second
	maxPause          = 5 * time.Second
	maxRefusals       = 10
)

// retryState counts failed attempts of one operation.
type retryState struct {
	lastProgress time.Time
	refusals     int
}

func newRetryState() *retryState { return &retryState{lastProgress: time.Now()} }

func (retries *retryState) reset() { *retries = *newRetryState() }

type request struct {
	method, path string
	header       map[string]string
	// body is called for each attempt.
	body func() (io.Reader, int64)
}

// attempt sends a request once. If it returns neither a response nor an error, the request may be repeated now.
func (c *Client) attempt(ctx context.Context, wanted request, retries *retryState, expected ...int) (*http.Response, error) {
	var body io.Reader
	var size int64
	if wanted.body != nil {
		body, size = wanted.body()
	}
	httpRequest, err := http.NewRequestWithContext(ctx, wanted.method, c.baseURL+wanted.path, body)
	if err != nil {
		return nil, err
	}
	if size > 0 {
		httpRequest.ContentLength = size
	}
	for name, value := range wanted.header {
		httpRequest.Header.Set(name, value)
	}
	httpRequest.Header.Set("Authorization", "Bearer "+c.key)
	response, err := c.HTTP.Do(httpRequest)
	if err != nil {
		return nil, c.pauseOrFail(ctx, err, retries)
	}
	c.reached.Store(true)
	if response.StatusCode < 300 || slices.Contains(expected, response.StatusCode) {
		return response, nil
	}
	defer response.Body.Close()
	refused := errorOf(response)
	retries.refusals++
	if !refused.IsRetryable() || retries.refusals >= maxRefusals {
		return nil, refused
	}
	wait := refused.RetryAfter
	if wait < 0 {
		wait = 2 * time.Second
	}
	return nil, pause(ctx, wait)
}

// pauseOrFail waits before the next attempt. It fails at once if a service that has never responded refuses the connection.
func (c *Client) pauseOrFail(ctx context.Context, cause error, retries *retryState) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	elapsed, limit := time.Since(retries.lastProgress), retryTimeout
	if !c.reached.Load() {
		limit = firstRetryTimeout
		if errors.Is(cause, syscall.ECONNREFUSED) {
			limit = -1
		}
	}
	if elapsed > limit {
		return &UnreachableError{c.baseURL, cause}
	}
	return pause(ctx, min(maxPause, 200*time.Millisecond+elapsed/4))
}

// send sends a request with retries, until a response or a permanent refusal.
func (c *Client) send(ctx context.Context, wanted request, expected ...int) (*http.Response, error) {
	for retries := newRetryState(); ; {
		response, err := c.attempt(ctx, wanted, retries, expected...)
		if response != nil || err != nil {
			return response, err
		}
	}
}

// decodeInto sends a request and decodes the JSON response into value.
func (c *Client) decodeInto(ctx context.Context, wanted request, value any) error {
	response, err := c.send(ctx, wanted)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(value)
}

// postJSON sends fields as JSON and decodes the JSON response into value. It adds Content-Type to header, which may be nil.
func (c *Client) postJSON(ctx context.Context, path string, header map[string]string, fields, value any) error {
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	header = maps.Clone(header)
	if header == nil {
		header = map[string]string{}
	}
	header["Content-Type"] = "application/json"
	body := func() (io.Reader, int64) { return bytes.NewReader(text), int64(len(text)) }
	return c.decodeInto(ctx, request{"POST", path, header, body}, value)
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
