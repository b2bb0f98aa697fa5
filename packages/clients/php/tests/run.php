<?php

/** Tests through a proxy that breaks each kind of request once. `npm run conformance -- clients` starts the proxy and these tests. */

declare(strict_types=1);

namespace Whittle\Tests;

use Whittle\{ApiException, BucketObject, DamagedException, Image, SignatureException, TaskFailedException, UnreachableException, Webhook, Whittle};

spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/../src/' . substr($class, strlen('Whittle\\')) . '.php';
});
set_error_handler(static fn (int $level, string $message) => throw new \ErrorException($message));

const PHOTO = __DIR__ . '/../../../../docs/photo.jpg';
$text = str_repeat("the quick brown fox jumps over the lazy dog\n", 400);
$folder = sys_get_temp_dir() . '/whittle-php-' . bin2hex(random_bytes(6));
mkdir($folder);

function holds(bool $fact, string $what): void
{
    if (!$fact) {
        throw new \LogicException($what);
    }
    echo "ok: $what\n";
}

/** @param class-string<\Throwable> $class */
function throws(string $class, \Closure $work, string $type = ''): void
{
    try {
        $work();
    } catch (\Throwable $error) {
        holds($error instanceof $class && ($type === '' || $error->type === $type), "$class $type");
        return;
    }
    throw new \LogicException("no $class");
}

