"""The search for places where a claim would fit. Reads only; knows no HTTP and no versions."""
