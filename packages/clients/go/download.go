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
	"os"
)

// Download is the result, whose SHA-256 is the receipt's; else *DamagedError.
func (c *Client) Download(ctx context.Context, task *Task) ([]byte, error) {
	var whole bytes.Buffer
	err := c.WriteTo(ctx, task, &whole)
	return whole.Bytes(), err
}

// Save writes it into a file, of which nothing is seen before all of it is there.
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

// WriteTo writes it as it comes, and goes on where the line breaks; only its end tells whether it was whole.
func (c *Client) WriteTo(ctx context.Context, task *Task, out io.Writer) error {
	if task.Receipt == nil {
		return fmt.Errorf("whittle: the task %s is %s; it has no result", task.TaskID, task.Status)
	}
	digest, t := sha256.New(), newTries()
	for count := int64(0); count < task.CompressedSize; {
		fresh, err := c.stretch(ctx, task, count, &sink{out, digest, nil}, t)
		if err != nil {
			return err
		}
		if fresh > 0 {
			t.renew()
		}
		count += fresh
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != task.Receipt.SHA256 {
		return &DamagedError{task.OutputName, got, task.Receipt.SHA256}
	}
	return nil
}

// stretch fetches from an offset on, as far as the line lasts.
func (c *Client) stretch(ctx context.Context, task *Task, from int64, to *sink, t *tries) (int64, error) {
	header := map[string]string{}
	if from > 0 {
		header["Range"] = fmt.Sprintf("bytes=%d-", from)
	}
	answer, err := c.attempt(ctx, request{"GET", pathOf(task.TaskID) + "/download", header, nil}, t)
	if answer == nil || err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if from > 0 && answer.StatusCode != http.StatusPartialContent {
		// A server in between that knows no ranges sends it all again.
		if _, err := io.CopyN(io.Discard, answer.Body, from); err != nil {
			return 0, c.lost(ctx, err, t)
		}
	}
	fresh, err := io.Copy(to, answer.Body)
	switch {
	case to.err != nil:
		return fresh, to.err
	case err != nil:
		return fresh, c.lost(ctx, err, t)
	case from+fresh < task.CompressedSize:
		return fresh, c.lost(ctx, io.ErrUnexpectedEOF, t)
	}
	return fresh, nil
}

// sink keeps what went wrong with writing apart from what went wrong with the line.
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
