package whittle

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// APIError is a refusal by the service.
type APIError struct {
	Status int
	// Type is the stable code from error_detail.type. "unknown": something other than the service responded, such as a proxy.
	Type    string
	Message string
	// Detail has the details of the error, for example limit_bytes or allowed.
	Detail    map[string]any
	RequestID string
	// RetryAfter is the pause of the Retry-After header. Negative: no such header.
	RetryAfter time.Duration
}

func (e *APIError) Error() string { return fmt.Sprintf("%s (%d %s)", e.Message, e.Status, e.Type) }

// IsPassing is the old name of IsRetryable.
//
// Deprecated: use IsRetryable. IsPassing is removed in the next version.
func (e *APIError) IsPassing() bool { return e.IsRetryable() }

// IsRetryable reports whether the same request may succeed later.
func (e *APIError) IsRetryable() bool {
	switch e.Status {
	case 429, 502, 503, 504:
		return true
	}
	return e.Type == "idempotency_in_flight"
}

// UnreachableError means that the service did not respond within the retry timeout.
type UnreachableError struct {
	BaseURL string
	Err     error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s cannot be reached: %v", e.BaseURL, e.Err)
}
func (e *UnreachableError) Unwrap() error { return e.Err }

// TaskFailedError means that the task failed.
type TaskFailedError struct{ Task *Task }

func (e *TaskFailedError) Error() string { return e.Task.Error.Message }

// Type returns the stable code of the failure.
func (e *TaskFailedError) Type() string {
	code, _ := e.Task.ErrorDetail["type"].(string)
	return code
}

// DamagedError means that the downloaded result differs from the receipt.
type DamagedError struct{ Name, Got, Want string }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the download of %s is damaged (SHA-256 %s, not %s)", e.Name, e.Got, e.Want)
}

func errorOf(response *http.Response) *APIError {
	var body struct {
		Error       ErrorBody      `json:"error"`
		ErrorDetail map[string]any `json:"error_detail"`
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	_ = json.Unmarshal(text, &body) // A proxy may respond with an HTML page.
	apiError := &APIError{Status: response.StatusCode, Type: "unknown", Message: body.Error.Message, Detail: body.ErrorDetail, RequestID: body.Error.RequestID, RetryAfter: -1}
	if code, ok := body.ErrorDetail["type"].(string); ok {
		apiError.Type = code
	}
	if apiError.Message == "" {
		apiError.Message = fmt.Sprintf("the service responded with HTTP %d", response.StatusCode)
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		apiError.RetryAfter = time.Duration(seconds) * time.Second
	}
	return apiError
}
