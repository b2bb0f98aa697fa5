package whittle

import "time"

// Task is one compression job.
type Task struct {
	TaskID   string `json:"task_id"`
	Status   string `json:"status"` // pending, processing, completed, failed
	FileName string `json:"file_name"`
	Format   string `json:"format"`
	Quality  string `json:"quality"` // empty: the task has a TargetScore
	// OriginalSize and CompressedSize are in bytes.
	OriginalSize int64     `json:"original_size"`
	CreatedAt    time.Time `json:"created_at"`
	// Progress is 0 to 1 until the task has ended.
	Progress float64 `json:"progress"`

	CompressedSize   int64    `json:"compressed_size"`
	CompressionRatio string   `json:"compression_ratio"`
	OutputFormat     string   `json:"output_format"`
	OutputName       string   `json:"output_name"`
	Receipt          *Receipt `json:"result"`

	// Delivery is nil if the result is only kept by the service.
	Delivery *Delivery `json:"delivery"`

	Error       ErrorBody      `json:"error"`
	ErrorDetail map[string]any `json:"error_detail"`
}

// IsUnderWay reports whether the task has not ended.
func (t *Task) IsUnderWay() bool { return t.Status == "pending" || t.Status == "processing" }

// Delivery is the state of a delivery to Destination or DestinationURL.
type Delivery struct {
	Status     string `json:"status"` // pending, delivered, failed
	Attempts   int    `json:"attempts"`
	LastStatus *int   `json:"last_status"` // nil: no response
}

// Receipt describes what was done to the file, and how it was verified. Measurements that were not made are nil.
type Receipt struct {
	Outcome        string   `json:"outcome"`  // compressed, unchanged
	Fidelity       string   `json:"fidelity"` // lossless, perceptual
	Verified       bool     `json:"verified"`
	SHA256         string   `json:"sha256"`
	OriginalSHA256 string   `json:"original_sha256"`
	Reason         string   `json:"reason"`
	Detail         string   `json:"detail"`
	SSIM           *float64 `json:"ssim"`
	PSNRdB         *float64 `json:"psnr_db"`
	SSIMULACRA2    *float64 `json:"ssimulacra2"`
	SNRdB          *float64 `json:"snr_db"`
	Steps          []string `json:"steps"`
}

// ErrorBody is an error message for people.
type ErrorBody struct {
	Code      int    `json:"code"`
	Message   string `json:"message"`
	RequestID string `json:"request_id"`
}

// Options are the options of a compression. Empty fields use the service's defaults.
type Options struct {
	Quality     string  `json:"quality,omitempty"` // low, medium, high, ultra
	Format      string  `json:"format,omitempty"`
	Password    string  `json:"password,omitempty"`
	CallbackURL string  `json:"callback_url,omitempty"`
	TargetSize  int64   `json:"target_size,omitempty"`  // bytes
	TargetScore float64 `json:"target_score,omitempty"` // SSIMULACRA 2, 50 to 95, instead of Quality
	MaxWidth    int     `json:"max_width,omitempty"`    // pixels
	MaxHeight   int     `json:"max_height,omitempty"`   // pixels
	DPI         int     `json:"dpi,omitempty"`          // of pictures in documents, 72 to 600
	Effort      string  `json:"effort,omitempty"`       // "fast", "balanced" or "best"
	Metadata    string  `json:"metadata,omitempty"`     // "keep", "safe" or "strip"
	UsageRights string  `json:"usage_rights,omitempty"`
	// Destination is a place in a bucket that the result is also sent to. Nil: none.
	Destination *BucketDestination `json:"destination,omitempty"`
	// DestinationURL is an address that the result is also sent to, with DestinationHeaders.
	DestinationURL     string            `json:"destination_url,omitempty"`
	DestinationHeaders map[string]string `json:"destination_headers,omitempty"`
	// IdempotencyKey makes repeated calls with the same file return the same task, for a day. Empty: a new key per call.
	IdempotencyKey string `json:"-"`
}

// Wishes is the old name of Options.
//
// Deprecated: use Options. Wishes is removed in the next version.
type Wishes = Options
