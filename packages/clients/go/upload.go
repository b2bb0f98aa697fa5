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

// ResumableBytes is the size above which files are sent in chunks (tus 1.0.0). A network error costs at most one chunk.
const ResumableBytes = 32 << 20

const chunkBytes = 16 << 20

func (c *Client) upload(ctx context.Context, source io.ReaderAt, size int64, name string) (string, error) {
	header := map[string]string{
		"Tus-Resumable":   "1.0.0",
		"Upload-Length":   strconv.FormatInt(size, 10),
		"Upload-Metadata": "filename " + base64.StdEncoding.EncodeToString([]byte(name)),
	}
	created, err := c.send(ctx, request{"POST", "/v1/uploads", header, nil})
	if err != nil {
		return "", err
	}
	created.Body.Close()
	location, err := url.Parse(created.Header.Get("Location"))
	if err != nil {
		return "", err
	}
	retries := newRetryState()
	for offset := int64(0); offset < size; {
		received, err := c.appendChunk(ctx, location.Path, io.NewSectionReader(source, offset, min(chunkBytes, size-offset)), offset, retries)
		if err != nil {
			return "", err
		}
		if received > offset {
			retries.reset()
		}
		offset = received
	}
	return path.Base(location.Path), nil
}

// appendChunk sends one chunk and returns the offset of the next one, as reported by the service.
func (c *Client) appendChunk(ctx context.Context, at string, chunk *io.SectionReader, offset int64, retries *retryState) (int64, error) {
	header := map[string]string{
		"Tus-Resumable": "1.0.0",
		"Content-Type":  "application/offset+octet-stream",
		"Upload-Offset": strconv.FormatInt(offset, 10),
	}
	body := func() (io.Reader, int64) { return chunk, chunk.Size() }
	response, err := c.attempt(ctx, request{"PATCH", at, header, body}, retries, http.StatusConflict)
	if err != nil {
		return 0, err
	}
	if response != nil {
		response.Body.Close()
	}
	if response == nil || response.StatusCode == http.StatusConflict {
		// Ask the service how many bytes of the chunk it has received.
		if response, err = c.send(ctx, request{"HEAD", at, map[string]string{"Tus-Resumable": "1.0.0"}, nil}, 404, 410); err != nil {
			return 0, err
		}
		response.Body.Close()
		if response.StatusCode >= 400 {
			return 0, errors.New("whittle: the upload has expired on the service; start a new upload")
		}
	}
	received, err := strconv.ParseInt(response.Header.Get("Upload-Offset"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("whittle: the response has no valid Upload-Offset: %w", err)
	}
	return received, nil
}
