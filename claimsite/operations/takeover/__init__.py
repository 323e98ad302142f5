"""Taking over what another service knows, by its API and through our own services."""
