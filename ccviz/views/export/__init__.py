"""A run as one HTML file: frames written ahead in Python, and a small script that shows them."""
