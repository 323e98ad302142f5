"""Settings of claimsite: one file, filled from the environment (the names are listed in README.md)."""

from __future__ import annotations

import sys
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from claimsite import environment

BASE_DIR = Path(__file__).resolve().parent.parent
# What this installation makes for itself: the embedded database, the operator's first password, logs.
VAR_DIR = Path(environment.text("CLAIMSITE_VAR_DIR", str(BASE_DIR / "var"))).absolute()
VAR_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = environment.flag("CLAIMSITE_DEBUG")
TESTING = "pytest" in sys.modules

# A key that everybody can read is right for a laptop and wrong for anything else: checks.py refuses it elsewhere.
INSECURE_SECRET_KEY = "claimsite-on-loopback-only-" + "0" * 40
SECRET_KEY = environment.text("CLAIMSITE_SECRET_KEY", INSECURE_SECRET_KEY)

LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
ALLOWED_HOSTS = environment.words("CLAIMSITE_ALLOWED_HOSTS", ",".join(LOOPBACK_HOSTS))
BIND = environment.text("CLAIMSITE_BIND", "127.0.0.1:8000")

# --- the two APIs ---------------------------------------------------------------------------------------------------
AUTH_STRATEGY = environment.text("CLAIMSITE_AUTH_STRATEGY", "noauth2")
ALLOW_UNAUTHENTICATED = environment.flag("CLAIMSITE_ALLOW_UNAUTHENTICATED")
PLACEMENT_PREFIX = environment.text("CLAIMSITE_PLACEMENT_PREFIX", "placement").strip("/")
BAREMETAL_PREFIX = environment.text("CLAIMSITE_BAREMETAL_PREFIX", "baremetal").strip("/")
# Rules of who may call what that differ from the defaults, for both services (docs/settings.md).
POLICY_FILE = environment.text("CLAIMSITE_POLICY_FILE")
POLICY_ENFORCE_NEW_DEFAULTS = environment.flag("CLAIMSITE_POLICY_ENFORCE_NEW_DEFAULTS", default=True)
CORS_ALLOWED_ORIGINS = environment.words("CLAIMSITE_CORS_ALLOWED_ORIGIN")
ALLOCATION_CONFLICT_RETRY_COUNT = environment.number("CLAIMSITE_ALLOCATION_CONFLICT_RETRY_COUNT", 10, minimum=0)
# What writers from before projects and users were asked for are taken to be (LP #1780107: it must be a valid uuid).
INCOMPLETE_CONSUMER_PROJECT_ID = environment.text(
    "CLAIMSITE_INCOMPLETE_CONSUMER_PROJECT_ID", "00000000-0000-0000-0000-000000000000"
)
INCOMPLETE_CONSUMER_USER_ID = environment.text(
    "CLAIMSITE_INCOMPLETE_CONSUMER_USER_ID", "00000000-0000-0000-0000-000000000000"
)
# How long a write to a node waits for whoever works on it, before the caller is told to come back. Clients of Ironic
# come back by themselves, so long waits here would only keep threads busy.
NODE_LOCK_WAIT_SECONDS = environment.number("CLAIMSITE_NODE_LOCK_WAIT_MILLISECONDS", 500, minimum=0) / 1000
# Rows of the longest page of a list, whatever limit a client asks for.
BAREMETAL_PAGE_LIMIT = environment.number("CLAIMSITE_BAREMETAL_PAGE_LIMIT", 1000, minimum=1)
# How many candidates one search may make, whatever its client wants; -1 for no bound. Past it the answer is what was
# found so far, marked as cut short (docs/settings.md).
MAX_ALLOCATION_CANDIDATES = environment.number("CLAIMSITE_MAX_ALLOCATION_CANDIDATES", 100_000, minimum=-1)
# Which candidates a limited answer names: some of many hosts, or all of one host before the next.
ALLOCATION_CANDIDATES_STRATEGY = environment.choice(
    "CLAIMSITE_ALLOCATION_CANDIDATES_STRATEGY", "breadth-first", ["breadth-first", "depth-first"]
)
# Whether a limited answer is a random choice among all candidates. It costs the search of an answer without limit.
RANDOMIZE_ALLOCATION_CANDIDATES = environment.flag("CLAIMSITE_RANDOMIZE_ALLOCATION_CANDIDATES")
# How many providers, and how many candidates, a process remembers from one search to the next (docs/settings.md).
REMEMBERED_PROVIDERS = environment.number("CLAIMSITE_REMEMBERED_PROVIDERS", 50_000, minimum=0)
CONFLICT_RECORDS_MAX_COUNT = environment.number("CLAIMSITE_CONFLICT_RECORDS_MAX_COUNT", 100_000, minimum=0)
CONFLICT_RECORDS_MAX_DAYS = environment.number("CLAIMSITE_CONFLICT_RECORDS_MAX_DAYS", 14, minimum=0)

# --- conductors: who takes bare-metal nodes from state to state -----------------------------------------------------
# Seconds without a heartbeat after which a conductor counts as dead and others take over what it held.
CONDUCTOR_TIMEOUT_SECONDS = environment.number("CLAIMSITE_CONDUCTOR_TIMEOUT_SECONDS", 20, minimum=2)
# What the fake hardware does: seconds and failure rates by state, e.g. "deploying=5,cleaning=2".
CONDUCTOR_DELAYS = environment.words("CLAIMSITE_CONDUCTOR_DELAYS")
CONDUCTOR_FAILURE_RATES = environment.words("CLAIMSITE_CONDUCTOR_FAILURE_RATES")
# Whether nodes are cleaned when they become available, unless the node itself says otherwise.
AUTOMATED_CLEAN = environment.flag("CLAIMSITE_AUTOMATED_CLEAN", default=True)
# The hardware types that nodes may name. There is no hardware: all of them are played by fake machines.
BAREMETAL_DRIVERS = environment.words(
    "CLAIMSITE_BAREMETAL_DRIVERS", "fake-hardware,idrac,ilo,ipmi,irmc,manual-management,redfish,snmp"
)

