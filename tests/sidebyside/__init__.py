"""This site beside openstack-placement: the same requests to both, and every difference explained or a failure."""
