"""Times as everywhere else on the pages: by 24 hours, in UTC."""

DATE_FORMAT = "Y-m-d"
TIME_FORMAT = r"H:i:s \U\T\C"
DATETIME_FORMAT = r"Y-m-d H:i:s \U\T\C"
