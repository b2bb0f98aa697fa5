package whittle

import (
	"context"
	"encoding/json"
	"time"
)

// deliveryPoll is the time between two requests for the state of a delivery.
const deliveryPoll = 2 * time.Second

// BucketObject is an object in a bucket of the account.
type BucketObject struct {
	Connection string `json:"connection"` // name of the connection
	Key        string `json:"key"`
}

// BucketDestination is a place in a bucket that a result is sent to.
type BucketDestination struct {
	Connection string // name of the connection
	Prefix     string // beginning of the key; the name of the result follows. Empty: the whole bucket
	Key        string // whole key of the result, instead of Prefix
}

// MarshalJSON encodes the prefix, also if it is empty, or the key.
func (d BucketDestination) MarshalJSON() ([]byte, error) {
	fields := map[string]string{"connection": d.Connection}
	if d.Key != "" {
		fields["key"] = d.Key
	}
	if d.Prefix != "" || d.Key == "" {
		fields["prefix"] = d.Prefix
	}
	return json.Marshal(fields)
}

// Connection is a bucket that the account has connected. Credentials are never part of it.
type Connection struct {
	Name      string    `json:"name"`
	Type      string    `json:"type"` // s3, azure
	Endpoint  string    `json:"endpoint"`
	Region    string    `json:"region"`    // of s3
	Bucket    string    `json:"bucket"`    // of s3
	Container string    `json:"container"` // of azure
	SavedAt   time.Time `json:"saved_at"`
}

// Connections returns the bucket connections of the account.
func (c *Client) Connections(ctx context.Context) ([]Connection, error) {
	var answer struct {
		Connections []Connection `json:"connections"`
	}
	err := c.decodeInto(ctx, request{"GET", "/v1/connections", nil, nil}, &answer)
	return answer.Connections, err
}

// CompressObject compresses an object of a bucket, which the service reads, and waits until the task is completed. For errors see
// Compress.
func (c *Client) CompressObject(ctx context.Context, object BucketObject, options Options) (*Task, error) {
	task, err := c.SubmitObject(ctx, object, options)
	if err != nil {
		return nil, err
	}
	return c.Wait(ctx, task, nil)
}

// SubmitObject starts the compression of an object of a bucket without waiting for its task.
func (c *Client) SubmitObject(ctx context.Context, object BucketObject, options Options) (*Task, error) {
	task := new(Task)
	return task, c.postJSON(ctx, "/v1/compress", taskHeader(options), struct {
		Options
		Source BucketObject `json:"source"`
	}{options, object}, task)
}

// Delivered waits until the service has sent a result to its Destination or DestinationURL, or has given up. The Delivery.Status of
// the returned task is delivered or failed. Delivery is nil if the task has no destination.
func (c *Client) Delivered(ctx context.Context, task *Task) (*Task, error) {
	for task.Delivery != nil && task.Delivery.Status == "pending" {
		if err := pause(ctx, deliveryPoll); err != nil {
			return nil, err
		}
		next, err := c.Task(ctx, task.TaskID)
		if err != nil {
			return nil, err
		}
		task = next
	}
	return task, nil
}
