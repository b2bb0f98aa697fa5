<?php

declare(strict_types=1);

namespace Whittle;

/** Base class of all exceptions of this package. */
class WhittleException extends \RuntimeException
{
}
