"""What the scripts here tell of each step. They run with the client's own interpreter, without the site's code."""

import random
import sys


def check(what, holds):
    """Say whether it is as it should be; the script ends with the first that is not."""
    print(f"{'ok  ' if holds else 'FAIL'} {what}")
    if not holds:
        sys.exit(1)


def some_address():
    """A MAC address that no other port has."""
    return "52:54:00:" + ":".join(f"{random.randrange(256):02x}" for _ in range(3))
