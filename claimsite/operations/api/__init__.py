"""The door to what neither service has alone: one call that claims in Placement and takes the node in Ironic."""
