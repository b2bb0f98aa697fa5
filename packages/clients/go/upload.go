package whittle

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
)

// ResumableBytes: larger files go up in chunks (tus 1.0.0), of which a line that breaks costs one at most.
const ResumableBytes = 32 << 20

const chunkBytes = 16 << 20

func (c *Client) upload(ctx context.Context, source io.ReaderAt, size int64, name string) (string, error) {
	header := map[string]string{
		"Tus-Resumable":   "1.0.0",
		"Upload-Length":   strconv.FormatInt(size, 10),
		"Upload-Metadata": "filename " + base64.StdEncoding.EncodeToString([]byte(name)),
	}
	made, err := c.send(ctx, request{"POST", "/v1/uploads", header, nil})
	if err != nil {
		return "", err
	}
	made.Body.Close()
	place, err := url.Parse(made.Header.Get("Location"))
	if err != nil {
		return "", err
	}
	t := newTries()
	for offset := int64(0); offset < size; {
		now, err := c.appendChunk(ctx, place.Path, io.NewSectionReader(source, offset, min(chunkBytes, size-offset)), offset, t)
		if err != nil {
			return "", err
		}
		if now > offset {
			t.renew()
		}
		offset = now
	}
	return path.Base(place.Path), nil
}

// appendChunk returns where the next one begins, whatever came of this one.
func (c *Client) appendChunk(ctx context.Context, at string, chunk *io.SectionReader, offset int64, t *tries) (int64, error) {
	header := map[string]string{
		"Tus-Resumable": "1.0.0",
		"Content-Type":  "application/offset+octet-stream",
		"Upload-Offset": strconv.FormatInt(offset, 10),
	}
	body := func() (io.Reader, int64) { return chunk, chunk.Size() }
	answer, err := c.attempt(ctx, request{"PATCH", at, header, body}, t, http.StatusConflict)
	if err != nil {
		return 0, err
	}
	if answer != nil {
		answer.Body.Close()
	}
	if answer == nil || answer.StatusCode == http.StatusConflict {
		// What the service has of it, it knows itself.
		if answer, err = c.send(ctx, request{"HEAD", at, map[string]string{"Tus-Resumable": "1.0.0"}, nil}, 404, 410); err != nil {
			return 0, err
		}
		answer.Body.Close()
		if answer.StatusCode >= 400 {
			return 0, errors.New("whittle: the service has forgotten the upload; it must begin anew")
		}
	}
	now, err := strconv.ParseInt(answer.Header.Get("Upload-Offset"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("whittle: the service names no offset: %w", err)
	}
	return now, nil
}