try {
    $whittle = new Whittle(getenv('WHITTLE_PROXY'), getenv('WHITTLE_KEY'));

    $task = $whittle->compress(PHOTO, ['quality' => 'low']);
    $result = $whittle->download($task);
    holds(strlen($result) === $task->compressedSize && $task->compressedSize < $task->originalSize / 2, 'compresses a photo');
    holds($task->raw['quality'] === 'low' && $task->receipt['verified'] === true, 'uses the requested quality and verifies the result');
    $ids = array_map(static fn ($one) => $one->taskId, $whittle->tasks(100));
    holds(array_count_values($ids)[$task->taskId] === 1, 'creates one task in spite of retries');
    holds(count(explode('.', $whittle->receipt($task->taskId))) === 3, 'returns a signed receipt');
    $whittle->remove($task->taskId);
    throws(ApiException::class, static fn () => $whittle->task($task->taskId), 'unknown_task');

    $direct = new Whittle(getenv('WHITTLE_SERVER'), getenv('WHITTLE_KEY'));
    $task = $direct->fromFile(PHOTO, ['quality' => 'low'])->toFile("$folder/line.jpg");
    holds(filesize("$folder/line.jpg") === $task->compressedSize, 'compresses in one line');
    throws(ApiException::class, static fn () => $direct->task($task->taskId), 'unknown_task');
    unlink("$folder/line.jpg");

    file_put_contents("$folder/large.txt", $large = str_repeat($text, 2000));
    $task = $whittle->compress("$folder/large.txt", ['format' => 'gz']);
    $whittle->save($task, "$folder/large.txt.gz");
    holds(gzdecode(file_get_contents("$folder/large.txt.gz")) === $large, 'uploads a large file in chunks');
    holds(scandir($folder) === ['.', '..', 'large.txt', 'large.txt.gz'], 'leaves no temporary file');

    file_put_contents("$folder/text", $text);
    $damaged = $whittle->compress("$folder/text", [], 'damaged.txt');
    throws(DamagedException::class, static fn () => $whittle->save($damaged, "$folder/damaged"));
    holds(!is_file("$folder/damaged"), 'does not save a damaged result');
    throws(TaskFailedException::class, static fn () => $whittle->compress(PHOTO, ['target_size' => 100]), 'target_unreachable');
    file_put_contents("$folder/noise", "\x01\x02\x03");
    throws(ApiException::class, static fn () => $whittle->submit("$folder/noise"), 'unsupported_format');
    throws(UnreachableException::class, static fn () => (new Whittle('http://127.0.0.1:8', 'whl_live_x'))->usage());

    ['secret' => $secret, 'headers' => $headers, 'body' => $body] = json_decode(file_get_contents(getenv('WHITTLE_CALLBACK')), true);
    holds(Webhook::verify($secret, $headers, $body)['data']['file_name'] === 'called.txt', 'accepts a genuine callback');
    throws(SignatureException::class, static fn () => Webhook::verify($secret, $headers, str_replace('called', 'forged', $body)));
    throws(SignatureException::class, static fn () => Webhook::verify('whsec_AAAA', $headers, $body));
    throws(SignatureException::class, static fn () => Webhook::verify($secret, ['webhook-timestamp' => '1700000000'] + $headers, $body));

    $signed = Image::url('https://whittle.example.com/', 'img_vZlKnlY1GFU0cnEaLZUr', 'ims_secret', 'photos/Café & Bar/50 % #1?.png', 'w_320,f_auto');
    $path = 'img_vZlKnlY1GFU0cnEaLZUr/photos/Caf%C3%A9%20%26%20Bar/50%20%25%20%231%3F.png';
    holds(
        $signed === "https://whittle.example.com/img/_EzFnj9al6Y78aB45rim5cxDrC19fbidOIYzR7OyVpo/w_320,f_auto/$path",
        'signs addresses of pictures',
    );

    holds(str_starts_with($whittle->uploadToken('https://app.example.com', ['formats' => ['jpg']])['token'], 'wut_'), 'makes a browser token');

    $whittle->saveBatchZip(getenv('WHITTLE_BATCH'), "$folder/results.zip");
    $zip = file_get_contents("$folder/results.zip");
    $names = array_filter(['_receipts.json', 'photo.jpg', 'photo-2.jpg'], static fn ($name) => substr_count($zip, $name) >= 2);
    holds(str_starts_with($zip, "PK\x03\x04") && count($names) === 3, 'saves the results of a batch as one ZIP');
    throws(ApiException::class, static fn () => $whittle->saveBatchZip('bat_unknown', "$folder/none.zip", true), 'unknown_batch');
    holds(glob("$folder/none*") === [], 'leaves no ZIP that failed');

    holds(array_column($whittle->connections(), 'bucket', 'name') === ['shop' => 'photos'], 'lists connections');
    $destination = ['connection' => 'shop', 'key' => 'delivered/php.jpg'];
    $task = $whittle->compressObject(new BucketObject('shop', 'photos/photo.jpg'), ['quality' => 'low', 'destination' => $destination]);
    $delivered = $whittle->delivered($task, 0.1);
    holds($delivered->taskId === $task->taskId && $delivered->delivery['status'] === 'delivered', 'waits for the delivery to a bucket');
    $again = $whittle->compressObject(new BucketObject('shop', 'delivered/php.jpg'));
    holds($again->originalSize === $task->compressedSize, 'reads the delivered result from the bucket');
    $task = $whittle->compress("$folder/text", ['destination' => ['connection' => 'shop', 'prefix' => 'delivered/php/']]);
    holds($whittle->delivered($task, 0.1)->delivery['status'] === 'delivered', 'sends the result of a file to a bucket');
    throws(ApiException::class, static fn () => $whittle->submitObject(new BucketObject('closed', 'photos/photo.jpg')), 'unknown_connection');

    [$from, $to] = [['connection' => 'shop', 'prefix' => 'texts/'], ['connection' => 'shop', 'prefix' => 'out/php/']];
    $estimate = $whittle->waitForSync($whittle->startSync($from, $to, ['dry_run' => true])['sync_id'], null, 0.1);
    $facts = [$estimate['status'], $estimate['dry_run'], $estimate['found'], $estimate['compressed']];
    holds($facts === ['completed', true, 2, 0] && $estimate['estimated_size'] > 0, 'estimates a sync');
    $seen = [];
    $syncId = $whittle->startSync($from, $to, ['format' => 'gz'])['sync_id'];
    $sync = $whittle->waitForSync($syncId, static function (array $sync) use (&$seen): void {
        $seen[] = $sync['status'];
    }, 0.05);
    holds([$sync['status'], $sync['found'], $sync['compressed'], $sync['failed']] === ['completed', 2, 2, 0], 'runs a sync until it ends');
    holds(!in_array('completed', $seen, true), 'reports the earlier states of a sync');
    throws(ApiException::class, static fn () => $whittle->resumeSync($syncId), 'not_resumable');
    $syncId = $whittle->startSync($from, ['connection' => 'shop', 'prefix' => 'busy/php/'])['sync_id'];
    for ($end = time() + 60; $whittle->sync($syncId)['status'] !== 'paused'; usleep(200_000)) {
        time() < $end || throw new \LogicException('the sync has not paused');
    }
    holds($whittle->resumeSync($syncId)['status'] === 'running', 'resumes a paused sync');
    holds($whittle->cancelSync($syncId)['status'] === 'cancelled', 'cancels a sync');
    holds($whittle->waitForSync($syncId)['status'] === 'cancelled', 'waits for a cancelled sync');

    preg_match_all('/```php\n<\?php\n(.*?)```/s', file_get_contents(__DIR__ . '/../README.md'), $examples);
    $runExample = static function (int $number) use ($examples): string {
        ob_start();
        eval(str_replace("require 'vendor/autoload.php';", '', $examples[1][$number]));
        return (string) ob_get_clean();
    };
    copy(PHOTO, "$folder/photo.jpg");
    chdir($folder);
    holds(preg_match('/^240883 → \d{5} bytes, SSIM 0\.9\d+\n$/', $runExample(0)) === 1, 'runs the README example');
    holds($runExample(1) === "delivered\ncompleted 2\n", 'runs the README example of buckets');
    holds(filesize("$folder/smaller.jpg") < 240883, 'saves a smaller photo');
} finally {
    chdir('/');
    array_map('unlink', glob("$folder/*"));
    rmdir($folder);
}
