<?php

declare(strict_types=1);

namespace Whittle;

/** What was downloaded is not what the receipt names. */
final class DamagedException extends WhittleException
{
}
