<?php

/** Tests through a proxy that breaks each kind of request once. `npm run conformance -- clients` starts the proxy and these tests. */

declare(strict_types=1);

namespace Whittle\Tests;

use Whittle\{ApiException, DamagedException, Image, SignatureException, TaskFailedException, UnreachableException, Webhook, Whittle};

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

    preg_match('/```php\n<\?php\n(.*?)```/s', file_get_contents(__DIR__ . '/../README.md'), $example);
    copy(PHOTO, "$folder/photo.jpg");
    chdir($folder);
    ob_start();
    eval(str_replace("require 'vendor/autoload.php';", '', $example[1]));
    holds(preg_match('/^240883 → \d{5} bytes, SSIM 0\.9\d+\n$/', (string) ob_get_clean()) === 1, 'runs the README example');
    holds(filesize("$folder/smaller.jpg") < 240883, 'saves a smaller photo');
} finally {
    chdir('/');
    array_map('unlink', glob("$folder/*"));
    rmdir($folder);
}
