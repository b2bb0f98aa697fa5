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
	header, task := taskHeader(options), new(Task)
	if size > ResumableBytes {
		id, err := c.upload(ctx, source, size, name)
		if err != nil {
			return nil, err
		}
		return task, c.postJSON(ctx, "/v1/compress", header, struct {
			Options
			Upload string `json:"upload"`
		}{options, id}, task)
	}
	body, contentType, err := formOf(source, size, name, options)
	if err != nil {
		return nil, err
	}
	header["Content-Type"] = contentType
	return task, c.decodeInto(ctx, request{"POST", "/v1/compress", header, body}, task)
}

// taskHeader returns the headers of a request for a new task, without its content type.
func taskHeader(options Options) map[string]string {
	key := options.IdempotencyKey
	if key == "" {
		key = newKey()
	}
	return map[string]string{"Idempotency-Key": strconv.Quote(key), "Prefer": fmt.Sprintf("wait=%d", firstWaitSeconds)}
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
	token := new(UploadToken)
	return token, c.postJSON(ctx, "/v1/upload-tokens", nil, fields, token)
}

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
