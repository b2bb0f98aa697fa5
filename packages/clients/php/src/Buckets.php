<?php

declare(strict_types=1);

namespace Whittle;

/**
 * Methods of `Whittle` for buckets: connections, objects, deliveries and syncs. They use its private members.
 *
 * @internal
 */
trait Buckets
{
    /** @return list<array<string, mixed>> the bucket connections of the account, without their credentials */
    public function connections(): array
    {
        return $this->transport->json(new Request('GET', '/v1/connections'))['connections'];
    }

    /**
     * Compresses an object of a bucket, which the service reads, and waits until the task is completed.
     *
     * @param array<string, string|int|array<string, string>> $options those of `compress`
     * @throws TaskFailedException|ApiException|UnreachableException
     */
    public function compressObject(BucketObject $object, array $options = []): Task
    {
        return $this->wait($this->submitObject($object, $options));
    }

    /**
     * Starts the compression of an object of a bucket without waiting for its task.
     *
     * @param array<string, string|int|array<string, string>> $options those of `compress`
     * @param ?string $idempotencyKey makes repeated calls return the same task, for a day; null: a new key
     */
    public function submitObject(BucketObject $object, array $options = [], ?string $idempotencyKey = null): Task
    {
        $source = ['connection' => $object->connection, 'key' => $object->key];
        $headers = [...self::headersOf($idempotencyKey), 'Content-Type: application/json'];
        $body = json_encode([...$options, 'source' => $source], JSON_THROW_ON_ERROR);
        return new Task($this->transport->json(new Request('POST', '/v1/compress', $headers, $body)));
    }

    /**
     * Waits until the service has sent a result to its `destination` or `destination_url`, or has given up. The status in `delivery` of
     * the returned task is `delivered` or `failed`.
     *
     * @param float $pollSeconds seconds between two requests for the state
     */
    public function delivered(Task $task, float $pollSeconds = 2): Task
    {
        while (($task->delivery['status'] ?? null) === 'pending') {
            Transport::pause($pollSeconds);
            $task = $this->task($task->taskId);
        }
        return $task;
    }

    /**
     * Starts a sync, which the service runs. `waitForSync` waits for its end.
     *
     * @param array{connection: string, prefix?: string} $source
     * @param array{connection: string, prefix?: string} $destination
     * @param array<string, string|int|float|bool> $options with the API's names: quality, format, preset, …; `dry_run`: only list and estimate
     * @return array<string, mixed>
     */
    public function startSync(array $source, array $destination, array $options = []): array
    {
        $body = json_encode(['source' => $source, 'destination' => $destination, ...$options], JSON_THROW_ON_ERROR);
        return $this->transport->json(new Request('POST', '/v1/syncs', ['Content-Type: application/json'], $body));
    }

    /** @return array<string, mixed> the current state of a sync */
    public function sync(string $syncId): array
    {
        return $this->transport->json(new Request('GET', self::syncPathOf($syncId)));
    }

    /**
     * Waits until a sync ends, whether it completes, fails or is cancelled. `$onProgress` is called with each earlier state.
     *
     * @param float $pollSeconds seconds between two requests for the state
     * @return array<string, mixed>
     */
    public function waitForSync(string $syncId, ?\Closure $onProgress = null, float $pollSeconds = 5): array
    {
        for (;;) {
            $sync = $this->sync($syncId);
            $status = $sync['status'] ?? throw new WhittleException("the response has no status of the sync $syncId");
            if (in_array($status, ['completed', 'failed', 'cancelled'], true)) {
                return $sync;
            }
            $onProgress?->__invoke($sync);
            Transport::pause($pollSeconds);
        }
    }

    /** Cancels a sync. What it has written stays at the destination. @return array<string, mixed> */
    public function cancelSync(string $syncId): array
    {
        return $this->transport->json(new Request('DELETE', self::syncPathOf($syncId)));
    }

    /** Goes on with a failed sync, or ends the pause of a paused one. @return array<string, mixed> */
    public function resumeSync(string $syncId): array
    {
        return $this->transport->json(new Request('POST', self::syncPathOf($syncId) . '/resume'));
    }

    private static function syncPathOf(string $syncId): string
    {
        return '/v1/syncs/' . rawurlencode($syncId);
    }
}
