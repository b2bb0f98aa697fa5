package whittle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"os"
)

// Download returns the result. The error is a *DamagedError if its SHA-256 differs from the receipt.
func (c *Client) Download(ctx context.Context, task *Task) ([]byte, error) {
	var buffer bytes.Buffer
	err := c.WriteTo(ctx, task, &buffer)
	return buffer.Bytes(), err
}

// Save writes the result to a file, which appears only when it is complete and verified.
func (c *Client) Save(ctx context.Context, task *Task, path string) error {
	temporary := path + "." + task.TaskID + ".part"
	file, err := os.Create(temporary)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	err = c.WriteTo(ctx, task, file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// SaveBatchZip saves the completed results of a batch as one ZIP, with the receipts in _receipts.json. The file appears only when it
// is complete. The error is an *APIError if no task is completed. A broken connection is not resumed.
func (c *Client) SaveBatchZip(ctx context.Context, batchID, path string, options BatchZipOptions) error {
	query := ""
	if options.OnlyCompressed {
		query = "?only=compressed"
	}
	response, err := c.send(ctx, request{"GET", "/v1/batches/" + url.PathEscape(batchID) + "/download" + query, nil, nil})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	temporary := path + "." + batchID + ".part"
	file, err := os.Create(temporary)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	_, err = io.Copy(file, response.Body)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// BatchZipOptions chooses the entries of the ZIP of a batch.
type BatchZipOptions struct {
	OnlyCompressed bool // without files that stayed unchanged
}

// WriteTo streams the result to out and resumes after network errors. The hash is verified at the end.
func (c *Client) WriteTo(ctx context.Context, task *Task, out io.Writer) error {
	if task.Receipt == nil {
		return fmt.Errorf("whittle: the task %s is %s, so it has no result", task.TaskID, task.Status)
	}
	digest, retries := sha256.New(), newRetryState()
	for count := int64(0); count < task.CompressedSize; {
		received, err := c.downloadFrom(ctx, task, count, &sink{out, digest, nil}, retries)
		if err != nil {
			return err
		}
		if received > 0 {
			retries.reset()
		}
		count += received
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != task.Receipt.SHA256 {
		return &DamagedError{task.OutputName, got, task.Receipt.SHA256}
	}
	return nil
}

// downloadFrom downloads from an offset until the end or a network error. It returns the number of new bytes.
func (c *Client) downloadFrom(ctx context.Context, task *Task, from int64, to *sink, retries *retryState) (int64, error) {
	header := map[string]string{}
	if from > 0 {
		header["Range"] = fmt.Sprintf("bytes=%d-", from)
	}
	response, err := c.attempt(ctx, request{"GET", pathOf(task.TaskID) + "/download", header, nil}, retries)
	if response == nil || err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if from > 0 && response.StatusCode != http.StatusPartialContent {
		// A proxy without range support sends the whole result again.
		if _, err := io.CopyN(io.Discard, response.Body, from); err != nil {
			return 0, c.pauseOrFail(ctx, err, retries)
		}
	}
	received, err := io.Copy(to, response.Body)
	switch {
	case to.err != nil:
		return received, to.err
	case err != nil:
		return received, c.pauseOrFail(ctx, err, retries)
	case from+received < task.CompressedSize:
		return received, c.pauseOrFail(ctx, io.ErrUnexpectedEOF, retries)
	}
	return received, nil
}

// sink remembers write errors, to tell them from network errors.
type sink struct {
	out    io.Writer
	digest hash.Hash
	err    error
}

func (s *sink) Write(chunk []byte) (int, error) {
	count, err := s.out.Write(chunk)
	s.digest.Write(chunk[:count])
	s.err = err
	return count, err
}
