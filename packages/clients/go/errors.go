package whittle

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// APIError says why the service refused a request.
type APIError struct {
	Status int
	// Type is the stable word of error_detail.type, "unknown" where something else answered in the service's place.
	Type    string
	Message string
	// Detail has the facts that belong to the word: limit_bytes, allowed, …
	Detail    map[string]any
	RequestID string
	// RetryAfter is negative where the service named no time.
	RetryAfter time.Duration
}

func (e *APIError) Error() string { return fmt.Sprintf("%s (%d %s)", e.Message, e.Status, e.Type) }

// IsPassing tells whether the same request may be taken later.
func (e *APIError) IsPassing() bool {
	switch e.Status {
	case 429, 502, 503, 504:
		return true
	}
	return e.Type == "idempotency_in_flight"
}

// UnreachableError: nobody answered, for as long as it was worth trying.
type UnreachableError struct {
	BaseURL string
	Err     error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s cannot be reached: %v", e.BaseURL, e.Err)
}
func (e *UnreachableError) Unwrap() error { return e.Err }

// TaskFailedError: the task ended without a result.
type TaskFailedError struct{ Task *Task }

func (e *TaskFailedError) Error() string { return e.Task.Error.Message }

// Type is the stable word of the failure.
func (e *TaskFailedError) Type() string {
	word, _ := e.Task.ErrorDetail["type"].(string)
	return word
}

// DamagedError: what was downloaded is not what the receipt names.
type DamagedError struct{ Name, Got, Want string }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the download of %s is damaged (SHA-256 %s, not %s)", e.Name, e.Got, e.Want)
}

func errorOf(answer *http.Response) *APIError {
	var body struct {
		Error       ErrorBody      `json:"error"`
		ErrorDetail map[string]any `json:"error_detail"`
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	_ = json.Unmarshal(text, &body) // Something in between may answer with a page.
	made := &APIError{Status: answer.StatusCode, Type: "unknown", Message: body.Error.Message, Detail: body.ErrorDetail, RequestID: body.Error.RequestID, RetryAfter: -1}
	if word, ok := body.ErrorDetail["type"].(string); ok {
		made.Type = word
	}
	if made.Message == "" {
		made.Message = "the service refused"
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		made.RetryAfter = time.Duration(seconds) * time.Second
	}
	return made
}
