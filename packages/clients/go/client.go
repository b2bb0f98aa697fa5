// Package whittle makes files smaller and proves that nothing was lost: the client of Whittle's API. It needs the standard library alone.
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
)

const (
	firstWaitSeconds = 10
	pollSeconds      = 20
)

// Client speaks to one service with one key. It may be used by many goroutines.
type Client struct {
	// HTTP may be exchanged before the first call.
	HTTP    *http.Client
	baseURL string
	key     string
	reached atomic.Bool
}

// New makes a client of the service at baseURL (https://…) with key (whl_…).
func New(baseURL, key string) *Client {
	return &Client{HTTP: &http.Client{}, baseURL: strings.TrimRight(baseURL, "/"), key: key}
}

// CompressFile sends the file at path and waits for its end.
func (c *Client) CompressFile(ctx context.Context, path string, wishes Wishes) (*Task, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	facts, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return c.Compress(ctx, file, facts.Size(), filepath.Base(path), wishes)
}

// Compress sends size bytes of source and waits for their end: *TaskFailedError, *APIError or *UnreachableError say what went wrong.
func (c *Client) Compress(ctx context.Context, source io.ReaderAt, size int64, name string, wishes Wishes) (*Task, error) {
	task, err := c.Submit(ctx, source, size, name, wishes)
	if err != nil {
		return nil, err
	}
	return c.Wait(ctx, task, nil)
}

// Submit sends a file; above 32 MB it goes up in chunks. The task may be completed already.
func (c *Client) Submit(ctx context.Context, source io.ReaderAt, size int64, name string, wishes Wishes) (*Task, error) {
	key := wishes.IdempotencyKey
	if key == "" {
		key = newKey()
	}
	header := map[string]string{"Idempotency-Key": strconv.Quote(key), "Prefer": fmt.Sprintf("wait=%d", firstWaitSeconds)}
	var body func() (io.Reader, int64)
	var err error
	if size > ResumableBytes {
		header["Content-Type"] = "application/json"
		body, err = c.uploaded(ctx, source, size, name, wishes)
	} else {
		body, header["Content-Type"], err = formOf(source, size, name, wishes)
	}
	if err != nil {
		return nil, err
	}
	task := new(Task)
	return task, c.into(ctx, request{"POST", "/v1/compress", header, body}, task)
}

func (c *Client) uploaded(ctx context.Context, source io.ReaderAt, size int64, name string, wishes Wishes) (func() (io.Reader, int64), error) {
	id, err := c.upload(ctx, source, size, name)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(struct {
		Wishes
		Upload string `json:"upload"`
	}{wishes, id})
	return func() (io.Reader, int64) { return bytes.NewReader(text), int64(len(text)) }, err
}

// formOf streams the file between the head and the tail of the form.
func formOf(source io.ReaderAt, size int64, name string, wishes Wishes) (func() (io.Reader, int64), string, error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	text, err := json.Marshal(wishes)
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

// Wait returns the task once it is completed. onProgress, where it is not nil, hears every answer that is not the last.
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

// Task tells where it is now.
func (c *Client) Task(ctx context.Context, taskID string) (*Task, error) {
	return c.task(ctx, taskID, 0)
}

func (c *Client) task(ctx context.Context, taskID string, waitSeconds int) (*Task, error) {
	header := map[string]string{}
	if waitSeconds > 0 {
		header["Prefer"] = fmt.Sprintf("wait=%d", waitSeconds)
	}
	task := new(Task)
	return task, c.into(ctx, request{"GET", pathOf(taskID), header, nil}, task)
}

// Tasks are the newest, at most 100.
func (c *Client) Tasks(ctx context.Context, limit int) ([]Task, error) {
	var page struct {
		Tasks []Task `json:"tasks"`
	}
	err := c.into(ctx, request{"GET", fmt.Sprintf("/v1/tasks?limit=%d", limit), nil, nil}, &page)
	return page.Tasks, err
}

// SignedReceipt is a compact JWS; the keys are at /.well-known/jwks.json.
func (c *Client) SignedReceipt(ctx context.Context, taskID string) (string, error) {
	answer, err := c.send(ctx, request{"GET", pathOf(taskID) + "/receipt", nil, nil})
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

// Remove deletes the task and its result; what is still worked on is cancelled.
func (c *Client) Remove(ctx context.Context, taskID string) error {
	return c.into(ctx, request{"DELETE", pathOf(taskID), nil, nil}, &struct{}{})
}

// Usage is that of this month.
func (c *Client) Usage(ctx context.Context) (map[string]any, error) {
	var usage map[string]any
	err := c.into(ctx, request{"GET", "/v1/usage", nil, nil}, &usage)
	return usage, err
}

// Formats says what goes in, what may come out, and the limits of the key.
func (c *Client) Formats(ctx context.Context) (map[string]any, error) {
	var formats map[string]any
	err := c.into(ctx, request{"GET", "/v1/formats", nil, nil}, &formats)
	return formats, err
}

func pathOf(taskID string) string { return "/v1/tasks/" + url.PathEscape(taskID) }

func newKey() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // Never fails (crypto/rand).
	return hex.EncodeToString(random[:])
}
