// Tests through a proxy that breaks each kind of request once. `npm run conformance -- clients` starts the proxy and these tests.
package whittle

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var ctx = context.Background()
var text = []byte(strings.Repeat("the quick brown fox jumps over the lazy dog\n", 400))

const photo = "../../../docs/photo.jpg"

func client(t *testing.T) *Client {
	if os.Getenv("WHITTLE_PROXY") == "" {
		t.Skip("needs a service: npm run conformance -- clients")
	}
	return New(os.Getenv("WHITTLE_PROXY"), os.Getenv("WHITTLE_KEY"))
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func TestRetriesAfterFailuresAndCreatesOneTask(t *testing.T) {
	c := client(t)
	task := must(c.CompressFile(ctx, photo, Options{Quality: "low"}))(t)
	result := must(c.Download(ctx, task))(t)
	if int64(len(result)) != task.CompressedSize || task.CompressedSize > task.OriginalSize/2 || task.Quality != "low" || !task.Receipt.Verified {
		t.Fatalf("%d bytes of %+v", len(result), task)
	}
	found := 0
	for _, listed := range must(c.Tasks(ctx, 100))(t) {
		if listed.TaskID == task.TaskID {
			found++
		}
	}
	if found != 1 {
		t.Fatalf("the task is listed %d times", found)
	}
	if parts := strings.Split(must(c.SignedReceipt(ctx, task.TaskID))(t), "."); len(parts) != 3 {
		t.Fatalf("the receipt has %d parts", len(parts))
	}
	if err := c.Remove(ctx, task.TaskID); err != nil {
		t.Fatal(err)
	}
	var refused *APIError
	if _, err := c.Task(ctx, task.TaskID); !errors.As(err, &refused) || refused.Status != 404 || refused.Type != "unknown_task" {
		t.Fatalf("%v", err)
	}
	if usage := must(c.Usage(ctx))(t); usage["plan"] != "enterprise" {
		t.Fatalf("%v", usage)
	}
}

func TestUploadsALargeFileInChunksAndSavesItsResult(t *testing.T) {
	c, folder, content := client(t), t.TempDir(), bytes.Repeat(text, 2000)
	task := must(c.Compress(ctx, bytes.NewReader(content), int64(len(content)), "large.txt", Options{Format: "gz"}))(t)
	if task.FileName != "large.txt" || task.OriginalSize != int64(len(content)) {
		t.Fatalf("%+v", task)
	}
	path := filepath.Join(folder, "large.txt.gz")
	if err := c.Save(ctx, task, path); err != nil {
		t.Fatal(err)
	}
	reader := must(gzip.NewReader(must(os.Open(path))(t)))(t)
	if !bytes.Equal(must(io.ReadAll(reader))(t), content) {
		t.Fatal("the decompressed result differs from the input")
	}
	if left := must(os.ReadDir(folder))(t); len(left) != 1 {
		t.Fatalf("left behind: %v", left)
	}
}

func TestCompressesInOneLineAndLeavesNoTask(t *testing.T) {
	client(t)
	c, folder := New(os.Getenv("WHITTLE_SERVER"), os.Getenv("WHITTLE_KEY")), t.TempDir()
	source, target := filepath.Join(folder, "text.txt"), filepath.Join(folder, "text.txt.gz")
	if err := os.WriteFile(source, text, 0o644); err != nil {
		t.Fatal(err)
	}
	task := must(c.FromFile(source, Options{Format: "gz"}).ToFile(ctx, target))(t)
	if task.Receipt.SSIM != nil {
		t.Fatal("a lossless result has an SSIM")
	}
	if facts := must(os.Stat(target))(t); facts.Size() != task.CompressedSize {
		t.Fatalf("%d bytes", facts.Size())
	}
	if _, err := c.Task(ctx, task.TaskID); err == nil {
		t.Fatal("the task still exists")
	}
}

func TestReturnsASpecificErrorForEachFailure(t *testing.T) {
	c, folder := client(t), t.TempDir()
	wrong := must(c.Compress(ctx, bytes.NewReader(text), int64(len(text)), "damaged.txt", Options{}))(t)
	var damaged *DamagedError
	if err := c.Save(ctx, wrong, filepath.Join(folder, "damaged")); !errors.As(err, &damaged) {
		t.Fatalf("%v", err)
	}
	if left := must(os.ReadDir(folder))(t); len(left) != 0 {
		t.Fatalf("left behind: %v", left)
	}
	var failed *TaskFailedError
	if _, err := c.CompressFile(ctx, photo, Options{TargetSize: 100}); !errors.As(err, &failed) || failed.Type() != "target_unreachable" {
		t.Fatalf("%v", err)
	}
	var refused *APIError
	if _, err := c.Submit(ctx, bytes.NewReader([]byte{1, 2, 3}), 3, "x", Options{}); !errors.As(err, &refused) || refused.Type != "unsupported_format" {
		t.Fatalf("%v", err)
	}
	var unreachable *UnreachableError
	if _, err := New("http://127.0.0.1:8", "whl_live_x").Usage(ctx); !errors.As(err, &unreachable) {
		t.Fatalf("%v", err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := c.Usage(ended); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
}

func TestAcceptsAGenuineCallbackAndRefusesForgedOnes(t *testing.T) {
	client(t)
	var output struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.Unmarshal(must(os.ReadFile(os.Getenv("WHITTLE_CALLBACK")))(t), &output); err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	for name, value := range output.Headers {
		header.Set(name, value)
	}
	if event := must(VerifyCallback(output.Secret, header, []byte(output.Body)))(t); event.Data.FileName != "called.txt" || event.Type != "task.completed" {
		t.Fatalf("%+v", event)
	}
	old := header.Clone()
	old.Set("webhook-timestamp", "1700000000")
	forged := strings.ReplaceAll(output.Body, "called", "forged")
	for _, err := range []error{
		errorOnly(VerifyCallback(output.Secret, header, []byte(forged))),
		errorOnly(VerifyCallback("whsec_AAAA", header, []byte(output.Body))),
		errorOnly(VerifyCallback(output.Secret, old, []byte(output.Body))),
	} {
		if !errors.Is(err, ErrSignature) {
			t.Fatalf("%v", err)
		}
	}
}

func TestSignsAddressesOfPictures(t *testing.T) {
	key := ImageKey{Key: "img_vZlKnlY1GFU0cnEaLZUr", Secret: "ims_secret"}
	signed := ImageURL("https://whittle.example.com/", key, "photos/Café & Bar/50 % #1?.png", "w_320,f_auto")
	expected := "https://whittle.example.com/img/_EzFnj9al6Y78aB45rim5cxDrC19fbidOIYzR7OyVpo/w_320,f_auto/img_vZlKnlY1GFU0cnEaLZUr/photos/Caf%C3%A9%20&%20Bar/50%20%25%20%231%3F.png"
	if signed != expected {
		t.Fatalf("%s", signed)
	}
}

func errorOnly(_ *Event, err error) error { return err }

func TestMakesABrowserToken(t *testing.T) {
	token := must(client(t).UploadToken(ctx, TokenFields{Origin: "https://app.example.com", MaxFiles: 2, Formats: []string{"jpg"}}))(t)
	if !strings.HasPrefix(token.Token, "wut_") || token.ExpiresAt.IsZero() {
		t.Fatalf("%+v", token)
	}
}

func TestSavesTheResultsOfABatchAsOneZip(t *testing.T) {
	c, folder := client(t), t.TempDir()
	path := filepath.Join(folder, "results.zip")
	if err := c.SaveBatchZip(ctx, os.Getenv("WHITTLE_BATCH"), path, BatchZipOptions{}); err != nil {
		t.Fatal(err)
	}
	reader := must(zip.OpenReader(path))(t)
	defer reader.Close()
	names := []string{}
	for _, entry := range reader.File {
		names = append(names, entry.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"_receipts.json", "photo-2.jpg", "photo.jpg"}) {
		t.Fatalf("%v", names)
	}
	var refused *APIError
	if err := c.SaveBatchZip(ctx, "bat_unknown", path+"2", BatchZipOptions{OnlyCompressed: true}); !errors.As(err, &refused) || refused.Type != "unknown_batch" {
		t.Fatalf("%v", err)
	}
	if left := must(os.ReadDir(folder))(t); len(left) != 1 {
		t.Fatalf("left behind: %v", left)
	}
}

// runReadmeExample runs an example of README.md in a folder with the photo. It returns the output.
func runReadmeExample(t *testing.T, number int, folder string) string {
	client(t)
	here := must(os.Getwd())(t)
	examples := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(must(os.ReadFile("README.md"))(t), -1)
	module := "module readme\n\ngo 1.22\n\nrequire github.com/whittle-app/whittle/clients/go v0.0.0\n\nreplace github.com/whittle-app/whittle/clients/go => " + here + "\n"
	for name, content := range map[string][]byte{"main.go": examples[number][1], "go.mod": []byte(module), "photo.jpg": must(os.ReadFile(photo))(t)} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("go", "run", ".")
	run.Dir, run.Stderr = folder, os.Stderr
	return string(must(run.Output())(t))
}

func TestRunsTheReadmeExample(t *testing.T) {
	folder := t.TempDir()
	output := runReadmeExample(t, 0, folder)
	if !regexp.MustCompile(`^240883 → \d{5} bytes, SSIM 0\.9\d+\n$`).MatchString(output) {
		t.Fatalf("%s", output)
	}
	if facts := must(os.Stat(filepath.Join(folder, "smaller.jpg")))(t); facts.Size() >= 240_883 {
		t.Fatalf("%d bytes", facts.Size())
	}
}

func TestRunsTheReadmeExampleOfBuckets(t *testing.T) {
	if output := runReadmeExample(t, 1, t.TempDir()); output != "delivered\ncompleted 2\n" {
		t.Fatalf("%s", output)
	}
}
