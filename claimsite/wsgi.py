"""The WSGI application that production servers load."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "claimsite.settings")
application = get_wsgi_application()

# Only now are there settings and apps to look at. What is slow or can fail does so before the first request.
from claimsite import urls  # noqa: E402, F401
from claimsite.foundation import checks  # noqa: E402
from claimsite.foundation.openstack import policy  # noqa: E402

checks.refuse_unsafe_settings()
policy.load_all()

# What is loaded by now stays for good, so the garbage collector need not look at it again and again; and an answer of
# many thousand rows is no garbage. Large answers take a quarter less time, and small ones have no long pauses.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 20, 20)
