"""What needs both apps, or the running site as a whole. Nobody imports it but ``claimsite.urls``."""
