<?php

declare(strict_types=1);

namespace Whittle;

/** The task failed. */
final class TaskFailedException extends WhittleException
{
    /** Stable code from the task's `error_detail.type`. */
    public readonly string $type;

    public function __construct(public readonly Task $task)
    {
        parent::__construct($task->raw['error']['message'] ?? 'the task failed');
        $this->type = $task->raw['error_detail']['type'] ?? 'unknown';
    }
}
