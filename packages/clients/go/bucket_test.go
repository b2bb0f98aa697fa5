// Tests of buckets, deliveries and syncs. client_test.go says what starts them.
package whittle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

func TestCompressesFromABucketAndWaitsForTheDeliveryToABucket(t *testing.T) {
	c := client(t)
	if found := must(c.Connections(ctx))(t); len(found) != 1 || found[0].Name != "shop" || found[0].Bucket != "photos" || found[0].SavedAt.IsZero() {
		t.Fatalf("%+v", found)
	}
	from, to := BucketObject{"shop", "photos/photo.jpg"}, BucketDestination{Connection: "shop", Key: "delivered/go.jpg"}
	task := must(c.CompressObject(ctx, from, Options{Quality: "low", Destination: &to}))(t)
	delivered := must(c.Delivered(ctx, task))(t)
	if delivered.TaskID != task.TaskID || delivered.Delivery == nil || delivered.Delivery.Status != "delivered" {
		t.Fatalf("%+v", delivered)
	}
	// The delivered object has the size of the result.
	if again := must(c.CompressObject(ctx, BucketObject{"shop", to.Key}, Options{}))(t); again.OriginalSize != task.CompressedSize {
		t.Fatalf("%d bytes", again.OriginalSize)
	}
	var refused *APIError
	if _, err := c.SubmitObject(ctx, BucketObject{"closed", "photos/photo.jpg"}, Options{}); !errors.As(err, &refused) || refused.Type != "unknown_connection" {
		t.Fatalf("%v", err)
	}
}

func TestReturnsADeliveryThatFailed(t *testing.T) {
	states, requests := []string{"pending", "failed"}, []string{}
	double := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, received *http.Request) {
		body, _ := io.ReadAll(received.Body)
		requests = append(requests, received.Method+" "+received.URL.Path+" "+string(body))
		fmt.Fprintf(response, `{"task_id": "tsk_1", "status": "completed", "delivery": {"status": "%s", "attempts": 1, "last_status": null}}`, states[0])
		states = states[1:]
	}))
	defer double.Close()
	c := New(double.URL, "whl_live_x")
	options := Options{DestinationURL: "https://example.com/a", DestinationHeaders: map[string]string{"X-A": "1"}}
	task := must(c.CompressObject(ctx, BucketObject{"shop", "a"}, options))(t)
	if task = must(c.Delivered(ctx, task))(t); task.Delivery.Status != "failed" || task.Delivery.LastStatus != nil {
		t.Fatalf("%+v", task.Delivery)
	}
	expected := []string{
		`POST /v1/compress {"destination_url":"https://example.com/a","destination_headers":{"X-A":"1"},"source":{"connection":"shop","key":"a"}}`,
		"GET /v1/tasks/tsk_1 ",
	}
	if !slices.Equal(requests, expected) {
		t.Fatalf("%q", requests)
	}
}

func TestEncodesDestinations(t *testing.T) {
	for place, expected := range map[BucketDestination]string{
		{Connection: "shop"}:                           `{"connection":"shop","prefix":""}`,
		{Connection: "shop", Prefix: "a/"}:             `{"connection":"shop","prefix":"a/"}`,
		{Connection: "shop", Key: "a"}:                 `{"connection":"shop","key":"a"}`,
		{Connection: "shop", Key: "a", Prefix: "both"}: `{"connection":"shop","key":"a","prefix":"both"}`,
	} {
		if sent := must(json.Marshal(Options{Destination: &place}))(t); string(sent) != `{"destination":`+expected+`}` {
			t.Fatalf("%s", sent)
		}
	}
}

func TestRunsSyncsUntilTheyEnd(t *testing.T) {
	c := client(t)
	fields := SyncFields{Source: SyncPlace{"shop", "texts/"}, Destination: SyncPlace{"shop", "out/go/"}, Format: "gz", DryRun: true}
	estimate := must(c.WaitForSync(ctx, must(c.StartSync(ctx, fields))(t).SyncID, nil))(t)
	if estimate.Status != "completed" || !estimate.DryRun || estimate.Found != 2 || estimate.Compressed != 0 || estimate.EstimatedSize == 0 {
		t.Fatalf("%+v", estimate)
	}
	fields.DryRun = false
	started := must(c.StartSync(ctx, fields))(t)
	ended := must(c.WaitForSync(ctx, started.SyncID, func(sync *Sync) {
		if sync.HasEnded() {
			t.Errorf("%+v", sync)
		}
	}))(t)
	if ended.Status != "completed" || ended.Found != 2 || ended.Compressed != 2 || ended.Failed != 0 {
		t.Fatalf("%+v", ended)
	}
	var refused *APIError
	if _, err := c.ResumeSync(ctx, started.SyncID); !errors.As(err, &refused) || refused.Type != "not_resumable" {
		t.Fatalf("%v", err)
	}
}

func TestResumesAndCancelsASyncThatWaitsForItsBucket(t *testing.T) {
	c := client(t)
	fields := SyncFields{Source: SyncPlace{"shop", "texts/"}, Destination: SyncPlace{"shop", "busy/go/"}}
	id := must(c.StartSync(ctx, fields))(t).SyncID
	limited, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	for must(c.Sync(limited, id))(t).Status != "paused" {
		time.Sleep(200 * time.Millisecond)
	}
	if resumed := must(c.ResumeSync(ctx, id))(t); resumed.Status != "running" {
		t.Fatalf("%+v", resumed)
	}
	if cancelled := must(c.CancelSync(ctx, id))(t); cancelled.Status != "cancelled" {
		t.Fatalf("%+v", cancelled)
	}
	if ended := must(c.WaitForSync(ctx, id, nil))(t); ended.Status != "cancelled" {
		t.Fatalf("%+v", ended)
	}
}
