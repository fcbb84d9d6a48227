"""What is to be solved: points, links, sizes and rules, and what follows from them."""
