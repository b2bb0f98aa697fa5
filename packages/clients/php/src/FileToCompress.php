<?php

declare(strict_types=1);

namespace Whittle;

/** A file that `toFile` compresses. */
final class FileToCompress
{
    /** @param array<string, string|int|array<string, string>> $options */
    public function __construct(private readonly Whittle $whittle, private readonly string $path, private readonly array $options)
    {
    }

    /**
     * Compresses the file, saves the result as `$path`, and deletes the task. Returns the task with its receipt.
     *
     * @throws TaskFailedException|ApiException|UnreachableException|DamagedException
     */
    public function toFile(string $path): Task
    {
        $task = $this->whittle->compress($this->path, $this->options);
        try {
            $this->whittle->save($task, $path);
        } finally {
            try {
                $this->whittle->remove($task->taskId);
            } catch (WhittleException) {
                // A task that cannot be deleted expires.
            }
        }
        return $task;
    }
}
