<?php

declare(strict_types=1);

namespace Whittle;

/** Everything that this package throws. */
class WhittleException extends \RuntimeException
{
}
