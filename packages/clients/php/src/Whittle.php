<?php

declare(strict_types=1);

namespace Whittle;

/** Speaks to one service with one key. */
final class Whittle
{
    /** Larger files go up in chunks (tus 1.0.0). */
    public const RESUMABLE_BYTES = 32 * 1024 * 1024;
    private const CHUNK_BYTES = 16 * 1024 * 1024;
    private const FIRST_WAIT_SECONDS = 10;
    private const POLL_SECONDS = 20;
    private const TUS = 'Tus-Resumable: 1.0.0';

    private readonly Way $way;

    /** @param string $key `whl_…` */
    public function __construct(string $baseUrl, #[\SensitiveParameter] string $key)
    {
        $this->way = new Way($baseUrl, $key);
    }

    /**
     * Sends a file and waits for its end.
     *
     * @param array<string, string|int> $wishes the API's own names: quality, format, target_size, password, callback_url, …
     * @throws TaskFailedException|ApiException|UnreachableException
     */
    public function compress(string $path, array $wishes = [], ?string $name = null): Task
    {
        return $this->wait($this->submit($path, $wishes, $name));
    }

    /**
     * Sends a file. The task may be completed already.
     *
     * @param array<string, string|int> $wishes
     * @param ?string $idempotencyKey the same one and file within a day are the same task; null: one for this call
     */
    public function submit(string $path, array $wishes = [], ?string $name = null, ?string $idempotencyKey = null): Task
    {
        if (!is_file($path)) {
            throw new WhittleException("there is no file $path");
        }
        $name ??= basename($path);
        $headers = ['Idempotency-Key: "' . ($idempotencyKey ?? bin2hex(random_bytes(16))) . '"', 'Prefer: wait=' . self::FIRST_WAIT_SECONDS];
        if (filesize($path) > self::RESUMABLE_BYTES) {
            $body = json_encode([...$wishes, 'upload' => $this->upload($path, $name)], JSON_THROW_ON_ERROR);
            $headers[] = 'Content-Type: application/json';
        } else {
            $body = [...array_map('strval', $wishes), 'file' => new \CURLFile($path, 'application/octet-stream', $name)];
        }
        return new Task($this->way->json(new Request('POST', '/v1/compress', $headers, $body)));
    }

    /** The task once it is completed. @throws TaskFailedException */
    public function wait(Task $task, ?\Closure $onProgress = null): Task
    {
        while ($task->isUnderWay()) {
            $onProgress?->__invoke($task);
            $task = $this->task($task->taskId, self::POLL_SECONDS);
        }
        return $task->status === 'failed' ? throw new TaskFailedException($task) : $task;
    }

    public function task(string $taskId, int $waitSeconds = 0): Task
    {
        $headers = $waitSeconds > 0 ? ["Prefer: wait=$waitSeconds"] : [];
        return new Task($this->way->json(new Request('GET', self::pathOf($taskId), $headers)));
    }

    /** @return list<Task> the newest */
    public function tasks(int $limit = 20): array
    {
        $page = $this->way->json(new Request('GET', "/v1/tasks?limit=$limit"));
        return array_map(static fn (array $raw) => new Task($raw), $page['tasks']);
    }

    /** The result, whose SHA-256 is the receipt's. @throws DamagedException */
    public function download(Task $task): string
    {
        $whole = '';
        $this->fetch($task, static function (string $chunk) use (&$whole): void {
            $whole .= $chunk;
        });
        return $whole;
    }

    /** The same into a file, of which nothing is seen before all of it is there. @throws DamagedException */
    public function save(Task $task, string $path): void
    {
        $temporary = "$path.$task->taskId.part";
        $file = fopen($temporary, 'wb') ?: throw new WhittleException("$temporary cannot be written");
        try {
            $this->fetch($task, static function (string $chunk) use ($file, $temporary): void {
                if (fwrite($file, $chunk) !== strlen($chunk)) {
                    throw new WhittleException("$temporary cannot be written");
                }
            });
            rename($temporary, $path);
        } finally {
            fclose($file);
            if (is_file($temporary)) {
                unlink($temporary);
            }
        }
    }

    /** Signed (a compact JWS); the keys are at `/.well-known/jwks.json`. */
    public function receipt(string $taskId): string
    {
        return $this->way->send(new Request('GET', self::pathOf($taskId) . '/receipt'))->body;
    }

    /** Deletes the task and its result; what is still worked on is cancelled. */
    public function remove(string $taskId): void
    {
        $this->way->send(new Request('DELETE', self::pathOf($taskId)));
    }

    /** @return array<string, mixed> of this month */
    public function usage(): array
    {
        return $this->way->json(new Request('GET', '/v1/usage'));
    }

    /** @return array<string, mixed> what goes in, what may come out, and the limits of the key */
    public function formats(): array
    {
        return $this->way->json(new Request('GET', '/v1/formats'));
    }

    /** A line that breaks costs one chunk at most. @return string the id of the upload */
    private function upload(string $path, string $name): string
    {
        $size = filesize($path);
        $headers = [self::TUS, "Upload-Length: $size", 'Upload-Metadata: filename ' . base64_encode($name)];
        $place = parse_url((string) $this->way->send(new Request('POST', '/v1/uploads', $headers))->header('location'), PHP_URL_PATH);
        $tries = new Tries();
        for ($offset = 0; $offset < $size; $offset = $now) {
            $chunk = file_get_contents($path, false, null, $offset, self::CHUNK_BYTES);
            $headers = [self::TUS, 'Content-Type: application/offset+octet-stream', "Upload-Offset: $offset"];
            $answer = $this->way->attempt(new Request('PATCH', $place, $headers, $chunk), $tries, [409]);
            if ($answer === null || $answer->status === 409) {
                // What the service has of it, it knows itself.
                $answer = $this->way->send(new Request('HEAD', $place, [self::TUS]), [404, 410]);
                if ($answer->status >= 400) {
                    throw new WhittleException('the service has forgotten the upload; it must begin anew');
                }
            }
            $now = (int) $answer->header('upload-offset');
            if ($now > $offset) {
                $tries->renew();
            }
        }
        return basename($place);
    }

    /** Goes on where the line breaks, and compares the hash. @param \Closure(string): void $write */
    private function fetch(Task $task, \Closure $write): void
    {
        if ($task->receipt === null) {
            throw new WhittleException("the task $task->taskId is $task->status; it has no result");
        }
        [$digest, $count, $tries] = [hash_init('sha256'), 0, new Tries()];
        $sink = static function (string $chunk) use ($write, $digest, &$count, $tries): void {
            hash_update($digest, $chunk);
            $write($chunk);
            $count += strlen($chunk);
            $tries->renew();
        };
        do {
            $headers = $count > 0 ? ["Range: bytes=$count-"] : [];
            $answer = $this->way->attempt(new Request('GET', self::pathOf($task->taskId) . '/download', $headers, null, $sink), $tries);
        } while ($answer === null && $count < $task->compressedSize);
        if (hash_final($digest) !== $task->receipt['sha256']) {
            throw new DamagedException("the download of $task->outputName is damaged");
        }
    }

    private static function pathOf(string $taskId): string
    {
        return '/v1/tasks/' . rawurlencode($taskId);
    }
}
