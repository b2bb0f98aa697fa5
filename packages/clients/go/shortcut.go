package whittle

import "context"

// FileToCompress is a file that ToFile compresses.
type FileToCompress struct {
	client  *Client
	path    string
	options Options
}

// FromFile compresses a file in one line:
//
//	task, err := client.FromFile("photo.jpg", whittle.Options{Quality: "low"}).ToFile(ctx, "smaller.jpg")
func (c *Client) FromFile(path string, options Options) FileToCompress {
	return FileToCompress{c, path, options}
}

// ToFile compresses the file, saves the result at path, and deletes the task. It returns the task with its receipt. For errors
// see Compress and Save.
func (f FileToCompress) ToFile(ctx context.Context, path string) (*Task, error) {
	task, err := f.client.CompressFile(ctx, f.path, f.options)
	if err != nil {
		return nil, err
	}
	err = f.client.Save(ctx, task, path)
	_ = f.client.Remove(ctx, task.TaskID) // A task that cannot be deleted expires.
	return task, err
}
