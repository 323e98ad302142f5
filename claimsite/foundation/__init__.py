"""What both apps stand on. Imports neither of them."""
