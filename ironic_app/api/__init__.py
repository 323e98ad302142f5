"""Ironic's HTTP door. The only place that knows HTTP and microversions."""
