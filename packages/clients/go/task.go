package whittle

import "time"

// Task is one compression job.
type Task struct {
	TaskID   string `json:"task_id"`
	Status   string `json:"status"` // pending, processing, completed, failed
	FileName string `json:"file_name"`
	Format   string `json:"format"`
	Quality  string `json:"quality"`
	// OriginalSize and CompressedSize are in bytes.
	OriginalSize int64     `json:"original_size"`
	CreatedAt    time.Time `json:"created_at"`
	// Progress is 0 to 1, while it is under way.
	Progress float64 `json:"progress"`

	CompressedSize   int64    `json:"compressed_size"`
	CompressionRatio string   `json:"compression_ratio"`
	OutputFormat     string   `json:"output_format"`
	OutputName       string   `json:"output_name"`
	Receipt          *Receipt `json:"result"`

	Error       ErrorBody      `json:"error"`
	ErrorDetail map[string]any `json:"error_detail"`
}

// IsUnderWay tells whether the task has not ended.
func (t *Task) IsUnderWay() bool { return t.Status == "pending" || t.Status == "processing" }

// Receipt says what was done, and proves it. What was not measured is nil.
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

// ErrorBody is for people.
type ErrorBody struct {
	Code      int    `json:"code"`
	Message   string `json:"message"`
	RequestID string `json:"request_id"`
}

// Wishes is what may be asked for; what is empty is left to the service.
type Wishes struct {
	Quality     string `json:"quality,omitempty"` // low, medium, high, ultra
	Format      string `json:"format,omitempty"`
	Password    string `json:"password,omitempty"`
	CallbackURL string `json:"callback_url,omitempty"`
	TargetSize  int64  `json:"target_size,omitempty"` // bytes
	UsageRights string `json:"usage_rights,omitempty"`
	// IdempotencyKey: the same one and file within a day are the same task. Empty: one for this call.
	IdempotencyKey string `json:"-"`
}
