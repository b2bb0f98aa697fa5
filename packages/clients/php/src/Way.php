<?php

declare(strict_types=1);

namespace Whittle;

/**
 * To the service and back: lines break, services are busy or started again, and both pass.
 *
 * @internal
 */
final class Way
{
    /** How long a service that has answered before may be silent: as long as it takes to be started again. */
    private const PATIENCE_SECONDS = 120.0;
    private const FIRST_PATIENCE_SECONDS = 6.0;
    private const LONGEST_PAUSE_SECONDS = 5.0;
    private const MAX_REFUSALS = 10;

    public readonly string $baseUrl;
    private readonly \CurlHandle $curl;
    /** A service that ever answered is waited for, an address where nobody listens is told at once. */
    private bool $reached = false;

    public function __construct(string $baseUrl, private readonly string $key)
    {
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->curl = curl_init();
    }

    /**
     * Tries until the service takes it, or refuses for good.
     *
     * @param list<int> $expected statuses beside 2xx that are no refusals
     */
    public function send(Request $asked, array $expected = []): Answer
    {
        $tries = new Tries();
        do {
            $answer = $this->attempt($asked, $tries, $expected);
        } while ($answer === null);
        return $answer;
    }

    /** @return array<string, mixed> */
    public function json(Request $asked): array
    {
        return $this->send($asked)->json();
    }

    /**
     * One try; null: it is worth another one, and the time for it has come.
     *
     * @param list<int> $expected
     */
    public function attempt(Request $asked, Tries $tries, array $expected = []): ?Answer
    {
        $answer = $this->ask($asked);
        if ($answer === null) {
            $this->lost($tries);
            return null;
        }
        $this->reached = true;
        if ($answer->status < 300 || in_array($answer->status, $expected, true)) {
            return $answer;
        }
        $after = $answer->header('retry-after') ?? '';
        $error = new ApiException($answer->status, $answer->json(), ctype_digit($after) ? (int) $after : null);
        if (!$error->isPassing() || ++$tries->refusals >= self::MAX_REFUSALS) {
            throw $error;
        }
        self::pause((float) ($error->retryAfter ?? 2));
        return null;
    }

    /** Waits before the next try, where there is use in one. */
    private function lost(Tries $tries): void
    {
        $silence = microtime(true) - $tries->silentSince;
        $isNobody = in_array(curl_errno($this->curl), [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST], true);
        if ((!$this->reached && $isNobody) || $silence > ($this->reached ? self::PATIENCE_SECONDS : self::FIRST_PATIENCE_SECONDS)) {
            throw new UnreachableException("$this->baseUrl cannot be reached: " . curl_error($this->curl));
        }
        self::pause(min(self::LONGEST_PAUSE_SECONDS, 0.2 + $silence / 4));
    }

    /** null: nobody answered, or not to the end. */
    private function ask(Request $asked): ?Answer
    {
        $headers = [];
        $body = '';
        curl_reset($this->curl);
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $this->baseUrl . $asked->path,
            CURLOPT_CUSTOMREQUEST => $asked->method,
            CURLOPT_NOBODY => $asked->method === 'HEAD',
            CURLOPT_CONNECTTIMEOUT => 15,
            // Slower than that for a minute and a half is a line that broke.
            CURLOPT_LOW_SPEED_LIMIT => 1,
            CURLOPT_LOW_SPEED_TIME => 90,
            CURLOPT_HTTPHEADER => [...$asked->headers, "Authorization: Bearer $this->key", 'Expect:'],
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$headers): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $headers[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($curl, string $chunk) use ($asked, &$body): int {
                $isResult = $asked->sink !== null && curl_getinfo($curl, CURLINFO_RESPONSE_CODE) < 300;
                $isResult ? ($asked->sink)($chunk) : $body .= $chunk;
                return strlen($chunk);
            },
        ]);
        if ($asked->body !== null) {
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, $asked->body);
        }
        if (curl_exec($this->curl) === false) {
            return null;
        }
        return new Answer(curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $headers, $body);
    }

    private static function pause(float $seconds): void
    {
        usleep((int) ceil($seconds * 1e6));
    }
}
