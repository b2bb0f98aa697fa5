package whittle

import (
	"context"
	"net/url"
	"time"
)

// syncPoll is the time between two requests for the state of a sync.
const syncPoll = 5 * time.Second

// SyncPlace names the objects of a connection whose keys begin with a prefix.
type SyncPlace struct {
	Connection string `json:"connection"`
	Prefix     string `json:"prefix"`
}

// SyncFields are the fields of a sync. Empty fields use the service's defaults.
type SyncFields struct {
	Source      SyncPlace `json:"source"`
	Destination SyncPlace `json:"destination"`
	DryRun      bool      `json:"dry_run,omitempty"` // lists and estimates only
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
	Status           string  `json:"status"` // estimating, running, paused, completed, failed, cancelled
	DryRun           bool    `json:"dry_run"`
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

// HasEnded reports whether the sync is completed, failed or cancelled.
func (s *Sync) HasEnded() bool {
	return s.Status == "completed" || s.Status == "failed" || s.Status == "cancelled"
}

// StartSync starts a sync, which the service runs. WaitForSync waits for its end.
func (c *Client) StartSync(ctx context.Context, fields SyncFields) (*Sync, error) {
	sync := new(Sync)
	return sync, c.postJSON(ctx, "/v1/syncs", nil, fields, sync)
}

// Sync returns the current state of a sync.
func (c *Client) Sync(ctx context.Context, syncID string) (*Sync, error) {
	sync := new(Sync)
	return sync, c.decodeInto(ctx, request{"GET", syncPathOf(syncID), nil, nil}, sync)
}

// WaitForSync waits until a sync ends, whether it completes, fails or is cancelled. onProgress, if not nil, is called with each
// earlier state, every 5 seconds.
func (c *Client) WaitForSync(ctx context.Context, syncID string, onProgress func(*Sync)) (*Sync, error) {
	for {
		sync, err := c.Sync(ctx, syncID)
		if err != nil {
			return nil, err
		}
		if sync.HasEnded() {
			return sync, nil
		}
		if onProgress != nil {
			onProgress(sync)
		}
		if err := pause(ctx, syncPoll); err != nil {
			return nil, err
		}
	}
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
