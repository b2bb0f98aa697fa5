<?php

declare(strict_types=1);

namespace Whittle;

/** The downloaded result differs from the receipt. */
final class DamagedException extends WhittleException
{
}