# Every node with a resource class is a provider too, kept in step in the node's own transactions.
MIRROR_NODES = environment.flag("CLAIMSITE_MIRROR_NODES")

# --- the operators' pages -------------------------------------------------------------------------------------------
# "unfold" or "plain" (Django's own): the pages are the same, only their clothes differ.
ADMIN_LOOK = environment.text("CLAIMSITE_ADMIN_LOOK", "unfold")
if ADMIN_LOOK not in {"unfold", "plain"}:
    raise ImproperlyConfigured(f"CLAIMSITE_ADMIN_LOOK must be unfold or plain, not {ADMIN_LOOK!r}.")
# How old a claim must be before a page offers to release it: what is being made looks like what was left behind.
ADMIN_GRACE_SECONDS = environment.number("CLAIMSITE_ADMIN_GRACE_SECONDS", 60, minimum=0)
UNFOLD = {
    "SITE_SYMBOL": "hub",
    "COLORS": {
        "primary": {
            "50": "oklch(97% .014 254.604)",
            "100": "oklch(93.2% .032 255.585)",
            "200": "oklch(88.2% .059 254.128)",
            "300": "oklch(80.9% .105 251.813)",
            "400": "oklch(70.7% .165 254.624)",
            "500": "oklch(62.3% .214 259.815)",
            "600": "oklch(54.6% .245 262.881)",
            "700": "oklch(48.8% .243 264.376)",
            "800": "oklch(42.4% .199 265.638)",
            "900": "oklch(37.9% .146 265.522)",
            "950": "oklch(28.2% .091 267.935)",
        },
    },
}

# --- database -------------------------------------------------------------------------------------------------------
DATABASE_URL = environment.text("CLAIMSITE_DATABASE_URL", f"sqlite:///{VAR_DIR / 'claimsite.sqlite3'}")
# Seconds that a write may wait for other writers before the caller is told 503 with Retry-After.
LOCK_WAIT_SECONDS = environment.number("CLAIMSITE_LOCK_WAIT_SECONDS", 10, minimum=1)
# Whether hot statements are planned once a connection (PostgreSQL).
PREPARED_STATEMENTS = environment.flag("CLAIMSITE_PREPARED_STATEMENTS", default=True)


def _database(url: str) -> dict[str, object]:
    database: dict[str, object] = dict(dj_database_url.parse(url))
    match database["ENGINE"]:
        case "django.db.backends.sqlite3":
            database["ENGINE"] = "claimsite.foundation.sqlite3"
            # Opening one for each request (Django's default) costs as much time as many a request itself.
            database["CONN_MAX_AGE"] = None
            database["OPTIONS"] = {
                # A deferred transaction that turns into a writer is refused at once, whatever the timeout says.
                "transaction_mode": "IMMEDIATE",
                "timeout": LOCK_WAIT_SECONDS,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
            }
            # Race tests use connections of several threads: they need a file (of the run's own: tests/postgres.py).
            database["TEST"] = {"NAME": f"{database['NAME']}.test"}
        case "django.db.backends.postgresql":
            database["ENGINE"] = "claimsite.foundation.postgresql"
            database["CONN_MAX_AGE"] = 600
            database["CONN_HEALTH_CHECKS"] = True
            # jit: no query here runs long enough to be worth compiling, but the planner thinks so of large searches;
            # compiling one takes 0.2 s and more.
            database["OPTIONS"] = {
                **dict(database.get("OPTIONS") or {}),  # type: ignore[call-overload]
                "connect_timeout": 3,
                "options": (
                    f"-c jit=off -c lock_timeout={LOCK_WAIT_SECONDS}s -c idle_in_transaction_session_timeout=60s"
                ),
            }
        case other:
            raise ImproperlyConfigured(
                f"CLAIMSITE_DATABASE_URL names {other}; sqlite:/// and postgres:// are supported."
            )
    database["ATOMIC_REQUESTS"] = False
    return database


DATABASES = {"default": _database(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Django ---------------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    # unfold's templates stand before those of the admin that they replace.
    *(["unfold.apps.BasicAppConfig"] if ADMIN_LOOK == "unfold" else []),
    "claimsite.foundation.apps.OperatorAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "claimsite.foundation",
    "claimsite.operations",
    "placement_app",
    "ironic_app",
]
MIDDLEWARE = [
    "claimsite.foundation.framing.FramingMiddleware",
    "claimsite.foundation.openstack.request_id.RequestIdMiddleware",
    "claimsite.foundation.openstack.cors.CorsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "claimsite.foundation.pages.SessionMiddleware",
    "claimsite.foundation.pages.CsrfViewMiddleware",
    "claimsite.foundation.pages.AuthenticationMiddleware",
    "claimsite.foundation.pages.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "claimsite.urls"
WSGI_APPLICATION = "claimsite.wsgi.application"
APPEND_SLASH = False
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
# Straight from the packages, so that a server needs no collectstatic to show its pages.
WHITENOISE_USE_FINDERS = True
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
FORMAT_MODULE_PATH = "claimsite.foundation.formats"

# A reshape of a large host is a big document; beyond this the answer is 413.
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024 * 1024

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": environment.text("CLAIMSITE_LOG_LEVEL", "WARNING").upper()},
    # A 4xx is an answer, not an event: the server's access log has it.
    "loggers": {"django.request": {"level": "ERROR"}},
}
