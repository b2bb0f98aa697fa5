<?php

declare(strict_types=1);

namespace Whittle;

/** The task ended without a result. */
final class TaskFailedException extends WhittleException
{
    /** The stable word of its `error_detail.type`. */
    public readonly string $type;

    public function __construct(public readonly Task $task)
    {
        parent::__construct($task->raw['error']['message'] ?? 'the task failed');
        $this->type = $task->raw['error_detail']['type'] ?? 'unknown';
    }
}
