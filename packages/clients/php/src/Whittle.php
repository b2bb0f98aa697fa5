<?php

declare(strict_types=1);

namespace Whittle;

/**
 * Client of one Whittle service.
 *
 *     $whittle = new Whittle('https://whittle.example.com', 'whl_live_…');
 *     $task = $whittle->fromFile('photo.jpg', ['quality' => 'low'])->toFile('smaller.jpg');
 */
final class Whittle
{
    use Buckets;

    /** Files larger than this many bytes are sent in chunks (tus 1.0.0). */
    public const RESUMABLE_BYTES = 32 * 1024 * 1024;
    private const CHUNK_BYTES = 16 * 1024 * 1024;
    private const FIRST_WAIT_SECONDS = 10;
    private const POLL_SECONDS = 20;
    private const TUS = 'Tus-Resumable: 1.0.0';

    private readonly Transport $transport;

    /** @param string $key `whl_…` */
    public function __construct(string $baseUrl, #[\SensitiveParameter] string $key)
    {
        $this->transport = new Transport($baseUrl, $key);
    }

    /**
     * Compresses a file in one line. Nothing remains on the service.
     *
     * @param array<string, string|int|array<string, string>> $options those of `compress`
     */
    public function fromFile(string $path, array $options = []): FileToCompress
    {
        return new FileToCompress($this, $path, $options);
    }

    /**
     * Sends a file and waits until its task is completed.
     *
     * @param array<string, string|int|array<string, string>> $options with the API's names: quality, format, target_size, max_width, password, callback_url, destination, destination_url, …
     * @throws TaskFailedException|ApiException|UnreachableException
     */
    public function compress(string $path, array $options = [], ?string $name = null): Task
    {
        return $this->wait($this->submit($path, $options, $name));
    }

    /**
     * Sends a file without waiting for its task, which may be completed already.
     *
     * @param array<string, string|int|array<string, string>> $options
     * @param ?string $idempotencyKey makes repeated calls with the same file return the same task, for a day; null: a new key
     */
    public function submit(string $path, array $options = [], ?string $name = null, ?string $idempotencyKey = null): Task
    {
        if (!is_file($path)) {
            throw new WhittleException("file not found: $path");
        }
        $name ??= basename($path);
        $headers = self::headersOf($idempotencyKey);
        if (filesize($path) > self::RESUMABLE_BYTES) {
            $body = json_encode([...$options, 'upload' => $this->upload($path, $name)], JSON_THROW_ON_ERROR);
            $headers[] = 'Content-Type: application/json';
        } else {
            $body = [...array_map(self::fieldOf(...), $options), 'file' => new \CURLFile($path, 'application/octet-stream', $name)];
        }
        return new Task($this->transport->json(new Request('POST', '/v1/compress', $headers, $body)));
    }

    /** @return list<string> headers of a request for a new task, without its content type */
    private static function headersOf(?string $idempotencyKey): array
    {
        return ['Idempotency-Key: "' . ($idempotencyKey ?? bin2hex(random_bytes(16))) . '"', 'Prefer: wait=' . self::FIRST_WAIT_SECONDS];
    }

    /** Value of a form field. A destination and its headers are JSON objects. */
    private static function fieldOf(string|int|array $value): string
    {
        return is_array($value) ? json_encode((object) $value, JSON_THROW_ON_ERROR) : strval($value);
    }

    /**
     * Waits until the task is completed. `$onProgress` is called with each earlier status.
     *
     * @throws TaskFailedException
     */
    public function wait(Task $task, ?\Closure $onProgress = null): Task
    {
        while ($task->isUnderWay()) {
            $onProgress?->__invoke($task);
            $task = $this->task($task->taskId, self::POLL_SECONDS);
        }
        return $task->status === 'failed' ? throw new TaskFailedException($task) : $task;
    }

    /** Returns a task, after at most `$waitSeconds` (60) if it ends sooner. */
    public function task(string $taskId, int $waitSeconds = 0): Task
    {
        $headers = $waitSeconds > 0 ? ["Prefer: wait=$waitSeconds"] : [];
        return new Task($this->transport->json(new Request('GET', self::pathOf($taskId), $headers)));
    }

    /** @return list<Task> the newest tasks, at most 100 */
    public function tasks(int $limit = 20): array
    {
        $page = $this->transport->json(new Request('GET', "/v1/tasks?limit=$limit"));
        return array_map(static fn (array $raw) => new Task($raw), $page['tasks']);
    }

    /** Returns the result. @throws DamagedException if its SHA-256 differs from the receipt */
    public function download(Task $task): string
    {
        $result = '';
        $this->fetch($task, static function (string $chunk) use (&$result): void {
            $result .= $chunk;
        });
        return $result;
    }

    /** Saves the result to a file, which appears only when it is complete. @throws DamagedException */
    public function save(Task $task, string $path): void
    {
        $temporary = "$path.$task->taskId.part";
        $file = fopen($temporary, 'wb') ?: throw new WhittleException("$temporary cannot be written");
        try {
            $this->fetch($task, self::writerOf($file, $temporary));
            rename($temporary, $path);
        } finally {
            fclose($file);
            if (is_file($temporary)) {
                unlink($temporary);
            }
        }
    }

    /**
     * Saves the completed results of a batch as one ZIP, with the receipts in `_receipts.json`. The file appears only when it is complete.
     *
     * @param bool $onlyCompressed true: without files that stayed unchanged
     * @throws ApiException if no task of the batch is completed
     */
    public function saveBatchZip(string $batchId, string $path, bool $onlyCompressed = false): void
    {
        $id = rawurlencode($batchId);
        $temporary = "$path.$id.part";
        $file = fopen($temporary, 'wb') ?: throw new WhittleException("$temporary cannot be written");
        try {
            $sink = self::writerOf($file, $temporary);
            $request = new Request('GET', "/v1/batches/$id/download" . ($onlyCompressed ? '?only=compressed' : ''), [], null, $sink);
            $retries = new RetryState();
            do {
                // A ZIP cannot be resumed, so it begins again after a network error.
                ftruncate($file, 0);
                rewind($file);
            } while ($this->transport->attempt($request, $retries) === null);
            rename($temporary, $path);
        } finally {
            fclose($file);
            if (is_file($temporary)) {
                unlink($temporary);
            }
        }
    }

    /** @param resource $file */
    private static function writerOf($file, string $name): \Closure
    {
        return static function (string $chunk) use ($file, $name): void {
            if (fwrite($file, $chunk) !== strlen($chunk)) {
                throw new WhittleException("$name cannot be written");
            }
        };
    }

    /** Returns the signed receipt, a compact JWS. The public keys are at `/.well-known/jwks.json`. */
    public function receipt(string $taskId): string
    {
        return $this->transport->send(new Request('GET', self::pathOf($taskId) . '/receipt'))->body;
    }

    /** Deletes a task and its result. A task in progress is cancelled. */
    public function remove(string $taskId): void
    {
        $this->transport->send(new Request('DELETE', self::pathOf($taskId)));
    }

    /**
     * Makes a token with which a page of `$origin` sends files itself.
     *
     * @param array<string, string|int|list<string>> $limits with the API's names: expires_in, max_files, max_bytes, formats, quality
     * @return array{token: string, expires_at: string}
     */
    public function uploadToken(string $origin, array $limits = []): array
    {
        $body = json_encode(['origin' => $origin, ...$limits], JSON_THROW_ON_ERROR);
        return $this->transport->json(new Request('POST', '/v1/upload-tokens', ['Content-Type: application/json'], $body));
    }

    /** @return array<string, mixed> the usage of this month */
    public function usage(): array
    {
        return $this->transport->json(new Request('GET', '/v1/usage'));
    }

    /** @return array<string, mixed> input formats, their output formats, and the limits of the key */
    public function formats(): array
    {
        return $this->transport->json(new Request('GET', '/v1/formats'));
    }

    /** Uploads a file in chunks. A network error costs at most one chunk. @return string the id of the upload */
    private function upload(string $path, string $name): string
    {
        $size = filesize($path);
        $headers = [self::TUS, "Upload-Length: $size", 'Upload-Metadata: filename ' . base64_encode($name)];
        $location = parse_url((string) $this->transport->send(new Request('POST', '/v1/uploads', $headers))->header('location'), PHP_URL_PATH);
        $retries = new RetryState();
        for ($offset = 0; $offset < $size; $offset = $received) {
            $chunk = file_get_contents($path, false, null, $offset, self::CHUNK_BYTES);
            $headers = [self::TUS, 'Content-Type: application/offset+octet-stream', "Upload-Offset: $offset"];
            $response = $this->transport->attempt(new Request('PATCH', $location, $headers, $chunk), $retries, [409]);
            if ($response === null || $response->status === 409) {
                // Ask the service how many bytes of the chunk it has received.
                $response = $this->transport->send(new Request('HEAD', $location, [self::TUS]), [404, 410]);
                if ($response->status >= 400) {
                    throw new WhittleException('the upload has expired on the service; start a new upload');
                }
            }
            $received = (int) $response->header('upload-offset');
            if ($received > $offset) {
                $retries->reset();
            }
        }
        return basename($location);
    }

    /** Downloads a result. Resumes after network errors and verifies the hash. @param \Closure(string): void $write */
    private function fetch(Task $task, \Closure $write): void
    {
        if ($task->receipt === null) {
            throw new WhittleException("the task $task->taskId is $task->status, so it has no result");
        }
        [$digest, $count, $retries] = [hash_init('sha256'), 0, new RetryState()];
        $sink = static function (string $chunk) use ($write, $digest, &$count, $retries): void {
            hash_update($digest, $chunk);
            $write($chunk);
            $count += strlen($chunk);
            $retries->reset();
        };
        do {
            $headers = $count > 0 ? ["Range: bytes=$count-"] : [];
            $response = $this->transport->attempt(new Request('GET', self::pathOf($task->taskId) . '/download', $headers, null, $sink), $retries);
        } while ($response === null && $count < $task->compressedSize);
        if (hash_final($digest) !== $task->receipt['sha256']) {
            throw new DamagedException("the download of $task->outputName is damaged");
        }
    }

    private static function pathOf(string $taskId): string
    {
        return '/v1/tasks/' . rawurlencode($taskId);
    }
}
