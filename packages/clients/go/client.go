// Package whittle is a client of the Whittle API. It uses only the standard library.
//
//	client := whittle.New("https://whittle.example.com", "whl_live_…")
//	task, err := client.FromFile("photo.jpg", whittle.Options{Quality: "low"}).ToFile(ctx, "smaller.jpg")
package whittle

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	firstWaitSeconds = 10
	pollSeconds      = 20
)

// Client sends requests to one service with one API key. It is safe for concurrent use.
type Client struct {
	// HTTP sends the requests. It may be replaced before the first call.
	HTTP    *http.Client
	baseURL string
	key     string
	reached atomic.Bool
}

// New returns a client for the service at baseURL (https://…) with an API key (whl_…).
func New(baseURL, key string) *Client {
	return &Client{HTTP: &http.Client{}, baseURL: strings.TrimRight(baseURL, "/"), key: key}
}

// CompressFile sends the file at path and waits until its task is completed. For errors see Compress.
func (c *Client) CompressFile(ctx context.Context, path string, options Options) (*Task, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return c.Compress(ctx, file, info.Size(), filepath.Base(path), options)
}

// Compress sends size bytes of source and waits until the task is completed. The error is a *TaskFailedError, *APIError,
// *UnreachableError, or the error of ctx.
func (c *Client) Compress(ctx context.Context, source io.ReaderAt, size int64, name string, options Options) (*Task, error) {
	task, err := c.Submit(ctx, source, size, name, options)
	if err != nil {
		return nil, err
	}
	return c.Wait(ctx, task, nil)
}

// Submit sends a file without waiting for its task, which may be completed already. Files above 32 MB are sent in chunks.
func (c *Client) Submit(ctx context.Context, source io.ReaderAt, size int64, name string, options Options) (*Task, error) {
	key := options.IdempotencyKey
	if key == "" {
		key = newKey()
	}
	header := map[string]string{"Idempotency-Key": strconv.Quote(key), "Prefer": fmt.Sprintf("wait=%d", firstWaitSeconds)}
	var body func() (io.Reader, int64)
	var err error
	if size > ResumableBytes {
		header["Content-Type"] = "application/json"
		body, err = c.uploadedBody(ctx, source, size, name, options)
	} else {
		body, header["Content-Type"], err = formOf(source, size, name, options)
	}
	if err != nil {
		return nil, err
	}
	task := new(Task)
	return task, c.decodeInto(ctx, request{"POST", "/v1/compress", header, body}, task)
}

func (c *Client) uploadedBody(ctx context.Context, source io.ReaderAt, size int64, name string, options Options) (func() (io.Reader, int64), error) {
	id, err := c.upload(ctx, source, size, name)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(struct {
		Options
		Upload string `json:"upload"`
	}{options, id})
	return func() (io.Reader, int64) { return bytes.NewReader(text), int64(len(text)) }, err
}

// formOf returns a multipart form that streams the file, and its content type.
func formOf(source io.ReaderAt, size int64, name string, options Options) (func() (io.Reader, int64), string, error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	text, err := json.Marshal(options)
	if err != nil {
		return nil, "", err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, "", err
	}
	for field, raw := range fields {
		value := string(raw)
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &value); err != nil {
				return nil, "", err
			}
		}
		if err := form.WriteField(field, value); err != nil {
			return nil, "", err
		}
	}
	if _, err := form.CreateFormFile("file", name); err != nil {
		return nil, "", err
	}
	begin := bytes.Clone(head.Bytes())
	if err := form.Close(); err != nil {
		return nil, "", err
	}
	end := bytes.Clone(head.Bytes()[len(begin):])
	body := func() (io.Reader, int64) {
		return io.MultiReader(bytes.NewReader(begin), io.NewSectionReader(source, 0, size), bytes.NewReader(end)), int64(len(begin)+len(end)) + size
	}
	return body, form.FormDataContentType(), nil
}

// Wait returns the task when it is completed. onProgress, if not nil, is called with each earlier status of the task.
func (c *Client) Wait(ctx context.Context, task *Task, onProgress func(*Task)) (*Task, error) {
	for task.IsUnderWay() {
		if onProgress != nil {
			onProgress(task)
		}
		next, err := c.task(ctx, task.TaskID, pollSeconds)
		if err != nil {
			return nil, err
		}
		task = next
	}
	if task.Status == "failed" {
		return nil, &TaskFailedError{task}
	}
	return task, nil
}

// Task returns the current state of a task.
func (c *Client) Task(ctx context.Context, taskID string) (*Task, error) {
	return c.task(ctx, taskID, 0)
}

func (c *Client) task(ctx context.Context, taskID string, waitSeconds int) (*Task, error) {
	header := map[string]string{}
	if waitSeconds > 0 {
		header["Prefer"] = fmt.Sprintf("wait=%d", waitSeconds)
	}
	task := new(Task)
	return task, c.decodeInto(ctx, request{"GET", pathOf(taskID), header, nil}, task)
}

// Tasks returns the newest tasks, at most 100.
func (c *Client) Tasks(ctx context.Context, limit int) ([]Task, error) {
	var page struct {
		Tasks []Task `json:"tasks"`
	}
	err := c.decodeInto(ctx, request{"GET", fmt.Sprintf("/v1/tasks?limit=%d", limit), nil, nil}, &page)
	return page.Tasks, err
}

