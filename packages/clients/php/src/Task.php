<?php

declare(strict_types=1);

namespace Whittle;

/** One compression job. `raw` holds every field of the API, including those of newer services. */
final class Task
{
    public readonly string $taskId;
    /** pending, processing, completed or failed */
    public readonly string $status;
    public readonly string $fileName;
    /** Size in bytes. */
    public readonly int $originalSize;
    /** Size in bytes. Null until the task is completed. */
    public readonly ?int $compressedSize;
    public readonly ?string $outputName;
    /** Progress from 0 to 1. Null: the task has ended. */
    public readonly ?float $progress;
    /** @var array<string, mixed>|null What was done to the file and how it was verified: outcome, fidelity, verified, sha256, ssim, psnr_db, … */
    public readonly ?array $receipt;
    /** @var array{status: string, attempts: int, last_status: ?int}|null State of the delivery: pending, delivered or failed. Null: no destination. */
    public readonly ?array $delivery;

    /** @param array<string, mixed> $raw */
    public function __construct(public readonly array $raw)
    {
        $this->taskId = $raw['task_id'];
        $this->status = $raw['status'];
        $this->fileName = $raw['file_name'];
        $this->originalSize = $raw['original_size'];
        $this->compressedSize = $raw['compressed_size'] ?? null;
        $this->outputName = $raw['output_name'] ?? null;
        $this->progress = isset($raw['progress']) ? (float) $raw['progress'] : null;
        $this->receipt = $raw['result'] ?? null;
        $this->delivery = $raw['delivery'] ?? null;
    }

    /** True if the task has not ended. */
    public function isUnderWay(): bool
    {
        return $this->status === 'pending' || $this->status === 'processing';
    }
}
