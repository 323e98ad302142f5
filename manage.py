#!/usr/bin/env python
"""Django's command line for claimsite."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "claimsite.settings")
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    from claimsite.foundation.transactions import is_unavailable

    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)
    except DatabaseError as error:
        if not is_unavailable(error):
            raise
        sys.exit(f"CommandError: The database can't be used: {str(error).strip()}")


if __name__ == "__main__":
    main()
