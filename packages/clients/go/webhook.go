package whittle

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrSignature means that a callback has no valid signature for the secret, or a time stamp more than 5 minutes from now.
var ErrSignature = errors.New("whittle: the callback has no valid webhook-signature for this secret, or no webhook-timestamp within 5 minutes of now")

// tolerance is the most time between the time stamp and now.
const tolerance = 5 * time.Minute

// Event is the body of a callback to callback_url.
type Event struct {
	Type      string    `json:"type"` // task.completed, task.failed
	Timestamp time.Time `json:"timestamp"`
	Data      Task      `json:"data"`
}

// VerifyCallback verifies that a callback comes from the service (Standard Webhooks 1.0.0). secret is the account's whsec_…,
// body the unchanged bytes of the request.
func VerifyCallback(secret string, header http.Header, body []byte) (*Event, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return nil, fmt.Errorf("whittle: the secret is invalid, expected whsec_ followed by base64: %w", err)
	}
	seconds, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return nil, ErrSignature
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", header.Get("webhook-id"), seconds, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), expected) {
			event := new(Event)
			return event, json.Unmarshal(body, event)
		}
	}
	return nil, ErrSignature
}
