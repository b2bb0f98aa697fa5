<?php

declare(strict_types=1);

namespace Whittle;

/**
 * Requests to the service, with retries after network errors and temporary refusals.
 *
 * @internal
 */
final class Transport
{
    /** Seconds in which a service that has responded before may fail to respond: enough for a restart. */
    private const RETRY_TIMEOUT_SECONDS = 120.0;
    private const FIRST_RETRY_TIMEOUT_SECONDS = 6.0;
    private const MAX_PAUSE_SECONDS = 5.0;
    private const MAX_REFUSALS = 10;

    public readonly string $baseUrl;
    private readonly \CurlHandle $curl;
    /** True if the service has ever responded. Only then is a refused connection retried. */
    private bool $reached = false;

    public function __construct(string $baseUrl, private readonly string $key)
    {
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->curl = curl_init();
    }

    /**
     * Sends a request with retries, until a response or a permanent refusal.
     *
     * @param list<int> $expected statuses besides 2xx that are no errors
     */
    public function send(Request $request, array $expected = []): Response
    {
        $retries = new RetryState();
        do {
            $response = $this->attempt($request, $retries, $expected);
        } while ($response === null);
        return $response;
    }

    /** @return array<string, mixed> */
    public function json(Request $request): array
    {
        return $this->send($request)->json();
    }

    /**
     * Sends a request once. Null: the request may be repeated now, after a pause.
     *
     * @param list<int> $expected
     */
    public function attempt(Request $request, RetryState $retries, array $expected = []): ?Response
    {
        $response = $this->sendOnce($request);
        if ($response === null) {
            $this->pauseOrThrow($retries);
            return null;
        }
        $this->reached = true;
        if ($response->status < 300 || in_array($response->status, $expected, true)) {
            return $response;
        }
        $after = $response->header('retry-after') ?? '';
        $error = new ApiException($response->status, $response->json(), ctype_digit($after) ? (int) $after : null);
        if (!$error->isRetryable() || ++$retries->refusals >= self::MAX_REFUSALS) {
            throw $error;
        }
        self::pause((float) ($error->retryAfter ?? 2));
        return null;
    }

    /** Waits before the next attempt. @throws UnreachableException if another attempt is pointless */
    private function pauseOrThrow(RetryState $retries): void
    {
        $elapsed = microtime(true) - $retries->lastProgress;
        $isRefused = in_array(curl_errno($this->curl), [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST], true);
        if ((!$this->reached && $isRefused) || $elapsed > ($this->reached ? self::RETRY_TIMEOUT_SECONDS : self::FIRST_RETRY_TIMEOUT_SECONDS)) {
            throw new UnreachableException("$this->baseUrl cannot be reached: " . curl_error($this->curl));
        }
        self::pause(min(self::MAX_PAUSE_SECONDS, 0.2 + $elapsed / 4));
    }

    /** Sends a request once with curl. Null: no response, or an incomplete one. */
    private function sendOnce(Request $request): ?Response
    {
        $headers = [];
        $body = '';
        curl_reset($this->curl);
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $this->baseUrl . $request->path,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_NOBODY => $request->method === 'HEAD',
            CURLOPT_CONNECTTIMEOUT => 15,
            // Less than 1 byte/s for 90 seconds counts as a broken connection.
            CURLOPT_LOW_SPEED_LIMIT => 1,
            CURLOPT_LOW_SPEED_TIME => 90,
            CURLOPT_HTTPHEADER => [...$request->headers, "Authorization: Bearer $this->key", 'Expect:'],
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$headers): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $headers[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($curl, string $chunk) use ($request, &$body): int {
                $isResult = $request->sink !== null && curl_getinfo($curl, CURLINFO_RESPONSE_CODE) < 300;
                $isResult ? ($request->sink)($chunk) : $body .= $chunk;
                return strlen($chunk);
            },
        ]);
        if ($request->body !== null) {
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, $request->body);
        }
        if (curl_exec($this->curl) === false) {
            return null;
        }
        return new Response(curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $headers, $body);
    }

    public static function pause(float $seconds): void
    {
        usleep((int) ceil($seconds * 1e6));
    }
}