// SignedReceipt returns the signed receipt, a compact JWS. The public keys are at /.well-known/jwks.json.
func (c *Client) SignedReceipt(ctx context.Context, taskID string) (string, error) {
	response, err := c.send(ctx, request{"GET", pathOf(taskID) + "/receipt", nil, nil})
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// Remove deletes a task and its result. A task in progress is cancelled.
func (c *Client) Remove(ctx context.Context, taskID string) error {
	return c.decodeInto(ctx, request{"DELETE", pathOf(taskID), nil, nil}, &struct{}{})
}

// TokenFields are the fields of a browser token. Empty fields use the service's defaults.
type TokenFields struct {
	Origin    string   `json:"origin"`               // such as https://app.example.com
	ExpiresIn int      `json:"expires_in,omitempty"` // seconds
	MaxFiles  int      `json:"max_files,omitempty"`
	MaxBytes  int64    `json:"max_bytes,omitempty"` // of each file
	Formats   []string `json:"formats,omitempty"`
	Quality   string   `json:"quality,omitempty"`
}

// UploadToken is a token with which a page sends files itself.
type UploadToken struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
}

// UploadToken makes a token for the pages of an origin.
func (c *Client) UploadToken(ctx context.Context, fields TokenFields) (*UploadToken, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	header := map[string]string{"Content-Type": "application/json"}
	body := func() (io.Reader, int64) { return bytes.NewReader(text), int64(len(text)) }
	token := new(UploadToken)
	return token, c.decodeInto(ctx, request{"POST", "/v1/upload-tokens", header, body}, token)
}

// SyncPlace names the objects of a connection whose keys begin with a prefix.
type SyncPlace struct {
	Connection string `json:"connection"`
	Prefix     string `json:"prefix"`
}

// SyncFields are the fields of a sync. Empty fields use the service's defaults.
type SyncFields struct {
	Source      SyncPlace `json:"source"`
	Destination SyncPlace `json:"destination"`
	DryRun      bool      `json:"dry_run,omitempty"`
	Quality     string    `json:"quality,omitempty"`
	Format      string    `json:"format,omitempty"`
	Preset      string    `json:"preset,omitempty"`
	TargetScore float64   `json:"target_score,omitempty"`
	Effort      string    `json:"effort,omitempty"`
	Metadata    string    `json:"metadata,omitempty"`
}

// Sync is the compression of the objects of a bucket into another.
type Sync struct {
	SyncID           string  `json:"sync_id"`
	Status           string  `json:"status"`
	Found            int64   `json:"found"`
	Skipped          int64   `json:"skipped"`
	Compressed       int64   `json:"compressed"`
	Unchanged        int64   `json:"unchanged"`
	Failed           int64   `json:"failed"`
	OriginalSize     int64   `json:"original_size"`
	CompressedSize   int64   `json:"compressed_size"`
	EstimatedSize    int64   `json:"estimated_size"`
	EstimatedSeconds float64 `json:"estimated_cpu_seconds"`
	Errors           []struct {
		Key   string `json:"key"`
		Error string `json:"error"`
		Type  string `json:"type"`
	} `json:"errors"`
}

// StartSync starts a sync, which the service runs by itself. Sync returns its state.
func (c *Client) StartSync(ctx context.Context, fields SyncFields) (*Sync, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	header := map[string]string{"Content-Type": "application/json"}
	body := func() (io.Reader, int64) { return bytes.NewReader(text), int64(len(text)) }
	sync := new(Sync)
	return sync, c.decodeInto(ctx, request{"POST", "/v1/syncs", header, body}, sync)
}

// Sync returns the current state of a sync.
func (c *Client) Sync(ctx context.Context, syncID string) (*Sync, error) {
	sync := new(Sync)
	return sync, c.decodeInto(ctx, request{"GET", syncPathOf(syncID), nil, nil}, sync)
}

// CancelSync cancels a sync. What it has written stays at the destination.
func (c *Client) CancelSync(ctx context.Context, syncID string) (*Sync, error) {
	sync := new(Sync)
	return sync, c.decodeInto(ctx, request{"DELETE", syncPathOf(syncID), nil, nil}, sync)
}

// ResumeSync goes on with a failed sync, or ends the pause of a paused one.
func (c *Client) ResumeSync(ctx context.Context, syncID string) (*Sync, error) {
	sync := new(Sync)
	return sync, c.decodeInto(ctx, request{"POST", syncPathOf(syncID) + "/resume", nil, nil}, sync)
}

func syncPathOf(syncID string) string { return "/v1/syncs/" + url.PathEscape(syncID) }

// Usage returns the usage of this month.
func (c *Client) Usage(ctx context.Context) (map[string]any, error) {
	var usage map[string]any
	err := c.decodeInto(ctx, request{"GET", "/v1/usage", nil, nil}, &usage)
	return usage, err
}

// Formats returns the input formats, their output formats, and the limits of the key.
func (c *Client) Formats(ctx context.Context) (map[string]any, error) {
	var formats map[string]any
	err := c.decodeInto(ctx, request{"GET", "/v1/formats", nil, nil}, &formats)
	return formats, err
}

func pathOf(taskID string) string { return "/v1/tasks/" + url.PathEscape(taskID) }

func newKey() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // rand.Read never returns an error.
	return hex.EncodeToString(random[:])
}
